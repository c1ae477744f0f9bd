"""Predictions of MetricX."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_json import read_json_lines
from detectable.data.names import Runs, name_systems, system_files
from detectable.data.reader import ScoreReader
from detectable.data.scores.cells import Cell, assemble, check_counts, number_cells
from detectable.data.scores.scored_texts import ScoredText, text_of
from detectable.data.scores.scores import Scores

_SCORE = "prediction"
_TEXTS = ("source", "reference")


def recognise(content: FileContent) -> bool:
    """Tell by a hypothesis with a prediction."""
    return {"hypothesis", _SCORE} <= content.first_object.keys()


def read(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
) -> Scores:
    """Read JSON lines of MetricX, one file per system (or run); lower is better.

    Segments are matched by line, and must have the same source and reference in all files.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        The predictions of every system; a single path is one system, named after the file.
    metric : str, optional
        A name for what the numbers measure; MetricX by default.
    systems : sequence of str, optional
        Which systems to take.
    """
    named = system_files(files if isinstance(files, Mapping) else name_systems([files]))
    cells: list[Cell] = []
    counts: list[tuple[str, int]] = []
    texts: dict[tuple[int, str], tuple[str, str]] = {}
    scored: dict[str, tuple[ScoredText, ...]] = {}
    for system, paths in named.items():
        for run, path in enumerate(paths, start=1):
            scores, rows = [], []
            for number, (line, row) in enumerate(read_json_lines(path)):
                if _SCORE not in row:
                    raise DataError(
                        f"{place(path, line)}: there is no {_SCORE!r}, found {quote(sorted(row))}."
                    )
                _check_texts(texts, number, row, place(path, line))
                scores.append(parse_score(row[_SCORE], path, line, _SCORE, truth=False))
                rows.append([text_of(row.get(name)) for name in ("hypothesis", *_TEXTS[::-1])])
            counts.append((str(path), len(scores)))
            cells += number_cells(scores, system, path, run=run)
            text = ScoredText(str(path), *zip(*rows, strict=True))
            scored[system] = (*scored.get(system, ()), text)
    check_counts(counts)
    loaded = assemble(cells, metric=metric or "MetricX", systems=systems, lower_is_better=True)
    return replace(loaded, texts=scored)


def _check_texts(
    texts: dict[tuple[int, str], tuple[str, str]],
    number: int,
    row: Mapping[str, object],
    where: str,
) -> None:
    for name in _TEXTS:
        if isinstance(row.get(name), str):
            mine = str(row[name])
            theirs, first = texts.setdefault((number, name), (mine, where))
            if mine != theirs:
                raise DataError(
                    f"{where}: the {name} is {quote(mine)}, in {first} it is {quote(theirs)}. "
                    "Score all systems on the same segments, in the same order."
                )


SCORES = ScoreReader(
    name="metricx",
    about="JSON lines of MetricX with hypothesis and prediction, one file per system",
    recognise=recognise,
    read=read,
    order=35,
)
