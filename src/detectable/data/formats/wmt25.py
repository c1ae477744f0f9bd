"""What WMT25 publishes: automatic scores a document per line, and human scores in one TSV."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, is_missing, place, quote
from detectable.data.files.read_json import read_json_lines
from detectable.data.files.table import Table, read_table, with_language
from detectable.data.names import Runs, name_systems, system_files
from detectable.data.reader import JudgmentReader, ScoreReader
from detectable.data.scores.cells import Cell, assemble
from detectable.data.scores.sample_log import choose
from detectable.data.scores.scores import Scores

if TYPE_CHECKING:
    from detectable.data.human.judgments import Judgments

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
) -> Scores:
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
    return [parse_score(value, path, line, metric, truth=False) for value in values]


SCORES = ScoreReader(
    name="metric-scores",
    about="automatic scores of WMT25, JSON lines with metric_scores, one file per system",
    recognise=recognise,
    read=read,
    order=34,
    takes=("language_pair",),
)


# --- Human scores as WMT25's shared task on evaluation publishes them: one TSV of all languages ---

_OWN = frozenset(("doc_id", "segment_id", "source_lang", "target_lang", "system_id", "overall"))
_COLUMNS = {
    "system": "system_id",
    "item": "segment_id",
    "score": "overall",
    "document": "doc_id",
    "language": "language",
}


def recognise_judgments(content: FileContent) -> bool:
    """Tell by the header, which names languages, system and the overall score."""
    header = {word.strip().casefold() for word in content.first_line.split("\t")}
    return header >= _OWN or content.parquet_columns >= _OWN


def read_judgments(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
) -> "Judgments":
    """Read segment scores of WMT25: ``doc_id segment_id source_lang target_lang … overall``.

    The language pair is ``source_lang-target_lang``: scores of different pairs are not
    comparable, so that a ranking asks for one. The campaign is ``set_id``, with the method
    (``esa``, ``mqm``) behind it where the file holds several. Segments are counted anew in every
    document. A score ``NaN`` was not given, and is left out and counted.

    Parameters
    ----------
    content : FileContent
        The TSV or Parquet file.
    scale : (float, float), optional
        0 and 100 by default, and no bounds where another method than ESA was used.
    repeated : {'refuse', 'mark'}
        For raters, which this format does not name.
    """
    from detectable.data.human.judgment_table import build_judgments
    from detectable.data.human.scale import UNBOUNDED

    table = with_language(read_table(content, several=True))
    for name in sorted(_OWN):
        if not table.find((name,)):
            raise table.missing(f"{name}, which scores of WMT25 have")
    table, notes = _judged(table)
    chosen = {role: table.find((name,))[0] for role, name in _COLUMNS.items()}
    domain = table.find(("domain_name", "domain"))
    if domain:
        chosen["domain"] = domain[0]
    campaign = _campaign(table)
    if campaign is not None:
        table = replace(table, columns={**table.columns, "campaign": campaign})
        chosen["campaign"] = "campaign"
    if scale is None and _methods(table) - {"esa", "da", "da+sqm"}:
        scale = UNBOUNDED
    return build_judgments(table, chosen, scale=scale, repeated=repeated, notes=notes)


def _judged(table: Table) -> tuple[Table, list[str]]:
    scores = table.cells(table.find(("overall",))[0])
    rows = [row for row, score in enumerate(scores) if not is_missing(score)]
    if len(rows) == len(scores) or not rows:
        return table, []  # without any score, the message about the first is the clearest
    left_out = count(len(scores) - len(rows), "judgment")
    note = f"{left_out} left out: segments without a score (NaN)."
    return table.take(rows), [note]


def _methods(table: Table) -> set[str]:
    column = table.find(("method",))
    return (
        {str(cell).strip().casefold() for cell in table.cells(column[0])} if column else set()
    )


def _campaign(table: Table) -> list[str] | None:
    names = [*table.find(("set_id",))]
    if len(_methods(table)) > 1:
        names += table.find(("method",))
    if not names:
        return None
    return [".".join(map(str, row)) for row in zip(*map(table.cells, names), strict=True)]


JUDGMENTS = JudgmentReader(
    name="wmt-mteval",
    about="segment scores of WMT25's evaluation task: TSV with source_lang, target_lang, overall",
    recognise=recognise_judgments,
    read=read_judgments,
    order=55,
)
