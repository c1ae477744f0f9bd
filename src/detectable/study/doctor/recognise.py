"""What a file is, from its first bytes, keys and columns."""

import re
from collections.abc import Callable
from pathlib import Path

from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.files.folder import is_folder
from detectable.data.files.place import FilePath
from detectable.data.files.table import Table, read_table
from detectable.data.human.judgment_roles import USUAL_NAMES
from detectable.data.human.reader_registry import judgment_readers
from detectable.data.scores.read_score_table import read_score_table
from detectable.data.scores.score_registry import score_readers
from detectable.data.texts.read_text_table import read_text_table
from detectable.study.doctor.examination import FileFound, FileKind

_TABLE = "table"
_LINES = "lines"
# Formats of judgments in which each row sets two systems against each other.
_PREFERENCES = frozenset(("arena", "alpaca-eval", "arena-hard", "mt-bench"))
_SGM = re.compile(r"<(src|ref|tst)set\b|<!DOCTYPE mteval", re.IGNORECASE)
_TEXTS = "system-outputs"  # the folder of mt-metrics-eval


def recognise(path: FilePath) -> FileFound:
    """Return what a file is; the kind ``unknown`` with the reason where nobody knows.

    Ambiguous tables are decided by their columns: a rater makes judgments of scores, texts make a
    corpus.
    """
    content = FileContent.of(path)
    try:
        return _folder(content) if content.is_folder else _file(content)
    except DataError as error:
        return FileFound(path=str(path), kind="unknown", about=str(error))


def _folder(content: FileContent) -> FileFound:
    name = str(content)
    if is_folder(f"{name}/{_TEXTS}"):
        return FileFound(path=name, kind="texts", about="mt-metrics-eval folder")
    for reader in score_readers().in_order():
        found = None if reader.find is None else reader.find(Path(content.path))
        if found is not None and found.systems:
            return FileFound(path=name, kind="scores", format=reader.name, about=reader.about)
    for judged in judgment_readers().in_order():
        if judged.recognise(content):
            return FileFound(
                path=name, kind="judgments", format=judged.name, about=judged.about
            )
    raise DataError(f"{name}: a folder of no known kind. Name its files.")


def _file(content: FileContent) -> FileFound:
    name = str(content)
    if not (content.is_parquet or content.is_zip or content.first_line):
        raise DataError(f"{name}: the file is empty.")
    found = _own(content) or _by_marks(content)
    if found is None and score_readers().get(_TABLE).recognise(content):
        found = _table(content)
    if found is None and content.first_line and not content.first_object:
        found = FileFound(path=name, kind="lines", about="a text, one segment per line")
    if found is None:
        raise DataError(
            f"{name}: no reader knows this file. See docs/data.md and docs/judgments.md."
        )
    return found


def _by_marks(content: FileContent) -> FileFound | None:
    """Tell the formats that have a mark of their own."""
    name = str(content)
    for judged in judgment_readers().in_order():
        if judged.name != _TABLE and judged.recognise(content):
            kind: FileKind = "preferences" if judged.name in _PREFERENCES else "judgments"
            return FileFound(path=name, kind=kind, format=judged.name, about=judged.about)
    if _SGM.match(content.first_line):
        return FileFound(path=name, kind="lines", about="SGM of WMT: one system or reference")
    if content.first_line.startswith("<"):
        return FileFound(path=name, kind="texts", about="XML of WMT")
    for reader in score_readers().in_order():
        if reader.name != _TABLE and reader.recognise(content):
            return FileFound(path=name, kind="scores", format=reader.name, about=reader.about)
    return None


def _own(content: FileContent) -> FileFound | None:
    """Tell the files that this package writes."""
    keys, name = content.first_object.keys(), str(content)
    if "detectable_plan" in keys:
        return FileFound(path=name, kind="plan", about="frozen by detectable plan new")
    if keys >= {"detectable", "schema", "kind"}:
        kind = str(content.first_object["kind"])
        return FileFound(path=name, kind="result", about=f"{kind}, kept with --out")
    if str(content.first_object.get("format")).startswith("detectable-baseline/"):
        return FileFound(
            path=name, kind="baseline", about="item scores to compare with, of gate"
        )
    return None


def _table(content: FileContent) -> FileFound | None:
    """Tell a table by its columns; None where it is none after all."""
    name = str(content)
    try:
        table = read_table(content)
    except DataError:
        return None
    if table.find(("winner",)) and table.find(USUAL_NAMES["item"]):
        return FileFound(
            path=name, kind="preferences", format=_TABLE, about="items and winners"
        )
    judged = _has(table, "system", "item", "score")
    if judged and (_has(table, "rater") or _has(table, "kind")):
        return FileFound(
            path=name, kind="judgments", format=_TABLE, about="one judgment per row"
        )
    if _reads(read_score_table, content):
        about = "scores of systems, long or wide"
        return FileFound(path=name, kind="scores", format=_TABLE, about=about)
    if _reads(read_text_table, content):
        about = "outputs and references, a row per segment"
        return FileFound(path=name, kind="texts", about=about)
    return None


def _reads(read: Callable[[FileContent], object], content: FileContent) -> bool:
    try:
        read(content)
    except DataError:
        return False
    return True


def _has(table: Table, *roles: str) -> bool:
    return all(table.find(USUAL_NAMES[role]) for role in roles)
