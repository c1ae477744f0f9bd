"""Which intervals a stepwise correction has cut, and that the reader is told."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.contrasts.analysis import Analysis, Margins
from detectable.contrasts.claim import PairClaim, WithoutRater, cut_intervals
from detectable.core.interval import Interval
from detectable.data.scores.scores import Scores
from detectable.inference.standard_errors import Estimate, agreeing_interval, median_unbiased
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


# --- What may be said of one pair: p-value, interval, detectable difference and verdict together ---

ALPHA, POWER, DF = 0.05, 0.8, 9.0


def claim(
    value: float = 1.0,
    error: float = 0.5,
    *,
    tests: float = 1.0,
    margin: float = 2.0,
    half: float | None = None,
    asked: list[float] | None = None,
    **found: float,
) -> PairClaim:
    """Return a pair whose interval at α is value ± t·error (or ± half), all else as given."""
    cell = Estimate(value, error, DF)

    def alone(p: int, m: int, a: float) -> Interval:
        assert (p, m) == (0, 0)
        if asked is not None:
            asked.append(a)
        width = float(stats.t.isf(a / 2.0, DF)) * error if half is None else half
        return Interval(value - width, value + width, 1.0 - a)

    def table(name: str, default: float) -> Any:
        return np.array([[found.get(name, default)]])

    analysis = Analysis(
        estimates=[[cell]],
        p_values=table("p", 0.2),
        p_adjusted=table("adjusted", 0.3),
        intervals=[[Interval(-7.0, 7.0, 1.0 - ALPHA)]],
        interval_alone=alone,
        margins=Margins(above=table("above", math.nan), below=table("below", math.nan)),
        level=table("level", ALPHA),
        mde=table("mde", 1.7),
        attainable=table("attainable", 0.001),
        attainable_margin=table("attainable_margin", 0.001),
        possible=table("possible", True),
    )
    return PairClaim(
        found=analysis, at=(0, 0), tests=tests, margin=margin, alpha=ALPHA, power=POWER
    )


def test_a_difference_has_the_numbers_of_its_analysis() -> None:
    found = claim(p=0.01, adjusted=0.04).difference(math.nan, higher_is_better=True)
    assert (found.claim, found.verdict) == ("better", "better")
    assert (found.p_value, found.p_adjusted, found.attainable) == (0.01, 0.04, 0.001)
    assert found.interval == Interval(-7.0, 7.0, 0.95)  # that of the family
    assert found.interval_alone.low == pytest.approx(
        1.0 - stats.t.isf(0.025, DF) * 0.5, abs=0.2
    )
    assert 0.0 not in found.interval_alone
    assert found.mde == 1.7


def test_the_interval_alone_goes_with_the_raw_p_value() -> None:
    # The interval would say otherwise in all three.
    rejected = claim(p=ALPHA, half=1.5).difference(math.nan, higher_is_better=True)
    assert rejected.interval_alone.low == math.nextafter(0.0, 1.0)
    kept = claim(p=0.0501, half=0.5).difference(math.nan, higher_is_better=True)
    assert kept.interval_alone.low == 0.0
    # A difference of exactly 0 is on neither side, whatever its p-value is.
    nothing = claim(0.0, p=0.01, half=0.5).difference(math.nan, higher_is_better=True)
    assert 0.0 in nothing.interval_alone


def test_no_detectable_difference_where_the_test_cannot_reject() -> None:
    for possible in (True, False):
        found = claim(possible=possible).difference(math.nan, higher_is_better=None)
        assert math.isfinite(found.mde) == possible


def test_ties_that_leave_no_small_p_leave_a_detectable_difference() -> None:
    found = claim(attainable=0.25).difference(math.nan, higher_is_better=None)
    assert (found.attainable, found.mde) == (0.25, 1.7)


def test_equivalence_beside_a_difference_shows_its_own_interval() -> None:
    asked: list[float] = []
    found = claim(0.3, tests=4.0, asked=asked).difference(0.01, higher_is_better=True)
    assert found.verdict == "equivalent"
    assert found.interval.level == pytest.approx(0.9)
    assert -2.0 < found.interval.low < found.interval.high < 2.0
    assert sorted(set(asked)) == pytest.approx([2.0 * ALPHA / 4.0, ALPHA])


@pytest.mark.parametrize("value", [0.5, -0.5])
def test_equivalence_and_its_interval_agree(value: float) -> None:
    shown = claim(value, half=3.0).within(0.02, ALPHA)
    assert (shown.verdict, shown.claim) == ("equivalent", "equivalent")
    assert (shown.interval.low, shown.interval.high) == (
        math.nextafter(-2.0, 0.0),
        math.nextafter(2.0, 0.0),
    )
    not_shown = claim(value, half=1.0).within(0.02, 0.0501)
    assert not_shown.verdict == "undecided"
    # The margin on the side of the estimate is the one that was not passed.
    nearer = math.copysign(2.0, value)
    assert nearer in not_shown.interval
    assert -nearer not in not_shown.interval
    assert not_shown.interval_alone.low == value - 1.0  # by itself it is shown
    assert (not_shown.p_value, not_shown.p_adjusted, not_shown.p_equivalence) == (
        0.02,
        0.0501,
        0.0501,
    )


def test_an_interval_that_leaves_a_margin_stays_as_it_is() -> None:
    for value in (1.5, -1.5):
        found = claim(value, half=1.0).within(0.3, 0.3)
        assert (found.interval.low, found.interval.high) == (value - 1.0, value + 1.0)
    # To reach a margin is to leave it: no change either.
    for value in (1.0, -1.0):
        found = claim(value, half=1.0).within(0.3, 0.3)
        assert (found.interval.low, found.interval.high) == (value - 1.0, value + 1.0)


def test_intervals_of_margins_are_corrected_and_labelled() -> None:
    asked: list[float] = []
    found = claim(tests=3.0, asked=asked).within(0.01, 0.03)
    assert sorted(asked) == pytest.approx([0.1 / 3.0, 0.1])
    assert (found.interval.level, found.interval_alone.level) == pytest.approx((0.9, 0.9))
    assert found.attainable == 0.001
    asked.clear()
    claim(tests=3.0, asked=asked).not_worse(0.01, 0.03, higher_is_better=True)
    assert sorted(asked) == pytest.approx([0.1 / 3.0, 0.1])


@pytest.mark.parametrize("up", [True, False])
def test_not_worse_and_its_interval_agree(*, up: bool) -> None:
    sign = 1.0 if up else -1.0

    def limit(interval: Interval) -> float:
        """Return the end that looks towards worse."""
        return interval.low if up else interval.high

    shown = claim(-0.5 * sign, half=3.0).not_worse(0.01, ALPHA, higher_is_better=up)
    assert (shown.verdict, shown.claim) == ("non-inferior", "non-inferior")
    assert limit(shown.interval) == math.nextafter(-2.0 * sign, 0.0)
    kept = claim(-0.5 * sign, half=1.0).not_worse(0.04, 0.0501, higher_is_better=up)
    assert kept.verdict == "undecided"
    assert limit(kept.interval) == -2.0 * sign
    assert limit(kept.interval_alone) == -1.5 * sign  # by itself it is shown
    for found in (shown, kept):
        other = found.interval.high if up else found.interval.low
        assert other == pytest.approx(sign * (2.5 if found is shown else 0.5))
        assert found.interval.level == pytest.approx(0.9)
        assert math.isnan(found.p_equivalence)
    # Where the interval already says what the test says, nothing is moved.
    plain = claim(-0.5 * sign, half=1.0).not_worse(0.01, 0.01, higher_is_better=up)
    assert limit(plain.interval) == -1.5 * sign
    wide = claim(-0.5 * sign, half=2.5).not_worse(0.2, 0.2, higher_is_better=up)
    assert limit(wide.interval) == -3.0 * sign


@pytest.mark.parametrize("tests", [1.0, 6.0])
def test_the_margin_that_equal_systems_keep(tests: float) -> None:
    critical = float(stats.t.isf(ALPHA / tests, DF))
    for power, found in (
        (POWER, claim(tests=tests).not_worse(0.1, 0.1, higher_is_better=True)),
        # Both sides must be passed: equal systems fail each in half of the rest.
        (0.5 + 0.5 * POWER, claim(tests=tests).within(0.1, 0.1)),
    ):
        shift = found.mde / median_unbiased(0.5, DF)
        assert stats.nct.sf(critical, DF, shift) == pytest.approx(power, abs=1e-6)


def test_no_such_margin_where_none_can_be_shown() -> None:
    for attainable, there in ((ALPHA, True), (0.0501, False)):
        found = claim(attainable_margin=attainable).within(0.1, 0.1)
        assert math.isfinite(found.mde) == there
        assert found.attainable == attainable
    assert math.isnan(claim(error=0.0, half=0.0).within(0.1, 0.1).mde)


# --- What is left of an item without one rater, against taking the rater out ---


def test_the_change_is_that_of_the_mean_without_the_comparison() -> None:
    item = np.array([0, 0, 0, 2, 2, 3])
    difference = np.array([1.0, 4.0, 7.0, -2.0, 6.0, 5.0])
    found = WithoutRater.of(item, difference, 5)
    assert found.mean.tolist() == [4.0, 0.0, 2.0, 5.0, 0.0]
    assert found.judged.tolist() == [3, 0, 2, 1, 0]
    assert found.alone.tolist() == [False] * 5 + [True]
    for row in range(6):
        others = difference[(item == item[row]) & (np.arange(6) != row)]
        after = others.mean() if others.size else 0.0  # the item is gone
        assert found.mean[item[row]] + found.change[row] == pytest.approx(after)
