"""From p-values to a verdict, through `compare`: borders, margins, directions and claims."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.contrasts.analysis import Analysis, by_t, families
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.inference.margin_test import margin_test
from detectable.inference.multiplicity import holm
from detectable.inference.standard_errors import Estimate
from detectable.metrics.base import Metric
from detectable.metrics.bleu import Bleu
from detectable.metrics.mean import Accuracy, Mean, MeanError
from detectable.metrics.passing import PassAll
from detectable.metrics.ter import Ter
from detectable.report.shown.comparison_words import pair_sentence
from detectable.study.comparison.claims import on_scale, score_on_scale
from detectable.study.comparison.compare import compare
from tests.study.comparison.tables import RootMeanSquare, noisy_scores, pair_of

QUICK: dict[str, Any] = {"baseline": "A", "n_resamples": 99, "rng": 1, "n_examples": 0}


def test_a_p_value_of_exactly_alpha_decides() -> None:
    scores = noisy_scores(3.0)
    pair = pair_of(compare(scores, baseline="A", alpha=0.05, n_resamples=19, rng=1))
    assert (pair.p_adjusted, pair.verdict) == (0.05, "better")


def test_a_p_value_just_above_alpha_does_not() -> None:
    below = float(np.nextafter(0.05, 0.0))
    pair = pair_of(compare(noisy_scores(3.0), baseline="A", alpha=below, n_resamples=19, rng=1))
    assert (pair.p_adjusted, pair.verdict) == (0.05, "undecided")


def test_it_is_the_adjusted_p_value_that_decides() -> None:
    """Seven units that all differ the same way: p = 1/64 each, which Holm makes 6/64."""
    d = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    scores = Scores.build({name: d * i for i, name in enumerate("ABCD")})
    corrected = compare(scores, correction="holm", rng=1)
    assert [(p.p_value, p.p_adjusted) for p in corrected.pairs] == [(1 / 64, 6 / 64)] * 6
    assert {p.verdict for p in corrected.pairs} == {"undecided"}
    raw = compare(scores, correction="none", rng=1)
    assert {p.verdict for p in raw.pairs} == {"better"}
    # The largest of all statistics is no larger for more pairs: max-T still decides.
    together = compare(scores, rng=1)
    assert [p.p_adjusted for p in together.pairs] == [1 / 64] * 6
    assert {p.verdict for p in together.pairs} == {"better"}


@pytest.mark.parametrize(
    ("metric", "shift", "verdict"),
    [
        (Mean(), 0.5, "better"),
        (Mean(), -0.5, "worse"),
        (MeanError(), 0.5, "worse"),
        (MeanError(), -0.5, "better"),
        (RootMeanSquare(), 0.5, "higher"),
        (RootMeanSquare(), -0.5, "lower"),
    ],
    ids=lambda x: getattr(x, "name", str(x)),
)
def test_the_direction_of_the_metric_turns_the_verdict(
    metric: Any, shift: float, verdict: str
) -> None:
    result = compare(noisy_scores(shift, level=10.0), metric, **QUICK)
    pair = pair_of(result, metric=metric.name)
    assert pair.verdict == verdict
    assert math.copysign(1.0, pair.difference) == math.copysign(1.0, shift)


def test_an_equivalence_p_value_of_exactly_alpha_claims_equivalence() -> None:
    scores = noisy_scores(0.05)
    p = pair_of(compare(scores, margin=0.2, **QUICK)).p_equivalence
    assert pair_of(compare(scores, margin=0.2, alpha=p, **QUICK)).verdict == "equivalent"
    below = float(np.nextafter(p, 0.0))
    assert pair_of(compare(scores, margin=0.2, alpha=below, **QUICK)).verdict != "equivalent"


def test_a_difference_shown_within_the_margin_is_equivalent_though_not_zero() -> None:
    scores = noisy_scores(0.4, n=400)
    plain = pair_of(compare(scores, **QUICK))
    assert plain.verdict == "better"
    with_margin = pair_of(compare(scores, margin=0.6, **QUICK))
    assert with_margin.p_adjusted == plain.p_adjusted <= 0.05
    assert with_margin.verdict == "equivalent"


def test_a_difference_beyond_the_margin_keeps_its_verdict() -> None:
    pair = pair_of(compare(noisy_scores(0.4, n=400), margin=0.2, **QUICK))
    assert pair.verdict == "better"
    assert pair.p_equivalence > 0.999  # at a margin that is far exceeded


def test_too_little_data_for_either_claim_is_undecided() -> None:
    pair = pair_of(compare(noisy_scores(0.05, n=8), margin=0.1, **QUICK))
    assert pair.verdict == "undecided"
    assert min(pair.p_adjusted, pair.p_equivalence) > 0.05


def test_without_a_margin_nothing_is_equivalent() -> None:
    result = compare(noisy_scores(0.0, n=400), **QUICK)
    assert math.isnan(pair_of(result).p_equivalence)
    assert pair_of(result).verdict == "undecided"
    assert result.margin == {}


def test_too_few_scores_that_never_vary_say_nothing_about_the_next_one() -> None:
    scores = Scores.build({"A": [1.0] * 6, "B": [1.05] * 6})
    for margin in (0.1, 0.01):
        pair = pair_of(compare(scores, margin=margin, **QUICK))
        assert (pair.verdict, pair.p_equivalence, pair.p_value) == ("undecided", 1.0, 1.0)
        assert math.isnan(pair.mde)


def test_scores_that_never_vary_keep_no_margin_however_many_they_are() -> None:
    scores = Scores.build({"A": [1.0] * 7, "B": [1.05] * 7})
    for margin in (0.1, 0.01):
        pair = pair_of(compare(scores, margin=margin, **QUICK))
        assert (pair.verdict, pair.p_equivalence) == ("better", 1.0)
    result = compare(scores, claim="non-inferior", margin=0.1, **QUICK)
    pair = pair_of(result)
    assert (pair.verdict, pair.p_value, pair.p_beyond) == ("undecided", 1.0, 1.0)
    assert math.isnan(pair.interval.low)
    assert any(
        "Every item has the same difference, so nothing" in note for note in result.notes
    )
    by_request = pair_of(compare(scores, margin=0.1, test="randomization", **QUICK))
    assert (by_request.verdict, by_request.p_equivalence) == ("equivalent", 1 / 128)


def test_the_margin_is_one_of_the_metric_and_not_of_its_direction() -> None:
    scores = noisy_scores(-0.05, n=400)
    for metric in ("mean", "mean-error"):
        pair = pair_of(compare(scores, metric, margin=0.3, **QUICK), metric=metric)
        assert pair.verdict == "equivalent"


def test_a_single_unit_is_refused() -> None:
    with pytest.raises(InputError, match=r"at least two items .* got 1\. One item says"):
        compare(Scores.build({"A": [1.0], "B": [3.0]}), **QUICK)


# Not inferior, and equivalent, where that is the claim


@pytest.mark.parametrize(
    ("metric", "shift", "verdict"),
    [
        ("mean", -0.05, "non-inferior"),
        ("mean", 3.0, "non-inferior"),
        ("mean", -0.3, "undecided"),
        ("mean", -3.0, "inferior"),
        ("mean-error", 0.05, "non-inferior"),
        ("mean-error", -3.0, "non-inferior"),
        ("mean-error", 3.0, "inferior"),
    ],
)
def test_not_inferior_looks_at_the_worse_side_only(
    metric: str, shift: float, verdict: str
) -> None:
    scores = noisy_scores(shift, n=200)
    found = compare(scores, metric, claim="non-inferior", margin=0.25, **QUICK)
    pair = pair_of(found, metric=metric)
    assert (pair.verdict, pair.claim, pair.interval_level) == (verdict, "non-inferior", 0.9)
    assert math.isnan(pair.p_equivalence)


# Losses of single items, as scores have them of which hardly any change: where, and how large.
RARE = {
    "0 or 100": ([100.0] * 50 + [0.0] * 10, {3: 100.0, 17: 100.0}, 7.8),
    "one half": ([1.0] * 49 + [0.5] + [0.0] * 10, {3: 1.0, 17: 1.0}, 0.078),
    "mqm": ([0.0] * 300, {5: 1.0, 90: 2.0}, 0.2),
    "mostly zero": ([0.0] * 50, {5: 0.4, 9: 0.25, 30: 0.1}, 0.055),
    "exponential": (
        [0.0] * 15,
        dict(enumerate([0.1, 0.2, 0.15, 0.3, 0.05, 0.6, 0.12, 0.4, 0.22, 0.31, 0.08, 0.18, 0.5, 0.27])),
        0.34,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RARE)
def test_a_margin_is_not_passed_by_losses_that_nobody_has_seen_yet(name: str) -> None:
    """By t each of them passes, and far more than 5 % of such data sets pass wrongly."""
    values, losses, margin = RARE[name]
    old = np.array(values)
    new = old.copy()
    new[list(losses)] -= np.array(list(losses.values()))
    scores = Scores.build({"A": old, "B": new}, metric=name, lower_is_better=False)
    asked: dict[str, Any] = {"claim": "non-inferior", "margin": margin, **QUICK}
    pair = pair_of(compare(scores, **asked))
    found = margin_test(new, old, margin=margin, largest_loss=25.0 if name == "mqm" else None)
    assert pair.verdict == "undecided"
    assert pair.p_value == pytest.approx(found.p_above(-margin))
    assert pair_of(compare(scores, test="t", **asked)).verdict == "non-inferior"


def test_a_system_that_is_shown_to_be_worse_keeps_its_interval() -> None:
    """It is the other end that passes the margin."""
    pair = pair_of(
        compare(noisy_scores(-3.0, n=100), claim="non-inferior", margin=0.25, **QUICK)
    )
    assert (pair.verdict, pair.p_value > 0.999, pair.p_beyond <= 0.05) == (
        "inferior",
        True,
        True,
    )
    assert -3.5 < pair.interval.low < pair.difference < pair.interval.high < -2.5


def test_the_p_value_of_not_inferior_is_one_sided() -> None:
    scores = noisy_scores(0.02, n=80)
    pair = pair_of(compare(scores, claim="non-inferior", margin=0.1, test="t", **QUICK))
    d = scores.systems["B"][0] - scores.systems["A"][0]
    test = stats.ttest_1samp(d, -0.1, alternative="greater")
    assert pair.p_value == pytest.approx(test.pvalue, rel=1e-6)
    low = stats.t.interval(0.9, 79, d.mean(), stats.sem(d))[0]
    assert pair.interval.low == pytest.approx(low, rel=1e-6)


def test_equivalence_as_the_claim_says_nothing_of_better() -> None:
    options: dict[str, Any] = {"claim": "equivalent", "margin": 0.2, **QUICK}
    far = pair_of(compare(noisy_scores(3.0), **options))
    assert (far.verdict, far.p_adjusted) == ("superior", 1.0)
    back = pair_of(compare(noisy_scores(-3.0), **options))
    assert (back.verdict, back.p_beyond <= 0.05) == ("inferior", True)
    near = pair_of(compare(noisy_scores(0.0, n=400), **options))
    assert near.verdict == "equivalent"
    assert near.p_value == near.p_adjusted == near.p_equivalence <= 0.05
    assert -0.2 < near.interval.low < near.interval.high < 0.2


def test_equivalence_of_several_pairs_is_corrected_and_so_is_its_interval() -> None:
    scores = noisy_scores(0.05, 0.1, -0.05, n=200)
    found = compare(scores, claim="equivalent", margin=0.25, **QUICK)
    raw = np.array([pair.p_value for pair in found.pairs])
    assert [pair.p_adjusted for pair in found.pairs] == pytest.approx(holm(raw))
    for pair in found.pairs:
        assert pair.interval.low <= pair.interval_alone.low
        assert pair.interval.high >= pair.interval_alone.high


@pytest.mark.parametrize("claim", ["non-inferior", "equivalent"])
def test_the_margin_that_is_promised_is_kept_with_the_asked_power(claim: Any) -> None:
    """Equal systems, many times: how often would the stated margin be shown."""
    rng = np.random.default_rng(5)
    margin = (
        0.5
        * pair_of(
            compare(noisy_scores(0.0, n=40), claim=claim, margin=0.2, test="t", **QUICK)
        ).mde
    )
    stated = pair_of(
        compare(noisy_scores(0.0, n=40), claim=claim, margin=margin, test="t", **QUICK)
    )
    trials = 4000
    d = rng.normal(size=(trials, 40)) * stated.standard_error * math.sqrt(40)
    error = d.std(axis=1, ddof=1) / math.sqrt(40)
    limit = stats.t.ppf(0.95, 39) * error
    shown = d.mean(axis=1) - limit > -stated.mde
    if claim == "equivalent":
        shown &= d.mean(axis=1) + limit < stated.mde
    # Four standard errors of a share of .8 over 4,000 trials, and .01 because two sides at .9
    # each miss a little less than .2 together.
    tolerance = 4 * math.sqrt(0.16 / trials) + (0.01 if claim == "equivalent" else 0.0)
    assert shown.mean() == pytest.approx(0.8, abs=tolerance)


@pytest.mark.parametrize("claim", ["non-inferior", "equivalent"])
def test_a_claim_about_a_margin_needs_one(claim: Any) -> None:
    with pytest.raises(InputError, match=rf"`claim='{claim}'` needs a margin for every metric"):
        compare(noisy_scores(0.1), claim=claim, **QUICK)
    with pytest.raises(InputError, match=r"rms has none\. Give `margin=\{'rms': …\}"):
        compare(
            noisy_scores(0.1),
            (Mean(), RootMeanSquare()),
            claim=claim,
            margin={"mean": 1},
            **QUICK,
        )


def test_what_has_no_better_side_cannot_be_inferior() -> None:
    with pytest.raises(InputError, match=r"rms only describes\. Use claim='equivalent'"):
        compare(noisy_scores(0.1), RootMeanSquare(), claim="non-inferior", margin=1, **QUICK)
    found = compare(noisy_scores(0.1), RootMeanSquare(), claim="equivalent", margin=5, **QUICK)
    assert found.pairs[0].verdict == "equivalent"


def test_an_effect_goes_with_the_claim_of_a_difference() -> None:
    with pytest.raises(InputError, match=r"goes with `claim='better'`; got 'equivalent'"):
        compare(noisy_scores(0.1), claim="equivalent", margin=1.0, effect=0.1, **QUICK)


def test_a_margin_of_accuracy_is_a_fraction() -> None:
    scores = Scores.build({"A": [0, 1, 1, 1, 0, 1, 1, 1], "B": [1, 0, 1, 1, 1, 1, 1, 1]})
    with pytest.raises(
        InputError, match=r"below 1, .* got 1\.5\. Write 0\.015 for 1\.5 points"
    ):
        compare(scores, margin=1.5, **QUICK)
    assert compare(scores, margin=0.99, **QUICK).margin == {"accuracy": 0.99}


def test_a_margin_claim_by_swaps_can_speak_one_unit_earlier() -> None:
    """One-sided p is half: five units reach .031 where two sides reach .063."""
    scores = noisy_scores(0.0, n=5)
    options: dict[str, Any] = {"test": "randomization", "margin": 9.0, **QUICK}
    pair = pair_of(compare(scores, claim="non-inferior", **options))
    assert (pair.attainable_p, pair.p_value, pair.verdict) == (1 / 32, 1 / 32, "non-inferior")
    assert pair.mde > 0.0
    four = compare(noisy_scores(0.0, n=4), claim="non-inferior", **options)
    stuck = pair_of(four)
    assert (stuck.attainable_p, stuck.verdict, stuck.units_needed) == (1 / 16, "undecided", 5)
    assert math.isnan(stuck.mde)
    assert (
        "cannot reject at .05: the smallest possible p of 4 items is .063. It needs at least 5."
        in (pair_sentence(four, stuck))
    )


# --- Intervals end where their metric does, and no verdict moves ---


def three_documents() -> Corpus:
    """Two documents where B nearly copies the reference, and one where it says something else."""
    reference = [
        "the cat sat on the mat today",
        "a dog ran over the long road",
        "he is here now at last",
    ]
    unlike = [
        "one two three four five six",
        "seven eight nine ten eleven",
        "words that are not there",
    ]
    near = [f"{line} indeed" for line in reference]
    return Corpus.build(
        {"A": [*unlike[:2], near[2]], "B": [*near[:2], unlike[2]]},
        [reference],
        documents=["x", "y", "z"],
    )


@pytest.mark.parametrize("metric", ["bleu", "chrf"])
def test_few_documents_do_not_leave_the_scale(metric: str) -> None:
    result = compare(three_documents(), metric, rng=1)
    pair = result.pairs[0]
    assert (pair.interval.low, pair.interval.high) == (-100.0, 100.0)
    assert (pair.interval_alone.low, pair.interval_alone.high) == (-100.0, 100.0)
    assert pair.verdict == "undecided"
    for row in result.systems:
        assert 0.0 <= row.interval.low < row.score < row.interval.high <= 100.0


def test_a_metric_without_an_end_is_not_cut() -> None:
    pair = compare(three_documents(), "ter", rng=1).pairs[0]
    assert pair.interval.high - pair.interval.low > 200.0
    assert Ter().span is None
    assert Mean().span is None


def test_an_interval_keeps_its_own_score() -> None:
    wide = Interval(-5.0, 130.0, 0.95)
    assert score_on_scale(Bleu(), 60.0, wide) == Interval(0.0, 100.0, 0.95)
    above = math.nextafter(100.0, math.inf)
    assert score_on_scale(Bleu(), above, wide) == Interval(0.0, above, 0.95)
    assert score_on_scale(Accuracy(), 0.5, wide) == Interval(0.0, 1.0, 0.95)
    assert score_on_scale(Ter(), 60.0, wide) == wide


def cut(metrics: tuple[Metric, ...], cells: list[list[Estimate]]) -> tuple[Analysis, Analysis]:
    """Return an analysis by t, and the same on the scale of its metrics."""
    measured: Any = SimpleNamespace(
        units=[SimpleNamespace(metric=metric) for metric in metrics]
    )
    margins = np.full(len(metrics), np.nan)
    groups = families((len(cells), len(metrics)), "systems")
    found = by_t(cells, margins, groups, "holm", alpha=0.05, power=0.8)
    return found, on_scale(measured, found)


def test_every_metric_has_its_own_scale() -> None:
    wide = [Estimate(10.0, 200.0, 4.0), Estimate(0.1, 2.0, 4.0), Estimate(5.0, 200.0, 4.0)]
    found, made = cut((Bleu(), Accuracy(), Mean()), [wide, wide])
    for p in (0, 1):
        assert made.intervals[p][0] == Interval(-100.0, 100.0, 0.95)
        assert made.intervals[p][1] == Interval(-1.0, 1.0, 0.95)
        assert made.intervals[p][2] == found.intervals[p][2]
        assert made.interval_alone(p, 0, 0.1) == Interval(-100.0, 100.0, 0.9)
        assert made.interval_alone(p, 2, 0.1) == found.interval_alone(p, 2, 0.1)
    # What lies within is left alone, and so is everything else.
    narrow = [[Estimate(10.0, 2.0, 9.0), Estimate(0.1, 0.02, 9.0)]]
    found, made = cut((Bleu(), Accuracy()), narrow)
    assert made.intervals == found.intervals
    assert made.interval_alone(0, 1, 0.2) == found.interval_alone(0, 1, 0.2)
    assert np.array_equal(made.p_values, found.p_values)


def test_without_an_end_anywhere_nothing_is_touched() -> None:
    found, made = cut((Mean(), Ter()), [[Estimate(0.0, 200.0, 4.0), Estimate(0.0, 900.0, 4.0)]])
    assert made is found


@pytest.mark.parametrize("value", [0.0, 0.25])
def test_chances_that_never_vary_are_not_certain(value: float) -> None:
    """Ten units of two pairs: none differs, so at most 1 − (.0125)^(1/10) of all do, at .05/2."""
    found, made = cut((PassAll(3),), [[Estimate(value, 0.0, 9.0)]] * 2)
    assert found.interval_alone(0, 0, 0.05) == Interval(value, value, 0.95)
    share = 1.0 - 0.0125**0.1
    shown = made.intervals[0][0]
    assert shown.low == pytest.approx(min(0.0, value - share * (value + 1.0)))
    assert shown.high == pytest.approx(value + share * (1.0 - value))
    assert shown.level == 0.95
    alone = made.interval_alone(1, 0, 0.1)
    assert alone.high == pytest.approx(value + (1.0 - 0.05**0.1) * (1.0 - value))
    assert alone.low <= 0.0 <= alone.high
    assert alone.level == pytest.approx(0.9)
    # Spread makes it an ordinary interval, cut at the ends.
    _, varied = cut((PassAll(3),), [[Estimate(value, 3.0, 9.0)]])
    assert varied.intervals[0][0] == Interval(-1.0, 1.0, 0.95)


@pytest.mark.parametrize(("runs", "said"), [("random", True), ("fixed", False)])
def test_margins_of_new_runs_say_that_t_is_lenient(runs: Any, said: bool) -> None:
    scores = noisy_scores(0.1, runs=3, run_sd=0.2)
    found = compare(scores, baseline="A", runs=runs, claim="non-inferior", margin=1.0, rng=1)
    assert (
        any(note.startswith("Margins of new runs are tested by t") for note in found.notes)
        == said
    )
