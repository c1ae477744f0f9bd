"""Raters judge items on a scale."""

from typing import Any

from detectable.report.planner.asked_fields import effect_field, size_field
from detectable.report.planner.field import Field, Values
from detectable.report.planner.form import Call, Form

_OWN = ("spread", ("own",))
_SDS = {
    "rater_sd": ("i", "Spread of raters' levels", 0.2),
    "rater_slope_sd": ("j", "… of half the difference, by rater", 0.05),
    "item_sd": ("h", "Spread of items' levels", 0.2),
    "item_slope_sd": ("l", "… of half the difference, by item", 0.05),
    "residual_sd": ("o", "Spread of everything else", 0.25),
}


def _call(values: Values) -> Call:
    given: dict[str, Any] = {"n_raters": values["n_raters"]}
    if values["spread"] == "own":
        given |= {name: values[name] for name in _SDS}
    else:
        given["preset"] = values["spread"]
    return Call("Likert", {**given, "test": values["test"]})


def _words(values: Values) -> tuple[str, ...]:
    return () if values["spread"] == "own" else ("--preset", str(values["spread"]))


def _sd(name: str) -> Field:
    key, label, default = _SDS[name]
    return Field(
        name=name,
        key=key,
        label=label,
        default=default,
        option=f"--{name.replace('_', '-')}",
        low=0.0,
        high=100.0,
        slides=(0.0, 1.0),
        when=_OWN,
    )


FORM = Form(
    name="likert",
    title="Likert scale, several raters",
    says="All raters rate all items of two systems; mixed model with rater and item slopes.",
    fields=(
        Field(
            name="n_raters",
            key="r",
            label="Raters",
            default=5,
            option="--raters",
            low=2,
            high=200,
            slides=(2, 30),
            step=1,
            whole=True,
        ),
        Field(
            name="spread",
            key="sp",
            label="How ratings spread, on a scale from 0 to 1",
            default="card-low",
            words=(
                ("card-low", "little (Card et al. 2020)"),
                ("card-high", "much (Card et al. 2020)"),
                ("own", "as below"),
            ),
        ),
        *(_sd(name) for name in _SDS),
        Field(
            name="test",
            key="t",
            label="Test",
            default="satterthwaite",
            option="--test",
            words=(
                ("satterthwaite", "REML with Satterthwaite's degrees of freedom"),
                ("card", "maximum likelihood, t > 1.96 (not at its level)"),
            ),
        ),
    ),
    size=size_field(
        label="Items",
        default=100,
        option="--items",
        low=2,
        high=100_000,
        slides=(10, 2_000),
    ),
    effect=effect_field(
        label="True difference",
        help="Of the mean ratings; twice the β of Card et al.",
        default=0.2,
        low=-100.0,
        high=100.0,
        slides=(0.0, 1.0),
        step=0.01,
    ),
    call=_call,
    words=_words,
    noun="judgment",
    paid=lambda values, n: 2 * n * int(values["n_raters"]),
    slow=lambda _: True,
    plan=lambda _: {"test": "mixed", "scale": (0.0, 1.0)},
    pilot="judgments",
)
