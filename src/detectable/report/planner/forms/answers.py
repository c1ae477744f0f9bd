"""Forms of scenarios that count answers: accuracy, preference, samples, BLEU, votes."""

import math
from typing import Any

from detectable.report.planner.field import Call, Field, Form, Values, effect_field, size_field
from detectable.report.planner.shared import (
    claim_field,
    claim_of_plan,
    claim_words,
    has_margin,
    margin_field,
    sides,
    with_margin,
)

_PRIORS = ("glue", "squad", "lachenbruch")
_PAIRED = ("agreement", *_PRIORS)


def _call(values: Values) -> Call:
    known = str(values["known"])
    if known == "unpaired":
        return Call("UnpairedAccuracy", {"baseline_accuracy": values["baseline_accuracy"]})
    given: dict[str, Any]
    if known in _PRIORS:
        given = {"baseline_accuracy": values["baseline_accuracy"], "prior": known}
    else:
        given = {"agreement": values["agreement"]}
    return with_margin("AccuracyMargin", Call("Accuracy", given), values)


def _words(values: Values) -> tuple[str, ...]:
    known = str(values["known"])
    if known == "unpaired":
        return ("--unpaired",)
    return (*(("--prior", known) if known in _PRIORS else ()), *claim_words(values))


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
            name="known",
            key="t",
            label="What is known of the two",
            default="agreement",
            words=(
                ("agreement", "how often they agree"),
                ("glue", "accuracy; they agree as systems on GLUE do"),
                ("squad", "accuracy; they agree as systems on SQuAD do"),
                ("lachenbruch", "accuracy; the middle of what is possible"),
                ("unpaired", "accuracy; each answers items of its own"),
            ),
        ),
        Field(
            name="agreement",
            key="g",
            label="Agreement",
            help="Share of items that both get right or both get wrong.",
            default=0.9,
            option="--agreement",
            low=0.0,
            high=1.0,
            slides=(0.5, 0.99),
            when=("known", ("agreement",)),
        ),
        Field(
            name="baseline_accuracy",
            key="b",
            label="Accuracy of the baseline",
            default=0.8,
            option="--baseline-accuracy",
            low=0.0,
            high=1.0,
            slides=(0.3, 0.99),
            when=("known", (*_PRIORS, "unpaired")),
        ),
        claim_field(when=("known", _PAIRED)),
        margin_field(
            0.02, 0.5, 0.001, "Difference in accuracy that does not matter: .02 is two points."
        ),
    ),
    size=size_field(
        label="Items",
        help="Questions of the test set.",
        default=1000,
        low=2,
        high=1_000_000,
        slides=(50, 20_000),
    ),
    effect=effect_field(
        label="True difference in accuracy",
        help=".02 is two points.",
        default=0.02,
        low=-1.0,
        high=1.0,
        slides=(0.0, 0.15),
        step=0.001,
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
    fields=(
        Field(
            name="ties",
            key="i",
            label="Ties",
            help="Expected share; they are dropped.",
            default=0.1,
            option="--ties",
            low=0.0,
            high=0.99,
            slides=(0.0, 0.8),
        ),
    ),
    size=size_field(
        label="Comparisons",
        help="Ties included.",
        default=400,
        low=2,
        high=100_000,
        slides=(20, 5_000),
    ),
    effect=effect_field(
        label="Chance to win a decided comparison",
        help=".5 is no preference.",
        default=0.58,
        low=0.0,
        high=1.0,
        slides=(0.5, 0.8),
        step=0.005,
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
    fields=(
        Field(
            name="question_variance",
            key="q",
            label="Variance between questions",
            help="Of the true differences of the two systems.",
            default=0.02,
            option="--question-variance",
            low=0.0,
            high=10_000.0,
            slides=(0.0, 0.2),
            step=0.001,
        ),
        Field(
            name="sample_variance",
            key="v",
            label="Variance between answers to one question",
            default=0.15,
            option="--sample-variance",
            low=0.0,
            high=10_000.0,
            slides=(0.0, 0.25),
            step=0.001,
        ),
        Field(
            name="n_samples",
            key="r",
            label="Answers per question and system",
            default=4,
            option="--samples",
            low=1,
            high=10_000,
            slides=(1, 64),
            step=1,
            whole=True,
        ),
        Field(
            name="method",
            key="t",
            label="Formula",
            default="normal",
            option="--method",
            words=(("normal", "Miller's, for many questions"), ("t", "noncentral t, for few")),
        ),
    ),
    size=size_field(
        label="Questions",
        default=300,
        low=2,
        high=1_000_000,
        slides=(20, 10_000),
    ),
    effect=effect_field(
        label="True difference of the mean scores",
        default=0.05,
        low=-1_000.0,
        high=1_000.0,
        slides=(0.0, 0.3),
        step=0.001,
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
    fields=(
        Field(
            name="p0",
            key="q",
            label="Segments whose swap changes nothing",
            help="A share; the average of eight test sets of translation is .13.",
            default=0.13,
            option="--p0",
            low=0.0,
            high=0.99,
            slides=(0.0, 0.9),
        ),
        Field(
            name="b0",
            key="b",
            label="Spread of the other swaps",
            help="In points of the metric, times n. BLEU of alike systems: about 26.",
            default=25.8,
            option="--b0",
            low=0.01,
            high=10_000.0,
            slides=(1.0, 80.0),
            step=0.1,
        ),
    ),
    size=size_field(
        label="Segments",
        default=2000,
        low=2,
        high=1_000_000,
        slides=(100, 20_000),
    ),
    effect=effect_field(
        label="True difference",
        help="In points of the metric.",
        default=1.0,
        low=-100.0,
        high=100.0,
        slides=(0.0, 4.0),
        step=0.05,
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
    fields=(
        Field(
            name="systems",
            key="r",
            label="Systems",
            default=10,
            option="--systems",
            low=2,
            high=200,
            slides=(2, 60),
            step=1,
            whole=True,
        ),
        Field(
            name="pairing",
            key="t",
            label="Who meets whom",
            default="uniform",
            option="--pairing",
            words=(
                ("direct", "all votes on the two systems"),
                ("uniform", "all pairs equally often"),
            ),
        ),
        Field(
            name="ties",
            key="i",
            label="Ties",
            help="Expected share.",
            default=0.2,
            option="--ties",
            low=0.0,
            high=0.99,
            slides=(0.0, 0.8),
        ),
        Field(
            name="design_effect",
            key="d",
            label="Design effect",
            help="1 for independent votes; about 1.3 where prompts repeat five times.",
            default=1.0,
            option="--design-effect",
            low=1.0,
            high=1000.0,
            slides=(1.0, 5.0),
            step=0.05,
        ),
        Field(
            name="family_of_gaps",
            key="g",
            label="What is tested",
            default="pair",
            option="--family",
            words=(("pair", "this gap by itself"), ("all-pairs", "all pairs together")),
        ),
    ),
    size=size_field(
        label="Votes in all",
        help="Ties included.",
        default=20_000,
        low=10,
        high=100_000_000,
        slides=(500, 1_000_000),
    ),
    effect=effect_field(
        label="Gap in Elo",
        default=30.0,
        low=-1_000.0,
        high=1_000.0,
        slides=(0.0, 150.0),
        step=1.0,
    ),
    call=_arena_call,
    noun="vote",
    paid=lambda _, n: n,
    plan=None,
)
