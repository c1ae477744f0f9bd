"""From p-values to verdicts: corrections, sides, margins, and who beats whom."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from detectable.contrasts.analysis import Analysis, by_t, families, stepwise
from detectable.core.types import ArrayLike, FloatArray
from detectable.inference.standard_errors import Estimate
from detectable.study.ranking.pair_tests import PairTests
from detectable.study.ranking.run import Outcome
from detectable.study.ranking.settings import RankSettings, with_preset
from detectable.study.ranking.verdicts import Decided, beats_matrix, decide_pairs

# Three systems, best first 2, 0, 1.
PAIRS = [(2, 0), (2, 1), (0, 1)]


def outcome(
    two_sided: ArrayLike = (0.01, 0.02, 0.5),
    *,
    greater: ArrayLike = (0.005, 0.01, 0.25),
    less: ArrayLike = (0.995, 0.99, 0.75),
    favours: ArrayLike = (1, 1, 1),
    error: float = 1.0,
    settings: RankSettings | None = None,
) -> Outcome:
    def array(values: ArrayLike) -> FloatArray:
        return np.asarray(values, dtype=np.float64)

    chosen = RankSettings() if settings is None else settings
    correction = "none" if chosen.correction == "none" else "holm"
    cells = [[Estimate(value, error, 1e9)] for value in (2.0, 1.0, 0.0)]
    return Outcome(
        means=[Estimate(0.0, 1.0, 9.0)] * 3,
        order=[2, 0, 1],
        pairs=PAIRS,
        analysis=analysed(cells, array(two_sided)[:, None], correction, chosen),
        tests=PairTests(
            p_two_sided=array(two_sided),
            p_greater=array(greater),
            p_less=array(less),
            favours=np.asarray(favours, dtype=np.int64),
            probability=np.full(3, 0.6),
            n=np.full(3, 40),
        ),
        correction=correction,
    )


def analysed(
    cells: list[list[Estimate]], p: FloatArray, correction: str, settings: RankSettings
) -> Analysis:
    """Return what a test with these p-values says."""
    margin = np.array([np.nan if settings.margin is None else settings.margin])
    groups = families((3, 1), "systems")
    made = by_t(cells, margin, groups, correction, alpha=settings.alpha, power=settings.power)
    return replace(made, p_values=p, p_adjusted=stepwise(p, groups, correction))


def decided(settings: RankSettings, *args: Any, **more: Any) -> Decided:
    return decide_pairs(outcome(*args, settings=settings, **more), settings)


def p_values(found: Decided) -> list[float]:
    return [claim.p_value for claim in found.claims]


def p_adjusted(found: Decided) -> list[float]:
    return [claim.p_adjusted for claim in found.claims]


def p_equivalence(found: Decided) -> list[float]:
    return [claim.p_equivalence for claim in found.claims]


def level(found: Decided) -> float:
    """Return the two-sided level that the detectable difference of the first pair stands for."""
    from scipy.stats import norm

    return float(2.0 * norm.sf(found.claims[0].mde - norm.ppf(0.8)))


def preset(name: Any, **options: Any) -> RankSettings:
    return with_preset(RankSettings(preset=name, **options), {})


class TestCorrection:
    def test_holm(self) -> None:
        found = decided(RankSettings())
        assert p_values(found) == [0.01, 0.02, 0.5]
        assert p_adjusted(found) == pytest.approx([0.03, 0.04, 0.5])
        assert found.verdicts == ["better", "better", "undecided"]
        assert level(found) == pytest.approx(0.05 / 3, rel=1e-3)

    def test_none(self) -> None:
        found = decided(RankSettings(correction="none"), (0.01, 0.05, 0.9))
        assert p_adjusted(found) == [0.01, 0.05, 0.9]
        assert found.verdicts == ["better", "better", "undecided"]
        assert level(found) == pytest.approx(0.05, rel=1e-3)

    def test_exactly_alpha_decides(self) -> None:
        settings = RankSettings(correction="none", alpha=0.02)
        assert decided(settings).verdicts[1] == "better"
        settings = RankSettings(correction="none", alpha=0.0199)
        assert decided(settings).verdicts[1] == "undecided"


def test_the_test_has_the_direction_and_not_the_mean() -> None:
    found = decided(RankSettings(correction="none"), favours=(-1, 0, 1))
    assert found.verdicts == ["worse", "undecided", "undecided"]
    # No interval of means can say what ranks say of the other system.
    alone = found.claims[0].interval_alone
    assert alone.low <= 0.0 <= alone.high


class TestOneSided:
    def test_wmt21_claims_what_the_means_say(self) -> None:
        found = decided(preset("wmt21"), greater=(0.05, 0.06, 0.97), less=(0.95, 0.94, 0.03))
        assert p_values(found) == [0.05, 0.06, 0.97]
        assert p_adjusted(found) == [0.05, 0.06, 0.97]
        assert found.verdicts == ["better", "undecided", "worse"]
        assert level(found) == pytest.approx(0.1, rel=1e-3)  # two-sided

    def test_also_where_no_preset_asks_for_it(self) -> None:
        found = decided(
            RankSettings(correction="none", one_sided=True),
            greater=(0.05, 0.06, 0.97),
            less=(0.95, 0.94, 0.03),
        )
        assert p_values(found) == [0.05, 0.06, 0.97]
        assert found.verdicts == ["better", "undecided", "worse"]

    def test_wmt25_halves_the_level(self) -> None:
        found = decided(
            preset("wmt25"), greater=(0.025, 0.026, 0.98), less=(0.975, 0.974, 0.025)
        )
        assert p_values(found) == [0.025, 0.026, 0.98]
        assert p_adjusted(found) == [0.05, 0.052, 1.0]
        assert found.verdicts == ["better", "undecided", "worse"]
        assert level(found) == pytest.approx(0.05, rel=1e-3)

    def test_a_level_of_more_than_a_half_is_none(self) -> None:
        assert level(decided(preset("wmt21", alpha=0.4))) == pytest.approx(0.5, rel=1e-3)

    def test_wmt24_is_two_sided(self) -> None:
        found = decided(preset("wmt24"))
        assert p_values(found) == [0.01, 0.02, 0.5]


class TestMargin:
    # With a standard error of 1, p of «within ±4» is Φ(−2), Φ(−3), Φ(−4) for 2, 1, 0.
    RAW = (0.02275013, 0.00134990, 0.00003167)

    def test_it_is_corrected_as_the_differences_are(self) -> None:
        found = decided(RankSettings(margin=4.0))
        assert p_equivalence(found) == pytest.approx(
            [self.RAW[0], 2 * self.RAW[1], 3 * self.RAW[2]], rel=1e-4
        )
        plain = decided(RankSettings(margin=4.0, correction="none"))
        assert p_equivalence(plain) == pytest.approx(list(self.RAW), rel=1e-4)

    def test_equivalent_comes_before_better(self) -> None:
        found = decided(RankSettings(margin=4.0))
        assert found.verdicts == ["equivalent"] * 3

    def test_without_a_margin_there_is_no_equivalence(self) -> None:
        found = decided(RankSettings(), error=1e-9)
        assert all(math.isnan(p) for p in p_equivalence(found))
        assert "equivalent" not in found.verdicts


class TestClaims:
    def test_the_lower_system_is_not_worse_by_more_than_the_margin(self) -> None:
        # p of «below 4» is that of one side: Φ(−2), Φ(−3), Φ(−4).
        settings = RankSettings(claim="non-inferior", margin=4.0)
        found = decided(settings)
        assert p_values(found) == pytest.approx(list(TestMargin.RAW), rel=1e-4)
        assert found.verdicts == ["non-inferior"] * 3
        assert all(claim.interval.high < 4.0 for claim in found.claims)
        assert all(claim.interval.level == 0.9 for claim in found.claims)
        tight = decided(replace(settings, margin=3.0))
        assert tight.verdicts == ["undecided", "non-inferior", "non-inferior"]
        assert tight.claims[0].interval.high >= 3.0

    def test_equivalence_is_claimed_or_nothing(self) -> None:
        found = decided(RankSettings(claim="equivalent", margin=3.9))
        assert found.verdicts == ["equivalent"] * 3
        found = decided(RankSettings(claim="equivalent", margin=1.0))
        assert found.verdicts == ["undecided"] * 3  # never better, though p of it is .03


def test_who_beats_whom_in_the_order_of_the_ranking() -> None:
    beats = beats_matrix(outcome(), ["better", "equivalent", "worse"])
    assert beats.tolist() == [
        [False, True, False],
        [False, False, False],
        [False, True, False],
    ]
