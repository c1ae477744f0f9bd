"""Scores of judgments as numbers."""

from typing import Any

import numpy as np

from detectable.core.check import LARGEST_SCORE
from detectable.core.types import FloatArray
from detectable.core.wording import number
from detectable.data.files.place import quote
from detectable.data.files.problems import Problems


def judgment_scores(
    values: Any, scale: tuple[float, float], problems: Problems, where: Any
) -> FloatArray:
    """Return scores as numbers; what is none, or lies outside the scale, is a problem."""
    try:
        score = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        score = np.array([])
    if score.shape != (len(values),):
        score = np.array([_number(value) for value in values])
    bad = np.flatnonzero(~(np.abs(score) <= LARGEST_SCORE))  # so also what is no number
    if bad.size:
        problems.add_rows(
            bad.tolist(),
            lambda row: where(row, "score"),
            f"the score must be a number, found {quote(values[int(bad[0])])}",
            "A judgment that was not given needs no row.",
        )
    low, high = scale
    with np.errstate(invalid="ignore"):
        known = np.abs(score) <= LARGEST_SCORE
        outside = np.flatnonzero(known & ((score < low) | (score > high)))
    if outside.size:
        problems.add_rows(
            outside.tolist(),
            lambda row: where(row, "score"),
            f"the score {number(float(score[outside[0]]), digits=4).rstrip('0').rstrip('.')} "
            f"lies outside the scale {low:g} to {high:g}",
            "Correct it, or give the scale of these judgments with `scale`.",
        )
    return score


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")
