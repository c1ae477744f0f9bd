"""Surveys: card2020's Figure 5, bands of size, and exaggeration."""

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import DataError, InputError
from detectable.data.files.table import read_table
from detectable.planning.ask import power
from detectable.planning.likert import Likert
from detectable.study.audit.audit import audit
from detectable.study.audit.survey_audit import (
    AccuracyClaims,
    SurveyAudit,
    choose_noise,
    claim_table,
)
from replications.card2020.survey import TABLE, corrected_columns
from tests.helpers import reference_data


def survey(n: list[Any], effect: list[Any], **options: Any) -> SurveyAudit:
    found = audit({"n": n, "effect": effect}, **options)
    assert isinstance(found, SurveyAudit)
    return found


@pytest.mark.golden
def test_figure_5_of_card2020() -> None:
    folder = reference_data("data", "card")
    gold = json.loads(reference_data("gold", "card.json").read_text())["meta"]
    found = audit(folder / TABLE, at_least=-0.4)
    assert isinstance(found, SurveyAudit)
    assert found.n_studies == gold["kendall"]["n"] == 107
    # The published value: effects as stored, where rounding of floats breaks four ties.
    assert found.tau_unrounded == pytest.approx(gold["kendall"]["tau"], abs=1e-12)
    assert found.p_unrounded == pytest.approx(gold["kendall"]["p"], abs=1e-12)
    assert found.tau == pytest.approx(-0.0706504, abs=1e-6)
    assert found.p_value == pytest.approx(0.318847, abs=1e-6)
    whole = audit(folder / TABLE)
    assert isinstance(whole, SurveyAudit)
    assert whole.tau_unrounded == pytest.approx(gold["kendall_all"]["tau"], abs=1e-12)
    assert sum(band.n_studies for band in found.bands) == 107


@pytest.mark.golden
def test_figure_5_with_scores_scaled_by_their_range() -> None:
    gold = json.loads(reference_data("gold", "card.json").read_text())["meta"]
    found = audit(corrected_columns(reference_data("data", "card")))
    assert isinstance(found, SurveyAudit)
    assert found.tau == pytest.approx(gold["correct_scaling"]["tau"], abs=5e-4)
    assert found.p_value == pytest.approx(gold["correct_scaling"]["p"], abs=5e-3)


def test_rounding_of_floats_does_not_break_ties() -> None:
    n = [10, 20, 30, 40, 50]
    effect = [0.1 + 0.2, 0.3, 0.3, 0.1, 0.7 - 0.4]
    found = survey(n, effect)
    exact = stats.kendalltau(n, [0.3, 0.3, 0.3, 0.1, 0.3])
    assert found.tau == pytest.approx(exact.statistic)
    assert found.tau_unrounded != pytest.approx(exact.statistic, abs=1e-3)


def test_bands_end_at_one_two_five() -> None:
    n = [1, 2, 3, 5, 6, 10, 11, 20, 50, 51, 100, 1000, 1001]
    found = survey(n, [0.1 * (i % 3) - 0.05 for i in range(13)], item_sd=0.5)
    assert [(b.low, b.high, b.n_studies) for b in found.bands] == [
        (1, 1, 1),
        (2, 2, 1),
        (3, 5, 2),
        (6, 10, 2),
        (11, 20, 2),
        (50, 50, 1),
        (51, 100, 2),
        (1000, 1000, 1),
        (1001, 1001, 1),
    ]
    band = found.bands[2]
    effects = [0.15, -0.05]
    assert (band.n, band.share_positive) == (4.0, 0.5)
    assert band.median_effect == pytest.approx(0.05)
    assert band.effect_sd == pytest.approx(np.std(effects, ddof=1))
    assert math.isnan(found.bands[0].effect_sd)


def test_exaggeration_by_item_sd_is_that_of_the_t_test() -> None:
    """Simulated one-sample t tests; tolerances are four standard errors."""
    found = survey([20, 20], [0.1, -0.3], item_sd=0.5, target_difference=0.2)
    [band] = found.bands
    rng, trials = np.random.default_rng(4), 40_000
    draws = rng.normal(0.2, 0.5, (trials, 20))
    mean = draws.mean(axis=1)
    t = mean / (draws.std(axis=1, ddof=1) / math.sqrt(20))
    hit = np.abs(t) > stats.t.ppf(0.975, 19)
    right = float((hit & (mean > 0)).mean())
    assert band.power == pytest.approx(right, abs=4 * math.sqrt(right * (1 - right) / trials))
    sizes = np.abs(mean[hit]) / 0.2
    assert band.type_m == pytest.approx(
        sizes.mean(), abs=4 * sizes.std() / math.sqrt(sizes.size)
    )
    wrong = float((mean[hit] < 0).mean())
    assert band.type_s == pytest.approx(wrong, abs=4 * math.sqrt(max(wrong, 1e-4) / hit.sum()))


