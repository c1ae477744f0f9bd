"""The judgments of Hassan et al. (2018), as Microsoft released them: rows without a header."""

import csv
from collections.abc import Iterator
from pathlib import Path

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.delimited import csv_rows
from detectable.data.files.inputs import files_below
from detectable.data.files.place import place, quote
from detectable.data.human.columns import elapsed
from detectable.data.human.judgment_table import JudgmentRows
from detectable.data.human.judgments import Judgments
from detectable.data.reader import JudgmentReader

_WIDTH = 7
_TYPES = frozenset(("TGT", "CHK"))
_MAIN = "Meta1"  # the campaign of which the paper speaks: all rounds on Subset-1
_LANGUAGES = "zh-en"


def recognise(content: FileContent) -> bool:
    """Tell a file by its seven columns and the type in the fourth, a folder by its file."""
    if content.is_folder:
        return bool(_files(content))
    try:
        cells = next(csv.reader([content.first_line]), [])
    except csv.Error:
        return False
    return len(cells) == _WIDTH and cells[3].strip() in _TYPES


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
) -> Judgments:
    """Read the human evaluation of “Achieving human parity” from the public release.

    A row has annotator, system, segment, type (``TGT``, or ``CHK`` for a second judgment), score
    from 0 to 100, and the times of start and end. A segment is taken for the line of newstest2017
    Chinese–English, from 1, which the release does not spell out; it says neither documents nor
    original languages. Outputs that systems share were judged once, and stand there for each.

    Of a folder the combined campaign Meta-1 is read, the one that the paper reports; name another
    file to read that instead. The release may be used for research, and not passed on: get it
    from github.com/MicrosoftTranslator/Translator-HumanParityData.

    Parameters
    ----------
    content : FileContent
        The folder of the release, its folder ``Evaluations``, or one csv file.
    scale : (float, float), optional
        0 and 100 by default.
    repeated : {'refuse', 'mark'}
        Some annotators judged an output more than once; these are marked as repeats.

    References
    ----------
    Hassan et al. (2018), "Achieving human parity on automatic Chinese to English news
    translation", arXiv:1803.05567.
    """
    others: list[str] = []
    if content.is_folder:
        content, others = _main_file(content)
    gathered = JudgmentRows(str(content))
    for line, cells in _rows(content):
        if any(cells) and not _is_header(line, cells):
            _add(gathered, content, line, cells)
    if others:
        gathered.notes.append(
            f"{count(len(others), 'other file')} of the release not read: {listing(others)}."
        )
    return gathered.build(scale, repeated)


def _rows(content: FileContent) -> Iterator[tuple[int, list[str]]]:
    for line, row in zip(*csv_rows(content, content.lines, ","), strict=True):
        yield line, [cell.strip() for cell in row]


def _files(folder: FileContent) -> list[Path]:
    return files_below(folder, "Translator-HumanParityData-*.csv")


def _main_file(folder: FileContent) -> tuple[FileContent, list[str]]:
    files = _files(folder)
    main = [path for path in files if _MAIN in path.name]
    if len(main) != 1:
        found = listing([path.name for path in files], most=10) or "none"
        raise DataError(
            f"{folder}: one file of the campaign Meta-1 (Translator-HumanParityData-Meta1-Subset1"
            f".csv) was expected; found {found}. Name the file to read."
        )
    return FileContent(main[0]), [path.name for path in files if path != main[0]]


def _is_header(line: int, cells: list[str]) -> bool:
    """Return whether somebody added names of columns."""
    return line == 1 and len(cells) == _WIDTH and cells[4].casefold() == "score"


def _add(gathered: JudgmentRows, content: FileContent, line: int, cells: list[str]) -> None:
    if len(cells) != _WIDTH:
        raise DataError(
            f"{place(content, line)}: this row has {count(len(cells), 'column')}, the release has "
            f"{_WIDTH}. Is the file cut short?"
        )
    user, system, segment, kind, score, start, end = cells
    if kind not in _TYPES:
        raise DataError(
            f"{place(content, line)}: the type must be TGT or CHK; found {quote(kind)}."
        )
    gathered.add(
        line,
        system=system,
        item=segment,
        score=score,
        rater=user,
        language=_LANGUAGES,
        kind=kind,
        seconds=_seconds(start, end),
    )


def _seconds(start: str, end: str) -> float | None:
    return elapsed((start, end))


JUDGMENTS = JudgmentReader(
    name="hassan2018",
    about="release of Microsoft's human-parity evaluation: csv without header, 7 columns",
    recognise=recognise,
    read=read,
    order=5,
)
