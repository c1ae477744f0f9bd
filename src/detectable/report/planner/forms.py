"""The forms of the planner, one for every scenario."""

import math
from typing import Any

from detectable.planning.options import (
    PRIORS,
    AccuracyOptions,
    ArenaOptions,
    BleuOptions,
    LikertOptions,
    PreferenceOptions,
    RankSumOptions,
    RatingsOptions,
    SamplesOptions,
)
from detectable.report.planner.field import (
    Call,
    Field,
    Form,
    Values,
    claim_field,
    claim_of_plan,
    claim_words,
    effect_field,
    fields_of,
    has_margin,
    margin_field,
    sides,
    size_field,
    with_margin,
)

# --- Right or wrong answers to the same items ---

_PAIRED_ANSWERS = ("agreement", *PRIORS)


def _accuracy_call(values: Values) -> Call:
    known = str(values["known"])
    if known == "unpaired":
        return Call("UnpairedAccuracy", {"baseline_accuracy": values["baseline_accuracy"]})
    given: dict[str, Any]
    if known in PRIORS:
        given = {"baseline_accuracy": values["baseline_accuracy"], "prior": known}
    else:
        given = {"agreement": values["agreement"]}
    return with_margin("AccuracyMargin", Call("Accuracy", given), values)


def _accuracy_words(values: Values) -> tuple[str, ...]:
    known = str(values["known"])
    if known == "unpaired":
        return ("--unpaired",)
    return (*(("--prior", known) if known in PRIORS else ()), *claim_words(values))


def _accuracy_plan(values: Values) -> dict[str, Any]:
    if values["known"] == "unpaired":
        return {"test": "proportions", "baseline_accuracy": values["baseline_accuracy"]}
    from detectable.planning.accuracy import Accuracy

    # So that the plan states the same power.
    scenario: Any = _accuracy_call(values).build()
    accuracy: Accuracy = getattr(scenario, "accuracy", scenario)
    agreement = float(f"{1.0 - accuracy.disagreement(float(values['effect'])):.6g}")
    return {
        "test": "paired-mean",
        "scale": (0.0, 1.0),
        "agreement": agreement,
        **claim_of_plan(values),
    }


def _accuracy_paid(values: Values, n: int) -> int:
    return 2 * n if values["known"] == "unpaired" else n


def _accuracy_sided(values: Values) -> int:
    return 2 if values["known"] == "unpaired" or not has_margin(values) else sides(values)


ACCURACY = Form(
    name="accuracy",
    title="Accuracy",
    says="Two systems answer the same items, right or wrong; McNemar's exact test.",
    fields=(
        Field(
            *("known", "t", "What is known of the two", "agreement"),
            words=(
                ("agreement", "how often they agree"),
                ("glue", "accuracy; they agree as systems on GLUE do"),
                ("squad", "accuracy; they agree as systems on SQuAD do"),
                ("lachenbruch", "accuracy; the middle of what is possible"),
                ("unpaired", "accuracy; each answers items of its own"),
            ),
        ),
        *fields_of(AccuracyOptions),
        claim_field(when=("known", _PAIRED_ANSWERS)),
        margin_field(
            0.02, 0.5, 0.001, "Difference in accuracy that does not matter: .02 is two points."
        ),
    ),
    size=size_field(
        "Items", 1000, (2, 1_000_000), (50, 20_000), help="Questions of the test set."
    ),
    effect=effect_field(
        "True difference in accuracy",
        0.02,
        (-1.0, 1.0),
        (0.0, 0.15),
        0.001,
        help=".02 is two points.",
    ),
    call=_accuracy_call,
    words=_accuracy_words,
    noun="item",
    paid=_accuracy_paid,
    slow=lambda values: values["known"] != "unpaired",  # exact sums over all tables
    sided=_accuracy_sided,
    plan=_accuracy_plan,
    pilot="scores",
)


# --- Which of two is better ---

PREFERENCE = Form(
    name="preference",
    title="Preference",
    says="People say which of two outputs is better, with or without ties; exact sign test.",
    fields=fields_of(PreferenceOptions),
    size=size_field("Comparisons", 400, (2, 100_000), (20, 5_000), help="Ties included."),
    effect=effect_field(
        "Chance to win a decided comparison",
        0.58,
        (0.0, 1.0),
        (0.5, 0.8),
        0.005,
        help=".5 is no preference.",
    ),
    call=lambda values: Call("Preference", {"ties": values["ties"]}),
    noun="comparison",
    paid=lambda _, n: n,
    slow=lambda _: True,  # the exact power is a saw-tooth, whose teeth a search must look at
    plan=lambda _: {"test": "preference"},
)


