"""An archive of comparisons from a table of judgments."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.factor import factor
from detectable.data.files.parse_score import parse_score
from detectable.data.files.place import FilePath
from detectable.data.files.table import Table, read_table
from detectable.data.loaded import Loaded
from detectable.study.archive.comparison_archive import ComparisonArchive


def read_archive(
    path: FilePath,
    *,
    comparison: str | None = None,
    system: str = "system",
    score: str = "score",
    pair_by: Sequence[str] = (),
) -> Loaded[ComparisonArchive]:
    """Read judgments; every pair of systems within a comparison becomes one entry.

    Parameters
    ----------
    path : path
        CSV, TSV, JSON lines or Parquet with one row per judgment.
    comparison : str, optional
        Column that says which judgments belong together (a campaign, a test set, a language
        pair). Without it all do.
    system, score : str
        Columns of the system and of its score.
    pair_by : sequence of str
        Columns of what two judgments must share to be paired, such as segment and rater. Repeated
        judgments of one system are averaged first. Without it the comparisons are unpaired.
    """
    table = read_table(path)
    wanted = [name for name in (comparison, system, score, *pair_by) if name is not None]
    for name in wanted:
        if name not in table.columns:
            raise DataError(
                f"{path}: there is no column {name!r}. "
                f"Found: {listing(list(table.columns), most=20)}."
            )
    scores = _scores(table, score)
    there = np.flatnonzero(~np.isnan(scores))
    gone = scores.size - there.size
    notes = (f"{count(gone, 'judgment')} without a score left out.",) if gone else ()
    groups = _codes(table, [comparison] if comparison else [])[there]
    systems = factor(system, table.columns[system])
    units = _codes(table, pair_by)[there] if pair_by else None
    archive, more = _pairs(scores[there], groups, systems.codes[there], units)
    if not archive:
        raise DataError(
            f"{path}: no two systems of one comparison have judgments to compare. Check the "
            "columns of comparison, system and of what pairs are matched by."
        )
    build = ComparisonArchive.from_samples if units is None else _from_first
    return Loaded(build(archive), (*notes, *more))


def _from_first(samples: Sequence[tuple[FloatArray, FloatArray]]) -> ComparisonArchive:
    return ComparisonArchive.from_differences([a - b for a, b in samples])


def _scores(table: Table, column: str) -> FloatArray:
    cells = table.cells(column)
    return np.array(
        [
            parse_score(cell, table.path, line, column)
            for cell, line in zip(cells, table.lines or (), strict=True)
        ]
    )


def _codes(table: Table, columns: Sequence[str]) -> IntArray:
    """Return a number for every different combination of the columns' values."""
    codes = np.zeros(table.n_rows, np.int64)
    for name in columns:
        part = factor(name, table.columns[name])
        _, codes = np.unique(codes * part.n_levels + part.codes, return_inverse=True)
    return codes


def _pairs(
    scores: FloatArray, groups: IntArray, systems: IntArray, units: IntArray | None
) -> tuple[list[tuple[FloatArray, FloatArray]], tuple[str, ...]]:
    """Return the scores of both systems of every pair: matched, if there are units."""
    found = []
    apart, unmatched = 0, 0
    order = np.argsort(groups, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        own = {code: rows[systems[rows] == code] for code in np.unique(systems[rows])}
        for a, b in combinations(own.values(), 2):
            if units is None:
                found.append((scores[a], scores[b]))
                continue
            first, second = _means(scores, units, a), _means(scores, units, b)
            shared = sorted(first.keys() & second.keys())
            unmatched += len(first) + len(second) - 2 * len(shared)
            if len(shared) < 2:
                apart += 1
                continue
            found.append(
                (np.array([first[u] for u in shared]), np.array([second[u] for u in shared]))
            )
    notes = []
    if apart:
        notes.append(f"{count(apart, 'pair')} of systems with fewer than two matches left out.")
    if unmatched:
        notes.append(f"{count(unmatched, 'judgment')} without a partner left out.")
    return found, tuple(notes)


def _means(scores: FloatArray, units: IntArray, rows: IntArray) -> dict[int, float]:
    names, place = np.unique(units[rows], return_inverse=True)
    means = np.bincount(place, scores[rows]) / np.bincount(place)
    return dict(zip(names.tolist(), means.tolist(), strict=True))
