"""What a file is, from its first bytes, keys and columns."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from detectable.core.choices import ScoreRole
from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.files.inputs import is_folder, names_in
from detectable.data.files.place import FilePath, is_missing
from detectable.data.files.size_limit import TooLargeError
from detectable.data.files.table import Table, read_table
from detectable.data.human.judgment_table import USUAL_NAMES
from detectable.data.human.score_histograms import is_numpy_archive
from detectable.data.reader import (
    TABLE,
    FormatRegistry,
    battle_readers,
    judgment_readers,
    score_readers,
)
from detectable.data.scores.read_score_table import (
    ROLES,
    column_words,
    proposed_columns,
    read_score_table,
)
from detectable.data.scores.sample_log import SeveralFound
from detectable.data.scores.score_folder import is_score
from detectable.data.texts.text_table import read_text_table
from detectable.study.doctor.examination import FileFound, FileKind

_LINES = "lines"
_SGM = re.compile(r"<(src|ref|tst)set\b|<!DOCTYPE mteval", re.IGNORECASE)
_OF_AN_OUTPUT = ("system", "item", "document", "domain", "wave", "task", "language", "campaign")
_OF_A_SYSTEM = ("campaign", "system", "human", "human_se", "language_pair")
_WINNER = ("winner", "outcome", "preference")
_AGAIN: tuple[ScoreRole, ...] = ("run", "sample")  # of an output that has several scores
_LOOKED_AT = 100  # cells that tell whether a column holds numbers
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
    judgments = _known(content, "judgments", judgment_readers())
    if judgments is not None:
        return judgments
    if not names_in(name):
        raise DataError(
            f"{name}: the folder is empty. Name one that holds scores or judgments."
        )
    raise DataError(
        f"{name}: a folder of no known kind, or with too many files for one evaluation. Name the "
        "files that belong together."
    )


def _file(content: FileContent) -> FileFound:
    name = str(content)
    if content.is_empty:
        raise DataError(f"{name}: the file is empty.")
    if is_numpy_archive(content):  # a ZIP file too, as logs of Inspect are
        raise DataError(
            f"{name}: a NumPy archive. If it holds score histograms of past evaluations, audit them "
            f"(detectable audit {name})."
        )
    found = _own(content) or _by_marks(content)
    if found is None and score_readers().get(TABLE).recognise(content):
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
    # Battles before judgments, as which they can be read too.
    found = _known(content, "preferences", battle_readers())
    found = found or _known(content, "judgments", judgment_readers())
    if found is not None:
        return found
    if _SGM.match(content.first_line):
        return FileFound(path=name, kind="lines", about="SGM of WMT: one system or reference")
    if content.first_line.startswith("<"):
        return FileFound(path=name, kind="texts", about="XML of WMT")
    return _known(content, "scores", score_readers())


def _known(
    content: FileContent, kind: FileKind, readers: FormatRegistry[Any]
) -> FileFound | None:
    """Tell what is of a known format, and not just any table."""
    found = readers.find(content, any_table=False)
    if found is None:
        return None
    return FileFound(path=str(content), kind=kind, format=found.name, about=found.about)


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
    except TooLargeError:
        raise
    except DataError:
        return None
    if table.find(_WINNER) and _reads(battle_readers().get(TABLE).read, content):
        about = "two systems and a winner per row"
        return FileFound(path=name, kind="preferences", format=TABLE, about=about)
    judged = _has(table, "system", "item", "score")
    if judged and (_has(table, "rater") or _has(table, "kind")):
        return FileFound(
            path=name, kind="judgments", format=TABLE, about="one judgment per row"
        )
    if metrics_of_campaigns(table):
        about = "systems of past campaigns, with the means of people and of metrics"
        return FileFound(path=name, kind="archive", format=TABLE, about=about)
    if len(metric_columns(table)) > 1:
        about = "outputs with scores by several metrics"
        return FileFound(path=name, kind="metrics", format=TABLE, about=about)
    if _reads(read_score_table, content):
        about = "scores of systems, long or wide"
        return FileFound(path=name, kind="scores", format=TABLE, about=about)
    if _reads(read_text_table, content):
        about = "outputs and references, a row per segment"
        return FileFound(path=name, kind="texts", about=about)
    columns = proposed_columns(table)
    if columns:
        about = (
            f"{name}: a table with columns of other names. Say which they are: "
            f"{column_words(columns)}"
        )
        return FileFound(path=name, kind="unknown", about=about)
    return None


def _reads(read: Callable[[FileContent], object], content: FileContent) -> bool:
    try:
        read(content)
    except SeveralFound:
        return True  # one of them must be chosen, and each can be read
    except DataError:
        return False
    return True


def metric_columns(table: Table) -> list[str]:
    """Return the columns of numbers of a table with a row per output; none of other tables."""
    if not _has(table, "system", "item"):
        return []
    roles = {name for role in _OF_AN_OUTPUT for name in table.find(USUAL_NAMES[role])}
    roles |= {name for role in _AGAIN for name in table.find(ROLES[role])}
    return [
        name
        for name in table.columns
        if name not in roles and all(map(_is_number, table.cells(name)[:_LOOKED_AT]))
    ]


def metrics_of_campaigns(table: Table) -> list[str]:
    """Return the metrics of a table with a row per system of a campaign; none of other tables."""
    roles = [name for role in _OF_A_SYSTEM for name in table.find([role])]
    if not all(table.find([role]) for role in ("campaign", "system", "human")):
        return []
    if _has(table, "item"):
        return []
    return [
        name
        for name in table.columns
        if name not in roles and all(map(_is_number, table.cells(name)[:_LOOKED_AT]))
    ]


def _is_number(cell: object) -> bool:
    if isinstance(cell, str):
        return bool(is_missing(cell)) or is_score(cell)
    return cell is None or isinstance(cell, int | float)


def _has(table: Table, *roles: str) -> bool:
    return all(table.find(USUAL_NAMES[role]) for role in roles)
