"""What WMT's rule would have said, and on which pairs it differs."""

import numpy as np

from detectable.core.interval import Interval
from detectable.core.verdict import Verdict
from detectable.study.ranking.ranking import DifferentVerdict, RankedPair
from detectable.study.ranking.verdicts import _different

SYSTEMS = {"a": 0, "b": 1}


def row(verdict: Verdict) -> RankedPair:
    return RankedPair(
        better="a",
        worse="b",
        difference=1.0,
        interval=Interval(0.0, 2.0, 0.95),
        claim="better",
        interval_level=0.95,
        interval_alone=Interval(0.1, 1.9, 0.95),
        standard_error=0.5,
        df=19.0,
        attainable_p=0.0,
        units_needed=None,
        probability=0.6,
        p_value=0.04,
        p_adjusted=0.04,
        p_equivalence=float("nan"),
        mde=1.5,
        verdict=verdict,
        n=20,
        n_clusters=None,
    )


def test_an_equivalent_pair_agrees_with_no_significant_difference() -> None:
    nobody = np.zeros((2, 2), dtype=bool)
    assert _different((row("equivalent"), row("undecided")), nobody, SYSTEMS) == []


def test_pairs_on_which_the_verdicts_differ() -> None:
    wins = np.array([[False, True], [False, False]])
    assert _different((row("better"),), wins, SYSTEMS) == []
    assert _different((row("equivalent"), row("worse")), wins, SYSTEMS) == [
        DifferentVerdict(better="a", worse="b", verdict="equivalent", wmt="better"),
        DifferentVerdict(better="a", worse="b", verdict="worse", wmt="better"),
    ]
    assert _different((row("better"),), wins.T, SYSTEMS) == [
        DifferentVerdict(better="a", worse="b", verdict="better", wmt="worse")
    ]
