"""Likert designs with gaps: simulated ratings, fitted one by one.

The mixed model is imported where it is used: a balanced plan needs none of it.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from detectable.core.errors import ConvergenceError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import Factor
from detectable.planning.likert_design import Spread

if TYPE_CHECKING:
    from detectable.mixed.design import Design

_CONTRAST = np.array([0.0, 1.0])
_FAILED = 0.1  # share of fits that may fail in a block


@dataclass(frozen=True, slots=True)
class UnbalancedRatings:
    """Ratings of many trials on one design; one column per rating."""

    design: "Design"
    ratings: FloatArray  # (trials, ratings)


def draw_unbalanced(
    spread: Spread,
    size: tuple[int, int],
    slope: float,
    *,
    raters_per_item: int,
    missing: float,
    trials: int,
    rng: np.random.Generator,
) -> UnbalancedRatings:
    """Draw ratings; `size` is raters and items, `slope` half the true difference.

    Each item is rated by the next `raters_per_item` raters in turn. The ratings that get lost
    are drawn once for all trials of a block.
    """
    n_raters, n_items = size
    item = np.repeat(np.arange(n_items), raters_per_item)
    rater = (item + np.tile(np.arange(raters_per_item), n_items)) % n_raters
    rater, item = np.repeat(rater, 2), np.repeat(item, 2)
    system = np.tile([0, 1], rater.size // 2)
    if missing > 0.0:
        kept = np.flatnonzero(rng.random(rater.size) >= missing)
        rater, item, system = rater[kept], item[kept], system[kept]
        _check_enough(rater, item, system, missing)
    x = 2.0 * system - 1.0

    def effects(sd: float, codes: IntArray, n: int) -> FloatArray:
        drawn: FloatArray = rng.normal(0.0, sd, (trials, n))[:, codes]
        return drawn

    ratings = rng.normal(0.0, spread.residual, (trials, x.size)) + slope * x
    ratings += effects(spread.rater, rater, n_raters) + effects(spread.item, item, n_items)
    ratings += x * effects(spread.rater_slope, rater, n_raters)
    ratings += x * effects(spread.item_slope, item, n_items)
    return UnbalancedRatings(crossed_design(rater, item, system), ratings)


def fit_all(
    data: UnbalancedRatings, *, reml: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return slope, its variance and degrees of freedom of each trial; nan without a fit.

    A data set that cannot be fitted shows no difference; if more than a few cannot, it is the
    design that is at fault, which is an error.
    """
    from detectable.mixed.model import prepare, solve

    model = prepare(data.design, data.ratings[0])
    found = np.full((len(data.ratings), 3), math.nan)
    failures: list[ConvergenceError] = []
    for row, ratings in enumerate(data.ratings):
        try:
            solution = solve(model, ratings, reml=reml)
            df = solution.satterthwaite(_CONTRAST) if reml else math.nan
        except ConvergenceError as error:
            failures.append(error)
            continue
        found[row] = solution.coefficients[1], solution.covariance[1, 1], df
    if len(failures) > _FAILED * len(found) and len(failures) > 1:
        raise InputError(
            f"the design is too thin for its test: {len(failures)} of {len(found)} simulated "
            f"data sets could not be fitted ({failures[0]}) Give more items or more raters."
        )
    return found[:, 0], found[:, 1], found[:, 2]


def _check_enough(rater: IntArray, item: IntArray, system: IntArray, missing: float) -> None:
    """Refuse what no model could be fitted to."""
    levels = [np.unique(codes).size for codes in (rater, item, system)]
    if min(levels) < 2 or rater.size <= sum(levels):
        raise InputError(
            f"`missing` must leave enough ratings to fit raters, items and systems; got "
            f"{missing:g}, which left {rater.size} ratings of {levels[0]} raters and "
            f"{levels[1]} items. Give more items or more raters."
        )


def crossed_design(rater: IntArray, item: IntArray, system: IntArray) -> "Design":
    """Return a design of two systems with rater and item slopes, from codes of any kind."""
    from detectable.mixed.design import Design, contrast_coding

    return Design(
        systems=("-1", "+1"),
        coding=contrast_coding(2),
        numeric=False,
        system=system,
        factors={"rater": _factor("rater", rater), "item": _factor("item", item)},
        slopes=("rater", "item"),
    )


def _factor(name: str, codes: IntArray) -> Factor:
    levels, dense = np.unique(codes, return_inverse=True)
    return Factor(name=name, levels=tuple(str(level) for level in levels), codes=dense)
