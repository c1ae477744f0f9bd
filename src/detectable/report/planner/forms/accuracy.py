"""Two systems answer, right or wrong."""

from typing import Any

from detectable.report.planner.asked_fields import effect_field, size_field
from detectable.report.planner.field import Field, Values
from detectable.report.planner.form import Call, Form
from detectable.report.planner.margin import (
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
        return {"test": "proportions"}
    return {"test": "paired-mean", "scale": (0.0, 1.0), **claim_of_plan(values)}


def _paid(values: Values, n: int) -> int:
    return 2 * n if values["known"] == "unpaired" else n


def _sided(values: Values) -> int:
    return 2 if values["known"] == "unpaired" or not has_margin(values) else sides(values)


FORM = Form(
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
