"""Which of two is better."""

from detectable.report.planner.asked_fields import effect_field, size_field
from detectable.report.planner.field import Field
from detectable.report.planner.form import Call, Form

FORM = Form(
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
