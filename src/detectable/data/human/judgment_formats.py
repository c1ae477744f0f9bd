"""All formats of judgments by name, and what a format is.

Those of this package stand in a table; others add theirs through the entry point
``detectable.judgments``.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from detectable.core.errors import DataError
from detectable.data.reader import FormatRegistry, Reader

if TYPE_CHECKING:
    from detectable.data.files.content import FileContent
    from detectable.data.human.judgments import Judgments  # noqa: F401 (named in quotes below)

Option: TypeAlias = Literal["columns", "progress", "source_errors"]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgmentReader(Reader["Judgments"]):
    """A format of human judgments: a `Reader` that returns `Judgments`.

    Its `read` gets by name ``scale`` and ``repeated`` where the user gave them. Each has a default,
    which is that of the format.

    Attributes
    ----------
    takes : tuple of {'columns', 'progress', 'source_errors'}
        Options that `read` takes besides ``scale`` and ``repeated``: which column is what, whom
        to tell about progress, and what errors of the source cost in MQM.
    """

    takes: tuple[Option, ...] = ()


def judgment_readers() -> FormatRegistry[JudgmentReader]:
    """Return the formats of judgments.

    Examples
    --------
    >>> "esa" in judgment_readers().names()
    True
    """
    return FormatRegistry("judgments", BUILT_IN, JudgmentReader)


def find_reader(content: "FileContent") -> JudgmentReader:
    """Return the first reader, in their order, that recognises a file or folder.

    What fits no other format is taken for a table, whose reader says what it misses.
    """
    readers = judgment_readers()
    readers.refuse_empty(content)
    found = readers.find(content, any_table=not content.is_zip)
    if found is not None:
        return found
    if content.is_zip:
        raise DataError(
            f"{content}: this is a ZIP archive that holds no judgments. If it is a log of Inspect, "
            "compare its scores: detectable compare --scores."
        )
    raise DataError(
        f"{content}: this is a folder without xlsx files. Name a file, or the format."
    )
