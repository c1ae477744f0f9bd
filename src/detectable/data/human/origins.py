"""The original language of what was judged, from a sidecar or from the test set itself."""

from dataclasses import replace

from detectable.core.errors import DataError
from detectable.core.wording import listing
from detectable.data.factor import Factor, factor
from detectable.data.human.judgments import Judgments
from detectable.data.texts.languages import OriginalLanguages


def with_origins(judgments: Judgments, origins: OriginalLanguages) -> Judgments:
    """Return judgments that know in which language each item was first written.

    Documents are matched by name where the judgments know theirs and the sidecar has all of
    them. Else items are matched by line: the name of an item must then be the number of its line
    in the test set, counted from 1. Judgments without documents get those of the lines.

    Line numbers cannot be checked. In the files of WMT's Direct Assessment the number ``sid`` is
    *not* the line: it counts the segments after sorting documents by name. Match documents there.

    Examples
    --------
    >>> table = {"system": ["A", "A"], "item": [1, 2], "score": [60, 70]}
    >>> origins = OriginalLanguages(languages=("zh", "en"), documents=("x", "y"), lines=("1", "2"))
    >>> found = with_origins(Judgments.build(table), origins)
    >>> found.original_language.levels, found.document.levels
    (('zh', 'en'), ('x', 'y'))
    """
    documents = {} if origins.documents is None else origins.by_document()
    own = judgments.document
    if own is not None and documents and set(own.levels) <= documents.keys():
        return replace(
            judgments, original_language=_of(own, [documents[name] for name in own.levels])
        )
    place = origins.by_line()
    items = judgments.item
    lacking = [name for name in items.levels if name not in place]
    if lacking:
        raise DataError(_no_partner(judgments, origins, documents, lacking))
    rows = [place[name] for name in items.levels]
    found = replace(
        judgments, original_language=_of(items, [origins.languages[row] for row in rows])
    )
    if own is not None or origins.documents is None:
        return found
    named = [origins.documents[row] for row in rows]
    return replace(found, document=_of(items, named, "document"))


def _of(keys: Factor, values: list[str], name: str = "original_language") -> Factor:
    """Return a column that follows from another: one value for each of its levels."""
    levels = factor(name, values)
    return Factor(name=name, levels=levels.levels, codes=levels.codes[keys.codes])


def _no_partner(
    judgments: Judgments,
    origins: OriginalLanguages,
    documents: dict[str, str],
    lacking: list[str],
) -> str:
    where = origins.subject
    if judgments.document is not None and documents:
        gone = [name for name in judgments.document.levels if name not in documents]
        return (
            f"{where}: it does not say in which language {listing(gone)} was written, which was "
            "judged. Add the documents, under the names that the judgments have."
        )
    return (
        f"{where}: there is no line {listing(lacking)}, which was judged. Name the items of the "
        "judgments by the line of the test set (from 1), or give documents to both."
    )
