"""Scores of two scales in one table: some raters or languages stay within 0 and 1."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.factor import Factor
from detectable.data.files.problems import Problems

_FEWEST = 3  # judgments; one or two decimals near zero may be what they seem
_ROWS = 1 << 20  # that are looked at together, so that many rows take little memory
_WIDE = 10.0  # a scale at least this wide leaves no doubt that 0 to 1 is another one


def mixed_scales(
    score: FloatArray,
    scale: tuple[float, float],
    groups: Iterable[Factor],
    problems: Problems,
    where: Any,
    *,
    given: bool,
) -> tuple[str, ...]:
    """Return notes on scores between 0 and 1; a problem where some have them and others not.

    Parameters
    ----------
    score : array
        All scores.
    scale : (float, float)
        The scale they should be on.
    groups : factors
        By whom or what scores may have been scaled: raters, languages, campaigns.
    problems, where
        Where to note a problem, and how to name a row.
    given : bool
        Whether the user gave the scale. It is then believed, and a note says what is odd.
    """
    found = _mixed(score, scale, groups)
    if found is not None and not given:
        problems.add(
            f"{where(found[0], 'score')}: mixed scales. {found[1]} Bring all scores to one "
            "scale; or, if they are on one, give it (--scale 0:100, scale=(0, 100))."
        )
    notes = _fractions_note(score) if scale == (0.0, 100.0) else ()
    return notes if found is None else (*notes, found[1])


def _mixed(
    score: FloatArray, scale: tuple[float, float], groups: Iterable[Factor]
) -> tuple[int, str] | None:
    """Say whose scores lie within 0 and 1 with decimals, while those of others do not.

    Nothing is said for a scale narrower than 10, or without bounds. With the first such row.
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


def _fractions_note(score: FloatArray) -> tuple[str, ...]:
    """Say, of scores that are taken as 0 to 100, that all lie between 0 and 1, with decimals."""
    if (
        score.size < _FEWEST
        or not np.all((score >= 0.0) & (score <= 1.0))
        or not np.any(score != np.floor(score))
    ):
        return ()
    return (
        "All scores lie between 0 and 1, while the scale is taken as 0 to 100; give it "
        "(--scale 0:1, scale=(0, 1)).",
    )


def _fractions(score: FloatArray, column: Factor) -> Any:
    """Return which levels have several scores, all between 0 and 1, not all whole."""
    n = column.n_levels
    size, within, broken = np.zeros((3, n), dtype=np.int64)
    for start in range(0, score.size, _ROWS):
        part, codes = score[start : start + _ROWS], column.codes[start : start + _ROWS]
        inside = (part >= 0.0) & (part <= 1.0)
        size += np.bincount(codes, minlength=n)
        within += np.bincount(codes[inside], minlength=n)
        broken += np.bincount(codes[inside & (part != np.floor(part))], minlength=n)
    return (size >= _FEWEST) & (within == size) & (broken > 0)
