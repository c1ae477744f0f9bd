"""Ratings from 0 to 100."""

from typing import Any

from detectable.report.planner.asked_fields import effect_field, size_field
from detectable.report.planner.field import Field, Values
from detectable.report.planner.form import Call, Form
from detectable.report.planner.margin import (
    claim_field,
    claim_of_plan,
    claim_words,
    margin_field,
    sides,
    with_margin,
)

_PAIRED = ("paired-mean",)
_MEANS = ("paired-mean", "two-means")


def _call(values: Values) -> Call:
    given: dict[str, Any] = {"mean": values["mean"], "sd": values["sd"], "test": values["test"]}
    if values["test"] in _PAIRED:
        given["correlation"] = values["correlation"]
    if values["points"] == "any":
        given["continuous"] = True
    given["method"] = "closed-form"
    inner = Call("Ratings", given)
    return with_margin("RatingsMargin", inner, values) if values["test"] in _MEANS else inner


def _words(values: Values) -> tuple[str, ...]:
    claim = claim_words(values) if values["test"] in _MEANS else ()
    fine = ("--continuous",) if values["points"] == "any" else ()
    return (*fine, "--method", "closed-form", *claim)


def _sided(values: Values) -> int:
    return sides(values) if values["test"] in _MEANS else 2


def _plan(values: Values) -> dict[str, Any]:
    if values["test"] not in _MEANS:
        return {"test": values["test"]}
    from detectable.planning.rating_forms import mean_error

    scenario: Any = _call(values).build()
    model = getattr(scenario, "ratings", scenario).model
    effect = float(values["effect"])
    # The error of one difference is how much differences vary: so the plan states the same power.
    sd = float(f"{mean_error(model, 1, effect)[0]:.6g}")
    return {"test": values["test"], "sd": sd, "effect": effect, **claim_of_plan(values)}


FORM = Form(
    name="ratings",
    title="Ratings, 0 to 100",
    says="People rate the outputs of two systems from 0 to 100 (direct assessment, ESA).",
    fields=(
        Field(
            name="test",
            key="t",
            label="How they are compared",
            default="paired-mean",
            option="--test",
            words=(
                ("paired-mean", "means, both systems on the same items"),
                ("two-means", "means, each system on items of its own"),
                ("rank-sum", "ranks, each system on items of its own"),
            ),
        ),
        Field(
            name="mean",
            key="u",
            label="Mean rating",
            help="Of the better system.",
            default=80.0,
            option="--mean",
            low=0.0,
            high=100.0,
            slides=(40.0, 97.0),
            step=1.0,
        ),
        Field(
            name="sd",
            key="sd",
            label="Spread of its ratings",
            help="Standard deviation; 15 to 25 is usual.",
            default=20.0,
            option="--sd",
            low=0.1,
            high=50.0,
            slides=(5.0, 35.0),
            step=0.5,
        ),
        Field(
            name="correlation",
            key="r",
            label="Correlation of two ratings of an item",
            help="About .67 in campaigns with the same raters.",
            default=0.5,
            option="--correlation",
            low=-0.99,
            high=0.99,
            slides=(0.0, 0.95),
            when=("test", _PAIRED),
        ),
        Field(
            name="points",
            key="x",
            label="Points that raters give",
            default="any",
            words=(
                ("any", "any number, as in Wei et al. 2022"),
                ("whole", "whole points, cut at 0 and 100 (slower)"),
            ),
        ),
        claim_field(when=("test", _MEANS)),
        margin_field(3.0, 50.0, 0.1, "Difference in points that does not matter."),
    ),
    size=size_field(
        label="Judgments per system",
        default=600,
        low=2,
        high=1_000_000,
        slides=(50, 10_000),
    ),
    effect=effect_field(
        label="True difference",
        help="Of the mean ratings, in points.",
        default=2.0,
        low=-100.0,
        high=100.0,
        slides=(0.0, 10.0),
        step=0.1,
    ),
    call=_call,
    words=_words,
    noun="judgment",
    paid=lambda _, n: 2 * n,
    # Whole points of pairs take a copula for every effect that is tried, ranks an integral.
    slow=lambda values: values["points"] == "whole" or values["test"] == "rank-sum",
    sided=_sided,
    plan=_plan,
)
