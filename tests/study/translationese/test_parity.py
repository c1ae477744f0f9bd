"""Human parity as a claim about a margin."""

import math

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import InputError
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import Estimate
from detectable.metrics.mean import MeanError
from detectable.planning.closed_forms import growth_for_margin, non_inferiority_power
from detectable.study.translationese.halves import halve, mean_sample, split
from detectable.study.translationese.parity import check_human, parity
from tests.study.translationese.planted import ZH_EN, Noise, halved

OPTIONS = {"correction": "auto", "alpha": 0.05, "power": 0.8}


def test_one_system_is_a_one_sided_t_test_of_the_margin() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(60, 5, (24, 2))
    languages = ["zh"] * 14 + ["en"] * 10
    measure = halved(table, [str(i) for i in range(24)], languages)
    rows = parity(measure, "S0", 3.0, **OPTIONS)  # type: ignore[arg-type]
    assert [row.half for row in rows] == ["forward", "reverse", "both"]
    for row, part in zip(rows, (slice(14), slice(14, None), slice(None)), strict=True):
        d = (table[:, 1] - table[:, 0])[part]
        want = stats.ttest_1samp(d, -3.0, alternative="greater")
        assert row.difference == pytest.approx(d.mean())
        assert row.p_value == pytest.approx(want.pvalue, rel=1e-6) == row.p_adjusted
        assert row.verdict == ("non-inferior" if want.pvalue <= 0.05 else "undecided")
        low, high = stats.t.interval(0.9, d.size - 1, d.mean(), stats.sem(d))
        assert (row.interval.low, row.interval.high) == pytest.approx((low, high), rel=1e-6)
        assert row.margin_shown == pytest.approx(max(-low, 0.0), rel=1e-6)
        assert (row.n_segments, row.n_units, row.margin) == (d.size, d.size, 3.0)
        assert (row.system, row.human, row.measure) == ("S1", "S0", "raw")
        here = Estimate(0.0, row.standard_error, row.df)
        assert row.power == non_inferiority_power(here, 3.0, alpha=0.05)
        growth = growth_for_margin(here, 3.0, alpha=0.05, power=0.8)
        assert row.segments_needed == math.ceil(growth * row.n_segments)
        # Stated from the median-unbiased error; from the error itself it is this much smaller.
        plain = row.margin_found * here.standard_error / here.typical_error
        assert non_inferiority_power(here, plain, alpha=0.05) == pytest.approx(0.8)


def test_several_systems_are_corrected() -> None:
    measure = Noise(12, 12, systems=4).draw(np.random.default_rng(2))
    many = parity(measure, "S1", 4.0, **OPTIONS)  # type: ignore[arg-type]
    alone = parity(measure, "S1", 4.0, correction="none", alpha=0.05, power=0.8)
    assert [row.system for row in many[:3]] == ["S0", "S2", "S3"]
    for row, plain in zip(many, alone, strict=True):
        assert row.p_value == plain.p_value == plain.p_adjusted
        assert row.p_adjusted >= row.p_value
        # The end that decided stands at the level of its step of Holm; the other, and both of what
        # is undecided, at that of the first step.
        step = 0.05 / 3 if row.verdict == "undecided" else 0.05 * row.p_value / row.p_adjusted
        t = Estimate(row.difference, row.standard_error, row.df)
        assert row.interval.low == pytest.approx(t.interval(1.0 - 2.0 * step).low)
        assert row.interval.high == pytest.approx(t.interval(1.0 - 2.0 * 0.05 / 3).high)
        assert row.interval.low <= plain.interval.low
        assert (row.interval.low > -4.0) == (row.p_adjusted <= 0.05)
        assert row.margin_found > plain.margin_found
        assert row.power < plain.power
        here = Estimate(0.0, row.standard_error, row.df)
        assert row.power == non_inferiority_power(here, 4.0, alpha=0.05 / 3)
        growth = growth_for_margin(here, 4.0, alpha=0.05 / 3, power=0.8)
        assert row.segments_needed == math.ceil(growth * row.n_segments)
    assert max(row.p_adjusted / row.p_value for row in many) == pytest.approx(3.0)


def test_without_a_margin_there_is_no_verdict() -> None:
    measure = Noise(12, 12).draw(np.random.default_rng(3))
    for row in parity(measure, "S0", None, **OPTIONS):  # type: ignore[arg-type]
        assert (row.verdict, row.margin, row.segments_needed) == (None, None, None)
        assert math.isnan(row.power)
        assert math.isnan(row.p_value)
        assert row.margin_shown == max(0.0, -row.interval.low)
        assert row.margin_found > 0


