"""Which intervals a stepwise correction has cut, and that the reader is told."""

import math

import numpy as np

from detectable.contrasts.claim import cut_intervals
from detectable.core.interval import Interval
from detectable.data.scores.scores import Scores
from detectable.inference.standard_errors import agreeing_interval
from detectable.study.comparison.compare import compare


def test_only_what_was_cut_is_named() -> None:
    up = agreeing_interval(Interval(-0.1, 2.0, 0.95), 1.0, rejected=True)
    down = agreeing_interval(Interval(-2.0, 0.1, 0.95), -1.0, rejected=True)
    plain = Interval(0.1, 2.0, 0.95)
    undecided = agreeing_interval(Interval(0.1, 2.0, 0.95), 1.0, rejected=False)
    assert cut_intervals([("p", plain), ("u", undecided)]) == ()
    (one,) = cut_intervals([("B − A", up), ("C − A", plain)])
    assert one.startswith("The interval of B − A ends at 0: a later step")
    (two,) = cut_intervals([("B − A", up), ("C − A", down)])
    assert two.startswith("The intervals of B − A, C − A end at 0")


def test_compare_says_so() -> None:
    """One system far ahead, and two apart by just enough for the last step."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=40)
    said = set()
    for shift in np.linspace(0.3, 0.55, 26):
        near = np.zeros(40)
        scores = Scores.build(
            {"A": near, "B": near + shift + noise, "C": near + 30.0 + rng.normal(size=40)}
        )
        found = compare(scores, n_resamples=999, n_examples=0, rng=1)
        cut = [
            p
            for p in found.pairs
            if math.nextafter(0.0, math.inf) in (p.interval.low, -p.interval.high)
        ]
        noted = [note for note in found.notes if "a later step of the correction" in note]
        assert len(noted) == bool(cut)
        assert not cut or f"{cut[0].system} − {cut[0].baseline}" in noted[0]
        said.add(bool(cut))
    assert said == {True, False}
