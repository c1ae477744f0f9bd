"""A corpus metric on the same segments."""

from detectable.report.planner.asked_fields import effect_field, size_field
from detectable.report.planner.field import Field
from detectable.report.planner.form import Call, Form

FORM = Form(
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
