"""All formats of judgments by name, and what a format is.

Those of this package stand in a table; others add theirs through the entry point
``detectable.judgments``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from detectable.core.errors import DataError
from detectable.core.registry import USUAL_ORDER, FormatRegistry

if TYPE_CHECKING:
    from detectable.data.files.content import FileContent
    from detectable.data.human.judgments import Judgments

Option: TypeAlias = Literal["columns", "progress", "source_errors"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgmentReader:
    """A format of human judgments.

    Attributes
    ----------
    name : str
        What users type after ``--format``.
    about : str
        What the files are, in a few words.
    recognise : callable
        Gets a `FileContent` and says whether it is of this format. It looks at the beginning of
        the file, and returns False for whatever it does not know, rather than to fail.
    read : callable
        Gets the same `FileContent`, and by name ``scale`` and ``repeated`` where the user gave
        them; returns `Judgments`. Each has a default, which is that of the format.
    order : int
        Formats with a lower number are asked first; among equals the alphabet decides.
    takes : tuple of {'columns', 'progress', 'source_errors'}
        Options that `read` takes besides ``scale`` and ``repeated``: which column is what, whom
        to tell about progress, and what errors of the source cost in MQM.
    """

    name: str
    about: str
    recognise: "Callable[[FileContent], bool]"
    read: "Callable[..., Judgments]"
    order: int = USUAL_ORDER
    takes: tuple[Option, ...] = ()


# --- All formats of judgments by name ---
#
# Those of this package stand in a table; others add theirs through the entry point
# ``detectable.judgments``.

BUILT_IN = {
    "alpaca-eval": "detectable.data.formats.alpaca_eval:JUDGMENTS",
    "appraise": "detectable.data.formats.appraise:JUDGMENTS",
    "arena": "detectable.data.formats.arena:JUDGMENTS",
    "arena-hard": "detectable.data.formats.arena_hard:JUDGMENTS",
    "blind-sheets": "detectable.data.formats.blind_sheets:JUDGMENTS",
    "esa": "detectable.data.formats.esa:JUDGMENTS",
    "hassan2018": "detectable.data.formats.hassan2018:JUDGMENTS",
    "label-studio": "detectable.data.formats.label_studio:JUDGMENTS",
    "mqm": "detectable.data.formats.mqm:JUDGMENTS",
    "mt-bench": "detectable.data.formats.mt_bench:JUDGMENTS",
    "pearmut": "detectable.data.formats.pearmut:JUDGMENTS",
    "shipdata": "detectable.data.formats.shipdata:JUDGMENTS",
    "table": "detectable.data.human.judgment_table:JUDGMENTS",
    "wmt-da": "detectable.data.formats.wmt_da:JUDGMENTS",
    "wmt-mteval": "detectable.data.formats.wmt25:JUDGMENTS",
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
