"""All formats of judgments by name.

Those of this package stand in a table; others add theirs through the entry point
``detectable.judgments``.
"""

from typing import TYPE_CHECKING

from detectable.core.errors import DataError
from detectable.data.format_registry import FormatRegistry
from detectable.data.human.judgment_reader import JudgmentReader

if TYPE_CHECKING:
    from detectable.data.files.content import FileContent

BUILT_IN = {
    "alpaca-eval": "detectable.data.human.readers.alpaca_eval:READER",
    "appraise": "detectable.data.human.readers.appraise:READER",
    "arena": "detectable.data.human.readers.arena:READER",
    "arena-hard": "detectable.data.human.readers.arena_hard:READER",
    "blind-sheets": "detectable.data.human.readers.blind_sheets:READER",
    "esa": "detectable.data.human.readers.esa:READER",
    "hassan2018": "detectable.data.human.readers.hassan2018:READER",
    "label-studio": "detectable.data.human.readers.label_studio:READER",
    "mqm": "detectable.data.human.readers.mqm:READER",
    "mt-bench": "detectable.data.human.readers.mt_bench:READER",
    "pearmut": "detectable.data.human.readers.pearmut:READER",
    "shipdata": "detectable.data.human.readers.shipdata:READER",
    "table": "detectable.data.human.readers.table:READER",
    "wmt-da": "detectable.data.human.readers.wmt_da:READER",
    "wmt-mteval": "detectable.data.human.readers.wmt_mteval:READER",
}


def judgment_readers() -> FormatRegistry[JudgmentReader]:
    """Return the formats of judgments.

    Examples
    --------
    >>> "esa" in judgment_readers().names()
    True
    """
    return FormatRegistry(
        "format of judgments", "detectable.judgments", BUILT_IN, JudgmentReader
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
