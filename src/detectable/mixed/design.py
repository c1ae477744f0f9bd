"""From judgments to a coded design: which effects the model has, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.choices import MixedUnit
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.factor import Factor
from detectable.data.files.place import quote
from detectable.data.human.judgments import Judgments
from detectable.mixed.documents import (
    DOCUMENT_BY_SYSTEM,
    choose_document,
    choose_document_by_system,
    choose_document_slope,
)
from detectable.mixed.identify import check_factors, check_nesting
from detectable.mixed.slopes import choose_slopes

Slopes: TypeAlias = Literal["auto", "none"] | Sequence[str]


@dataclass(frozen=True, slots=True)
class Term:
    """One variance component: intercepts or slopes of one factor."""

    factor: str  # role: rater, item, document or document:system
    kind: Literal["intercept", "slope"]

    @property
    def name(self) -> str:
        """Say it in a table."""
        crossed = self.factor == DOCUMENT_BY_SYSTEM
        return self.factor if crossed else f"{self.factor} {self.kind}"


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
        Rater, item and perhaps document and document:system, by role.
    slopes : tuple of str
        Factors that have slopes. Documents have an effect for every system instead, unless the
        systems are more than two numbers.
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

    @property
    def groups(self) -> dict[str, int]:
        """How many raters, items and documents there are."""
        return {
            role: factor.n_levels
            for role, factor in self.factors.items()
            if role != DOCUMENT_BY_SYSTEM
        }

    @property
    def formula(self) -> str:
        """The model in the notation of lme4."""
        parts = [
            f"(1 + system || {role})" if role in self.slopes else f"(1 | {role})"
            for role in self.factors
        ]
        return " + ".join(["score ~ system", *parts])

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
    judgments: Judgments,
    *,
    unit: MixedUnit = "auto",
    slopes: Slopes = "auto",
    numeric_system: bool = False,
) -> Design:
    """Code the systems, choose the slopes, and refuse designs that cannot be analysed.

    The judgments are those of `detectable.mixed.usable.usable_judgments`.
    """
    check.literal(unit, MixedUnit, "unit")
    system = judgments.system
    if system.n_levels < 2:
        raise DataError(
            f"{judgments.path or 'the judgments'}: there is one system only, "
            f"{system.levels[0]!r}: its effect is aliased with the intercept. "
            "Give ratings of at least two systems."
        )
    _check_response(judgments)
    factors = {"rater": judgments.column("rater"), "item": judgments.item}
    document, left_out = choose_document(judgments.document, factors, unit)
    if document is not None:
        factors["document"] = document
        check_nesting(judgments.item, document)
    check_factors(system, factors)
    coding = (
        _numeric_levels(judgments)[:, None]
        if numeric_system
        else contrast_coding(system.n_levels)
    )
    chosen, notes = choose_slopes(system, factors, slopes)
    rows = np.column_stack([np.ones(system.n_levels), coding])[system.codes]
    if document is not None and numeric_system and system.n_levels > 2:
        sloped, why_not = choose_document_slope(factors, chosen, rows)
        chosen, notes = (*chosen, *["document"] * sloped), (*notes, *why_not)
    elif document is not None:
        cells, why_not = choose_document_by_system(system, factors, chosen, rows)
        notes = (*notes, *why_not)
        if cells is not None:
            factors[DOCUMENT_BY_SYSTEM] = cells
    return Design(
        systems=system.levels,
        coding=coding,
        numeric=numeric_system,
        system=system.codes,
        factors=factors,
        slopes=chosen,
        notes=(*left_out, *notes),
    )


def _check_response(judgments: Judgments) -> None:
    if np.ptp(judgments.score) == 0.0:
        raise DataError(
            f"{judgments.path or 'the judgments'}: all {count(judgments.n_judgments, 'rating')} "
            f"are {judgments.score[0]:g}. There is nothing to explain: check the column of the "
            "score."
        )


def _numeric_levels(judgments: Judgments) -> FloatArray:
    """Return the names of the systems as the numbers that they are."""
    system = judgments.system
    values = np.empty(system.n_levels)
    for level, label in enumerate(system.levels):
        try:
            values[level] = float(label)
        except ValueError:
            values[level] = np.nan
        if not np.isfinite(values[level]):
            row = int(np.flatnonzero(system.codes == level)[0])
            raise DataError(
                f"{judgments.place(row)}: the system must be a number to be used as such; found "
                f"{quote(label)}. Leave out `numeric_system` (--numeric-system) to treat the "
                "systems as names."
            )
    return values
