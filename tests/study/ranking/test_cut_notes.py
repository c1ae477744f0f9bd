"""A ranking says where a later step of the correction has cut an interval."""

import math

import numpy as np

from detectable.data.human.read_judgments import read_judgments
from detectable.study.ranking.rank_systems import rank_systems


def test_a_ranking_says_so() -> None:
    rng = np.random.default_rng(0)
    noise, said = rng.normal(size=40), set()
    for shift in np.linspace(0.25, 0.6, 15):
        scores = {
            "A": np.full(40, 50.0),
            "B": 50.0 + shift + noise,
            "C": 80.0 + rng.normal(size=40),
        }
        table = {
            "system": [name for name in scores for _ in range(40)],
            "item": [f"i{i}" for _ in scores for i in range(40)],
            "rater": ["r"] * 120,
            "score": [float(one) for column in scores.values() for one in column],
        }
        judged = read_judgments(table, scale=(0.0, 100.0))
        found = rank_systems(judged, standardise="none", n_resamples=999, rng=1)
        cut = [
            pair
            for pair in found.pairs
            if math.nextafter(0.0, math.inf) in (pair.interval.low, -pair.interval.high)
        ]
        noted = [note for note in found.notes if "a later step of the correction" in note]
        assert len(noted) == bool(cut)
        assert not cut or f"{cut[0].better} − {cut[0].worse}" in noted[0]
        said.add(bool(cut))
    assert said == {True, False}
