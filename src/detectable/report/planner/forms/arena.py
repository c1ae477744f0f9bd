"""Votes on two systems at a time."""

from typing import Any

from detectable.report.planner.asked_fields import effect_field, size_field
from detectable.report.planner.field import Field, Values
from detectable.report.planner.form import Call, Form

_NAMES = ("systems", "pairing", "ties", "design_effect", "family_of_gaps")


def _call(values: Values) -> Call:
    given: dict[str, Any] = {name: values[name] for name in _NAMES}
    given["family"] = given.pop("family_of_gaps")
    return Call("Arena", given)


FORM = Form(
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
    call=_call,
    noun="vote",
    paid=lambda _, n: n,
    plan=None,
)
