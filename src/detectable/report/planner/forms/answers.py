"""Forms of scenarios that count answers: accuracy, preference, samples, BLEU, votes."""

import math
from typing import Any

from detectable.planning.options import (
    PRIORS,
    AccuracyOptions,
    ArenaOptions,
    BleuOptions,
    PreferenceOptions,
    SamplesOptions,
)
from detectable.report.planner.field import (
    Call,
    Field,
    Form,
    Values,
    effect_field,
    fields_of,
    size_field,
)
from detectable.report.planner.shared import (
    claim_field,
    claim_of_plan,
    claim_words,
    has_margin,
    margin_field,
    sides,
    with_margin,
)

_PAIRED = ("agreement", *PRIORS)


def _call(values: Values) -> Call:
    known = str(values["known"])
    if known == "unpaired":
        return Call("UnpairedAccuracy", {"baseline_accuracy": values["baseline_accuracy"]})
    given: dict[str, Any]
    if known in PRIORS:
        given = {"baseline_accuracy": values["baseline_accuracy"], "prior": known}
    else:
        given = {"agreement": values["agreement"]}
    return with_margin("AccuracyMargin", Call("Accuracy", given), values)


def _words(values: Values) -> tuple[str, ...]:
    known = str(values["known"])
    if known == "unpaired":
        return ("--unpaired",)
    return (*(("--prior", known) if known in PRIORS else ()), *claim_words(values))


def _plan(values: Values) -> dict[str, Any]:
    if values["known"] == "unpaired":
        return {"test": "proportions", "baseline_accuracy": values["baseline_accuracy"]}
    from detectable.planning.accuracy import Accuracy

    # So that the plan states the same power.
    scenario: Any = _call(values).build()
    accuracy: Accuracy = getattr(scenario, "accuracy", scenario)
    agreement = float(f"{1.0 - accuracy.disagreement(float(values['effect'])):.6g}")
    return {
        "test": "paired-mean",
        "scale": (0.0, 1.0),
        "agreement": agreement,
        **claim_of_plan(values),
    }


def _paid(values: Values, n: int) -> int:
    return 2 * n if values["known"] == "unpaired" else n


def _sided(values: Values) -> int:
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
        claim_field(when=("known", _PAIRED)),
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
    call=_call,
    words=_words,
    noun="item",
    paid=_paid,
    slow=lambda values: values["known"] != "unpaired",  # exact sums over all tables
    sided=_sided,
    plan=_plan,
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
