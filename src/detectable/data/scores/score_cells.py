"""Single scores, gathered into a table of scores."""

import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from detectable.core.choices import Repeats
from detectable.core.errors import DataError
from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.files.place import FilePath, place
from detectable.data.loaded import Loaded
from detectable.data.scores.scores import Scores

_LONG = 20  # digits from which on a label is a name rather than a number
Part: TypeAlias = Literal["document", "task"]  # what an item belongs to


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
    cells: Iterable[Cell],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
    notes: Sequence[str] = (),
    lower_is_better: bool | None = None,
    repeats: Repeats = "runs",
) -> Loaded[Scores]:
    """Gather single scores into a table of scores, in the order in which they come.

    An item that a system lacks gets NaN, and so does one whose score is NaN; the notes count
    them per system and run, or per system where the repeats are samples. Run labels that are
    numbers are put in order. Where an item name occurs in several documents (segments counted
    from 1 in each), document and name together name the item, which the notes say; so it is with
    tasks. A score given twice is an error.
    """
    chosen, left_out = _choose(list(cells), systems)
    named, renamed = _name_items(chosen, "document")
    named, again = _name_items(named, "task")
    items = {name: index for index, name in enumerate(dict.fromkeys(c.item for c in named))}
    names = list(items)
    tables = _fill(named, _runs(named), items, repeats)
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
        documents=_labels(named, items, "document"),
        tasks=_labels(named, items, "task"),
        metric=metric,
        lower_is_better=lower_is_better,
        repeats=repeats,
        questions=_questions(named, items),
    )
    if not of_runs:
        missing += _missing_samples(scores)
    return Loaded(scores, (*notes, *left_out, *renamed, *again, *missing))


def _choose(
    cells: list[Cell], systems: Sequence[str] | None
) -> tuple[list[Cell], tuple[str, ...]]:
    if not cells:
        raise DataError("there is no score in the data. Give at least one.")
    present = list(dict.fromkeys(cell.system for cell in cells))
    if systems is None:
        return cells, ()
    unknown = [name for name in systems if name not in present]
    if unknown:
        raise DataError(
            f"{cells[0].path}: there is no system {unknown[0]!r}. Found: {listing(present)}."
        )
    by_name: dict[str, list[Cell]] = {name: [] for name in systems}
    for cell in cells:
        if cell.system in by_name:
            by_name[cell.system].append(cell)
    rest = [name for name in present if name not in by_name]
    note = f"{count(len(rest), 'system')} left out as asked: {listing(rest)}."
    return [cell for group in by_name.values() for cell in group], (note,) if rest else ()


def _name_items(cells: list[Cell], part: Part) -> tuple[list[Cell], tuple[str, ...]]:
    """Put the document, or the task, before item names that occur in several of them."""
    of = operator.attrgetter(part)
    if all(label is None for label in map(of, cells)):
        return cells, ()
    pairs = dict.fromkeys((cell.item, of(cell)) for cell in cells)
    counts = Counter(item for item, _ in pairs)
    shared = [item for item, n in counts.items() if n > 1]
    if not shared:
        return cells, ()
    bare = next((cell for cell in cells if of(cell) is None), None)
    if bare is not None:
        raise DataError(
            f"{place(bare.path, bare.line)}: item {bare.item!r} has no {part} here, while "
            f"others have one. Name the {part} of every item, or of none."
        )
    note = (
        f"{count(len(shared), 'item name')} (first: {shared[0]!r}) occur in several {part}s; "
        f"items are named {part}:item."
    )
    # Not by _replace, which takes several times as long: there may be millions.
    rest = operator.itemgetter(slice(Cell._fields.index("item") + 1, None))
    return [
        Cell(cell.system, cell.run, f"{of(cell)}:{cell.item}", *rest(cell)) for cell in cells
    ], (note,)


def _runs(cells: Iterable[Cell]) -> dict[str, list[str]]:
    """Return the run labels of every system, in order."""
    runs: dict[str, list[str]] = {}
    for system, run in dict.fromkeys((cell.system, cell.run) for cell in cells):
        runs.setdefault(system, []).append(run)
    for labels in runs.values():
        if all(label.isdecimal() and len(label) < _LONG for label in labels):
            labels.sort(key=int)
    return runs


def _fill(
    cells: Sequence[Cell],
    runs: Mapping[str, Sequence[str]],
    items: Mapping[str, int],
    repeats: Repeats,
) -> dict[str, FloatArray]:
    """Return for every system its scores of shape (repeats, items)."""
    outputs = [(system, run) for system, labels in runs.items() for run in labels]
    index = {output: row for row, output in enumerate(outputs)}
    rows = np.array([index[cell.system, cell.run] for cell in cells])
    columns = np.array([items[cell.item] for cell in cells])
    places = rows * len(items) + columns
    if np.unique(places).size < places.size:
        _refuse_second(cells, runs, repeats)
    table = np.full((len(outputs), len(items)), np.nan)
    table[rows, columns] = [cell.score for cell in cells]
    ends = np.cumsum([len(labels) for labels in runs.values()])
    return dict(zip(runs, np.split(table, ends[:-1]), strict=True))


def _refuse_second(
    cells: Iterable[Cell], runs: Mapping[str, Sequence[str]], repeats: Repeats
) -> None:
    one = repeats.removesuffix("s")
    seen: dict[tuple[str, str, str], Cell] = {}
    for cell in cells:
        first = seen.setdefault((cell.system, cell.run, cell.item), cell)
        if first is not cell:
            run = f", {one} {cell.run}" if len(runs[cell.system]) > 1 else ""
            raise DataError(
                f"{place(cell.path, cell.line)}: a second score for system {cell.system!r}{run}, "
                f"item {cell.item!r}; the first is in {place(first.path, first.line)}. Keep one, "
                "or number them as runs or samples (columns 'run', 'sample')."
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


def _labels(cells: Iterable[Cell], items: Mapping[str, int], part: Part) -> list[str] | None:
    """Return the document, or the task, of every item; None where none has any."""
    of = operator.attrgetter(part)
    found: dict[str, str] = {}
    bare: Cell | None = None
    for cell in cells:
        label = of(cell)
        if label is None:
            bare = bare or cell
        else:
            found[cell.item] = label
    if not found:
        return None
    if bare is not None:
        raise DataError(
            f"{place(bare.path, bare.line)}: item {bare.item!r} has no {part}, while others "
            f"have one. Name the {part} of every item, or of none."
        )
    return [found[item] for item in items]


def _questions(cells: Iterable[Cell], items: Mapping[str, int]) -> list[str] | None:
    """Return the question behind every item, empty where none is known; None without any."""
    found = {cell.item: cell.question for cell in cells if cell.question}
    return [found.get(item, "") for item in items] if found else None
