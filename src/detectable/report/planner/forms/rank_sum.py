"""Scores of different items, by their ranks."""

from typing import Any

from detectable.report.planner.asked_fields import effect_field, size_field
from detectable.report.planner.field import Field, Values
from detectable.report.planner.form import Call, Form


def _call(values: Values) -> Call:
    given: dict[str, Any] = {"alternative": values["alternative"]}
    if values["ties"] == "levels":
        given["levels"] = values["levels"]
    return Call("RankSum", given)


FORM = Form(
    name="rank-sum",
    title="Rank sum",
    says="Human scores of two systems on different items; Wilcoxon-Mann-Whitney test.",
    fields=(
        Field(
            name="alternative",
            key="t",
            label="Test",
            default="two-sided",
            option="--alternative",
            words=(
                ("two-sided", "two-sided"),
                ("observed-order", "one-sided in the observed order, as WMT does"),
            ),
        ),
        Field(
            name="ties",
            key="i",
            label="Scores that are equal",
            default="none",
            words=(("none", "none: scores are fine"), ("levels", "a few levels")),
        ),
        Field(
            name="levels",
            key="l",
            label="Levels",
            help="Equally frequent.",
            default=7,
            option="--levels",
            low=2,
            high=1000,
            slides=(2, 20),
            step=1,
            whole=True,
            when=("ties", ("levels",)),
        ),
    ),
    size=size_field(
        label="Judgments per system",
        default=1500,
        low=2,
        high=1_000_000,
        slides=(50, 20_000),
    ),
    effect=effect_field(
        label="Chance that a score of A is below one of B",
        help=".5 is no difference.",
        default=0.53,
        low=0.0,
        high=1.0,
        slides=(0.5, 0.7),
        step=0.002,
    ),
    call=_call,
    noun="judgment",
    paid=lambda _, n: 2 * n,
    plan=lambda _: {"test": "rank-sum"},
)
