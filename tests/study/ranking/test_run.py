"""From p-values to verdicts: corrections, sides, margins, and who beats whom."""

import math
from typing import Any

import numpy as np
import pytest

from detectable.core.types import ArrayLike, FloatArray
from detectable.inference.delta import Estimate
from detectable.study.ranking.pair_tests import PairTests
from detectable.study.ranking.presets import with_preset
from detectable.study.ranking.run import Outcome, beats_matrix, decide_pairs
from detectable.study.ranking.settings import RankSettings

# Three systems, best first 2, 0, 1.
PAIRS = [(2, 0), (2, 1), (0, 1)]


def outcome(
    two_sided: ArrayLike = (0.01, 0.02, 0.5),
    *,
    greater: ArrayLike = (0.005, 0.01, 0.25),
    less: ArrayLike = (0.995, 0.99, 0.75),
    favours: ArrayLike = (1, 1, 1),
    error: float = 1.0,
) -> Outcome:
    def array(values: ArrayLike) -> FloatArray:
        return np.asarray(values, dtype=np.float64)

    return Outcome(
        means=[Estimate(0.0, 1.0, 9.0)] * 3,
        order=[2, 0, 1],
        pairs=PAIRS,
        estimates=[Estimate(value, error, 1e9) for value in (2.0, 1.0, 0.0)],
        tests=PairTests(
            p_two_sided=array(two_sided),
            p_greater=array(greater),
            p_less=array(less),
            favours=np.asarray(favours, dtype=np.int64),
            probability=np.full(3, 0.6),
            n=np.full(3, 40),
        ),
        n_resamples=None,
    )


def preset(name: Any, **options: Any) -> RankSettings:
    return with_preset(RankSettings(preset=name, **options), {})


class TestCorrection:
    def test_holm(self) -> None:
        found = decide_pairs(outcome(), RankSettings())
        assert found.p_value.tolist() == [0.01, 0.02, 0.5]
        assert found.p_adjusted.tolist() == pytest.approx([0.03, 0.04, 0.5])
        assert found.verdicts == ["better", "better", "undecided"]
        assert found.level == pytest.approx(0.05 / 3)

    def test_none(self) -> None:
        found = decide_pairs(outcome((0.01, 0.05, 0.9)), RankSettings(correction="none"))
        assert found.p_adjusted.tolist() == [0.01, 0.05, 0.9]
        assert found.verdicts == ["better", "better", "undecided"]
        assert found.level == 0.05

    def test_exactly_alpha_decides(self) -> None:
        settings = RankSettings(correction="none", alpha=0.02)
        assert decide_pairs(outcome(), settings).verdicts[1] == "better"
        settings = RankSettings(correction="none", alpha=0.0199)
        assert decide_pairs(outcome(), settings).verdicts[1] == "undecided"


def test_the_test_has_the_direction_and_not_the_mean() -> None:
    found = decide_pairs(outcome(favours=(-1, 0, 1)), RankSettings(correction="none"))
    assert found.verdicts == ["worse", "undecided", "undecided"]


class TestOneSided:
    def test_wmt21_claims_what_the_means_say(self) -> None:
        found = decide_pairs(
            outcome(greater=(0.05, 0.06, 0.97), less=(0.95, 0.94, 0.03)), preset("wmt21")
        )
        assert found.p_value.tolist() == [0.05, 0.06, 0.97]
        assert found.p_adjusted.tolist() == [0.05, 0.06, 0.97]
        assert found.verdicts == ["better", "undecided", "worse"]
        assert found.level == 0.1  # two-sided

    def test_wmt25_halves_the_level(self) -> None:
        found = decide_pairs(
            outcome(greater=(0.025, 0.026, 0.98), less=(0.975, 0.974, 0.025)), preset("wmt25")
        )
        assert found.p_value.tolist() == [0.025, 0.026, 0.98]
        assert found.p_adjusted.tolist() == [0.05, 0.052, 1.0]
        assert found.verdicts == ["better", "undecided", "worse"]
        assert found.level == 0.05

    def test_a_level_of_more_than_a_half_is_none(self) -> None:
        assert decide_pairs(outcome(), preset("wmt21", alpha=0.4)).level == 0.5

    def test_wmt24_is_two_sided(self) -> None:
        found = decide_pairs(outcome(), preset("wmt24"))
        assert found.p_value.tolist() == [0.01, 0.02, 0.5]


class TestMargin:
    # With a standard error of 1, p of «within ±4» is Φ(−2), Φ(−3), Φ(−4) for 2, 1, 0.
    RAW = (0.02275013, 0.00134990, 0.00003167)

    def test_it_is_corrected_as_the_differences_are(self) -> None:
        found = decide_pairs(outcome(), RankSettings(margin=4.0))
        assert found.p_equivalence.tolist() == pytest.approx(
            [self.RAW[0], 2 * self.RAW[1], 3 * self.RAW[2]], rel=1e-4
        )
        plain = decide_pairs(outcome(), RankSettings(margin=4.0, correction="none"))
        assert plain.p_equivalence.tolist() == pytest.approx(list(self.RAW), rel=1e-4)

    def test_equivalent_comes_before_better(self) -> None:
        found = decide_pairs(outcome(), RankSettings(margin=4.0))
        assert found.verdicts == ["equivalent"] * 3

    def test_without_a_margin_there_is_no_equivalence(self) -> None:
        found = decide_pairs(outcome(error=1e-9), RankSettings())
        assert all(math.isnan(p) for p in found.p_equivalence)
        assert "equivalent" not in found.verdicts


def test_who_beats_whom_in_the_order_of_the_ranking() -> None:
    beats = beats_matrix(outcome(), ["better", "equivalent", "worse"])
    assert beats.tolist() == [
        [False, True, False],
        [False, False, False],
        [False, True, False],
    ]
