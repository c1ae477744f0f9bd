"""What is known of a test set once a part of it was judged: its quality, not its raters' noise."""

import math

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray
from detectable.inference.delta import Estimate

_ROUNDING = 1e-9  # of the spread of scores: a standard error below it is none


def check_share(quality_share: float | None) -> float | None:
    """Return the share of quality, or say which shares there are."""
    if quality_share is not None and not 0.0 < quality_share <= 1.0:
        raise InputError(
            f"`quality_share` must lie above 0 and at most at 1; got {quality_share!r}."
        )
    return quality_share


def rater_noise(human: FloatArray, quality_share: float | None) -> list[float]:
    """Return the variance of rater noise in the scores of every system (rows; NaN: not judged).

    (1 − share) · variance within the system. The share is that of single judgments; a mean of
    several has less noise, so this is at least the noise there is. Infinite where the share is
    not known: all may be noise.
    """
    if quality_share is None:
        return [math.inf] * len(human)
    judged = [row[~np.isnan(row)] for row in human]
    return [
        (1.0 - quality_share) * float(row.var(ddof=1)) if row.size > 1 else math.inf
        for row in judged
    ]


def finite_note(quality_share: float | None, *, whole_documents: bool = True) -> str:
    """Say what was taken for known of the test set."""
    if not whole_documents:
        return (
            "The documents of items that were not judged are not known, so nobody knows which "
            "documents were judged whole: standard errors are as if few of them had been judged."
        )
    if quality_share is None:
        return (
            "Judging more of the test set does not remove the noise of raters, and its share is "
            "not known here: standard errors are as if few of the items had been judged. With "
            "`quality_share` (from `detectable variance`) they can be smaller."
        )
    return (
        f"For this test set, quality ({quality_share:.0%} of the variance of a judgment) counts as "
        "known where it was judged; the noise of raters stays."
    )


def require_error(name: str, found: Estimate, scores: FloatArray) -> None:
    """Refuse a standard error of 0, with which any difference would be certain."""
    known = scores[~np.isnan(scores)]
    if found.standard_error > _ROUNDING * float(np.ptp(known)):
        return
    if np.ptp(known) == 0.0:
        why = f"all {known.size} judged scores are {known[0]:g}. Judge more items."
    else:
        why = (
            "the data leave no variance. Say with `quality_share` below 1 that raters are not "
            "free of noise, or ask about the domain (target='domain')."
        )
    raise DataError(f"{name}: the standard error is 0, so nothing can be tested: {why}")
