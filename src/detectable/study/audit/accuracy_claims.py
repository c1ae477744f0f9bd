"""Claims of higher accuracy on the tasks of a benchmark."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.factor import Factor, factor
from detectable.data.files.numbers import number_column
from detectable.data.files.place import Problems
from detectable.data.files.table import Table
from detectable.study.audit.tables import MOST_ITEMS, choose_columns, require

AccuracyUnit: TypeAlias = Literal["fraction", "percent"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AccuracyClaims:
    """Claimed improvements, one entry each, and what is to beat next; accuracies are fractions.

    Attributes
    ----------
    tasks : tuple of str
        In the order of the table.
    n_items : tuple of int
        Size of each task's test set.
    best : tuple of float
        The accuracy to beat on each task.
    task : array of int
        The task of each claim.
    before, gain : array
        The accuracy that was to beat, and by how much it was beaten.
    unit : {'fraction', 'percent'}
        How the table writes accuracies.
    """

    tasks: tuple[str, ...]
    n_items: tuple[int, ...]
    best: tuple[float, ...]
    task: IntArray = field(repr=False)
    before: FloatArray = field(repr=False)
    gain: FloatArray = field(repr=False)
    unit: AccuracyUnit = "fraction"
    notes: tuple[str, ...] = ()

    @property
    def n_claims(self) -> int:
        """The number of claims."""
        return int(self.gain.size)

    @property
    def sizes(self) -> FloatArray:
        """The size of the test set behind each claim."""
        return np.array(self.n_items, dtype=np.float64)[self.task]


def claim_table(
    table: Table,
    columns: Mapping[str, str] | None = None,
    *,
    tasks: Table | None = None,
    n_items: int | None = None,
    best: Mapping[str, float] | None = None,
) -> AccuracyClaims:
    """Read claims of higher accuracy from a table.

    Each row has a task, the size n of its test set, and

    - ``baseline`` with ``accuracy`` or ``improvement``: a claim of more than the baseline; a row
      that lacks one of them makes no claim;
    - or ``accuracy`` alone: a leaderboard in the order of time, on which every system that beats
      all before it on its task makes a claim.

    ``best`` is the accuracy to beat next, by default the highest of the task. Accuracies are
    fractions where all are at most 1, percent where all are above 1.

    Parameters
    ----------
    tasks : Table, optional
        Where the sizes stand in a table of their own: task and n, one row each.
    n_items : int, optional
        One size for all tasks.
    best : mapping of task to accuracy, optional
        The accuracy to beat next, in the unit of the table, where the table does not say it.
    """
    chosen = choose_columns(table, columns)
    sized = tasks is not None or n_items is not None
    n = np.full(table.n_rows, np.nan) if sized else _items(table, chosen)
    problems = Problems(table.path)
    numbers: dict[str, FloatArray] = {
        role: number_column(table, chosen[role], problems)
        for role in ("baseline", "accuracy", "improvement", "best")
        if role in chosen
    }
    problems.stop()
    task = _tasks(table, chosen)
    if tasks is not None:
        sizes = _sizes_of(tasks, columns, task)
    elif n_items is not None:
        sizes = (n_items,) * len(task.levels)
    else:
        sizes = _sizes(table, chosen["n"], task, n)
    unit = _unit(table, chosen, numbers)
    scale = 0.01 if unit == "percent" else 1.0
    numbers = {role: scale * values for role, values in numbers.items()}
    rows, before, gain, notes = _claims(table, numbers, task)
    return AccuracyClaims(
        tasks=task.levels,
        n_items=sizes,
        best=_best(table, numbers, task, _known_best(best or {}, task, unit)),
        task=task.codes[rows],
        before=before,
        gain=gain,
        unit=unit,
        notes=(f"Accuracies were read as {'percent' if scale < 1.0 else 'fractions'}.", *notes),
    )


def _items(table: Table, chosen: Mapping[str, str]) -> FloatArray:
    """Return the column of sizes."""
    problems = Problems(table.path)
    found = number_column(
        table,
        require(table, chosen, "n", "how many items the test set of the task has"),
        problems,
        must="a whole number above 0, and at most 1e12",
        allowed=lambda values: (
            (values > 0.0) & (values == np.floor(values)) & (values <= MOST_ITEMS)
        ),
        remedy="It counts the items of the test set.",
    )
    problems.stop()
    return found


def _sizes_of(table: Table, columns: Mapping[str, str] | None, task: Factor) -> tuple[int, ...]:
    """Return the sizes of the tasks from a table of their own, which may hold more tasks."""
    known = {role: name for role, name in (columns or {}).items() if name in table.columns}
    chosen = choose_columns(table, known)
    name = require(table, chosen, "task", "the tasks whose sizes these are")
    n = _items(table, chosen)
    sizes = dict(
        zip((str(cell).strip() for cell in table.cells(name)), n.tolist(), strict=True)
    )
    absent = [level for level in task.levels if not sizes.get(level, math.nan) > 0]
    if absent:
        raise DataError(
            f"{table.subject}: there is no size of the task {absent[0]!r}. Found: "
            f"{listing(list(sizes), most=20)}."
        )
    return tuple(int(sizes[level]) for level in task.levels)


def _known_best(
    best: Mapping[str, float], task: Factor, unit: AccuracyUnit
) -> dict[int, float]:
    """Return the accuracies to beat that were given, as fractions, by the code of their task."""
    found = {}
    scale, most = (1.0, 1.0) if unit == "fraction" else (0.01, 100.0)
    for name, value in best.items():
        if name not in task.levels:
            raise InputError(
                f"`best` must name tasks of the table, {listing(list(task.levels), most=20)}; got "
                f"{name!r}."
            )
        if not 0.0 < value <= most or (unit == "percent" and value <= 1.0):
            raise InputError(
                f"`best` must be in the unit of the table ({unit}); got {value!r} for {name!r}."
            )
        found[task.levels.index(name)] = scale * value
    return found


def _tasks(table: Table, chosen: Mapping[str, str]) -> Factor:
    if "task" not in chosen:
        return Factor(
            name="task", levels=("all",), codes=np.zeros(table.n_rows, dtype=np.int64)
        )
    return factor("task", [str(cell).strip() for cell in table.cells(chosen["task"])])


def _sizes(table: Table, name: str, task: Factor, n: FloatArray) -> tuple[int, ...]:
    sizes = []
    for code, level in enumerate(task.levels):
        rows = np.flatnonzero(task.codes == code)
        known = np.unique(n[rows][~np.isnan(n[rows])])
        if known.size != 1:
            found = "none" if not known.size else ", ".join(f"{size:,.0f}" for size in known)
            raise DataError(
                f"{table.place(int(rows[0]), name)}: expected one n, the size of the test set, "
                f"for the task {level!r}; found {found}."
            )
        sizes.append(int(known[0]))
    return tuple(sizes)


def _unit(
    table: Table, chosen: Mapping[str, str], numbers: Mapping[str, FloatArray]
) -> AccuracyUnit:
    """Tell fractions from percent, and refuse a mixture."""
    roles = [role for role in ("baseline", "accuracy", "best") if role in numbers]
    if not roles:
        require(table, chosen, "baseline", "the accuracy that was to beat")
    highest = 0.0
    for role in roles:
        values = numbers[role]
        bad = np.flatnonzero((values < 0.0) | (values > 100.0))
        if bad.size:
            raise DataError(
                f"{table.place(int(bad[0]), chosen[role])}: expected an accuracy, a fraction from "
                f"0 to 1 or percent from 0 to 100, found {values[bad[0]]:g}."
            )
        highest = max(highest, float(np.nanmax(values, initial=0.0)))
    if highest <= 1.0:
        _refuse_beyond(table, chosen, numbers, 1.0, ": percent among fractions")
        return "fraction"
    _refuse_beyond(table, chosen, numbers, 100.0, "")
    for role in roles:
        values = numbers[role]
        small = np.flatnonzero((values > 0.0) & (values <= 1.0))
        if small.size:
            raise DataError(
                f"{table.place(int(small[0]), chosen[role])}: found {values[small[0]]:g} among "
                f"accuracies up to {highest:g}, fractions among percent. Write all as one of them."
            )
    return "percent"


def _refuse_beyond(
    table: Table,
    chosen: Mapping[str, str],
    numbers: Mapping[str, FloatArray],
    most: float,
    guess: str,
) -> None:
    """Refuse improvements that lead beyond all that is possible."""
    if "improvement" not in numbers or "baseline" not in numbers:
        return
    after = numbers["baseline"] + numbers["improvement"]
    bad = np.flatnonzero((after > most * (1.0 + 1e-9)) | (after < 0.0))
    if bad.size:
        raise DataError(
            f"{table.place(int(bad[0]), chosen['improvement'])}: an improvement of "
            f"{numbers['improvement'][bad[0]]:g} over {numbers['baseline'][bad[0]]:g} leaves the "
            f"range from 0 to {most:g}{guess}. Write all in one unit."
        )


def _claims(
    table: Table, numbers: Mapping[str, FloatArray], task: Factor
) -> tuple[IntArray, FloatArray, FloatArray, list[str]]:
    """Return the rows that make a claim, what was to beat, the gains, and notes."""
    before = numbers.get("baseline")
    if before is None:
        if "accuracy" not in numbers:
            return (
                np.zeros(0, np.int64),
                np.zeros(0),
                np.zeros(0),
                ["No improvement is claimed."],
            )
        return _running(numbers["accuracy"], task)
    if "improvement" in numbers:
        gain = numbers["improvement"]
    elif "accuracy" in numbers:
        gain = numbers["accuracy"] - before
    else:
        gain = np.full(before.shape, np.nan)
    rows = np.flatnonzero(~np.isnan(before) & ~np.isnan(gain))
    silent = table.n_rows - rows.size
    notes = [f"{count(silent, 'row')} without a claimed improvement."] if silent else []
    return rows, before[rows], gain[rows], notes


def _running(
    accuracy: FloatArray, task: Factor
) -> tuple[IntArray, FloatArray, FloatArray, list[str]]:
    """Return the systems of a leaderboard that beat all before them."""
    best: dict[int, float] = {}
    rows, before = [], []
    for row, (code, value) in enumerate(
        zip(task.codes.tolist(), accuracy.tolist(), strict=True)
    ):
        if value != value:
            continue
        if code in best and value > best[code]:
            rows.append(row)
            before.append(best[code])
        best[code] = max(value, best.get(code, value))
    chosen, old = np.array(rows, dtype=np.int64), np.array(before, dtype=np.float64)
    note = (
        f"No column says what was to beat: {count(len(rows), 'system')} better than all before on "
        "the task, in the order of the table, count as claims."
    )
    return chosen, old, accuracy[chosen] - old, [note]


def _best(
    table: Table, numbers: Mapping[str, FloatArray], task: Factor, given: Mapping[int, float]
) -> tuple[float, ...]:
    """Return the accuracy to beat next on each task: as said, or the highest there is."""
    if "best" in numbers:
        candidates = [numbers["best"]]
    else:
        candidates = [numbers[role] for role in ("baseline", "accuracy") if role in numbers]
        if {"baseline", "improvement"} <= numbers.keys():
            candidates.append(numbers["baseline"] + numbers["improvement"])
    highest = np.fmax.reduce(candidates)
    found = []
    for code, level in enumerate(task.levels):
        if code in given:
            found.append(given[code])
            continue
        own = highest[task.codes == code]
        own = own[~np.isnan(own)]
        if not own.size:
            raise DataError(f"{table.subject}: the task {level!r} has no accuracy.")
        found.append(float(own.max()))
    return tuple(found)