def test_where_lower_is_better_the_other_side_counts() -> None:
    rng = np.random.default_rng(4)
    table = rng.normal(5, 1, (30, 2)) + np.array([0.0, -4.0])  # S1 makes fewer errors
    documents, languages = [str(i) for i in range(30)], ["zh"] * 15 + ["en"] * 15
    plain = mean_sample(("S0", "S1"), table)
    errors = Sample(MeanError(), plain.systems, plain.runs, plain.statistics)
    parts = split("texts", languages, documents, ZH_EN)
    measure = halve("errors", errors, parts, unit="document", scale="errors", digits=2)
    fewer = parity(measure, "S0", 1.0, **OPTIONS)  # type: ignore[arg-type]
    more = parity(measure, "S1", 1.0, **OPTIONS)  # type: ignore[arg-type]
    assert {row.verdict for row in fewer} == {"non-inferior"}
    assert {row.verdict for row in more} == {"inferior"}
    assert all(row.interval.low > 1.0 for row in more)
    assert all(row.margin_shown == 0.0 for row in fewer)
    assert all(row.margin_shown == row.interval.high for row in more)


def test_the_system_with_fewer_segments_is_what_counts() -> None:
    table = np.random.default_rng(5).normal(60, 5, (12, 2))
    table[:2, 1] = table[11, 0] = np.nan
    languages = ["zh"] * 6 + ["en"] * 6
    measure = halved(table, [str(i) for i in range(12)], languages)
    for human in ("S0", "S1"):
        rows = parity(measure, human, 3.0, **OPTIONS)  # type: ignore[arg-type]
        assert [row.n_segments for row in rows] == [4, 5, 10]
        assert [row.n_units for row in rows] == [6, 6, 12]


def test_a_margin_that_is_shown_by_all_systems_that_do_not_vary() -> None:
    table = np.tile([50.0, 60.0], (6, 1))
    measure = halved(table, list("abcdef"), ["zh"] * 3 + ["en"] * 3)
    for row in parity(measure, "S0", 3.0, **OPTIONS):  # type: ignore[arg-type]
        assert row.difference == 10.0
        assert row.segments_needed is None
        assert math.isnan(row.power)


@pytest.mark.parametrize("alpha", [0.5, 0.6])
def test_a_claim_about_a_margin_is_one_sided(alpha: float) -> None:
    measure = Noise(12, 12).draw(np.random.default_rng(3))
    with pytest.raises(InputError, match=f"`alpha` must be below .5 .*; got {alpha:g}"):
        parity(measure, "S0", 3.0, correction="auto", alpha=alpha, power=0.8)
    assert len(parity(measure, "S0", 3.0, correction="auto", alpha=0.49, power=0.8)) == 3


def test_the_human_translation_must_be_there() -> None:
    check_human("HT", [("A",), ("HT", "B")])
    with pytest.raises(InputError, match=r"got 'HT'\. There are A, B"):
        check_human("HT", [("A", "B"), ("A",)])


def test_a_measure_without_a_better_side_has_no_parity() -> None:
    class Length(MeanError):
        higher_is_better = None
        name = "length"

    plain = mean_sample(("S0", "S1"), np.random.default_rng(1).normal(size=(4, 2)))
    sample = Sample(Length(), plain.systems, plain.runs, plain.statistics)
    parts = split("texts", ["zh", "zh", "en", "en"], list("abcd"), ZH_EN)
    measure = halve("length", sample, parts, unit="document", scale="length", digits=2)
    with pytest.raises(
        InputError, match="`human` needs measures with a better and a worse side"
    ):
        parity(measure, "S0", 1.0, **OPTIONS)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("noise", [Noise(20, 4), Noise(6, 4)], ids=["twenty", "six"])
def test_equal_systems_are_shown_to_be_so_as_often_as_the_power_says(noise: Noise) -> None:
    rng, trials, margin = np.random.default_rng(6), 2000, 3.0
    rows = [parity(noise.draw(rng), "S0", margin, **OPTIONS)[0] for _ in range(trials)]  # type: ignore[arg-type]
    shown = np.mean([row.verdict == "non-inferior" for row in rows])
    error = math.sqrt(np.mean([row.standard_error**2 for row in rows]))
    typical = Estimate(0.0, error, float(np.mean([row.df for row in rows])))
    power = non_inferiority_power(typical, margin, alpha=0.05)
    assert shown == pytest.approx(power, abs=3 * math.sqrt(power * (1 - power) / trials))


@pytest.mark.slow
@pytest.mark.parametrize("noise", [Noise(20, 4), Noise(6, 4)], ids=["twenty", "six"])
def test_a_system_at_the_margin_is_seldom_called_as_good(noise: Noise) -> None:
    rng, trials = np.random.default_rng(7), 2000
    shown = []
    for _ in range(trials):
        measure = noise.draw(rng)
        worse = measure.halves["forward"].statistics.copy()
        worse[1, :, 0] -= 3.0 * worse[1, :, 1]
        sample = Sample(measure.halves["forward"].metric, measure.systems, (1, 1), worse)
        halves = {**measure.halves, "forward": sample}
        moved = type(measure)(
            measure.name, measure.scale, measure.digits, measure.unit, halves, measure.known
        )
        shown.append(parity(moved, "S0", 3.0, **OPTIONS)[0].verdict == "non-inferior")  # type: ignore[arg-type]
    assert np.mean(shown) == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / trials))