# --- Several answers to the same questions ---

_NAMES = ("question_variance", "sample_variance", "n_samples", "method")


def _samples_call(values: Values) -> Call:
    given: dict[str, Any] = {name: values[name] for name in _NAMES}
    return Call("Samples", given)


def _plan_samples(values: Values) -> dict[str, Any]:
    scenario: Any = _samples_call(values).build()
    sd = float(f"{math.sqrt(scenario.variance):.6g}")
    return {"test": "paired-mean", "scale": (0.0, 1.0), "sd": sd}


SAMPLES = Form(
    name="samples",
    title="Sampled answers",
    says="Two systems answer the same questions several times each; paired test of means.",
    fields=fields_of(SamplesOptions),
    size=size_field("Questions", 300, (2, 1_000_000), (20, 10_000)),
    effect=effect_field(
        "True difference of the mean scores", 0.05, (-1_000.0, 1_000.0), (0.0, 0.3), 0.001
    ),
    call=_samples_call,
    noun="answer",
    paid=lambda values, n: 2 * n * int(values["n_samples"]),
    plan=_plan_samples,
    pilot="scores",
)


# --- A corpus metric on the same segments ---

BLEU = Form(
    name="bleu",
    title="BLEU and other corpus metrics",
    says="A corpus metric of two systems on the same segments; approximate randomization.",
    fields=fields_of(BleuOptions),
    size=size_field("Segments", 2000, (2, 1_000_000), (100, 20_000)),
    effect=effect_field(
        "True difference",
        1.0,
        (-100.0, 100.0),
        (0.0, 4.0),
        0.05,
        help="In points of the metric.",
    ),
    call=lambda values: Call("Bleu", {"p0": values["p0"], "b0": values["b0"]}),
    noun="segment",
    paid=lambda _, n: n,
    pilot="corpus",
)


# --- Votes on two systems at a time ---

_ARENA_NAMES = ("systems", "pairing", "ties", "design_effect", "family_of_gaps")


def _arena_call(values: Values) -> Call:
    given: dict[str, Any] = {name: values[name] for name in _ARENA_NAMES}
    given["family"] = given.pop("family_of_gaps")
    return Call("Arena", given)


ARENA = Form(
    name="arena",
    title="Arena",
    says="Votes on two systems at a time, among several; Bradley and Terry's model.",
    fields=fields_of(ArenaOptions),
    size=size_field(
        "Votes in all", 20_000, (10, 100_000_000), (500, 1_000_000), help="Ties included."
    ),
    effect=effect_field("Gap in Elo", 30.0, (-1_000.0, 1_000.0), (0.0, 150.0), 1.0),
    call=_arena_call,
    noun="vote",
    paid=lambda _, n: n,
    plan=None,
)


# --- Ratings from 0 to 100 ---

_PAIRED_RATINGS = ("paired-mean",)
_MEANS = ("paired-mean", "two-means")


def _ratings_call(values: Values) -> Call:
    given: dict[str, Any] = {"mean": values["mean"], "sd": values["sd"], "test": values["test"]}
    if values["test"] in _PAIRED_RATINGS:
        given["correlation"] = values["correlation"]
    if values["points"] == "any":
        given["continuous"] = True
    given["method"] = "closed-form"
    inner = Call("Ratings", given)
    return with_margin("RatingsMargin", inner, values) if values["test"] in _MEANS else inner


def _ratings_words(values: Values) -> tuple[str, ...]:
    claim = claim_words(values) if values["test"] in _MEANS else ()
    fine = ("--continuous",) if values["points"] == "any" else ()
    return (*fine, "--method", "closed-form", *claim)


def _ratings_sided(values: Values) -> int:
    return sides(values) if values["test"] in _MEANS else 2


def _ratings_plan(values: Values) -> dict[str, Any]:
    if values["test"] not in _MEANS:
        return {"test": values["test"]}
    from detectable.planning.ratings import mean_error

    scenario: Any = _ratings_call(values).build()
    model = getattr(scenario, "ratings", scenario).model
    effect = float(values["effect"])
    # The error of one difference is how much differences vary: so the plan states the same power.
    sd = float(f"{mean_error(model, 1, effect)[0]:.6g}")
    return {"test": values["test"], "sd": sd, "effect": effect, **claim_of_plan(values)}


