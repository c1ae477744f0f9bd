r"""Few units: which test can speak at all, and what it can say.

A swap test of G units has :math:`2^{G-1}` patterns that differ in size: the sign of one unit can be
held fixed, because a pattern and its mirror image are equally extreme. Its two-sided p-value is a
whole number of them, so it is never below :math:`2^{1-G}`, and at level :math:`\ell` it rejects
for the :math:`k = \lfloor \ell\, 2^{G-1} \rfloor` most extreme patterns.

With k = 0 it cannot reject, and with k = 1 or 2 it wastes most of its level. There a t test over
units speaks instead, with the CR2 variance and Bell and McCaffrey's degrees of freedom
(`inference.standard_errors`): measured error rates are .034 to .078 with 3 to 6 documents of equal or
unequal size, normal or skewed. From k = 3 on, which are 7 units at .05, the swap test keeps the
level as well, and with unequal documents it is 7 to 9 points stronger.

The choice depends on the number of units and on α, never on the data.
"""

import math
from collections.abc import Iterator
from typing import Literal, TypeAlias

import numpy as np

from detectable.core.errors import InputError
from detectable.core.rng import BLOCK
from detectable.core.types import IntArray
from detectable.core.wording import count, pointed

ENUMERATED = 16_384  # patterns that are counted one by one instead of drawn
_ENOUGH = 3  # patterns at the level: below, the swap test is impossible or wasteful
_ROUNDING = 1e-9  # of a product that is whole but for rounding
_MOST_UNITS = 1_000  # 2**999 still is a double

FewUnitsTest: TypeAlias = Literal["swap", "t"]


def rejecting_patterns(n_units: int, level: float) -> int:
    """Return how many sign patterns a swap test rejects at a level: k = ⌊level · 2^(G−1)⌋.

    Examples
    --------
    >>> [rejecting_patterns(n, 0.05) for n in (5, 6, 7, 8)]
    [0, 1, 3, 6]
    """
    # The power of two is held where the product still is a double: there k is beyond counting.
    most = 1_023 - math.frexp(level)[1]
    return math.floor(math.ldexp(level, min(n_units - 1, most)) + _ROUNDING)


def choose_test(n_units: int, alpha: float) -> FewUnitsTest:
    """Return which test so many units can bear.

    Examples
    --------
    >>> choose_test(6, 0.05), choose_test(7, 0.05), choose_test(7, 0.01)
    ('t', 'swap', 't')
    """
    return "swap" if rejecting_patterns(n_units, alpha) >= _ENOUGH else "t"


def smallest_p(n_units: int, n_resamples: int | None = None) -> float:
    """Return the smallest p-value that a swap test of so many units can give.

    Parameters
    ----------
    n_units : int
        Of given data: those that differ, because swapping the others changes nothing.
    n_resamples : int, optional
        Patterns that were drawn; None where all were counted.

    Examples
    --------
    >>> smallest_p(6), smallest_p(3), smallest_p(0)
    (0.03125, 0.25, 1.0)
    """
    exact = 2.0 ** (1 - max(1, min(n_units, _MOST_UNITS)))
    return exact if n_resamples is None else max(exact, 1.0 / (n_resamples + 1.0))


def enumerable(n_units: int) -> bool:
    """Return whether all patterns are counted instead of drawn."""
    return n_units <= ENUMERATED.bit_length()


def units_to_reject(level: float) -> int:
    """Return the smallest number of units with which a swap test can reject at a level.

    Examples
    --------
    >>> units_to_reject(0.05), units_to_reject(0.05 / 3), units_to_reject(0.05 / 45)
    (6, 7, 11)
    """
    return _units_for(1, level)


def units_to_swap(alpha: float) -> int:
    """Return the smallest number of units at which the swap test is chosen.

    Examples
    --------
    >>> units_to_swap(0.05), units_to_swap(0.01)
    (7, 10)
    """
    return _units_for(_ENOUGH, alpha)


def _units_for(k: int, level: float) -> int:
    """Return the smallest number of units of which k patterns are within a level."""
    return max(2, math.ceil(1.0 + math.log2(k) - math.log2(level) - _ROUNDING))


def p_in_words(p: float) -> str:
    """Return a small p-value with two digits, as in “the smallest possible p is .063”."""
    # Halves of ten are no doubles: the nudge rounds .0625 up, as everybody does.
    shown = f"{p * (1.0 + 1e-9):.2g}" if p >= 1e-4 else f"{p:.1g}"
    return pointed(shown)


def too_few_to_swap(n_units: int, unit: str, alpha: float, df: float) -> str:
    """Say why a t test took the place of the swap test.

    Examples
    --------
    >>> print(too_few_to_swap(5, "document", 0.05, 2.81))
    5 documents: too few to swap (the smallest possible p is .063). Tested by t over documents, 2.8
    degrees of freedom; it assumes that document differences are roughly normal. Swapping needs 7
    documents.
    """
    return (
        f"{count(n_units, unit)}: too few to swap (the smallest possible p is "
        f"{p_in_words(smallest_p(n_units))}). Tested by t over {unit}s, {df:.1f} degrees of freedom; "
        f"it assumes that {unit} differences are roughly normal. Swapping needs "
        f"{count(units_to_swap(alpha), unit)}."
    )


