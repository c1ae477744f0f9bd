"""From ratings to a coded design: which effects the model has, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from detectable.core.choices import RatingRepeats
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.factor import Factor
from detectable.data.human.ratings import Ratings, numeric_levels
from detectable.mixed.identify import check_factors, check_nesting
from detectable.mixed.slopes import choose_slopes

Slopes: TypeAlias = Literal["auto", "none"] | Sequence[str]


@dataclass(frozen=True, slots=True)
class Term:
    """One variance component: intercepts or slopes of one factor."""

    factor: str  # role: rater, item or document
    kind: Literal["intercept", "slope"]

    @property
    def name(self) -> str:
        """Say it in a table."""
        return f"{self.factor} {self.kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A coded design; responses are kept apart, so that many can share it.

    Attributes
    ----------
    systems : tuple of str
        Names of the systems.
    coding : array of shape (systems, p - 1)
        The regressors of each system, next to the constant: its number, or orthogonal contrasts.
    numeric : bool
        Whether the systems are numbers.
    system : array of shape (n,)
        The system of each rating.
    factors : dict of str to Factor
        Rater, item and perhaps document, by role.
    slopes : tuple of str
        Factors by which the effect of the system varies.
    notes : tuple of str
        What was decided, in sentences.
    """

    systems: tuple[str, ...]
    coding: FloatArray
    numeric: bool
    system: IntArray
    factors: dict[str, Factor]
    slopes: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """The number of ratings."""
        return int(self.system.size)

    @property
    def p(self) -> int:
        """The number of fixed effects."""
        return 1 + int(self.coding.shape[1])

    @property
    def terms(self) -> tuple[Term, ...]:
        """The variance components besides the residual, in the order of all their arrays."""
        intercepts = [Term(role, "intercept") for role in self.factors]
        return (*intercepts, *(Term(role, "slope") for role in self.slopes))

    def fixed_rows(self) -> FloatArray:
        """Return the fixed-effects row of each system, of shape (systems, p)."""
        return np.column_stack([np.ones(len(self.systems)), self.coding])


def contrast_coding(k: int) -> FloatArray:
    r"""Return orthogonal contrasts of `k` systems, of shape (k, k - 1).

    They satisfy :math:`C C' = 2 (I - J / k)`: two systems have ±1, and with any number of them
    a slope of standard deviation :math:`\tau` gives the difference of two systems a standard
    deviation of :math:`2 \tau`. Any other such matrix is a rotation of this one, which changes
    no fitted value and no likelihood as long as all columns share one variance.

    Examples
    --------
    >>> contrast_coding(2).tolist()
    [[-1.0], [1.0]]
    """
    rows = np.zeros((k, k - 1))
    for j in range(1, k):  # Helmert: the next system against the mean of those before
        rows[:j, j - 1], rows[j, j - 1] = -1.0, j
        rows[:, j - 1] *= np.sqrt(2.0 / (j * (j + 1)))
    return rows


def build_design(
    ratings: Ratings,
    *,
    slopes: Slopes = "auto",
    numeric_system: bool = False,
    repeats: RatingRepeats = "refuse",
) -> Design:
    """Code the systems, choose the slopes, and refuse designs that cannot be analysed."""
    factors = {"rater": ratings.rater, "item": ratings.item}
    if ratings.document is not None:
        factors["document"] = ratings.document
    if len(ratings.system.levels) < 2:
        raise DataError(
            f"column {ratings.system.name!r} names one system only, "
            f"{ratings.system.levels[0]!r}: its effect is aliased with the intercept. "
            "Give ratings of at least two systems."
        )
    _check_response(ratings)
    repeated = _check_repeats(ratings, repeats)
    check_factors(ratings.system, factors)
    if ratings.document is not None:
        check_nesting(ratings.item, ratings.document)
    coding = (
        numeric_levels(ratings)[:, None]
        if numeric_system
        else contrast_coding(len(ratings.system.levels))
    )
    chosen, notes = choose_slopes(ratings.system, factors, slopes)
    return Design(
        systems=ratings.system.levels,
        coding=coding,
        numeric=numeric_system,
        system=ratings.system.codes,
        factors=factors,
        slopes=chosen,
        notes=(*repeated, *notes),
    )


def _check_response(ratings: Ratings) -> None:
    if np.ptp(ratings.response) == 0.0:
        raise DataError(
            f"all {count(ratings.n_ratings, 'rating')} in column {ratings.name!r} are "
            f"{ratings.response[0]:g}. There is nothing to explain: check the column."
        )


def _check_repeats(ratings: Ratings, repeats: RatingRepeats) -> tuple[str, ...]:
    if repeats not in ("refuse", "keep"):
        raise InputError(f"`repeats` must be refuse or keep; got {repeats!r}.")
    n_items, n_systems = len(ratings.item.levels), len(ratings.system.levels)
    keys = (ratings.rater.codes * n_items + ratings.item.codes) * n_systems
    _, first, inverse = np.unique(
        keys + ratings.system.codes, return_index=True, return_inverse=True
    )
    extra = np.flatnonzero(first[inverse] != np.arange(ratings.n_ratings))
    if extra.size == 0:
        return ()
    row = int(extra[0])
    if repeats == "keep":
        return (
            f"{count(extra.size, 'rating')} repeat an earlier one of the same rater, item and "
            "system, and were kept as independent ratings.",
        )
    where = [
        f"{factor.name} {factor.levels[factor.codes[row]]!r}"
        for factor in (ratings.rater, ratings.item, ratings.system)
    ]
    raise DataError(
        f"{ratings.place(row)}: a second rating of {', '.join(where)}; the first is in "
        f"{ratings.place(int(first[inverse[row]]))}. {count(extra.size, 'rating')} of "
        f"{ratings.n_ratings:,} repeat an earlier one. Keep one of each, or, if the raters did "
        "rate again, use repeats='keep' (--repeats keep)."
    )
