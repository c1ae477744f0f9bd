"""Balanced Likert designs: thresholds of the test, without simulated ratings."""

import functools
import math
from dataclasses import dataclass

import numpy as np

from detectable.core.choices import LikertTest
from detectable.core.types import FloatArray
from detectable.kernels.balanced import degrees, ml_error, reml_error

_POINTS = 1 << 14  # of the lattice over five chi-square variables
# The number that solves x**6 = x + 1; its powers give the flattest known additive lattice in
# five dimensions (a golden ratio for five).
_PLASTIC = 1.1347241384015194


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviations of ratings, for systems coded −1 and +1.

    Attributes
    ----------
    rater, item : float
        Of raters' and items' levels (intercepts).
    rater_slope, item_slope : float
        Of half the difference between the systems, from rater to rater and item to item.
    residual : float
        Of everything else.
    """

    rater: float
    rater_slope: float
    item: float
    item_slope: float
    residual: float


# From the authors' power_sim.R (card2020, section 5). They are SDs of level effects, used there
# as SDs of slopes; a refit gives about .08 for both slopes of the first (reference page, trap 4).
PRESETS = {
    "card-high": Spread(
        rater=0.01, rater_slope=0.11, item=0.04, item_slope=0.14, residual=0.26
    ),
    "card-low": Spread(rater=0.01, rater_slope=0.04, item=0.01, item_slope=0.13, residual=0.16),
}


def expected_squares(spread: Spread, raters: int, items: int) -> tuple[FloatArray, float]:
    r"""Return the four expected mean squares and the error's, :math:`e = σ^2 / 2`.

    :math:`W_d = J τ_r^2 + e`, :math:`T_d = I τ_i^2 + e`, and the same with the SDs of the levels
    for the half sums.
    """
    error = 0.5 * spread.residual**2
    squares = np.array(
        [
            items * spread.rater_slope**2,
            raters * spread.item_slope**2,
            items * spread.rater**2,
            raters * spread.item**2,
        ]
    )
    return squares + error, error


def true_error(spread: Spread, raters: int, items: int) -> float:
    """Return the standard deviation of the mean half difference."""
    squares, error = expected_squares(spread, raters, items)
    return math.sqrt((squares[0] + squares[1] - error) / (raters * items))


@functools.lru_cache(maxsize=64)
def thresholds(
    spread: Spread, raters: int, items: int, alpha: float, test: LikertTest
) -> FloatArray:
    """Return how far the mean half difference must be from 0, over the lattice of mean squares."""
    from scipy.special import ndtri, stdtrit

    expected, error = expected_squares(spread, raters, items)
    ratios = _chi_square_ratios(raters, items)
    squares, errors = expected * ratios[:, :4], error * ratios[:, 4]
    if test == "card":
        # The authors write 1.96; z(α/2) is the same to four digits and serves any α.
        cuts = -float(ndtri(alpha / 2.0)) * np.sqrt(ml_error(squares, errors, raters, items))
    else:
        variance, df = reml_error(squares, errors, raters, items)
        cuts = stdtrit(df, 1.0 - alpha / 2.0) * np.sqrt(variance)
    cuts.setflags(write=False)
    return cuts


def _chi_square_ratios(raters: int, items: int) -> FloatArray:
    """Return mean squares over their expectations, shape (points, 5), evenly spread."""
    own, error_df = degrees(raters, items)
    dfs = (*own.tolist(), error_df)
    return np.column_stack([_lattice(axis, df) for axis, df in enumerate(dfs)])


@functools.lru_cache(maxsize=64)  # a search over items keeps the columns of the raters
def _lattice(axis: int, df: float) -> FloatArray:
    """Return chi-square over its degrees of freedom along one axis of the lattice."""
    from scipy.special import gammaincinv

    shares = (0.5 + np.arange(1, _POINTS + 1) * _PLASTIC ** -(axis + 1.0)) % 1.0
    ratios: FloatArray = gammaincinv(0.5 * df, shares) / (0.5 * df)
    return ratios
