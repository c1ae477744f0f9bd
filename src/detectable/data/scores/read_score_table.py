"""A table of scores, wide or long, into scores."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from detectable.core import check
from detectable.core.check import LARGEST_SCORE
from detectable.core.choices import Repeats, ScoreRole
from detectable.core.errors import DataError
from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.factor import Factor, factor_of_texts
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import is_score_cell, parse_score
from detectable.data.files.place import is_missing, missing_names
from detectable.data.files.table import (
    CAMPAIGN,
    LANGUAGE,
    ORIGINAL_LANGUAGE,
    PARTS,
    SAMPLING_WEIGHT,
    Table,
    TableSource,
    check_roles,
    chosen_language,
    find_column,
    one_language,
    pair_of,
    read_table,
    several_languages,
)
from detectable.data.names import Runs, are_files, file_stem, system_files
from detectable.data.reader import LAST, ScoredBy, ScoreReader
from detectable.data.scores.cells import Cell, CellColumns, assemble
from detectable.data.scores.direction import is_spent, name_from_files
from detectable.data.scores.sample_log import choose
from detectable.data.scores.score_folder import first_lines
from detectable.data.scores.scores import Scores
from detectable.data.scores.task_metrics import TaskMetrics, metric_of_tasks
from detectable.data.texts.text_table import group_runs

T = TypeVar("T")
Layout: TypeAlias = Literal["auto", "wide", "long"]

_INDEX = ("item", "item_id", "id", "line", "segment_id", "segment", "seg_id", "seg", "sid", "",
          "unnamed: 0", "question", "question_id", "prompt_id", "sample_id")  # fmt: skip
# What a column of scores may be called: the plain names say no metric, the others say right or wrong.
_NUMBERS = re.compile(r"(?:-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?:\n|\Z))+")
_PLAIN = ("score", "value", "overall")
_ANSWERS = ("correct", "passed", "success")
ROLES: Mapping[ScoreRole, Sequence[str]] = {
    "system": ("system", "system_name", "system_id", "sys", "model"),
    "item": _INDEX,
    "score": (*_PLAIN, *_ANSWERS),
    "document": ("document", "document_id", "doc", "doc_id", "docid", "cluster", "passage"),
    "task": ("task", "task_name"),
    "run": ("run", "seed", "replicate"),
    "sample": ("sample", "epoch"),
    "metric": ("metric", "metric_name"),
    "slice": (),  # no name tells it
    "original_language": ORIGINAL_LANGUAGE,
}
# Columns that a wide table may carry besides its scores; none of them is a system.
_OTHER = frozenset(("domain", "genre", *ORIGINAL_LANGUAGE, "src", "source", "ref", "reference", *LANGUAGE, *PARTS,
                    *CAMPAIGN))  # fmt: skip
_LOOKED_AT = 100  # cells of a column that tell whether it holds scores
_HINT = (
    " If it is no system, leave the column out; if every row holds one score, name its column: "
    "--column score=NAME, columns={'score': 'NAME'}."
)


def read_score_table(
    source: TableSource | Mapping[str, Runs],
    *,
    layout: Layout = "auto",
    metric: str | None = None,
    systems: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    language_pair: str | None = None,
    quoted: bool | None = None,
    tasks: Sequence[str] | None = None,
) -> Scores:
    """Read scores from a CSV, TSV, JSON-lines or Parquet table.

    A *wide* table has one row per item and one column per system, with columns ``NAME#1``,
    ``NAME#2`` for runs. A *long* table has one row per score, with columns ``system``,
    ``item``, ``score`` and perhaps ``document``, ``task``, ``run`` or ``sample``, ``metric``. The
    header tells which: long if it has a system and a score. With a system and no ``score`` every
    other column of numbers is a metric; with a score (or ``correct``, ``passed``, ``success``) and
    no system the table is one system, named after its file. Without an item column the rows of a
    wide table or of one system are numbered. An empty cell, null, NaN, NA and None are missing scores; they become
    NaN and are counted in the notes, as is an item that a long table lacks for some system.
    Several language pairs are tasks of a long table.

    Parameters
    ----------
    source : path, data frame, or mapping
        The table, in a file or in memory (a mapping of its columns, or a frame); or a mapping with
        a table of its own for every system, a file with columns ``item`` and ``score`` (several
        files of one system are its runs).
    layout : {'auto', 'wide', 'long'}
        How the table is laid out.
    metric : str, optional
        In a long table with a ``metric`` column, which metric to take; of several columns of
        scores, which one; elsewhere the name of what the numbers measure.
    systems : sequence of str, optional
        Which systems to take, in this order.
    columns : mapping of str to str, optional
        Which column is the ``system``, ``item``, ``score``, ``document``, ``task``, ``run``,
        ``sample``, ``metric`` or ``slice``, where the header does not tell.
    language_pair : str, optional
        Which one, in a table that has a column of the language pair and holds several.
    quoted : bool, optional
        As in `read_table`.
    tasks : sequence of str, optional
        Which tasks to take.
    """
    check.one_of(layout, ("auto", "wide", "long"), "layout")
    chosen = dict(columns or {})
    check_roles(chosen, ROLES)
    if are_files(source):
        return _read_each(source, layout, metric, systems, chosen, language_pair, quoted=quoted)
    table, left_out = chosen_language(read_table(source, quoted=quoted), language_pair)
    if weights := table.find(SAMPLING_WEIGHT):
        raise DataError(
            f"{table.subject}, column {weights[0]!r}: its items were drawn with unequal probabilities, "
            "and a comparison of scores knows no sampling weights. Use `rank`, or `control-variates` "
            "with a metric."
        )
    roles = _roles(table, chosen)
    if layout == "auto":
        layout = _layout(table, roles)
    pair = pair_of(table, language_pair)
    if layout == "long":
        if tasks is not None:
            table = _of_tasks(table, roles, tasks)
        roles = _with_score(table, roles, metric, several=roles["system"] is not None)
        of_tasks = None if metric is not None else _metric_of_each_task(table, roles)
        if of_tasks is not None:
            return assemble(
                _long_columns(table, roles, range(table.n_rows)),
                metric=of_tasks.name,
                systems=systems,
                notes=(*left_out, *of_tasks.notes),
                lower_is_better=of_tasks.lower_is_better,
                repeats=_repeats(roles),
            )
        name, rows, notes = _choose_metric(table, roles, metric)
        found = assemble(
            _long_columns(table, roles, rows),
            metric=name,
            systems=systems,
            notes=(*left_out, *notes),
            repeats=_repeats(roles),
        )
        return replace(found, language_pair=pair)
    one_language(table, None)  # a wide table has no place for tasks
    _refuse_long_roles(table, chosen)
    if tasks is not None:
        raise DataError(f"{table.subject}: a wide table has no tasks to choose from.")
    runs, notes = _wide_systems(table, roles, systems)
    cells = list(_wide_cells(table, roles, runs))
    metric = metric or name_from_files([table.path])
    found = assemble(cells, metric=metric, notes=(*left_out, *notes))
    return replace(found, language_pair=pair)


def _read_each(
    files: Mapping[str, Runs],
    layout: str,
    metric: str | None,
    systems: Sequence[str] | None,
    chosen: Mapping[str, str],
    language_pair: str | None,
    *,
    quoted: bool | None,
) -> Scores:
    """Read one long table per system and run."""
    if layout == "wide":
        raise DataError(
            "a table per system cannot be wide: it holds one system. Give layout='long', or "
            "the path of one wide table."
        )
    cells: list[Cell] = []
    names: dict[str | None, None] = {}
    said: dict[str | None, None] = {}  # language pairs
    notes: list[str] = []
    repeats: Repeats = "runs"
    for system, paths in system_files(files).items():
        for number, path in enumerate(paths, start=1):
            table, left_out = chosen_language(read_table(path, quoted=quoted), language_pair)
            own = {**_roles(table, chosen), "system": None}
            roles = _with_score(table, own, metric, several=True)
            name, rows, more = _choose_metric(table, roles, metric)
            names[name] = None
            said[pair_of(table, language_pair)] = None
            notes += [*left_out, *more]
            if _repeats(roles) == "samples":
                repeats = "samples"
                if len(paths) > 1:
                    raise DataError(
                        f"{path}: column {roles['sample']!r} holds samples, and {system!r} has "
                        f"{len(paths)} tables, which are runs. Compare samples of one run."
                    )
            run = str(number) if len(paths) > 1 else None
            cells += _long_columns(table, roles, rows, system=system, run=run).cells()
    if len(names) > 1:
        raise DataError(
            f"the tables hold different metrics: {listing([name or 'no name' for name in names])}."
        )
    found = assemble(
        cells, metric=next(iter(names)), systems=systems, notes=notes, repeats=repeats
    )
    return replace(found, language_pair=next(iter(said)) if len(said) == 1 else None)


def _roles(table: Table, chosen: Mapping[str, str]) -> dict[str, str | None]:
    return {role: find_column(table, role, names, chosen) for role, names in ROLES.items()}


def _layout(table: Table, roles: Mapping[str, str | None]) -> Layout:
    """Return how a table is laid out, as its header tells, and its cells where that does not."""
    score = roles["score"]
    if roles["system"]:
        return "long" if score or _score_columns(table, roles) else "wide"
    if score is None:
        return "wide"
    # “score” may be a system among others; “correct” says what its column holds.
    says = score.strip().casefold() in _ANSWERS
    return "long" if says or not _score_columns(table, roles) else "wide"


def _score_columns(table: Table, roles: Mapping[str, str | None]) -> list[str]:
    """Return the columns of numbers, or of true and false, that have no other role."""
    aside = set(roles.values())
    index = {*ROLES["item"], *ROLES["document"], *_OTHER}
    return [
        column
        for column in table.columns
        if column not in aside
        and column.strip().casefold() not in index
        and _holds_scores(table.cells(column))
    ]


def _holds_scores(cells: Sequence[object]) -> bool:
    known = [cell for cell in cells[:_LOOKED_AT] if not is_missing(cell)]
    return bool(known) and all(is_score_cell(cell) for cell in known)


def _with_score(
    table: Table, roles: dict[str, str | None], metric: str | None, *, several: bool
) -> dict[str, str | None]:
    """Return the roles with the column of the scores: as the metric names it, or the only one.

    `several` says that there may be a column per metric.
    """
    if roles["metric"] is not None or (metric is None and roles["score"] is not None):
        return roles
    others = _score_columns(table, roles)
    if metric in others:
        return {**roles, "score": metric}
    if roles["score"] is not None or not others or not several:
        return roles
    return {**roles, "score": choose(table.subject, "metric", others, metric)}


def proposed_columns(table: Table) -> dict[str, str]:
    """Return which column could be the system, the item and the score, where no name tells it.

    Nothing, unless the cells leave one way to read them: a column of numbers, a column of few names
    that come again, and one that names every row of a system once.

    Examples
    --------
    >>> proposed_columns(Table(path="", columns={"who": ["A", "A", "B", "B"],
    ...     "prompt": ["1", "2", "1", "2"], "hit": ["1", "0", "1", "1"]}))
    {'system': 'who', 'item': 'prompt', 'score': 'hit'}
    """
    cells = {name: [str(cell) for cell in table.cells(name)] for name in table.columns}
    kinds = {name: len(set(values)) for name, values in cells.items()}
    names = [
        name
        for name in cells
        if 1 < kinds[name] <= table.n_rows // 2 and not _holds_scores(table.cells(name))
    ]
    for system in sorted(names, key=kinds.__getitem__):
        for item in cells:
            pairs = set(zip(cells[system], cells[item], strict=True))
            if item == system or len(pairs) < table.n_rows or kinds[item] < 2:
                continue
            scores = [
                name
                for name in cells
                if name not in (system, item) and _holds_scores(table.cells(name))
            ]
            if scores:
                best = min(scores, key=lambda name: (kinds[name] > 2, list(cells).index(name)))
                return {"system": system, "item": item, "score": best}
    return {}


def column_words(columns: Mapping[str, str]) -> str:
    """Return choices of columns as they are typed."""
    return " ".join(f"--column {role}={shlex.quote(name)}" for role, name in columns.items())


def _of_tasks(table: Table, roles: Mapping[str, str | None], tasks: Sequence[str]) -> Table:
    named = _tasks(table, roles, range(table.n_rows)) or ()
    wanted = set(tasks)
    rows = [row for row, task in enumerate(named) if task in wanted]
    if not rows:
        raise DataError(f"{table.subject}: there is no task {listing(list(tasks))}.")
    return table if len(rows) == table.n_rows else table.take(rows)


def scored_by(
    source: TableSource | Mapping[str, Runs],
    *,
    columns: Mapping[str, str] | None = None,
    language_pair: str | None = None,
    quoted: bool | None = None,
    **_: Any,
) -> dict[str, ScoredBy]:
    """Return what scores each task of a long table; nothing where nothing names it."""
    found: dict[str, ScoredBy] = {}
    several = are_files(source)
    files: list[Any] = (
        [path for paths in system_files(source).values() for path in paths]
        if are_files(source)
        else [source]
    )
    for file in files:
        table, _notes = chosen_language(read_table(file, quoted=quoted), language_pair)
        roles = _roles(table, dict(columns or {}))
        if not several and _layout(table, roles) != "long":
            return {}
        for task, by in _scored_by(table, roles).items():
            known = found.get(task, ScoredBy(()))
            found[task] = ScoredBy(
                tuple(dict.fromkeys((*known.metrics, *by.metrics))),
                tuple(dict.fromkeys((*known.measures, *by.measures))),
            )
    return found


def _scored_by(table: Table, roles: Mapping[str, str | None]) -> dict[str, ScoredBy]:
    tasks = _tasks(table, roles, range(table.n_rows)) or [""] * table.n_rows
    column, score = roles["metric"], roles["score"]
    if column is not None:
        of: dict[str, dict[str, None]] = {}
        for task, metric in zip(tasks, table.cells(column), strict=True):
            of.setdefault(task, {})[str(metric)] = None
        return {task: ScoredBy(tuple(metrics)) for task, metrics in of.items()}
    others = _score_columns(table, roles)
    spent = tuple(name for name in others if is_spent(name))
    if score is None:
        return dict.fromkeys(
            tasks, ScoredBy(tuple(name for name in others if name not in spent), spent)
        )
    plain = score.strip().casefold() in _PLAIN and not others
    return dict.fromkeys(tasks, ScoredBy(() if plain else (score,), tuple(others)))


def _repeats(roles: Mapping[str, str | None]) -> Repeats:
    return "runs" if roles["sample"] is None else "samples"


def _refuse_long_roles(table: Table, chosen: Mapping[str, str]) -> None:
    for role in ("system", "score", "task", "run", "sample", "metric"):
        if role in chosen:
            raise DataError(
                f"{table.subject}: a wide table has no {role} column, and columns chooses one. "
                "Choose system and score for a long table, or neither."
            )


def _metric_of_each_task(table: Table, roles: Mapping[str, str | None]) -> TaskMetrics | None:
    """Return the metrics of tasks that have one each; None where there is a metric to choose."""
    column, score = roles["metric"], roles["score"]
    if column is None or score is None:
        return None
    rows = range(table.n_rows)
    tasks, values = _tasks(table, roles, rows), [str(one) for one in table.cells(column)]
    if tasks is None or len(set(values)) == 1:
        return None
    parts: dict[tuple[str, str], list[float]] = {}
    numbers = _scores(table.cells(score), _lines(table), table, score)
    for task, name, number in zip(tasks, values, numbers, strict=True):
        parts.setdefault((task, name), []).append(number)
    if len(parts) > len(set(tasks)):
        return None
    return metric_of_tasks((*part, scores) for part, scores in parts.items())


def _choose_metric(
    table: Table, roles: Mapping[str, str | None], metric: str | None
) -> tuple[str | None, Sequence[int], tuple[str, ...]]:
    """Return the name of the metric, its rows, and a note on the rows of other metrics.

    Without a column of metrics, the column of scores names them, unless it is called “score”.
    """
    column, score = roles["metric"], roles["score"]
    if column is None:
        plain = score is None or score.strip().casefold() in _PLAIN
        name = metric or (name_from_files([table.path]) if plain else score)
        return name, range(table.n_rows), ()
    values = [str(value) for value in table.cells(column)]
    found = list(dict.fromkeys(values))
    if metric is None and len(found) > 1:
        raise DataError(
            f"{table.subject}: column {column!r} holds {count(len(found), 'metric')}: "
            f"{listing(found, most=20)}. Choose one with metric='{found[0]}'."
        )
    name = found[0] if metric is None else metric
    rows = [row for row, value in enumerate(values) if value == name]
    if not rows:
        raise DataError(
            f"{table.subject}: column {column!r} holds no metric {name!r}. "
            f"Found: {listing(found, most=20)}."
        )
    rest = table.n_rows - len(rows)
    note = f"{table.subject}: {count(rest, 'row')} of other metrics left out."
    return name, rows, (note,) if rest else ()


def _long_columns(
    table: Table,
    roles: Mapping[str, str | None],
    rows: Sequence[int],
    *,
    system: str | None = None,
    run: str | None = None,
) -> CellColumns:
    score = _required(table, roles, "score")
    named = None if system is not None else roles["system"]
    if system is None and named is None:
        system = file_stem(table.path) or "system"
    labelled = None if run is not None else _repeat_column(table, roles)
    document, kind = roles["document"], roles["slice"]
    values, lines = _taken(table.cells(score), rows), _taken(_lines(table), rows)

    def factor(role: str, column: str | None, only: str = "") -> Factor:
        if column is None:
            return Factor(name=role, levels=(only,), codes=np.zeros(len(rows), dtype=np.int64))
        return factor_of_texts(role, _names(table, column, rows))

    of_systems = factor("system", named, str(system))
    of_runs = factor("run", labelled, run or "1")
    of_items = _items(table, roles, rows, alone=roles["system"] is None)
    scores = _scores(values, lines, table, score)
    of_documents = None if document is None else factor("document", document)
    tasks = _tasks(table, roles, rows)
    return CellColumns(
        system=of_systems,
        run=of_runs,
        item=of_items,
        score=np.array(scores, dtype=np.float64),
        path=[table.path] * len(rows),
        line=lines,
        document=of_documents,
        task=None if tasks is None else factor_of_texts("task", tasks),
        slice=None if kind is None else factor("slice", kind),
        original_language=_written(table, roles, rows),
    )


def _items(
    table: Table, roles: Mapping[str, str | None], rows: Sequence[int], *, alone: bool
) -> Factor:
    """Return the items of rows; those of one system without names are numbered."""
    if alone and roles["item"] is None and roles["run"] is None and roles["sample"] is None:
        return factor_of_texts("item", [str(row + 1) for row in rows])
    return factor_of_texts("item", _names(table, _required(table, roles, "item"), rows))


def _scores(
    values: Sequence[object], lines: Sequence[int], table: Table, column: str
) -> Sequence[float] | FloatArray:
    """Return the numbers of cells; equal texts, as of right and wrong answers, are read once."""
    if _are_numbers(values):  # all at once
        plain = np.array(values, dtype=np.float64)
        if not (np.abs(plain) > LARGEST_SCORE).any():
            return plain
    known: dict[str, float] = {}
    found = []
    for row, value in enumerate(values):
        number = known.get(value) if type(value) is str else None
        if number is None:
            number = parse_score(value, table.path, lines[row], column)
            if type(value) is str:
                known[value] = number
        found.append(number)
    return found


def _are_numbers(values: Sequence[object]) -> bool:
    """Return whether all cells are numbers, or texts that nobody could read in another way."""
    kinds = set(map(type, values))
    if kinds != {str}:
        return kinds == {float}
    text = "\n".join(values)  # type: ignore[arg-type]  # all are texts
    return text.count("\n") == len(values) - 1 and _NUMBERS.fullmatch(text) is not None


def _repeat_column(table: Table, roles: Mapping[str, str | None]) -> str | None:
    """Return the column of the runs or of the samples; there cannot be both."""
    run, sample = roles["run"], roles["sample"]
    if run is not None and sample is not None:
        several = [len(set(map(str, table.cells(column)))) > 1 for column in (run, sample)]
        if all(several):
            raise DataError(
                f"{table.subject}: column {run!r} holds runs, column {sample!r} samples of an item. "
                "Give a table of one run, or average the samples of each."
            )
        return sample if several[1] else run
    return run or sample


def _tasks(
    table: Table, roles: Mapping[str, str | None], rows: Sequence[int]
) -> Sequence[str] | None:
    """Return the task of every row: column “task”, and the language pair where there are several."""
    columns = [several_languages(table), roles["task"]]
    found = [_names(table, column, rows) for column in columns if column is not None]
    if len(found) < 2:
        return found[0] if found else None
    return [":".join(parts) for parts in zip(*found, strict=True)]


def _written(
    table: Table, roles: Mapping[str, str | None], rows: Sequence[int]
) -> list[str | None] | None:
    """Return in which language every row was first written; None in a cell that does not say."""
    column = roles["original_language"]
    if column is None:
        return None
    values = _taken(table.cells(column), rows)
    return [None if is_missing(value) else str(value).strip() for value in values]


def _required(table: Table, roles: Mapping[str, str | None], role: str) -> str:
    column = roles[role]
    if column is None:
        raise DataError(
            f"{table.subject}: a long table needs a column for the {role}. Name it {role!r}, or "
            f"choose it with --column {role}=…, columns={{'{role}': …}}. "
            f"Found: {listing(list(table.columns), most=20)}."
        )
    return column


def _names(table: Table, column: str, rows: Sequence[int]) -> Sequence[str]:
    values: Sequence[Any] = _taken(table.cells(column), rows)
    plain = set(map(type, values)) == {str}
    names: Sequence[str] = values if plain else [str(value) for value in values]
    missing = missing_names(names)
    if missing:
        first = values[missing[0]]
        found = str(first).strip()
        said = f" ({found!r} means missing)" if found and first is not None else ""
        raise DataError(
            f"{table.place(rows[missing[0]], column)}: the cell is empty{said}. Fill it in."
        )
    return names


def _taken(values: Sequence[T], rows: Sequence[int]) -> Sequence[T]:
    """Return some rows of a column; all of them cost nothing."""
    return values if len(rows) == len(values) else [values[row] for row in rows]


def _lines(table: Table) -> Sequence[int]:
    return range(table.n_rows) if table.lines is None else table.lines


def _wide_systems(
    table: Table, roles: Mapping[str, str | None], systems: Sequence[str] | None
) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    aside = {roles[role] for role in ("item", "document", "slice", "original_language")}
    index = {*ROLES["item"], *ROLES["document"], *_OTHER}
    columns = [
        column
        for column in table.columns
        if column not in aside and column.strip().casefold() not in index
    ]
    found = group_runs(table, columns)
    for name in systems or ():
        if name not in found:
            raise DataError(
                f"{table.subject}: there is no system {name!r}. Found: {listing(list(found))}."
            )
    if not found:
        raise DataError(
            f"{table.subject}: there is no column with scores. A wide table has one column per "
            f"system, a long one 'system', 'item' and 'score'. Found: {listing(list(table.columns))}."
        )
    kept = found if systems is None else {name: found[name] for name in systems}
    used = {column for runs in kept.values() for column in runs} | aside
    rest = [column for column in table.columns if column not in used]
    note = f"{table.subject}: {count(len(rest), 'column')} not used: {listing(rest, most=20)}."
    return kept, (note,) if rest else ()


def _wide_cells(
    table: Table, roles: Mapping[str, str | None], systems: Mapping[str, Sequence[str]]
) -> Iterator[Cell]:
    rows = range(table.n_rows)
    item, document, kind = roles["item"], roles["document"], roles["slice"]
    items = [str(row + 1) for row in rows] if item is None else _names(table, item, rows)
    documents = None if document is None else _names(table, document, rows)
    kinds = None if kind is None else _names(table, kind, rows)
    written = _written(table, roles, rows)
    lines = _lines(table)
    for system, runs in systems.items():
        for run, column in enumerate(runs, start=1):
            yield from map(
                Cell,
                repeat(system),
                repeat(str(run)),
                items,
                _wide_scores(table, column, lines),
                repeat(table.path),
                lines,
                repeat(None) if documents is None else documents,
                repeat(None),
                repeat(None),
                repeat(None) if kinds is None else kinds,
                repeat(None) if written is None else written,
            )


def _wide_scores(table: Table, column: str, lines: Sequence[int]) -> list[float]:
    """Return the scores of a system; where its column holds none, say what it may be instead."""
    try:
        return [
            parse_score(value, table.path, line, column)
            for value, line in zip(table.cells(column), lines, strict=True)
        ]
    except DataError as error:
        columns = proposed_columns(table)
        hint = f" If every row holds one score: {column_words(columns)}." if columns else _HINT
        raise DataError(f"{error}{hint}") from error


# --- Scores from a table with named columns, wide or long ---


def recognise(content: FileContent) -> bool:
    """Take Parquet, objects with names, and text whose header has a delimiter."""
    if content.is_parquet or content.first_object:
        return True
    lines = first_lines(content)
    return bool(lines) and any(delimiter in lines[0] for delimiter in ",;\t")


SCORES = ScoreReader(
    name="table",
    about="CSV, TSV, JSON lines or Parquet with a header, wide or long",
    recognise=recognise,
    read=read_score_table,
    order=LAST,
    takes=("columns", "language_pair", "layout", "quoted", "tasks"),
    scored_by=scored_by,
)