@pytest.mark.parametrize("n", [2, 5])
def test_few_items_have_the_power_of_the_noncentral_t(n: int) -> None:
    noise = choose_noise(0.5, item_sd=0.5, preset=None, n_raters=None)
    assert noise is not None
    found, _, sign = noise.chances(n, 0.4, alpha=0.1)
    critical, shift = stats.t.ppf(0.95, n - 1), 0.4 * math.sqrt(n) / 0.5
    right, wrong = stats.nct.sf(critical, n - 1, shift), stats.nct.cdf(-critical, n - 1, shift)
    assert found == pytest.approx(right, rel=1e-6)
    assert sign == pytest.approx(wrong / (right + wrong), rel=1e-4)


def test_the_usual_noise_is_that_of_card2020() -> None:
    found = survey([100, 100], [0.4, 0.4])
    answer = power(Likert(n_raters=3, preset="card-high"), n_items=100, effect=0.4)
    [band] = found.bands
    assert (band.power, band.type_m, band.type_s) == (
        answer.power,
        answer.type_m,
        answer.type_s,
    )
    assert found.noise == "card-high of card2020 with 3 raters"
    assert any("taken because nothing else was said" in note for note in found.notes)
    low = survey([100, 100], [0.4, 0.4], preset="card-low", n_raters=10)
    assert low.noise == "card-low of card2020 with 10 raters"
    assert low.bands[0].power > band.power
    assert not any("nothing else was said" in note for note in low.notes)


def test_effects_beyond_one_have_no_usual_noise() -> None:
    found = survey([100, 50], [1.5, 0.2])
    assert found.noise == ""
    assert all(math.isnan(band.type_m) for band in found.bands)
    assert any("without `item_sd` nothing is known about noise" in n for n in found.notes)
    assert "times as large" not in found.summary()
    assert survey([100, 50], [1.5, 0.2], item_sd=3.0).noise.startswith("an SD of 3")


def test_words_follow_tau() -> None:
    n, effect = list(range(10, 30)), [0.01 * i for i in range(20)]
    assert survey(n, effect).summary().startswith("Larger studies report larger effects.")
    smaller = survey(n, effect[::-1])
    assert smaller.summary().startswith(
        "Larger studies report smaller effects: as if small ones"
    )
    assert survey(n, [0.1, 0.2] * 10).summary().startswith("Larger studies report neither")
    assert (
        survey([10, 10], [0.1, 0.2]).summary().startswith("Size and effect cannot be compared")
    )


def test_missing_sizes_and_effects() -> None:
    found = survey([10, None, 30, 40], [0.1, 0.2, 0.3, None], item_sd=1)
    assert found.n_studies == 2
    assert found.notes[:2] == (
        "1 study without n left out.",
        "1 study without an effect left out.",
    )
    with pytest.raises(
        DataError, match="a survey needs two studies with n and effect; found 1"
    ):
        survey([10, None], [0.1, 0.2])
    with pytest.raises(
        DataError, match="expected a number above 0, and at most 1e12, found -5"
    ):
        survey([10, -5], [0.1, 0.2])
    with pytest.raises(DataError, match="and at most 1e12, found 1e\\+300"):
        survey([10, 1e300], [0.1, 0.2])


@pytest.mark.parametrize("n", [0, -5])
def test_a_study_has_items(n: int) -> None:
    with pytest.raises(
        DataError, match=f"expected a number above 0, and at most 1e12, found '?{n}"
    ):
        survey([50, n], [0.1, 0.2])


def test_an_effect_of_zero_cannot_be_exaggerated() -> None:
    found = survey([10, 20, 30], [0.0, 0.0, 0.1])
    assert math.isnan(found.bands[0].type_m)
    assert any("The median effect is 0" in note for note in found.notes)


