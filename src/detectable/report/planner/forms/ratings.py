"""Forms of scenarios with ratings: from 0 to 100, Likert, ranks."""

import math
from typing import Any

from detectable.report.planner.field import Call, Field, Form, Values, effect_field, size_field
from detectable.report.planner.shared import (
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
    from detectable.planning.ratings import mean_error

    scenario: Any = _call(values).build()
    model = getattr(scenario, "ratings", scenario).model
    effect = float(values["effect"])
    # The error of one difference is how much differences vary: so the plan states the same power.
    sd = float(f"{mean_error(model, 1, effect)[0]:.6g}")
    return {"test": values["test"], "sd": sd, "effect": effect, **claim_of_plan(values)}


RATINGS = Form(
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


# --- Raters judge items on a scale ---

_OWN = ("spread", ("own",))
_SDS = {
    "rater_sd": ("i", "Spread of raters' levels", 0.2),
    "rater_slope_sd": ("j", "… of half the difference, by rater", 0.05),
    "item_sd": ("h", "Spread of items' levels", 0.2),
    "item_slope_sd": ("l", "… of half the difference, by item", 0.05),
    "residual_sd": ("o", "Spread of everything else", 0.25),
}


def _likert_call(values: Values) -> Call:
    given: dict[str, Any] = {"n_raters": values["n_raters"]}
    if values["spread"] == "own":
        given |= {name: values[name] for name in _SDS}
    else:
        given["preset"] = values["spread"]
    return Call("Likert", {**given, "test": values["test"]})


def _likert_words(values: Values) -> tuple[str, ...]:
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


def _likert_plan(values: Values) -> dict[str, Any]:
    scenario: Any = _likert_call(values).build()
    n = int(values["n_items"])
    # What the planned number of items has as its error, raters counted in.
    raters, _ = scenario.rater_variance()
    variance = scenario.item_variance(0.0) + n * raters
    return {"test": "mixed", "scale": (0.0, 1.0), "sd": float(f"{math.sqrt(variance):.6g}")}


LIKERT = Form(
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
    call=_likert_call,
    words=_likert_words,
    noun="judgment",
    paid=lambda values, n: 2 * n * int(values["n_raters"]),
    slow=lambda _: True,
    plan=_likert_plan,
    pilot="judgments",
)


# --- Scores of different items, by their ranks ---


def _rank_sum_call(values: Values) -> Call:
    given: dict[str, Any] = {"alternative": values["alternative"]}
    if values["ties"] == "levels":
        given["levels"] = values["levels"]
    return Call("RankSum", given)


RANK_SUM = Form(
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
    call=_rank_sum_call,
    noun="judgment",
    paid=lambda _, n: 2 * n,
    plan=lambda _: {"test": "rank-sum"},
)
