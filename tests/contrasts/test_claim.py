"""Which intervals a stepwise correction has cut, and that the reader is told."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.contrasts.analysis import Analysis, Margins, t_margins
from detectable.contrasts.claim import (
    OneSided,
    PairClaim,
    WithoutRater,
    cut_intervals,
)
from detectable.contrasts.contrast import Contrast, Family
from detectable.core.interval import Interval
from detectable.data.scores.scores import Scores
from detectable.inference.standard_errors import Estimate, agreeing_interval, median_unbiased
from detectable.study.comparison.compare import compare


def decided_together(tests: Sequence[Estimate]) -> tuple[Contrast, ...]:
    return Family(alpha=0.05).contrasts(Contrast, tests, [{} for _ in tests])


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
NONE = OneSided(math.nan, math.nan)


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
        margins=Margins(
            above=table("above", math.nan),
            below=table("below", math.nan),
            beyond_low=table("beyond_low", math.nan),
            beyond_high=table("beyond_high", math.nan),
            interval=lambda p, m, a: alone(p, m, 2.0 * a),
            passable=t_margins([[cell]], np.array([math.nan])).passable,
        ),
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
    found = claim(p=0.01, adjusted=0.04).difference(NONE, higher_is_better=True)
    assert (found.claim, found.verdict) == ("better", "better")
    assert (found.p_value, found.p_adjusted, found.attainable_p) == (0.01, 0.04, 0.001)
    assert found.interval == Interval(-7.0, 7.0, 0.95)  # that of the family
    assert found.interval_alone.low == pytest.approx(
        1.0 - stats.t.isf(0.025, DF) * 0.5, abs=0.2
    )
    assert 0.0 not in found.interval_alone
    assert found.mde == 1.7


def test_the_interval_alone_goes_with_the_raw_p_value() -> None:
    # The interval would say otherwise in all three.
    rejected = claim(p=ALPHA, half=1.5).difference(NONE, higher_is_better=True)
    assert rejected.interval_alone.low == math.nextafter(0.0, 1.0)
    kept = claim(p=0.0501, half=0.5).difference(NONE, higher_is_better=True)
    assert kept.interval_alone.low == 0.0
    # A difference of exactly 0 is on neither side, whatever its p-value is.
    nothing = claim(0.0, p=0.01, half=0.5).difference(NONE, higher_is_better=True)
    assert 0.0 in nothing.interval_alone


def test_no_detectable_difference_where_the_test_cannot_reject() -> None:
    for possible in (True, False):
        found = claim(possible=possible).difference(NONE, higher_is_better=None)
        assert math.isfinite(found.mde) == possible


def test_ties_that_leave_no_small_p_leave_a_detectable_difference() -> None:
    found = claim(attainable=0.25).difference(NONE, higher_is_better=None)
    assert (found.attainable_p, found.mde) == (0.25, 1.7)


def test_equivalence_beside_a_difference_shows_its_own_interval() -> None:
    asked: list[float] = []
    shown = OneSided(0.01, 0.04)
    found = claim(0.3, tests=4.0, asked=asked).difference(shown, higher_is_better=True)
    assert found.verdict == "equivalent"
    assert found.interval.level == pytest.approx(0.9)
    assert -2.0 < found.interval.low < found.interval.high < 2.0
    assert sorted(set(asked)) == pytest.approx([2.0 * ALPHA / 4.0, ALPHA])


def _tested(value: float, bound: float, sign: float, tests: float = 1.0) -> OneSided:
    """Return the t test of one side of a bound, corrected as the first of so many tests."""
    raw = float(stats.t.sf(sign * (value - bound) / 0.5, DF))
    return OneSided(raw, min(1.0, tests * raw))


@pytest.mark.parametrize("tests", [1.0, 3.0])
@pytest.mark.parametrize("value", [-4.5, -3.2, -1.8, -0.5, 0.0, 0.9, 1.2, 1.9, 2.6, 3.1, 5.0])
def test_equivalence_its_interval_and_what_is_beyond_agree(value: float, tests: float) -> None:
    both = [_tested(value, -2.0, 1.0, tests), _tested(value, 2.0, -1.0, tests)]
    shown = max(both, key=lambda one: one.raw)
    low, high = _tested(value, -2.0, -1.0, tests), _tested(value, 2.0, 1.0, tests)
    found = claim(value, tests=tests).within(shown, low, high)
    interval = found.interval
    assert (found.verdict == "equivalent") == (interval.low > -2.0 and interval.high < 2.0)
    assert (found.verdict == "inferior") == (interval.high < -2.0)
    assert (found.verdict == "superior") == (interval.low > 2.0)
    assert found.p_beyond == min(low.adjusted, high.adjusted)
    mirrored = claim(-value, tests=tests).within(shown, high, low, higher_is_better=False)
    assert mirrored.verdict == found.verdict
    none = claim(value, tests=tests).within(shown, low, high, higher_is_better=None)
    words = {"inferior": "lower", "superior": "higher"}
    assert none.verdict == words.get(str(found.verdict), found.verdict)


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("tests", [1.0, 3.0])
@pytest.mark.parametrize("value", [-5.0, -3.3, -2.9, -1.9, -1.2, -0.9, 0.0, 4.0])
def test_not_worse_and_its_interval_agree(value: float, tests: float, *, up: bool) -> None:
    sign = 1.0 if up else -1.0
    kept = _tested(value, -2.0, 1.0, tests)
    lost = _tested(value, -2.0, -1.0, tests)
    found = claim(sign * value, tests=tests).not_worse(kept, lost, higher_is_better=up)
    interval = (
        found.interval if up else Interval(-found.interval.high, -found.interval.low, 0.9)
    )
    assert (
        (found.verdict == "non-inferior") == (interval.low > -2.0) == (kept.adjusted <= ALPHA)
    )
    assert (found.verdict == "inferior") == (interval.high < -2.0) == (lost.adjusted <= ALPHA)
    assert found.interval.level == pytest.approx(0.9)
    assert math.isnan(found.p_equivalence)


def test_an_interval_is_the_inverted_test_and_never_ends_at_the_margin() -> None:
    half = float(stats.t.isf(ALPHA, DF)) * 0.5
    kept, lost = _tested(-1.8, -2.0, 1.0), _tested(-1.8, -2.0, -1.0)
    found = claim(-1.8).not_worse(kept, lost, higher_is_better=True)
    assert found.interval.to_json() == pytest.approx([-1.8 - half, -1.8 + half])


def test_the_level_of_an_interval_is_that_of_the_step_that_decided() -> None:
    asked: list[float] = []
    late = OneSided(0.02, 0.04)  # Holm had come to the second of two
    claim(tests=3.0, asked=asked).not_worse(late, OneSided(0.98, 1.0), higher_is_better=True)
    assert asked == pytest.approx([2.0 * ALPHA / 2.0, 2.0 * ALPHA / 3.0, 2.0 * ALPHA])


@pytest.mark.parametrize("tests", [1.0, 6.0])
def test_the_margin_that_equal_systems_keep(tests: float) -> None:
    critical = float(stats.t.isf(ALPHA / tests, DF))
    open_ = OneSided(0.1, 0.1)
    for power, found in (
        (POWER, claim(tests=tests).not_worse(open_, open_, higher_is_better=True)),
        # Both sides must be passed: equal systems fail each in half of the rest.
        (0.5 + 0.5 * POWER, claim(tests=tests).within(open_, open_, open_)),
    ):
        shift = found.mde / median_unbiased(0.5, DF)
        assert stats.nct.sf(critical, DF, shift) == pytest.approx(power, abs=1e-6)


def test_no_such_margin_where_none_can_be_shown() -> None:
    open_ = OneSided(0.1, 0.1)
    for attainable, there in ((ALPHA, True), (0.0501, False)):
        found = claim(attainable_margin=attainable).within(open_, open_, open_)
        assert math.isfinite(found.mde) == there
        assert found.attainable_p == attainable
    assert math.isnan(claim(error=0.0, half=0.0).within(open_, open_, open_).mde)


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


# --- Differences with a t test each, decided together ---


def test_differences_are_corrected_together_and_intervals_agree() -> None:
    rng, contradicted = np.random.default_rng(5), 0
    for _ in range(200):
        tests = [Estimate(rng.normal(1.5), 0.7, 30.0) for _ in range(5)]
        found = decided_together(tests)
        alone = [2.0 * stats.t.sf(abs(one.value) / 0.7, 30.0) for one in tests]
        assert np.allclose([one.p_value for one in found], alone)
        order = np.argsort(alone)
        steps = np.maximum.accumulate(np.sort(alone) * np.arange(5, 0, -1)).clip(max=1.0)
        assert np.allclose(np.array([one.p_adjusted for one in found])[order], steps)
        for one, test in zip(found, tests, strict=True):
            assert (one.verdict == "undecided") == (one.p_adjusted > 0.05)
            assert (0.0 in one.interval) == (one.verdict == "undecided")
            contradicted += (0.0 in test.interval(0.95)) != (0.0 in one.interval)
            assert one.interval.level == 0.95
    assert contradicted > 20  # so many intervals said another thing than the verdict


def test_no_spread_is_no_evidence() -> None:
    (found,) = decided_together([Estimate(3.0, 0.0, 5.0)])
    assert (found.p_value, found.verdict) == (1.0, "undecided")
    assert 0.0 in found.interval
    assert decided_together([]) == ()
