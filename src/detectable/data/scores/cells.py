"""Single scores, one by one or by columns, gathered into a table of scores."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import NamedTuple

import numpy as np

from detectable.core.choices import Repeats
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.factor import Factor, cross, cross_codes, factor_of_texts
from detectable.data.files.place import FilePath, place
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import UNKNOWN

NONE = -1  # the code of a row that names no document, or no task


class Cell(NamedTuple):
    """One score, and where it stands; `run` is the label of a run or of a sample."""

    system: str
    run: str
    item: str
    score: float
    path: str
    line: int | None = None
    document: str | None = None
    task: str | None = None
    question: str | None = None
    slice: str | None = None
    original_language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellColumns:
    """Scores in long form, a row each, with the place of each in its file.

    Attributes
    ----------
    system, run, item : Factor
        Whose score it is, of which run or sample, and of what.
    document, task : Factor or None
        What the item belongs to; `NONE` is the code of a row without. None where no row has any.
    question, original_language : sequence of str or None, or None
        The question behind each item, and the language in which it was first written, where they
        are known.
    slice : Factor or None
        The kind of item that results are sliced by: its language, say.
    """

    system: Factor
    run: Factor
    item: Factor
    score: FloatArray
    path: Sequence[str]
    line: Sequence[int | None]
    document: Factor | None = None
    task: Factor | None = None
    question: Sequence[str | None] | None = None
    slice: Factor | None = None
    original_language: Sequence[str | None] | None = None

    def place(self, row: int) -> str:
        """Return where a score stands, for messages."""
        return place(self.path[row], self.line[row])

    def take(self, rows: IntArray) -> "CellColumns":
        """Return some rows in an order of their own; names are numbered as they now come."""
        listed = rows.tolist()

        def texts(column: Sequence[str | None] | None) -> Sequence[str | None] | None:
            return None if column is None else [column[row] for row in listed]

        return CellColumns(
            system=_taken(self.system, rows),
            run=_taken(self.run, rows),
            item=_taken(self.item, rows),
            score=self.score[rows],
            path=[self.path[row] for row in listed],
            line=[self.line[row] for row in listed],
            document=None if self.document is None else _taken(self.document, rows),
            task=None if self.task is None else _taken(self.task, rows),
            question=texts(self.question),
            original_language=texts(self.original_language),
            slice=None if self.slice is None else _taken(self.slice, rows),
        )

    def cells(self) -> list[Cell]:
        """Return the scores one by one; for columns in which every row has all its names."""
        return list(
            map(
                Cell,
                self.system.labels(),
                self.run.labels(),
                self.item.labels(),
                self.score.tolist(),
                self.path,
                self.line,
                repeat(None) if self.document is None else self.document.labels(),
                repeat(None) if self.task is None else self.task.labels(),
                repeat(None),
                repeat(None) if self.slice is None else self.slice.labels(),
                repeat(None) if self.original_language is None else self.original_language,
            )
        )

    def with_item(self, item: Factor) -> "CellColumns":
        """Return the same scores of items with other names."""
        return replace(self, item=item)


def columns_of(cells: Sequence[Cell]) -> CellColumns:
    """Return single scores by columns; there must be at least one."""
    system, run, item, score, path, line, document, task, question, kind, written = zip(
        *cells, strict=True
    )
    return CellColumns(
        system=factor_of_texts("system", system),
        run=factor_of_texts("run", run),
        item=factor_of_texts("item", item),
        score=np.array(score, dtype=np.float64),
        path=path,
        line=line,
        document=part_of("document", document),
        task=part_of("task", task),
        question=question if any(question) else None,
        slice=part_of("slice", kind),
        original_language=written if any(written) else None,
    )


def part_of(name: str, labels: Sequence[str | None]) -> Factor | None:
    """Return what items belong to, or None where nothing is known of any.

    Examples
    --------
    >>> part_of("document", ["d1", None, "d1"]).codes.tolist()
    [0, -1, 0]
    """
    known = [label for label in labels if label is not None]
    if not known:
        return None
    if len(known) == len(labels):
        return factor_of_texts(name, known)
    codes = np.full(len(labels), NONE, dtype=np.int64)
    found = factor_of_texts(name, known)
    codes[[row for row, label in enumerate(labels) if label is not None]] = found.codes
    return Factor(name=name, levels=found.levels, codes=codes)


def _taken(column: Factor, rows: IntArray) -> Factor:
    codes = column.codes[rows]
    known = codes != NONE
    dense, first = cross_codes(Factor(name="", levels=column.levels, codes=codes[known]))
    levels = tuple(column.levels[code] for code in codes[known][first].tolist())
    numbered = np.full(codes.size, NONE, dtype=np.int64)
    numbered[known] = dense
    return Factor(name=column.name, levels=levels, codes=numbered)


# --- Single scores, gathered into a table of scores ---

_LONG = 20  # digits from which on a label is a name rather than a number


def number_cells(
    scores: Iterable[float],
    system: str,
    path: FilePath,
    *,
    run: int = 1,
    documents: Sequence[str] | None = None,
) -> list[Cell]:
    """Return the scores of one output, whose items are known by their position only."""
    values = list(scores)
    return list(
        map(
            Cell,
            repeat(system),
            repeat(str(run)),
            map(str, range(1, len(values) + 1)),
            values,
            repeat(str(path)),
            repeat(None),
            repeat(None) if documents is None else documents,
        )
    )


def check_counts(counts: Sequence[tuple[str, int]]) -> None:
    """Refuse outputs of different length where items are matched by position."""
    if len({n for _, n in counts}) > 1:
        listed = ", ".join(f"{label} has {count(n, 'score')}" for label, n in counts)
        raise DataError(
            f"scores are matched by their position, so all must have as many: {listed}. "
            "Score the same segments for every system."
        )


def assemble(
    cells: Iterable[Cell] | CellColumns,
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
    notes: Sequence[str] = (),
    lower_is_better: bool | None = None,
    repeats: Repeats = "runs",
) -> Scores:
    """Gather single scores into a table of scores, in the order in which they come.

    An item that a system lacks gets NaN, and so does one whose score is NaN; the notes count
    them per system and run, or per system where the repeats are samples. Run labels that are
    numbers are put in order. Where an item name occurs in several documents (segments counted
    from 1 in each), document and name together name the item, which the notes say; so it is with
    tasks. A score given twice is an error.
    """
    chosen, left_out = _choose(_by_columns(cells), systems)
    named, renamed = _name_items(chosen, chosen.document)
    named, again = _name_items(named, named.task)
    tables = _fill(named, _outputs(named), repeats)
    names = named.item.levels
    of_runs = repeats == "runs" or all(len(table) == 1 for table in tables.values())
    missing = [
        note
        for name, table in tables.items()
        for note in (_missing if of_runs else _missing_items)(name, table, names)
    ]
    _check_common(tables)
    scores = Scores.build(
        tables,
        items=names,
        documents=_labels(named, named.document),
        tasks=_labels(named, named.task),
        metric=metric,
        lower_is_better=lower_is_better,
        repeats=repeats,
        questions=_questions(named),
        slices=_labels(named, named.slice),
    )
    if not of_runs:
        missing += _missing_samples(scores)
    return replace(
        scores,
        original_languages=_languages(named),
        notes=(*notes, *left_out, *renamed, *again, *missing),
    )


def _by_columns(cells: Iterable[Cell] | CellColumns) -> CellColumns:
    if isinstance(cells, CellColumns):
        return cells
    listed = list(cells)
    if not listed:
        raise DataError("there is no score in the data. Give at least one.")
    return columns_of(listed)


def _choose(
    cells: CellColumns, systems: Sequence[str] | None
) -> tuple[CellColumns, tuple[str, ...]]:
    if systems is None:
        return cells, ()
    present = list(cells.system.levels)
    unknown = [name for name in systems if name not in present]
    if unknown:
        raise DataError(
            f"{place(cells.path[0])}: there is no system {unknown[0]!r}. Found: {listing(present)}."
        )
    rows = [
        np.flatnonzero(cells.system.codes == present.index(one))
        for one in dict.fromkeys(systems)
    ]
    rest = [name for name in present if name not in systems]
    note = f"{count(len(rest), 'system')} left out as asked: {listing(rest)}."
    return cells.take(np.concatenate(rows)), (note,) if rest else ()


def _name_items(cells: CellColumns, part: Factor | None) -> tuple[CellColumns, tuple[str, ...]]:
    """Put the document, or the task, before item names that occur in several of them."""
    if part is None:
        return cells, ()
    # A row that names none counts as one more of them.
    placed = Factor(name="", levels=("", *part.levels), codes=part.codes - NONE)
    _, first = cross_codes(cells.item, placed)
    counts = np.bincount(cells.item.codes[first])
    shared = np.flatnonzero(counts > 1)
    if not shared.size:
        return cells, ()
    bare = np.flatnonzero(part.codes == NONE)
    if bare.size:
        raise DataError(
            f"{_bare(cells, bare)} has no {part.name} here, while others have one. Name the "
            f"{part.name} of every item, or of none."
        )
    note = (
        f"{count(shared.size, 'item name')} (first: {cells.item.levels[shared[0]]!r}) occur in "
        f"several {part.name}s; items are named {part.name}:item."
    )
    return cells.with_item(cross("item", part, cells.item)), (note,)


def _bare(cells: CellColumns, rows: IntArray) -> str:
    row = int(rows[0])
    return f"{cells.place(row)}: item {cells.item.label(row)!r}"


def _outputs(cells: CellColumns) -> tuple[dict[str, list[str]], IntArray]:
    """Return the run labels of every system in order, and the row of each score in that order."""
    codes, first = cross_codes(cells.system, cells.run)
    met = [(cells.system.label(row), cells.run.label(row)) for row in first.tolist()]
    runs: dict[str, list[str]] = {}
    for system, run in met:
        runs.setdefault(system, []).append(run)
    for labels in runs.values():
        if all(label.isdecimal() and len(label) < _LONG for label in labels):
            labels.sort(key=int)
    outputs = [(system, run) for system, labels in runs.items() for run in labels]
    index = {output: row for row, output in enumerate(outputs)}
    return runs, np.array([index[output] for output in met], dtype=np.int64)[codes]


def _fill(
    cells: CellColumns, outputs: tuple[Mapping[str, Sequence[str]], IntArray], repeats: Repeats
) -> dict[str, FloatArray]:
    """Return for every system its scores of shape (repeats, items)."""
    runs, rows = outputs
    n_outputs, n_items = sum(map(len, runs.values())), cells.item.n_levels
    places = rows * n_items + cells.item.codes
    table = np.full(n_outputs * n_items, np.nan)
    filled = np.zeros(table.size, dtype=bool)
    filled[places] = True
    if np.count_nonzero(filled) < places.size:
        _refuse_second(cells, places, runs, repeats)
    table[places] = cells.score
    ends = np.cumsum([len(labels) for labels in runs.values()])
    parts = np.split(table.reshape(n_outputs, n_items), ends[:-1])
    return dict(zip(runs, parts, strict=True))


def _refuse_second(
    cells: CellColumns, places: IntArray, runs: Mapping[str, Sequence[str]], repeats: Repeats
) -> None:
    one = repeats.removesuffix("s")
    _, firsts, which = np.unique(places, return_index=True, return_inverse=True)
    row = int(np.setdiff1d(np.arange(places.size), firsts)[0])
    first = int(firsts[which[row]])
    system = cells.system.label(row)
    run = f", {one} {cells.run.label(row)}" if len(runs[system]) > 1 else ""
    raise DataError(
        f"{cells.place(row)}: a second score for system {system!r}{run}, item "
        f"{cells.item.label(row)!r}; the first is in {cells.place(first)}. Keep one, or number "
        "them as runs or samples (columns 'run', 'sample')."
    )


def _missing(name: str, table: FloatArray, items: Sequence[str]) -> Iterable[str]:
    for run, scores in enumerate(table, start=1):
        label = f"system {name!r}" + (f", run {run}" if len(table) > 1 else "")
        holes = np.flatnonzero(np.isnan(scores))
        if holes.size == scores.size:
            raise DataError(f"{label} has no score at all. Leave it out, or look at its file.")
        if holes.size:
            yield (
                f"{label}: {holes.size:,} of {count(scores.size, 'item')} without a score, "
                f"first {items[holes[0]]!r}."
            )


def _missing_items(name: str, table: FloatArray, items: Sequence[str]) -> Iterable[str]:
    """Say of how many items a system has no sample at all."""
    return _missing(name, np.where(np.isnan(table).all(axis=0), np.nan, 0.0)[np.newaxis], items)


def _missing_samples(scores: Scores) -> Iterable[str]:
    for name in scores.systems:
        share = scores.missing_share(name)
        if share > 0.0:
            most = int(scores.n_samples(name).max())
            yield f"system {name!r}: {share:.1%} of samples missing (up to {most} per item)."


def _check_common(tables: Mapping[str, FloatArray]) -> None:
    scored = [~np.isnan(table).all(axis=0) for table in tables.values()]
    if not np.logical_and.reduce(scored).any():
        raise DataError(
            f"no item was scored for all {count(len(tables), 'system')}: {listing(list(tables))}. "
            "Do they name the same items in the same way?"
        )


def _labels(cells: CellColumns, part: Factor | None) -> list[str] | None:
    """Return the document, or the task, of every item; None where none has any."""
    if part is None:
        return None
    bare = np.flatnonzero(part.codes == NONE)
    if bare.size:
        raise DataError(
            f"{_bare(cells, bare)} has no {part.name}, while others have one. Name the "
            f"{part.name} of every item, or of none."
        )
    of_item = np.empty(cells.item.n_levels, dtype=np.int64)
    of_item[cells.item.codes] = part.codes
    return [part.levels[code] for code in of_item.tolist()]


def _questions(cells: CellColumns) -> list[str] | None:
    """Return the question behind every item, empty where none is known; None without any."""
    if cells.question is None:
        return None
    found = [""] * cells.item.n_levels
    for item, question in zip(cells.item.codes.tolist(), cells.question, strict=True):
        found[item] = question or found[item]
    return found


def _languages(cells: CellColumns) -> tuple[str, ...] | None:
    """Return in which language every item was first written; None where no row says it."""
    if cells.original_language is None:
        return None
    found: list[str | None] = [None] * cells.item.n_levels
    for row, language in enumerate(cells.original_language):
        if not language:
            continue
        item = int(cells.item.codes[row])
        if found[item] not in (None, language):
            raise DataError(
                f"{cells.place(row)}: item {cells.item.label(row)!r} was first written in "
                f"{language} here, and in {found[item]} before. Correct one of them."
            )
        found[item] = language
    return tuple(language or UNKNOWN for language in found)
