"""Human parity as a claim about a margin."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.inference.margin_score import MarginScore
from detectable.inference.margin_test import margin_test
from detectable.inference.sample import Sample
from detectable.metrics.mean import MeanError
from detectable.report.shown.translationese import (
    advice,
    agreement_sentences,
    change_sentences,
    effect_sentence,
    parity_sentences,
    replication_sentences,
    sentences_about,
)
from detectable.study.translationese.conclusions import check_human, parity
from detectable.study.translationese.halves import HALVES, halve, mean_sample, split
from tests.report import results
from tests.study.translationese.planted import ZH_EN, Noise, halved

OPTIONS = {"correction": "auto", "alpha": 0.05, "power": 0.8}


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_one_system_is_tested_by_the_score_rule_of_margins(kind: str) -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(60, 5, (24, 2))
    if kind == "sparse":
        table[:, 1] = table[:, 0] - np.where(np.arange(24) % 5, 0.0, rng.uniform(1.0, 4.0, 24))
    languages = ["zh"] * 14 + ["en"] * 10
    measure = halved(table, [str(i) for i in range(24)], languages)
    rows = parity(measure, "S0", 3.0, **OPTIONS)  # type: ignore[arg-type]
    assert [row.half for row in rows] == ["forward", "reverse", "both"]
    for row, part in zip(rows, (slice(14), slice(14, None), slice(None)), strict=True):
        new, old = table[part, 1], table[part, 0]
        want = margin_test(new, old, margin=3.0)
        assert want.kind == kind
        assert row.difference == pytest.approx((new - old).mean())
        assert row.p_value == pytest.approx(want.p_noninferior, rel=1e-9) == row.p_adjusted
        assert row.verdict == want.verdict
        limits = (want.limits.low, want.limits.high)
        assert (row.interval.low, row.interval.high) == pytest.approx(limits, rel=1e-9)
        assert row.margin_shown == pytest.approx(max(-limits[0], 0.0), rel=1e-9)
        assert (row.n_segments, row.n_units, row.margin) == (new.size, new.size, 3.0)
        assert (row.system, row.human, row.measure) == ("S1", "S0", "raw")
        assert row.power == pytest.approx(want.score.power(3.0, 0.05))
        growth = want.score.growth(3.0, 0.05, 0.8)
        assert row.segments_needed == math.ceil(growth * row.n_segments)
        assert want.score.power(row.margin_found, 0.05) == pytest.approx(0.8)


def test_several_systems_are_corrected() -> None:
    measure = Noise(12, 12, systems=4).draw(np.random.default_rng(2))
    many = parity(measure, "S1", 4.0, **OPTIONS)  # type: ignore[arg-type]
    alone = parity(measure, "S1", 4.0, correction="none", alpha=0.05, power=0.8)
    assert [row.system for row in many[:3]] == ["S0", "S2", "S3"]
    scores = {}
    for half, s in itertools.product(HALVES, (0, 2, 3)):
        new, human = (measure.segments[half].of(k)[0, :, 0] for k in (s, 1))
        scores[half, f"S{s}"] = MarginScore.of(new, human, measure.documents[half])
    for row, plain in zip(many, alone, strict=True):
        assert row.p_value == plain.p_value == plain.p_adjusted
        assert row.p_adjusted >= row.p_value
        # The end that decided stands at the level of its step of Holm; the other, and both of what
        # is undecided, at that of the first step.
        step = 0.05 / 3 if row.verdict == "undecided" else 0.05 * row.p_value / row.p_adjusted
        score = scores[row.half, row.system]
        assert row.interval.low == pytest.approx(score.interval(step).low)
        assert row.interval.high == pytest.approx(score.interval(0.05 / 3).high)
        assert row.interval.low <= plain.interval.low
        assert (row.interval.low > -4.0) == (row.p_adjusted <= 0.05)
        assert row.margin_found > plain.margin_found
        assert row.power < plain.power
        assert row.power == pytest.approx(score.power(4.0, 0.05 / 3))
        growth = score.growth(4.0, 0.05 / 3, 0.8)
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
def test_skewed_losses_at_the_margin_are_no_parity() -> None:
    """By t, exponential losses passed in .12 of 2,000 data sets (s.e. .007), promised .05."""
    rng, trials, n = np.random.default_rng(8), 400, 15
    names, languages = [f"d{d}" for d in range(2 * n)], ["zh"] * n + ["en"] * n
    shown = 0
    for _ in range(trials):
        human = rng.normal(60.0, 5.0, 2 * n)
        table = np.stack([human, human - rng.exponential(3.0, 2 * n)], axis=1)
        rows = parity(halved(table, names, languages), "S0", 3.0, **OPTIONS)  # type: ignore[arg-type]
        shown += rows[0].verdict == "non-inferior"
    assert shown / trials <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / trials)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [Noise(20, 4), Noise(60, 4)], ids=["twenty", "sixty"])
def test_equal_systems_are_shown_to_be_so_as_often_as_the_power_says(noise: Noise) -> None:
    rng, trials, margin = np.random.default_rng(6), 1000, 1.5
    rows = [parity(noise.draw(rng), "S0", margin, **OPTIONS)[0] for _ in range(trials)]  # type: ignore[arg-type]
    stated = float(np.median([row.margin_found for row in rows]))
    shown = np.mean([row.margin_shown <= stated for row in rows])
    # Careful by up to .12 (docs/calibration.md, margins), never the other way.
    assert 0.8 - 3 * math.sqrt(0.16 / trials) <= shown <= 0.92 + 3 * math.sqrt(0.08 / trials)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [Noise(4, 20), Noise(4, 6)], ids=["twenty", "six"])
def test_a_system_at_the_margin_is_seldom_called_as_good(noise: Noise) -> None:
    rng, trials = np.random.default_rng(7), 2000
    worse = np.array([0.0, -3.0])
    shown = [
        parity(noise.draw(rng, worse), "S0", 3.0, **OPTIONS)[1].verdict == "non-inferior"  # type: ignore[arg-type]
        for _ in range(trials)
    ]
    assert np.mean(shown) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / trials)


# --- What a study of translationese says at the edges, of results made by hand ---


def test_a_p_of_exactly_alpha_is_sure_and_no_difference_is_not_higher() -> None:
    rows = (
        results.system_effect("a", difference=0.0, p_adjusted=0.05),
        results.system_effect("b", difference=0.5, p_adjusted=0.0501),
        results.system_effect("c", difference=-1.0, p_adjusted=0.01),
    )
    assert effect_sentence(results.translationese(effects=rows), "raw") == (
        "In raw human scores, reverse − forward is −1.00 (c) to +0.50 (b): 1 of 3 systems score "
        "higher on reverse data, 2 are significantly different (p ≤ 0.05, Holm)."
    )


def test_pairs_that_are_favoured_at_exactly_alpha() -> None:
    edge = results.pair_effect(change="same", p_adjusted=0.05)
    said = change_sentences(results.translationese(pairs=(edge,)), "raw")
    assert (
        said[1]
        == "Reverse data significantly favour one of the two in 1 pair (new against human)."
    )


def test_the_typical_shift_is_the_middle_one() -> None:
    pairs = tuple(
        results.pair_effect(change="same", p_adjusted=0.9, relative_mde=x)
        for x in (9.0, 1.0, 4.0)
    )
    said = change_sentences(results.translationese(pairs=pairs), "raw")
    assert said[0] == "In raw human scores, none of 3 verdicts changes without reverse data."
    assert "a shift of 4.00 between two systems" in said[1]


def test_typical_powers_and_margins_are_the_middle_ones() -> None:
    rows = tuple(
        results.parity_row(system=name, power=power, margin_found=found, margin=0.125)
        for name, power, found in (("x", 0.9, 7.0), ("y", 0.1, 1.0), ("z", 0.3, 5.0))
    )
    assert parity_sentences(results.translationese(parity=rows), "raw") == [
        "Forward half, raw human scores: 0 of 3 systems shown not to be worse than human by more "
        "than 0.125. Of equal systems it would be shown with 30% power; a margin of 5.00 with "
        "80%."
    ]
    one = parity_sentences(results.translationese(parity=rows[:1]), "raw")[0]
    assert "not worse than human by more than 0.125:" in one


def test_without_a_number_of_segments_none_is_said() -> None:
    row = results.parity_row(segments_needed=None)
    (said,) = parity_sentences(results.translationese(parity=(row,)), "raw")
    assert said.endswith("this half shows it with 56% power.")


def test_the_advice_is_about_judgments_and_texts() -> None:
    made = results.translationese()
    texts = tuple(
        replace(part, data="texts", n_segments=n, n_judgments=None)
        for part, n in zip(made.parts[:2], (1000, 3000), strict=True)
    )
    both = replace(made, parts=(*made.parts, *texts))
    assert both.summary().startswith(
        "Leave reverse-created data out: 92 of 181 judged segments remain (51%); 1,000 of 4,000 "
        "segments remain (25%). The typical detectable difference"
    )
    assert both.part("texts", "reverse").n_segments == 3000
    assert made.conclusion("raw", "both").n_segments == 181


def test_a_difference_that_nobody_could_detect_has_no_cost() -> None:
    made = results.translationese()
    for half in ("forward", "both"):
        rows = tuple(
            replace(row, mde=math.nan) if row.half == half else row for row in made.conclusions
        )
        (said,) = advice(replace(made, conclusions=rows))
        assert said.endswith("remain (51%).")


def test_where_n_is_not_N() -> None:
    [row] = results.translationese().replicated
    other = replace(row, half="reverse", N=row.n, p_judgments=row.p_segments)
    both = replace(row, half="both")
    said = replication_sentences(results.translationese(replicated=(row, other, both)))
    assert [text.split(" half")[0] for text in said] == ["n is not N: on the forward"]
    mixed = (other, replace(other, N=row.n + 1))  # one pair is enough
    assert len(replication_sentences(results.translationese(replicated=mixed))) == 1


def test_measures_without_pairs_have_no_verdicts() -> None:
    made = results.translationese()
    more = replace(made, measures=("raw", "z"), digits={"raw": 2, "z": 3})
    assert more.judged_measures == ("raw",)
    assert sentences_about(more, "z") == []
    assert agreement_sentences(more, "z") == []
    assert (more.label("z"), more.label("bleu")) == ("human scores (z)", "bleu")