def cannot_reject(
    n_units: int, unit: str, level: float, *, alpha: float, pairs: int = 1
) -> str:
    """Say that a swap test of so many units can reject nothing at a level.

    Examples
    --------
    >>> print(cannot_reject(5, "document", 0.05, alpha=0.05))
    This design cannot reject at .05: the smallest possible p of 5 documents is .063. It needs at
    least 6.
    """
    among = "" if pairs == 1 else f" among {pairs:,} pairs"
    smallest = min(1.0, smallest_p(n_units) * alpha / level)  # corrected for all pairs
    return (
        f"This design cannot reject at {f'{alpha:g}'.lstrip('0')}{among}: the smallest possible p of "
        f"{count(n_units, unit)} is {p_in_words(smallest)}. It needs at "
        f"least {units_to_reject(level)}."
    )


def few_differ(differing: int, n_units: int, unit: str, smallest: float) -> str:
    """Say that so few units differ that no p-value of theirs is small enough.

    Examples
    --------
    >>> few_differ(3, 40, "item", 0.25)
    'Only 3 of 40 items differ; the smallest possible p is .25.'
    >>> few_differ(0, 40, "item", 1.0)
    'None of 40 items differs.'
    """
    if differing == 0:
        return f"None of {count(n_units, unit)} differs."
    verb = "differs" if differing == 1 else "differ"
    return (
        f"Only {differing:,} of {count(n_units, unit)} {verb}; the smallest possible p is "
        f"{p_in_words(smallest)}."
    )


def too_few_draws(n_resamples: int, what: str, *, alpha: float, smallest: float) -> str:
    """Say that so few swaps or resamples can reject nothing, and how many could.

    Examples
    --------
    >>> print(too_few_draws(9, "swap", alpha=0.05, smallest=0.1))
    This test cannot reject at .05: the smallest possible p of 9 swaps is .1. It needs at least 19.
    """
    needed = math.ceil((n_resamples + 1.0) * smallest / alpha - _ROUNDING) - 1
    return (
        f"This test cannot reject at {f'{alpha:g}'.lstrip('0')}: the smallest possible p of "
        f"{count(n_resamples, what)} is {p_in_words(smallest)}. It needs at least {needed:,}."
    )


# --- All ways to swap a few units, for tests that count them instead of drawing ---


def sign_patterns(n_units: int) -> Iterator[IntArray]:
    """Yield blocks of rows of 0 and 1, which say what is swapped: 2^(G−1) − 1 rows in all.

    The last unit stays where it is, because swapping all the others instead is the same; the row
    of zeros, which are the data, is left out.

    Examples
    --------
    >>> [block.tolist() for block in sign_patterns(3)]
    [[[1, 0, 0], [0, 1, 0], [1, 1, 0]]]
    """
    bits = np.arange(n_units)
    patterns = 2 ** (n_units - 1)
    if n_units == 1:
        yield np.empty((0, 1), dtype=np.int64)  # the data are the only pattern
    for start in range(1, patterns, BLOCK):
        codes = np.arange(start, min(start + BLOCK, patterns))
        yield (codes[:, None] >> bits) & 1


# --- How many swaps or resamples a correction needs ---

RESAMPLES = 9_999  # with the data themselves 10,000: α of them is a whole number
_BEYOND = 50  # draws expected beyond the strictest corrected level: a relative error of 14 %
_MOST = 2_000_000  # swaps by default: more take minutes, and are drawn on request only
_COUNT_ROUNDING = 1e-9


def resample_count(
    given: int | None, *, n_stepwise: int, alpha: float, exact: bool = False
) -> int:
    """Return how many swaps make p-values near the strictest level repeatable.

    Step-down max-T compares with the largest of all statistics, so its smallest p-value does not
    grow with the number of tests. Holm multiplies it by that number: with m tests,
    R = 50 m/α − 1, and at least 9,999.

    Parameters
    ----------
    given : int or None
        As asked for; refused where nothing could be significant with so few.
    n_stepwise : int
        Tests that Holm corrects together; 1 without it.
    exact : bool
        Whether all patterns are counted anyway.

    Examples
    --------
    >>> resample_count(None, n_stepwise=1, alpha=0.05), resample_count(None, n_stepwise=528, alpha=0.05)
    (9999, 527999)
    """
    needed = n_stepwise / alpha
    if given is None:
        if n_stepwise == 1:
            return RESAMPLES
        return min(_MOST, max(RESAMPLES, math.ceil(_BEYOND * needed - _COUNT_ROUNDING) - 1))
    if n_stepwise > 1 and not exact and given + 1 < needed - _COUNT_ROUNDING:
        raise InputError(
            f"`n_resamples` must be at least {math.ceil(needed - _COUNT_ROUNDING) - 1:,} for Holm's "
            f"correction over {count(n_stepwise, 'test')}: with {given:,} no pair can be "
            "significant. Leave it out, or use `correction='max-t'`."
        )
    return given
