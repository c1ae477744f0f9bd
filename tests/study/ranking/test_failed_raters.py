"""Raters who fail their check: the ranking keeps them, counts them, and says what they decide."""

from typing import Any

import numpy as np
import pytest

from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.study.ranking.leverage import failed_raters
from detectable.study.ranking.rank_systems import rank_systems
from tests.helpers import reference_data


def _campaign(*, careless_prefer: str) -> Judgments:
    """Return two careful raters who see little difference, and one careless who sees one."""
    rng = np.random.default_rng(4)
    rows: list[dict[str, Any]] = []
    for rater, careless in (("ann", False), ("bob", False), ("eve", True)):
        for item in range(40):
            for system in ("A", "B"):
                noise = float(rng.normal(0, 3))
                liked = careless and system == careless_prefer
                rows.append(
                    {"rater": rater, "item": item, "system": system, "kind": "system",
                     "score": 50 + noise + (12 if liked else 0)}
                )  # fmt: skip
                fall = float(rng.normal(0, 3)) if careless else 20
                rows.append({**rows[-1], "kind": "degraded", "score": rows[-1]["score"] - fall})
    return Judgments.build({key: [row[key] for row in rows] for key in rows[0]})


def test_a_verdict_that_rests_on_a_careless_rater_is_named() -> None:
    judgments = _campaign(careless_prefer="A")
    judgments_of_eve = judgments.where(rater="eve")
    assert judgments_of_eve.n_judgments == 160
    ranking = rank_systems(judgments, rng=1, n_resamples=999)
    assert ranking.pairs[0].verdict == "better"
    assert sum(row.N for row in ranking.systems) == 240  # nobody is dropped unasked
    assert ranking.notes[-1].startswith("The verdict depends on 1 of 3 raters who failed the")
    assert "A against B: with them better, without them undecided." in ranking.notes[-1]


def test_without_failures_or_controls_nothing_is_said() -> None:
    judgments = _campaign(careless_prefer="A")
    plain = judgments.take(judgments.is_kind("system"))
    assert failed_raters(plain) == ()
    assert not any(
        "failed" in note for note in rank_systems(plain, rng=1, n_resamples=99).notes
    )
    careful = judgments.take(judgments.column("rater").codes < 2)
    assert failed_raters(careful) == ()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("preset", [None, "wmt21"])
def test_ukrainian_to_english_of_wmt22(preset: Any) -> None:
    judgments = read_judgments(reference_data("data", "more", "wmt", "wmt22_uken_da.parquet"))
    assert len(failed_raters(judgments)) == 64
    ranking = rank_systems(judgments, preset=preset, rng=1, n_resamples=199)
    said = [note for note in ranking.notes if "64 of 144 raters who failed the check" in note]
    assert len(said) == 1
    assert "without them" in said[0]


def test_scores_that_are_all_the_same_are_a_tie() -> None:
    table = {
        "system": ["A", "B"] * 20,
        "item": [i // 2 for i in range(40)],
        "rater": ["r"] * 40,
        "score": [50] * 40,
    }
    ranking = rank_systems(Judgments.build(table), rng=1, n_resamples=99)
    assert ranking.pairs[0].verdict == "undecided"
    assert all(np.isnan(row.mean_z) for row in ranking.systems)  # no spread, no z
    assert ranking.wmt.n_significant == 0
