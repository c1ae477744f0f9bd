"""Blind sheets of ``detectable tasks --blind``: what raters filled in, and the key to it."""

import math
from pathlib import Path
from typing import Any

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.inputs import names_in
from detectable.data.files.numbers import number_in
from detectable.data.files.place import is_missing, quote
from detectable.data.files.table import SAMPLING_WEIGHT, Table, read_table
from detectable.data.human.judgments import Judgments
from detectable.data.human.scale import SCALE
from detectable.data.reader import JudgmentReader

KEY = "key.csv"
SHEET = "sheet-"
ID = "id"
_NEEDED = (ID, "task", "rater", "kind", "system", "item")
_OPTIONAL = ("document", "domain", SAMPLING_WEIGHT[0])


def recognise(content: FileContent) -> bool:
    """Tell a folder with a key and sheets."""
    if not content.is_folder:
        return False
    names = names_in(content)
    return KEY in names and any(_is_sheet(name) for name in names)


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "refuse",
) -> Judgments:
    """Read the scores of all sheets in a folder, and say by its key what was judged.

    A text without a score was not judged yet: it is left out and counted, and so are sheets that
    have not come back. Rows can be in any order, and columns may be added; a text that the key does
    not know, or that stands in two sheets, is refused.
    """
    folder = Path(content)
    key = _key(folder)
    low, high = SCALE if scale is None else scale
    columns: dict[str, list[Any]] = {name: [] for name in (*_NEEDED[1:], *_OPTIONAL)}
    columns |= {"score": [], "seconds": []}
    seen: dict[str, str] = {}
    for name in filter(_is_sheet, names_in(content)):
        sheet = read_table(folder / name)
        for row, (one, score, seconds) in enumerate(_cells(sheet)):
            place = sheet.place(row)
            if one not in key:
                raise DataError(
                    f"{place}: the key {folder / KEY} does not know the text {quote(one)}. Give each "
                    "sheet back with its own ids."
                )
            if one in seen:
                raise DataError(
                    f"{place}: the text {quote(one)} stands at {seen[one]} as well."
                )
            seen[one] = place
            if is_missing(score):
                continue
            columns["score"].append(_number(score, sheet.place(row, "score"), low, high))
            columns["seconds"].append(_time(seconds, sheet.place(row, "seconds")))
            for role in (*_NEEDED[1:], *_OPTIONAL):
                columns[role].append(key[one].get(role))
    if not columns["score"]:
        raise DataError(f"{folder}: nothing is judged yet. Fill in the scores of the sheets.")
    waiting = len(key) - len(columns["score"])
    notes = (
        [f"{count(waiting, 'text')} of the sheets not judged yet, left out."] if waiting else []
    )
    for role in (*_OPTIONAL, "seconds"):
        if all(is_missing(value) or value != value for value in columns[role]):
            del columns[role]
    return Judgments.build(
        columns, scale=scale, repeated=repeated, path=str(folder), notes=notes
    )


def _is_sheet(name: str) -> bool:
    return name.startswith(SHEET) and name.endswith(".csv")


def _key(folder: Path) -> dict[str, dict[str, Any]]:
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder: blind sheets are one, with their {KEY}.")
    table = read_table(folder / KEY)
    for name in _NEEDED:
        if name not in table.columns:
            raise table.missing(f"a column {name!r}")
    names = [name for name in (*_NEEDED, *_OPTIONAL) if name in table.columns]
    rows = zip(*(table.cells(name) for name in names), strict=True)
    return {str(row[0]): dict(zip(names, row, strict=True)) for row in rows}


def _cells(sheet: Table) -> "list[tuple[str, Any, Any]]":
    for name in (ID, "score"):
        if name not in sheet.columns:
            raise sheet.missing(f"a column {name!r}")
    ids, scores = sheet.cells(ID), sheet.cells("score")
    seconds = sheet.cells("seconds") if "seconds" in sheet.columns else [None] * len(ids)
    return [
        (str(one), score, time) for one, score, time in zip(ids, scores, seconds, strict=True)
    ]


def _time(seconds: Any, place: str) -> float:
    found = math.nan if is_missing(seconds) else number_in(seconds)
    if found is None:
        raise DataError(
            f"{place}: the time must be a number of seconds, found {quote(seconds)}. Leave it empty "
            "where it is not known."
        )
    return found


def _number(score: Any, place: str, low: float, high: float) -> float:
    found = number_in(score)
    if found is None or not low <= found <= high:
        raise DataError(
            f"{place}: the score must be a number from {low:g} to {high:g}; got {quote(str(score))}."
        )
    return found


JUDGMENTS = JudgmentReader(
    name="blind-sheets",
    about="a folder of sheets that raters filled in, with the key that tasks --blind wrote",
    recognise=recognise,
    read=read,
    order=1,
)
