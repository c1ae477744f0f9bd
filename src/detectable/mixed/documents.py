"""Whether documents take part in a mixed model, and whether they may favour a system."""

from collections.abc import Mapping, Sequence

from detectable.core.choices import MixedUnit
from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.data.factor import Factor, cross
from detectable.mixed.identify import same_cut
from detectable.mixed.told_apart import told_apart

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