RATINGS = Form(
    name="ratings",
    title="Ratings, 0 to 100",
    says="People rate the outputs of two systems from 0 to 100 (direct assessment, ESA).",
    fields=(
        *fields_of(RatingsOptions, "test", "mean", "sd", "correlation"),
        Field(
            *("points", "x", "Points that raters give", "any"),
            words=(
                ("any", "any number, as in Wei et al. 2022"),
                ("whole", "whole points, cut at 0 and 100 (slower)"),
            ),
        ),
        claim_field(when=("test", _MEANS)),
        margin_field(3.0, 50.0, 0.1, "Difference in points that does not matter."),
    ),
    size=size_field("Judgments per system", 600, (2, 1_000_000), (50, 10_000)),
    effect=effect_field(
        "True difference",
        2.0,
        (-100.0, 100.0),
        (0.0, 10.0),
        0.1,
        help="Of the mean ratings, in points.",
    ),
    call=_ratings_call,
    words=_ratings_words,
    noun="judgment",
    paid=lambda _, n: 2 * n,
    # Whole points of pairs take a copula for every effect that is tried, ranks an integral.
    slow=lambda values: values["points"] == "whole" or values["test"] == "rank-sum",
    sided=_ratings_sided,
    plan=_ratings_plan,
)


# --- Raters judge items on a scale ---

_SDS = ("rater_sd", "rater_slope_sd", "item_sd", "item_slope_sd", "residual_sd")


def _likert_call(values: Values) -> Call:
    given: dict[str, Any] = {"n_raters": values["n_raters"]}
    if values["spread"] == "own":
        given |= {name: values[name] for name in _SDS}
    else:
        given["preset"] = values["spread"]
    return Call("Likert", {**given, "test": values["test"]})


def _likert_words(values: Values) -> tuple[str, ...]:
    return () if values["spread"] == "own" else ("--preset", str(values["spread"]))


def _likert_plan(values: Values) -> dict[str, Any]:
    scenario: Any = _likert_call(values).build()
    n = int(values["n_items"])
    # What the planned number of items has as its error, raters counted in.
    raters, _ = scenario.rater_variance()
    variance = scenario.item_variance(0.0) + n * raters
    return {"test": "mixed", "scale": (0.0, 1.0), "sd": float(f"{math.sqrt(variance):.6g}")}


LIKERT = Form(
    name="likert",
    title="Likert scale, several raters",
    says="All raters rate all items of two systems; mixed model with rater and item slopes.",
    fields=(
        *fields_of(LikertOptions, "n_raters"),
        Field(
            *("spread", "sp", "How ratings spread, on a scale from 0 to 1", "card-low"),
            words=(
                ("card-low", "little (Card et al. 2020)"),
                ("card-high", "much (Card et al. 2020)"),
                ("own", "as below"),
            ),
        ),
        *fields_of(LikertOptions, *_SDS, "test"),
    ),
    size=size_field("Items", 100, (2, 100_000), (10, 2_000), option="--items"),
    effect=effect_field(
        "True difference",
        0.2,
        (-100.0, 100.0),
        (0.0, 1.0),
        0.01,
        help="Of the mean ratings; twice the β of Card et al.",
    ),
    call=_likert_call,
    words=_likert_words,
    noun="judgment",
    paid=lambda values, n: 2 * n * int(values["n_raters"]),
    slow=lambda _: True,
    plan=_likert_plan,
    pilot="judgments",
)


# --- Scores of different items, by their ranks ---


def _rank_sum_call(values: Values) -> Call:
    given: dict[str, Any] = {"alternative": values["alternative"]}
    if values["ties"] == "levels":
        given["levels"] = values["levels"]
    return Call("RankSum", given)


RANK_SUM = Form(
    name="rank-sum",
    title="Rank sum",
    says="Human scores of two systems on different items; Wilcoxon-Mann-Whitney test.",
    fields=(
        *fields_of(RankSumOptions, "alternative"),
        Field(
            *("ties", "i", "Scores that are equal", "none"),
            words=(("none", "none: scores are fine"), ("levels", "a few levels")),
        ),
        *fields_of(RankSumOptions, "levels"),
    ),
    size=size_field("Judgments per system", 1500, (2, 1_000_000), (50, 20_000)),
    effect=effect_field(
        "Chance that a score of A is below one of B",
        0.53,
        (0.0, 1.0),
        (0.5, 0.7),
        0.002,
        help=".5 is no difference.",
    ),
    call=_rank_sum_call,
    noun="judgment",
    paid=lambda _, n: 2 * n,
    plan=lambda _: {"test": "rank-sum"},
)


# In the order in which they are offered.
_FORMS = (ACCURACY, BLEU, RATINGS, PREFERENCE, LIKERT, SAMPLES, RANK_SUM, ARENA)


def forms() -> dict[str, Form]:
    """Return all forms by their names."""
    return {form.name: form for form in _FORMS}
