"""Battles in several languages: those in one of them, or a word that all are pooled."""

from dataclasses import replace

import numpy as np

from detectable.core.errors import DataError
from detectable.core.wording import listing
from detectable.data.battles.battles import Battles
from detectable.data.battles.left_out import left_out_notes

OTHERS = "battles in other languages"
_MOST = 8  # languages that a note names


def one_language(battles: Battles, language: str) -> Battles:
    """Return the battles in one language; how many are in others becomes a note.

    Examples
    --------
    >>> from detectable.data.factor import factor
    >>> told = {"language": factor("language", ["de", "fr"])}
    >>> two = Battles.build(["x", "y"], ["y", "x"], [1, 0.5], names=told)
    >>> one_language(two, "fr").outcome.tolist(), one_language(two, "fr").notes
    ([0.5], ('1 battle left out: battles in other languages.',))
    """
    where = battles.path or "the battles"
    column = battles.names.get("language")
    if column is None:
        raise DataError(
            f"{where}: there is no language to choose by. Say which column names it (--column "
            "language=NAME, columns={'language': …})."
        )
    if not language or language not in column.levels:
        found = sorted(name for name in column.levels if name)
        raise DataError(
            f"{where}: there is no battle in the language {language!r}. Found: "
            f"{listing(found, most=20)}."
        )
    kept = battles.take(column.codes == column.levels.index(language))
    left_out = left_out_notes({OTHERS: battles.n - kept.n})
    return replace(kept, notes=(*kept.notes, *left_out))


def pooled_languages(battles: Battles) -> tuple[str, ...]:
    """Say in which languages the votes are, where they are in several; most votes first.

    Examples
    --------
    >>> from detectable.data.factor import factor
    >>> told = {"language": factor("language", ["de", "fr"])}
    >>> two = Battles.build(["x", "y"], ["y", "x"], [1, 0.5], names=told)
    >>> pooled_languages(two)
    ('Votes in several languages are pooled: de (1), fr (1). `language` keeps one of them.',)
    """
    column = battles.names.get("language")
    if column is None or column.n_levels < 2:
        return ()
    votes = np.bincount(column.codes).tolist()
    ordered = sorted(zip(column.levels, votes, strict=True), key=lambda row: (-row[1], row[0]))
    named = listing([f"{name or 'not named'} ({n:,})" for name, n in ordered], most=_MOST)
    return (f"Votes in several languages are pooled: {named}. `language` keeps one of them.",)
