"""Scores of two scales in one table: some raters or languages stay within 0 and 1."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.factor import Factor

_FEWEST = 3  # judgments; one or two decimals near zero may be what they seem
_WIDE = 10.0  # a scale at least this wide leaves no doubt that 0 to 1 is another one


def mixed_scales(
    score: FloatArray, scale: tuple[float, float], groups: Iterable[Factor]
) -> tuple[int, str] | None:
    """Say whose scores lie within 0 and 1 with decimals, while those of others do not.

    Parameters
    ----------
    score : array
        All scores.
    scale : (float, float)
        The scale they should be on; nothing is said for one narrower than 10, or without bounds.
    groups : factors
        By whom or what scores may have been scaled: raters, languages, campaigns.

    Returns
    -------
    (int, str) or None
        The first row of them, and a sentence.
    """
    top = np.max(score, initial=-np.inf, where=np.isfinite(score))
    # Where any number is allowed, as with z, three near zero are nothing unusual.
    if not _WIDE <= scale[1] - scale[0] < np.inf or not top > 1.0:
        return None
    for column in groups:
        small = np.flatnonzero(_fractions(score, column))
        if 0 < small.size < column.n_levels:
            rows = np.flatnonzero(np.isin(column.codes, small))
            names = [repr(column.levels[code]) for code in small.tolist()]
            return int(rows[0]), (
                f"All scores of {count(len(names), column.name)} ({listing(names)}) lie between "
                f"0 and 1, while others go up to {top:g}."
            )
    return None


def fractions_only(score: FloatArray) -> bool:
    """Return whether all scores lie between 0 and 1, with decimals."""
    return bool(
        score.size >= _FEWEST
        and np.all((score >= 0.0) & (score <= 1.0))
        and np.any(score != np.floor(score))
    )


def _fractions(score: FloatArray, column: Factor) -> Any:
    """Return which levels have several scores, all between 0 and 1, not all whole."""
    n = column.n_levels
    size = np.bincount(column.codes, minlength=n)
    inside = (score >= 0.0) & (score <= 1.0)
    within = np.bincount(column.codes, weights=inside, minlength=n)
    broken = np.bincount(column.codes, weights=inside & (score != np.floor(score)), minlength=n)
    return (size >= _FEWEST) & (within == size) & (broken > 0)
