"""Several answers to the same questions."""

from typing import Any

from detectable.report.planner.asked_fields import effect_field, size_field
from detectable.report.planner.field import Field, Values
from detectable.report.planner.form import Call, Form

_NAMES = ("question_variance", "sample_variance", "n_samples", "method")


def _call(values: Values) -> Call:
    given: dict[str, Any] = {name: values[name] for name in _NAMES}
    return Call("Samples", given)


FORM = Form(
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
    call=_call,
    noun="answer",
    paid=lambda values, n: 2 * n * int(values["n_samples"]),
    plan=lambda _: {"test": "paired-mean", "scale": (0.0, 1.0)},
    pilot="scores",
)