def test_small_effects_are_effects() -> None:
    selected = "The assumed effect is the median of the reported ones, which selection"
    found = survey([30, 30, 30], [0.005, 0.004, -0.006])
    assert found.bands[0].share_positive == pytest.approx(2 / 3)
    assert sum(note.startswith(selected) for note in found.notes) == 1
    assert found.noise.startswith("card-high")
    for options in ({"target_difference": 0.1}, {}):
        effects = [1.5, 0.2, 0.0] if not options else [0.005, 0.004, 0.0]
        told = survey([30, 30, 30], effects, **options)
        assert not any(note.startswith(selected) for note in told.notes)


def test_noise_is_said_once() -> None:
    with pytest.raises(InputError, match="`item_sd` says all about the noise of an item"):
        choose_noise(0.5, item_sd=1.0, preset="card-low", n_raters=None)
    with pytest.raises(InputError, match="`n_raters` must be a whole number ≥ 2"):
        choose_noise(0.5, item_sd=None, preset=None, n_raters=1)
    with pytest.raises(InputError, match="`item_sd` must be a finite number above 0"):
        choose_noise(0.5, item_sd=0.0, preset=None, n_raters=None)
    with pytest.raises(InputError, match="`preset` must be one of card-high, card-low"):
        choose_noise(0.5, item_sd=None, preset="odd", n_raters=None)  # type: ignore[arg-type]


@pytest.mark.golden
def test_what_the_studies_of_card2020_report() -> None:
    """Section 5.1: 117 comparisons of 41 papers, s.d. .12, 69 %, 18 %, 34 %, 28 %, 7 %, 57 % with 3."""
    found = audit(reference_data("data", "card", "num_items_vs_effect_size.csv"), at_least=-0.4)
    assert isinstance(found, SurveyAudit)
    assert found.n_studies == 107
    assert found.tau_unrounded == pytest.approx(-0.0698, abs=5e-5)
    said = found.reporting
    assert said is not None
    assert (said.n_studies, said.n_papers) == (117, 41)
    assert said.effect_sd == pytest.approx(0.125, abs=5e-4)
    assert said.small == pytest.approx(0.688, abs=5e-4)
    assert said.large == pytest.approx(0.183, abs=5e-4)
    assert said.items_missing == pytest.approx(0.068, abs=5e-4)
    assert said.ratings_missing == pytest.approx(0.342, abs=5e-4)
    assert said.raters_missing == pytest.approx(0.282, abs=5e-4)
    assert (said.usual_ratings, said.usual_raters) == (3, 3)
    assert said.usual_ratings_share == pytest.approx(0.571, abs=5e-4)


def test_what_is_not_said_of_raters_is_not_told() -> None:
    said = survey([50, 100, 200, ""], [0.1, 0.2, 0.05, 0.1]).reporting
    assert said is not None
    assert (said.n_papers, said.ratings_missing, said.usual_raters) == (None, None, None)
    assert (said.small, said.large, said.items_missing) == (2 / 3, 0.0, 0.25)


def test_two_studies_must_be_left() -> None:
    with pytest.raises(InputError, match=r"`at_least` must leave two studies; got 1\.5"):
        survey([50, 100, 200], [0.1, 0.2, 0.05], at_least=1.5)


# --- Claims of accuracy: units, tasks, leaderboards, and what is refused ---


def read(**columns: list[Any]) -> AccuracyClaims:
    return claim_table(read_table(columns))


def test_percent_and_fractions_say_the_same() -> None:
    percent = read(task=["a", "b"], n=[100, 50], baseline=[90, 80], accuracy=[91, 84])
    shares = read(task=["a", "b"], n=[100, 50], baseline=[0.9, 0.8], accuracy=[0.91, 0.84])
    assert (percent.unit, shares.unit) == ("percent", "fraction")
    for one in (percent, shares):
        assert (one.tasks, one.n_items, one.n_claims) == (("a", "b"), (100, 50), 2)
        np.testing.assert_allclose(one.before, [0.9, 0.8])
        np.testing.assert_allclose(one.gain, [0.01, 0.04])
        np.testing.assert_allclose(one.best, [0.91, 0.84])
        assert one.sizes.tolist() == [100.0, 50.0]
    assert percent.notes == ("Accuracies were read as percent.",)
    assert shares.notes == ("Accuracies were read as fractions.",)


def test_improvements_beside_baselines() -> None:
    found = read(n=[10, 10], baseline=[90, 95], improvement=[0.5, -2])
    assert found.tasks == ("all",)
    np.testing.assert_allclose(found.gain, [0.005, -0.02])
    np.testing.assert_allclose(found.best, [0.95])
    assert read(n=[10], baseline=[0.9], gain=[0.05]).best == pytest.approx([0.95])


