"""All formats of judgments by name.

Built in is every file in the folder ``readers``. Other packages add theirs through the entry point
``detectable.judgments``.
"""

from typing import TYPE_CHECKING

from detectable.core.errors import DataError
from detectable.data.format_registry import FormatRegistry
from detectable.data.human import readers
from detectable.data.human.judgment_reader import JudgmentReader

if TYPE_CHECKING:
    from detectable.data.files.content import FileContent


def judgment_readers() -> FormatRegistry[JudgmentReader]:
    """Return the formats of judgments.

    Examples
    --------
    >>> "esa" in judgment_readers().names()
    True
    """
    return FormatRegistry(
        "format of judgments", "detectable.judgments", readers, JudgmentReader
    )


def find_reader(content: "FileContent") -> JudgmentReader:
    """Return the first reader, in their order, that recognises a file or folder.

    What fits no other format is taken for a table, whose reader says what it misses.
    """
    if not (content.is_folder or content.is_parquet or content.is_zip or content.first_line):
        raise DataError(f"{content}: the file is empty. Give a file with judgments.")
    for reader in judgment_readers().in_order():
        if reader.recognise(content) and not (content.is_zip and reader.name == "table"):
            return reader
    if content.is_zip:
        raise DataError(
            f"{content}: this is a ZIP archive that holds no judgments. If it is a log of Inspect, "
            "compare its scores: detectable compare --scores."
        )
    raise DataError(
        f"{content}: this is a folder without xlsx files. Name a file, or the format."
    )
