"""The scale of judgments: as given, or as the scores show it; and scores that are off it.

Most tables do not say their scale. Where all scores lie within 0 and 10 it is a short one, and its
ends are those of the scores; otherwise it is 0 to 100. One score far off a short scale of whole
numbers, such as 55 among answers from 1 to 5, is a slip of the keyboard, and can reverse a ranking.

Measured (`tests/data/human/test_scale.py` repeats it). False alarms: none in 38 files of reference
data (direct assessments, ESA, MQM penalties, 0/1, preferences, z scores), read with and without a
bound, nor in the 1,068 tables of one rater or system that the direct assessments hold. Hits, for one
answer typed twice (5 as 55) in 20 to 2,000 judgments: .99 or more from 1 to 3, 1 to 5 and 1 to 7, .97 or
more from 0 to 6 (mostly 0, they may be penalties), .94 or more of 0/1, .88 or more from 1 to 10 (11 is
too close to 10). The limits were chosen on these files and draws, so the rates flatter them; the short
scales are drawn, as the files hold hardly any.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.factor import Factor
from detectable.data.files.place import Problems

SCALE = (0.0, 100.0)
UNBOUNDED = (-np.inf, np.inf)
SCALED_BY = ("rater", "language", "campaign", "wave")  # may have a scale of their own

_FEWEST = 20  # judgments that show a scale
_FEWEST_OF_ONE = 3  # with decimals, from 0 to 1; one or two near zero may be what they seem
_SHORT = 10.0  # the highest end of a short scale
_WELL_BELOW = 7.0  # the highest end of scales that a slip leaves by two digits
_ENDS = (1.0, 3.0, 4.0, 5.0, 6.0, 7.0, _SHORT)  # where such scales end
_STRAY = 0.01  # share of scores that may be slips; more are answers
_ZEROS = 0.5  # share from which on whole numbers may be penalties or counts, which have no end


def scale_of(
    score: FloatArray,
    scale: tuple[float, float] | None,
    names: Mapping[str, Factor],
    problems: Problems,
    where: Any,
) -> tuple[tuple[float, float], tuple[str, ...]]:
    """Return the scale of judgments, and notes on it; scores that are off it are a problem.

    Parameters
    ----------
    score : array
        All scores, which may hold NaN.
    scale : (float, float) or None
        What the user or the file says. A scale with ends is believed; then notes say what is odd.
    names : mapping of role to Factor
        Raters, to name them; and by whom or what scores may have been scaled.
    problems, where
        Where to note a problem, and how to name a row.
    """
    notes: list[str] = []
    believed = scale is not None and scale != UNBOUNDED
    stray = _stray(score) if scale is None or scale[0] > -np.inf or not believed else None
    if stray is not None:
        said = _said(score, stray, names.get("rater"), where)
        if believed:
            notes.append(f"{said}.")
        else:
            problems.add(
                f"{said}. Correct it, or give the scale of these judgments (--scale 0:100, "
                "scale=(0, 100))."
            )
    groups = [names[role] for role in SCALED_BY if role in names]
    taken = SCALE if scale is None else scale
    notes += _mixed_scales(score, taken, groups, problems, where, given=scale is not None)
    short = _short(score) if scale is None and stray is None else None
    if short is None:
        return taken, tuple(notes)
    notes.append(
        f"The scale is taken as {short[0]:g} to {short[1]:g}, judging by the scores; --scale LOW:HIGH "
        "(scale=(low, high)) sets another."
    )
    return short, tuple(notes)


def is_taken_as_percent(score: FloatArray) -> bool:
    """Return whether a reader takes scores without a scale to be on 0 to 100, and refuses none."""
    return _short(score) is None and _stray(score) is None


def _short(score: FloatArray) -> tuple[float, float] | None:
    """Return the short scale on which all scores lie, or None.

    Examples
    --------
    >>> stars = np.array([1.0, 2.0, 4.0, 5.0] * 5)
    >>> _short(stars), _short(stars / 5), _short(stars * 20)
    ((1.0, 5.0), (0.0, 1.0), None)
    """
    if score.size < _FEWEST_OF_ONE or not np.isfinite(score).all():
        return None
    lowest, highest = float(score.min()), float(score.max())
    fractions = highest <= 1.0 and bool((score != np.floor(score)).any())
    if not 0.0 <= lowest < highest <= _SHORT or (score.size < _FEWEST and not fractions):
        return None
    high = next(end for end in _ENDS if highest <= end)
    return (0.0 if lowest < 1.0 or high == 1.0 else 1.0), high


def _stray(score: FloatArray) -> IntArray | None:
    """Return the rows of scores that lie off a short scale of whole numbers, if there are any.

    They are few, and lie far off the others.

    Examples
    --------
    >>> _stray(np.array([1.0, 2.0, 4.0, 5.0] * 5 + [55.0])).tolist()
    [20]
    """
    if score.size < _FEWEST or not np.isfinite(score).all():
        return None
    most = max(1, int(_STRAY * score.size))
    if np.count_nonzero((score < 0.0) | (score > _SHORT)) > most:
        return None
    values, counts = np.unique(score, return_counts=True)
    upwards, downwards = np.cumsum(counts), np.cumsum(counts[::-1])
    for below in range(int(np.searchsorted(upwards, most, side="right")) + 1):
        for above in range(int(np.searchsorted(downwards, most, side="right")) + 1):
            kept = slice(below, values.size - above)
            few = 0 < score.size - int(counts[kept].sum()) <= most
            if few and _off(values, kept) and _answers(values[kept], counts[kept]):
                low, high = values[kept][[0, -1]]
                return np.flatnonzero((score < low) | (score > high))
    return None


def _off(values: FloatArray, kept: slice) -> bool:
    """Return whether all other values lie further off those kept than these lie apart.

    Beyond `_SHORT` they do anyway if the others end well below it: 11 on a scale from 1 to 7.
    """
    inside = values[kept]
    if inside.size < 2 or not 0.0 <= inside[0] < inside[-1] <= _SHORT:
        return False
    length = inside[-1] - inside[0]
    next_below, next_above = values[: kept.start][-1:], values[kept.stop :][:1]
    beyond = (next_above > _SHORT) & (inside[-1] <= _WELL_BELOW)
    above = (next_above - inside[-1] > length) | beyond
    return bool((inside[0] - next_below > length).all() and above.all())


def _answers(values: FloatArray, counts: IntArray) -> bool:
    """Return whether values look like answers on a scale: whole, and not mostly 0."""
    zeros = float(counts[values == 0.0].sum() / counts.sum())
    right_or_wrong = values[-1] == 1.0
    return bool((values == np.floor(values)).all() and (right_or_wrong or zeros < _ZEROS))


def _said(score: FloatArray, rows: IntArray, rater: Factor | None, where: Any) -> str:
    """Say which scores are off the scale, and who gave the first."""
    first = int(rows[0])
    others = np.delete(score, rows)
    who = "" if rater is None else f" by rater {rater.label(first)!r}"
    more = f" ({len(rows) - 1:,} more like it)" if len(rows) > 1 else ""
    return (
        f"{where(first, 'score')}: the score {score[first]:g}{who} is off the scale{more}: the other "
        f"{count(others.size, 'score')} are whole numbers from {others.min():g} to {others.max():g}"
    )


# --- Scores of two scales in one table: some raters or languages stay within 0 and 1 ---

_ROWS = 1 << 20  # that are looked at together, so that many rows take little memory
_WIDE = 10.0  # a scale at least this wide leaves no doubt that 0 to 1 is another one


def _mixed_scales(
    score: FloatArray,
    scale: tuple[float, float],
    groups: Iterable[Factor],
    problems: Problems,
    where: Any,
    *,
    given: bool,
) -> tuple[str, ...]:
    """Return a note, or note a problem, where some have scores between 0 and 1 and others not.

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
    return () if found is None else (found[1],)


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
    return (size >= _FEWEST_OF_ONE) & (within == size) & (broken > 0)
