"""Forms of scenarios with ratings: from 0 to 100, Likert, ranks."""

import math
from typing import Any

from detectable.planning.options import LikertOptions, RankSumOptions, RatingsOptions
from detectable.report.planner.field import (
    Call,
    Field,
    Form,
    Values,
    effect_field,
    fields_of,
    size_field,
)
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
        *fields_of(RatingsOptions, "test", "mean", "sd", "correlation"),
        Field(
            *("points", "x", "Points that raters give", "any"),
            words=(
                ("any", "any number, as in Wei et al. 2022"),
                ("whole", "whole points, cut at 0 and 100 (slower)"),
            ),
        ),
        claim_field(when=("test", _MEANS)),
        margin_field(3.0, 50.0, 0.1, "Difference in points that does not matter."),
    ),
    size=size_field("Judgments per system", 600, (2, 1_000_000), (50, 10_000)),
    effect=effect_field(
        "True difference",
        2.0,
        (-100.0, 100.0),
        (0.0, 10.0),
        0.1,
        help="Of the mean ratings, in points.",
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

_SDS = ("rater_sd", "rater_slope_sd", "item_sd", "item_slope_sd", "residual_sd")


def _likert_call(values: Values) -> Call:
    given: dict[str, Any] = {"n_raters": values["n_raters"]}
    if values["spread"] == "own":
        given |= {name: values[name] for name in _SDS}
    else:
        given["preset"] = values["spread"]
    return Call("Likert", {**given, "test": values["test"]})


def _likert_words(values: Values) -> tuple[str, ...]:
    return () if values["spread"] == "own" else ("--preset", str(values["spread"]))


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
        *fields_of(LikertOptions, "n_raters"),
        Field(
            *("spread", "sp", "How ratings spread, on a scale from 0 to 1", "card-low"),
            words=(
                ("card-low", "little (Card et al. 2020)"),
                ("card-high", "much (Card et al. 2020)"),
                ("own", "as below"),
            ),
        ),
        *fields_of(LikertOptions, *_SDS, "test"),
    ),
    size=size_field("Items", 100, (2, 100_000), (10, 2_000), option="--items"),
    effect=effect_field(
        "True difference",
        0.2,
        (-100.0, 100.0),
        (0.0, 1.0),
        0.01,
        help="Of the mean ratings; twice the β of Card et al.",
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
        *fields_of(RankSumOptions, "alternative"),
        Field(
            *("ties", "i", "Scores that are equal", "none"),
            words=(("none", "none: scores are fine"), ("levels", "a few levels")),
        ),
        *fields_of(RankSumOptions, "levels"),
    ),
    size=size_field("Judgments per system", 1500, (2, 1_000_000), (50, 20_000)),
    effect=effect_field(
        "Chance that a score of A is below one of B",
        0.53,
        (0.0, 1.0),
        (0.5, 0.7),
        0.002,
        help=".5 is no difference.",
    ),
    call=_rank_sum_call,
    noun="judgment",
    paid=lambda _, n: 2 * n,
    plan=lambda _: {"test": "rank-sum"},
)