def test_the_lowest_accuracies_have_either_unit() -> None:
    assert read(n=[9, 9], accuracy=[0.0, 90]).unit == "percent"
    assert read(n=[9, 9], accuracy=[0.005, 1]).unit == "fraction"
    assert read(n=[9], baseline=[0.1], improvement=[-0.1]).gain.tolist() == [-0.1]
    assert read(n=[9], baseline=[90], improvement=[10]).best == (1.0,)


def test_the_best_may_be_said() -> None:
    found = read(
        task=["a", "a"], n=[9, None], baseline=[90, 91], accuracy=[91, 92], best=[97, 96]
    )
    np.testing.assert_allclose(found.best, [0.97])
    assert found.n_items == (9,)


def test_rows_without_a_claim_are_counted() -> None:
    found = read(task=["a", "b"], n=[9, 9], baseline=[90, 95], accuracy=[91, None])
    assert found.n_claims == 1
    assert found.task.tolist() == [0]
    np.testing.assert_allclose(found.best, [0.91, 0.95])
    assert found.notes[1] == "1 row without a claimed improvement."
    alone = read(task=["a"], n=[9], best=[95])
    assert (alone.n_claims, alone.notes[1]) == (0, "No improvement is claimed.")
    assert read(task=["a"], n=[9], baseline=[95]).n_claims == 0


def test_a_leaderboard_claims_what_beats_all_before() -> None:
    found = read(
        task=["a", "b", "a", "a", "a", "b", "a"],
        n=[100] * 7,
        accuracy=[80, 50, 79, 82, 82, 60, 85],
    )
    assert found.task.tolist() == [0, 1, 0]
    np.testing.assert_allclose(found.before, [0.80, 0.50, 0.82])
    np.testing.assert_allclose(found.gain, [0.02, 0.10, 0.03])
    np.testing.assert_allclose(found.best, [0.85, 0.60])
    assert found.notes[1].startswith(
        "No column says what was to beat: 3 systems better than all"
    )
    with_gap = read(n=[9] * 3, accuracy=[80, None, 81])
    np.testing.assert_allclose(with_gap.before, [0.80])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"n": [9, 9], "baseline": [91.0, 0.9], "accuracy": [92.0, 0.95]},
            r"row 1 \(from 0\), column 'baseline': found 0.9 among accuracies up to 92, fractions "
            r"among percent\. Write all as one of them",
        ),
        (
            {"n": [9], "baseline": [0.9], "improvement": [0.5]},
            "an improvement of 0.5 over 0.9 leaves the range from 0 to 1: percent among fractions",
        ),
        (
            {"n": [9], "baseline": [90], "improvement": [15]},
            r"an improvement of 15 over 90 leaves the range from 0 to 100\. Write all in one unit",
        ),
        (
            {"n": [9], "baseline": [0.1], "improvement": [-0.105]},
            "an improvement of -0.105 over 0.1 leaves the range",
        ),
        (
            {"n": [9, 9], "accuracy": [1, 90]},
            "found 1 among accuracies up to 90, fractions among",
        ),
        ({"n": [9, 9], "accuracy": [0.005, 90]}, "found 0.005 among accuracies up to 90"),
        (
            {"n": [9], "accuracy": [101]},
            "expected an accuracy, a fraction from 0 to 1 or percent",
        ),
        ({"n": [9], "accuracy": [-1]}, "expected an accuracy"),
        (
            {"n": [0], "accuracy": [90]},
            "expected a whole number above 0, and at most 1e12, found 0",
        ),
        (
            {"n": [1.5], "accuracy": [90]},
            "expected a whole number above 0, and at most 1e12, found 1.5",
        ),
        ({"accuracy": [90]}, "there is no column for n: how many items the test set"),
        (
            {"task": ["a", "a"], "n": [9, 8], "accuracy": [90, 91]},
            "expected one n, the size of the test set, for the task 'a'; found 8, 9",
        ),
        ({"task": ["a"], "n": [None], "accuracy": [90]}, "for the task 'a'; found none"),
        (
            {"task": ["a", "b"], "n": [9, 9], "accuracy": [90, None]},
            "the task 'b' has no accuracy",
        ),
        ({"n": [9], "improvement": [0.4]}, "there is no column for baseline"),
    ],
)
def test_what_is_wrong_is_said(columns: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(**columns)
