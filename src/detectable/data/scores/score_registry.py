"""All formats of scores by name.

Built in is every file in the folder ``readers``. Other packages add theirs through the entry point
``detectable.scores``.
"""

from typing import TYPE_CHECKING

from detectable.core.errors import DataError
from detectable.data.format_registry import FormatRegistry
from detectable.data.scores import readers
from detectable.data.scores.score_reader import ScoreReader

if TYPE_CHECKING:
    from detectable.data.files.content import FileContent


def score_readers() -> FormatRegistry[ScoreReader]:
    """Return the formats of scores.

    Examples
    --------
    >>> "comet" in score_readers().names()
    True
    """
    return FormatRegistry("format of scores", "detectable.scores", readers, ScoreReader)


def find_score_reader(content: "FileContent") -> ScoreReader:
    """Return the first reader, in their order, that recognises a file."""
    if not (content.is_parquet or content.is_zip or content.first_line):
        raise DataError(f"{content}: the file is empty. Give a file with scores.")
    in_order = score_readers().in_order()
    for reader in in_order:
        if reader.recognise(content):
            return reader
    known = "; ".join(f"{reader.name}: {reader.about}" for reader in in_order)
    raise DataError(
        f"{content}: the format of the scores cannot be told. Choose it with format=…. "
        f"Known are {known}."
    )
