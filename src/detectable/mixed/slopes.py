"""By which factors the effect of the system may vary, and why."""

from collections.abc import Mapping, Sequence

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.wording import count
from detectable.data.factor import Factor

FACTORS = ("rater", "item")


def choose_slopes(
    system: Factor, factors: Mapping[str, Factor], wanted: str | Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the factors with random slopes, and a sentence for each that was left out.

    ``"auto"`` takes every slope that the design can tell from the rest, as Barr et al. (2013)
    advise. Slopes that were asked for by name and cannot be estimated are an error.
    """
    if isinstance(wanted, str):
        if wanted not in ("auto", "none"):
            raise InputError(
                f"`slopes` must be 'auto', 'none' or some of {', '.join(FACTORS)}; got {wanted!r}."
            )
        if wanted == "none":
            return (), (
                "no random slopes of raters and items, as asked: p-values are too small if "
                "effects vary by them.",
            )
        obstacles = {role: _obstacle(system, factors[role], role) for role in FACTORS}
        notes = [
            f"{role} slopes dropped: {reason}." for role, reason in obstacles.items() if reason
        ]
        return tuple(role for role in FACTORS if not obstacles[role]), tuple(notes)
    for role in wanted:
        if role not in FACTORS:
            raise InputError(
                f"`slopes` must name some of {', '.join(FACTORS)}; got {role!r}. Where documents "
                "take part, the effect of the system varies by them in any case."
            )
        if reason := _hopeless(system, factors[role], role):
            raise DataError(
                f"{role} slopes cannot be estimated: {reason}. Leave {role!r} out of `slopes`."
            )
    return tuple(role for role in FACTORS if role in wanted), ()


def _obstacle(system: Factor, factor: Factor, role: str) -> str:
    """Say why slopes should not be in the model, or nothing.

    Where fewer than half of the levels say anything about a slope, its variance rests on an
    unusual few; it is then left out, and the note says so.
    """
    if reason := _hopeless(system, factor, role):
        return reason
    counts = _cells(system, factor)
    single = int(((counts > 0).sum(axis=1) < 2).sum())
    if 2 * single > len(factor.levels):
        return f"{single:,} of {count(len(factor.levels), role)} were rated for one system only"
    thin = int((counts.max(axis=1) < 2).sum())
    if 2 * thin > len(factor.levels):
        return (
            f"{thin:,} of {count(len(factor.levels), role)} have one rating per system, which "
            "cannot tell a slope from noise"
        )
    return ""


def _hopeless(system: Factor, factor: Factor, role: str) -> str:
    counts = _cells(system, factor)
    if ((counts > 0).sum(axis=1) < 2).all():
        return f"each {role} was rated for one system only"
    if counts.max() < 2:
        return (
            f"each {role} has at most one rating for a system, so its slope cannot be told from "
            "the residual"
        )
    return ""


def _cells(system: Factor, factor: Factor) -> np.ndarray:
    k = len(system.levels)
    counts = np.bincount(factor.codes * k + system.codes, minlength=len(factor.levels) * k)
    return counts.reshape(-1, k)
