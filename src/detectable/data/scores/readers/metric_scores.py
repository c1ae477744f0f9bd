"""Automatic scores of WMT25: a document per line, a list of scores per metric."""

from collections.abc import Mapping, Sequence
from typing import Any

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.parse_score import parse_score
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_json import read_json_lines
from detectable.data.loaded import Loaded
from detectable.data.name_systems import Runs, name_systems, system_files
from detectable.data.scores.cell_columns import Cell
from detectable.data.scores.sample_log import choose
from detectable.data.scores.score_cells import assemble
from detectable.data.scores.score_reader import ScoreReader
from detectable.data.scores.scores import Scores

_SCORES = "metric_scores"


def recognise(content: FileContent) -> bool:
    """Tell by a document with scores by metric."""
    entry = content.first_object
    return "document_id" in entry and isinstance(entry.get(_SCORES), dict)


def read(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
    language_pair: str | None = None,
) -> Loaded[Scores]:
    """Read ``automatic_scores/SYSTEM.jsonl`` of WMT25, one file per system.

    An item is a document and the number of the segment in it, from 1. Several language pairs are
    tasks. Metrics go in different directions, which their names tell.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        The file of every system; a single path is one system, named after the file.
    metric : str, optional
        Which metric to take; needed if there are several.
    systems : sequence of str, optional
        Which systems to take.
    language_pair : str, optional
        Which one, where the files hold several; by default all.
    """
    named = system_files(files if isinstance(files, Mapping) else name_systems([files]))
    rows = [
        (system, run, path, line, row)
        for system, paths in named.items()
        for run, path in enumerate(paths, start=1)
        for line, row in _documents(path)
    ]
    rows, notes = _of_pair(rows, language_pair)
    several = len({_pair(row) for *_, row in rows}) > 1
    first = rows[0][2]
    names = list(dict.fromkeys(name for *_, row in rows for name in row[_SCORES]))
    chosen = choose(str(first), "metric", names, metric)
    cells: list[Cell] = []
    for system, run, path, line, row in rows:
        document = str(row["document_id"])
        for number, score in enumerate(_values(path, line, row, chosen), start=1):
            cells.append(  # as a comprehension it would not be readable
                Cell(
                    system=system,
                    run=str(run),
                    item=f"{document}:{number}",
                    score=score,
                    path=str(path),
                    line=line,
                    document=document,
                    task=_pair(row) if several else None,
                )
            )
    return assemble(cells, metric=chosen, systems=systems, notes=notes)


_Row = tuple[str, int, FilePath, int, dict[str, Any]]


def _documents(path: FilePath) -> list[tuple[int, dict[str, Any]]]:
    rows = list(read_json_lines(path))
    for line, row in rows:
        if "document_id" not in row or not isinstance(row.get(_SCORES), dict):
            raise DataError(
                f"{place(path, line)}: expected a document with 'document_id' and {_SCORES!r}, "
                f"found {quote(sorted(row))}."
            )
    return rows


def _pair(row: Mapping[str, Any]) -> str:
    return str(row.get("language_pair"))


def _of_pair(rows: list[_Row], wanted: str | None) -> tuple[list[_Row], tuple[str, ...]]:
    """Return the documents of one language pair, where it was chosen."""
    if wanted is None:
        return rows, ()
    path = rows[0][2]
    found = list(dict.fromkeys(_pair(row) for *_, row in rows))
    if wanted not in found:
        raise DataError(
            f"{path}: there is no language pair {wanted!r}. Found: {listing(found, most=20)}."
        )
    kept = [row for row in rows if _pair(row[-1]) == wanted]
    left_out = count(len(rows) - len(kept), "document")
    note = f"{left_out} of other language pairs left out as asked."
    return kept, (note,) if len(kept) < len(rows) else ()


def _values(path: FilePath, line: int, row: Mapping[str, Any], metric: str) -> list[float]:
    values = row[_SCORES].get(metric)
    if not isinstance(values, list):
        raise DataError(
            f"{place(path, line)}: metric {metric!r} must have a list of scores, one for each "
            f"segment; found {quote(values)}."
        )
    return [parse_score(value, path, line, metric) for value in values]


READER = ScoreReader(
    name="metric-scores",
    about="automatic scores of WMT25, JSON lines with metric_scores, one file per system",
    recognise=recognise,
    read=read,
    order=34,
    takes=("language_pair",),
)
