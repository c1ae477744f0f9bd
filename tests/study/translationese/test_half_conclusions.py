"""What each half says, with the n of its own."""

import math

import pytest

from detectable.study.translationese.conclusions import Concluded, PairVerdict, half_conclusions
from detectable.study.translationese.halves import HALVES
from tests.study.translationese.test_remarks import people, texts


def _said() -> dict[str, Concluded]:
    told = {
        "forward": PairVerdict("undecided", 4.0),
        "reverse": PairVerdict("worse", math.nan),
        "both": PairVerdict("better", 2.0),
    }
    return {
        half: Concluded({("A", "B"): told[half]}, (("A",), ("B",)) if half == "both" else ())
        for half in HALVES
    }


SOME = ("zh", "zh", "en", "en", "en", "de")


def test_of_judgments() -> None:
    judged = people(SOME)
    rows = half_conclusions(judged.measures()[0], _said(), judged)  # type: ignore[arg-type]
    assert [(row.measure, row.half) for row in rows] == [("raw", half) for half in HALVES]
    assert [row.clusters for row in rows] == [(), (), (("A",), ("B",))]
    assert [row.told_apart for row in rows] == [0, 1, 1]
    assert [row.pairs for row in rows] == [1, 1, 1]
    assert [row.mde for row in rows] == pytest.approx([4.0, math.nan, 2.0], nan_ok=True)
    assert [row.n_units for row in rows] == [2, 3, 5]
    assert [row.n_segments for row in rows] == [2, 3, 5]
    assert [row.n_judgments for row in rows] == [4, 6, 10]


def test_texts_have_no_judgments() -> None:
    (chrf,) = texts(SOME).measures
    for judged in (None, people(SOME)):
        rows = half_conclusions(chrf, _said(), judged)  # type: ignore[arg-type]
        assert [row.n_judgments for row in rows] == [None, None, None]
        assert [row.measure for row in rows] == ["chrf"] * 3
