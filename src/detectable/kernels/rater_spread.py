"""Mean and standard deviation of every rater, in one order of adding however many the rows are."""

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray

_ROUNDING = 1e-12  # a spread below this share of the mean is rounding of equal scores
_ROWS = 1 << 20  # that are looked at together; does not change a digit


def rater_spread(
    rater: NDArray[np.integer],
    score: FloatArray,
    n_raters: int,
    counted: NDArray[np.bool_] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the standard deviation (n − 1) of the scores of each rater.

    The standard deviation is NaN for one score, or where all are equal: there is no z. Sums are
    carried on from row to row, so that memory does not grow with them.

    Parameters
    ----------
    rater : array of int
        Of each row, in as few bytes as it likes.
    score : array
    n_raters : int
    counted : array of bool, optional
        Rows that count; all by default.

    Examples
    --------
    >>> rater_spread(np.array([0, 0, 1]), np.array([1.0, 3.0, 5.0]), 2)[1].round(3).tolist()
    [1.414, nan]
    """
    n = np.zeros(n_raters, dtype=np.int64)
    total, squares = np.zeros(n_raters), np.zeros(n_raters)
    parts = [slice(start, start + _ROWS) for start in range(0, score.size, _ROWS)]
    for part in parts:
        who, value = _taken(rater, score, counted, part)
        n += np.bincount(who, minlength=n_raters)
        np.add.at(total, who, value)
    mean = total / np.maximum(n, 1)
    for part in parts:
        who, value = _taken(rater, score, counted, part)
        np.add.at(squares, who, (value - mean[who]) ** 2)
    spread = np.sqrt(squares / np.maximum(n - 1, 1))
    usable = (n > 1) & (spread > _ROUNDING * np.maximum(1.0, np.abs(mean)))
    return mean, np.where(usable, spread, np.nan)


def _taken(
    rater: NDArray[np.integer],
    score: FloatArray,
    counted: NDArray[np.bool_] | None,
    part: slice,
) -> tuple[NDArray[np.int64], FloatArray]:
    who, value = rater[part], score[part]
    if counted is not None:
        who, value = who[counted[part]], value[counted[part]]
    return who.astype(np.int64), value
