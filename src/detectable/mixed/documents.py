"""Whether documents take part in a mixed model."""

from collections.abc import Mapping

from detectable.core.choices import MixedUnit
from detectable.core.errors import InputError
from detectable.data.factor import Factor
from detectable.mixed.identify import same_cut


def choose_document(
    document: Factor | None, factors: Mapping[str, Factor], unit: MixedUnit
) -> tuple[Factor | None, tuple[str, ...]]:
    """Return the documents, or None and a sentence where known ones cannot take part.

    Items of a document have something in common, so documents take part where they are known.
    Where they say the same as another factor, that factor stands for both.

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
    if unit == "document":
        return document, ()
    if document.n_levels == 1:
        return None, (
            f"documents left out: all items are of one, {document.levels[0]!r}. The claims are "
            "about this document only.",
        )
    for role, factor in factors.items():
        if same_cut(document.codes, factor.codes):
            return None, (
                f"documents left out: every {role} has a document of its own, so the spread of "
                f"{role}s is that of documents too.",
            )
    return document, ()
