"""Documents of scores whose items are known by their position only."""

from dataclasses import replace

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.place import FilePath
from detectable.data.files.read_lines import read_lines
from detectable.data.scores.scores import Scores
from detectable.data.texts.read_corpus import split_documents


def with_documents(scores: Scores, path: FilePath) -> Scores:
    """Return the scores with the document of each item, from a file with one line per item.

    Parameters
    ----------
    scores : Scores
        Whose items are numbered, as in files with one score per line.
    path : path
        A document name in every line, or ``domain<TAB>document``.
    """
    lines = tuple(read_lines(path))
    if scores.documents is not None:
        raise DataError(
            f"{path}: the scores name their documents already. Leave out one of the two."
        )
    if not scores.are_numbered:
        raise DataError(
            f"{path}: the items of the scores have names (first: {scores.items[0]!r}), so that "
            "lines cannot be matched with them. Put a column 'document' into the table of scores."
        )
    if len(lines) != scores.n_items:
        raise DataError(
            f"{path}: {count(len(lines), 'line')} for {count(scores.n_items, 'item')}. The file "
            "must name the document of every item."
        )
    names, _ = split_documents(path, lines)
    return replace(scores, documents=tuple(names))
