"""From judgments to a coded design: which effects the model has, documents and slopes among them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.choices import MixedUnit
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.factor import Factor, cross
from detectable.data.files.place import quote
from detectable.data.human.judgments import Judgments
from detectable.mixed.identify import check_factors, check_nesting, same_cut, told_apart

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

    The judgments are those of `detectable.mixed.identify.usable_judgments`.
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
    """Return the names of the systems as numbers."""
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


# --- Whether documents take part in a mixed model, and whether they may favour a system ---

DOCUMENT_BY_SYSTEM = "document:system"  # the role of the factor, and the name of its spread
_TOO_FEW = "so few documents met several systems that it cannot be told from the rest"


def choose_document(
    document: Factor | None, factors: Mapping[str, Factor], unit: MixedUnit
) -> tuple[Factor | None, tuple[str, ...]]:
    """Return the documents, or None and a sentence where known ones cannot take part.

    Items of a document have something in common, so documents take part where they are known.
    Where they say the same as another factor, that factor stands for both: with one item per
    document, the item is the document.

    Parameters
    ----------
    document : Factor or None
        The document of each rating.
    factors : mapping of role to Factor
        Raters and items.
    unit : {'auto', 'item', 'document'}
        ``'item'`` leaves documents out; ``'document'`` needs them.
    """
    if unit == "item":
        return None, ()
    if document is None:
        if unit == "document":
            raise InputError(
                "`unit='document'` needs to know the document of each item. Give its column "
                "(--column document=NAME, columns={'document': …})."
            )
        return None, ()
    if same_cut(document.codes, factors["item"].codes):
        return None, (
            "every document has one item, so that the two are the same: items stand for both, "
            "and what a document thinks of a system is what its item does.",
        )
    if unit == "document":
        return document, ()
    if document.n_levels == 1:
        return None, (
            f"documents left out: all items are of one, {document.levels[0]!r}. The claims are "
            "about this document only.",
        )
    if same_cut(document.codes, factors["rater"].codes):
        return None, (
            "documents left out: every rater has a document of its own, so the spread of raters "
            "is that of documents too.",
        )
    return document, ()


def choose_document_by_system(
    system: Factor, factors: Mapping[str, Factor], slopes: Sequence[str], rows: FloatArray
) -> tuple[Factor | None, tuple[str, ...]]:
    """Return the cells of documents and systems, or None and a sentence why they say nothing.

    A document that suits one system does so in all its items. Without an effect of its own for
    every document and system the items count as independent witnesses, and systems that do not
    differ are found to differ in up to a fifth of evaluations (docs/mixed.md). The effect is in
    the model whether or not its spread can be shown: it is left out only where the design has
    another one that says the same.

    Parameters
    ----------
    system : Factor
        The system of each rating.
    factors : mapping of role to Factor
        Raters, items and documents.
    slopes : sequence of str
        Which of raters and items have slopes.
    rows : array of shape (n, p)
        The fixed effects of each rating, the constant first.
    """
    cells = cross(DOCUMENT_BY_SYSTEM, factors["document"], system)
    reason = _same_as_another(cells, system, factors, slopes)
    if not reason and _hidden((cells, False), factors, slopes, rows):
        reason = _TOO_FEW
    return (None, (f"{DOCUMENT_BY_SYSTEM} left out: {reason}.",)) if reason else (cells, ())


def choose_document_slope(
    factors: Mapping[str, Factor], slopes: Sequence[str], rows: FloatArray
) -> tuple[bool, tuple[str, ...]]:
    """Say whether documents have a slope by numbers, or not and a sentence why.

    It stands in for the cells where systems are more than two numbers: deviations of single
    systems would average out over a line, and a slope does not.
    """
    if _hidden((factors["document"], True), factors, slopes, rows):
        return False, (f"document slopes left out: {_TOO_FEW}.",)
    return True, ()


def _hidden(
    term: tuple[Factor, bool],
    factors: Mapping[str, Factor],
    slopes: Sequence[str],
    rows: FloatArray,
) -> bool:
    """Say whether it is this term that the design cannot tell from the others."""
    others = [(factor, False) for factor in factors.values()]
    others += [(factors[role], True) for role in slopes]
    return not told_apart(rows, [*others, term]) and told_apart(rows, others)


def _same_as_another(
    cells: Factor, system: Factor, factors: Mapping[str, Factor], slopes: Sequence[str]
) -> str:
    if same_cut(cells.codes, factors["document"].codes):
        return "each document was rated for one system only, so the spread of documents is it"
    if cells.n_levels == cells.codes.size:
        return "each document has one rating for a system, so the residual is it"
    for role in ("rater", "item"):
        if same_cut(cells.codes, factors[role].codes):
            return (
                f"every {role} has a document and system of its own, so the spread of {role}s "
                "is it"
            )
    for role in slopes:
        if same_cut(cells.codes, cross(role, factors[role], system).codes):
            return f"each document has one {role} for a system, so the {role} slope is it"
    return ""


# --- By which factors the effect of the system may vary, and why ---

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
    single = _of_one_system(counts)
    if 2 * single > len(factor.levels):
        return f"{single:,} of {count(len(factor.levels), role)} were rated for one system only"
    thin = int((counts.max(axis=1) < 2).sum())
    if 2 * thin > len(factor.levels):
        return (
            f"{thin:,} of {count(len(factor.levels), role)} have one rating per system, which "
            "cannot tell a slope from noise"
        )
    return ""


def mostly_of_one_system(system: Factor, factor: Factor) -> bool:
    """Say whether most levels of a factor were rated for one system only."""
    return 2 * _of_one_system(_cells(system, factor)) > len(factor.levels)


def _of_one_system(counts: np.ndarray) -> int:
    return int(((counts > 0).sum(axis=1) < 2).sum())


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
