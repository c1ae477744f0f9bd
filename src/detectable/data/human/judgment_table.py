"""Judgments from a table with named columns, or gathered row by row."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from detectable.core.check import LARGEST_SCORE
from detectable.core.choices import Repeated
from detectable.core.errors import DataError, InputError
from detectable.core.wording import count, listing, plain_digits
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import number_in
from detectable.data.files.place import is_missing
from detectable.data.files.table import (
    LANGUAGE,
    SAMPLING_WEIGHT,
    Table,
    TableSource,
    read_table,
    with_language,
)
from detectable.data.human.columns import unmarked
from detectable.data.human.judgments import REQUIRED, ROLES, Judgments
from detectable.data.human.scale import UNBOUNDED
from detectable.data.reader import LAST, JudgmentReader
from detectable.data.scores.direction import direction_of_name

SCALE_COLUMNS = ("scale_low", "scale_high")  # of files that we wrote

# Usual names of columns, the first that is present is taken. Raw scores come before z-scores.
USUAL_NAMES: Mapping[str, Sequence[str]] = {
    "system": ("system", "system_id", "sys_id", "sys", "model", "engine"),
    "item": (
        *("item", "item_id", "itemid", "segment", "segment_id", "segmentid", "seg_id"),
        *("line_id", "sid", "seg", "line"),
    ),
    "score": ("score", "raw", "raw_score", "rating", "judgment", "judgement", "esa_score", "z"),
    "rater": (
        *("rater", "annotator", "worker", "user", "user_id", "username", "rater_id"),
        *("annotator_id", "worker_id", "workerid", "judge"),
    ),
    "document": ("document", "doc", "doc_id", "docid", "document_id"),
    "domain": ("domain", "domain_name"),
    "wave": ("wave", "round"),
    "task": ("task", "hit", "hit_id", "hitid", "batch", "task_id"),
    "language": LANGUAGE,
    "original_language": ("original_language", "origlang", "orig_lang"),
    "campaign": ("campaign", "campaign_id", "set_id"),
    "kind": ("kind", "type", "item_type", "itemtype"),
    "seconds": ("seconds", "time", "duration", "lead_time"),
    "sampling_weight": SAMPLING_WEIGHT,
}
_INVERTED = SAMPLING_WEIGHT[1]  # a weight is one over it
_NUMBERS = ("score", "seconds", "sampling_weight")


def choose_columns(
    table: Table, columns: Mapping[str, str] | None
) -> tuple[dict[str, str], list[str]]:
    """Return the column of each role, and a note where several could have been meant.

    Parameters
    ----------
    table : Table
        The table.
    columns : mapping of role to column, optional
        Which column is what, where names are unusual; others are found by `USUAL_NAMES`.
    """
    chosen = dict(columns or {})
    for role, name in chosen.items():
        if role not in ROLES:
            raise InputError(f"`columns` must choose {', '.join(ROLES)}; got {role!r}.")
        if name not in table.columns:
            raise table.missing(f"the {role} called {name!r}")
    notes = []
    for role, names in USUAL_NAMES.items():
        found = [name for name in table.find(names) if name not in chosen.values()]
        if role in chosen or not found:
            continue
        chosen[role] = found[0]
        others = [name for name in found[1:] if role != "score" or name.casefold() != "z"]
        if others:
            notes.append(
                f"Column {found[0]!r} was taken for the {role}, not {listing(others)}; "
                f"choose with {role}=name."
            )
    missing = [role for role in REQUIRED if role not in chosen]
    if missing:
        error = table.missing(f"the {' and the '.join(missing)}")
        names = f"Name it: --column {missing[0]}=NAME, columns={{'{missing[0]}': 'NAME'}}."
        raise type(error)(f"{error} {names}")
    return chosen, notes


def build_judgments(
    table: Table,
    chosen: Mapping[str, str],
    *,
    scale: tuple[float, float] | None,
    repeated: Repeated,
    notes: Sequence[str] = (),
) -> Judgments:
    """Return the checked table of the chosen columns."""
    if scale is None:
        scale = scale_in(table) or (UNBOUNDED if chosen["score"].casefold() == "z" else None)
    columns = {role: table.columns[name] for role, name in chosen.items()}
    for role, values in columns.items():
        columns[role] = number_cells(values) if role in _NUMBERS else name_cells(values)
    if chosen.get("sampling_weight", "").casefold() == _INVERTED:
        columns["sampling_weight"] = inverted(columns["sampling_weight"])
    return Judgments.build(
        columns,
        scale=None if scale is None else check_scale(scale),
        repeated=repeated,
        path=table.path,
        lines=table.lines,
        notes=notes,
        headers=chosen,
    )


def check_scale(scale: tuple[float, float]) -> tuple[float, float]:
    """Return a scale whose lowest score lies below its highest."""
    low, high = (float(end) for end in scale)
    if not low < high or any(LARGEST_SCORE < abs(end) < math.inf for end in (low, high)):
        raise InputError(
            f"`scale` must be (lowest, highest), within ±{LARGEST_SCORE:g} or without a bound; got "
            f"{(low, high)}."
        )
    return low, high


def scale_in(table: Table) -> tuple[float, float] | None:
    """Return the scale that the table holds, if it does; an empty cell is no bound."""
    if not set(SCALE_COLUMNS) <= set(table.columns):
        return None
    ends = []
    for name, none in zip(SCALE_COLUMNS, UNBOUNDED, strict=True):
        values = {str(value) for value in set(table.columns[name])}
        try:
            found = {
                none if is_missing(value) else float(plain_digits(value)) for value in values
            }
        except ValueError:
            found = set()
        if len(found) != 1:
            raise DataError(
                f"{table.place(0, name)}: all rows must have one number, or nothing where "
                f"there is no bound; found {listing(sorted(values))}."
            )
        ends.append(found.pop())
    return ends[0], ends[1]


def number_cells(values: Any) -> Any:
    """Return a column of numbers written as text as numbers, if all of them are."""
    if isinstance(values, list):
        return values
    import polars as pl

    if not isinstance(values, pl.Series) or values.dtype.is_numeric():
        return values
    if values.dtype == pl.Boolean:  # all of them, by their type: 1 and 0
        return values.cast(pl.Float64)
    if values.dtype != pl.String:
        return values.to_list()
    cast = values.str.strip_chars().cast(pl.Float64, strict=False)
    # What is not a number is quoted as it stands.
    return values.to_list() if cast.null_count() or cast.is_nan().any() else cast


def inverted(values: Any) -> list[Any]:
    """Return one over each probability; what is none between 0 and 1 stays, and is refused.

    Examples
    --------
    >>> inverted([0.5, "0.25", 0, 1.5])
    [2.0, 4.0, 0, 'probability 1.5']
    """
    found = []
    for value in values:
        number = number_in(value)
        fine = number is not None and 0.0 < number <= 1.0
        found.append(1.0 / number if fine and number is not None else _refused(value))
    return found


def _refused(value: Any) -> Any:
    """Return a probability above 1 as words, which are no weight; all else as it stands."""
    return f"probability {value}" if (number_in(value) or 0.0) > 1.0 else value


def name_cells(values: Any) -> Any:
    """Return a column of names; whole numbers that a missing value made floats lose the point."""
    if isinstance(values, list):
        return values
    import polars as pl

    if isinstance(values, np.ndarray) and values.dtype.kind in "fbU":
        values = pl.Series(values, nan_to_null=True)
    if isinstance(values, pl.Series) and values.dtype.is_float():
        known = values.drop_nulls()
        if known.is_finite().all() and (known == known.floor()).all():
            return values.cast(pl.Int64, strict=False)
        return values.cast(pl.String)
    if isinstance(values, pl.Series) and (
        values.dtype.is_nested() or values.dtype == pl.Object
    ):
        return values.to_list()
    return values


# --- Judgments gathered one by one, with a count of what is left out and why ---

PENALTY_SCALE = (UNBOUNDED[0], 0.0)  # of MQM: no error is 0, and there is no worst


@dataclass(slots=True)
class JudgmentRows:
    """The rows of a file so far.

    Examples
    --------
    >>> rows = JudgmentRows("log.jsonl")
    >>> rows.add(1, system="A", item="1", score=70)
    >>> rows.leave_out("items of a tutorial", 3)
    >>> rows.build(None, "mark").notes
    ('3 judgments left out: items of a tutorial.',)
    """

    path: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    left_out: "Counter[str]" = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def add(self, line: int, **roles: Any) -> None:
        """Add one judgment, which stands in the given line."""
        self.rows.append(roles)
        self.lines.append(line)

    def leave_out(self, reason: str, n: int = 1) -> None:
        """Count judgments that are left out."""
        self.left_out[reason] += n

    def drop_copies(self) -> None:
        """Leave out rows that are the same in all they say, times included."""
        seen: set[tuple[Any, ...]] = set()
        kept = []
        for index, row in enumerate(self.rows):
            key = tuple(str(row.get(role)) for role in ROLES)
            if key not in seen:
                kept.append(index)
                seen.add(key)
        if len(kept) < len(self.rows):
            self.leave_out("exact copies of another row", len(self.rows) - len(kept))
            self.rows = [self.rows[index] for index in kept]
            self.lines = [self.lines[index] for index in kept]

    def build(
        self,
        scale: tuple[float, float] | None,
        repeated: Repeated,
        *,
        usual_scale: tuple[float, float] | None = None,
    ) -> Judgments:
        """Return the checked table; roles that no row knows are absent."""
        dropped = [
            f"{count(n, 'judgment')} left out: {reason}." for reason, n in self.left_out.items()
        ]
        if not self.rows:
            why = f" {' '.join(dropped)}" if dropped else ""
            raise DataError(f"{self.path}: there is no judgment in the file.{why}")
        known = [r for r in ROLES if any(row.get(r) is not None for row in self.rows)]
        for role in ("system", "item", "score"):
            if role not in known:
                raise DataError(f"{self.path}: no judgment says its {role}.")
        return Judgments.build(
            {role: [row.get(role) for row in self.rows] for role in known},
            scale=usual_scale if scale is None else check_scale(scale),
            repeated=repeated,
            path=self.path,
            lines=self.lines,
            notes=[*dropped, *self.notes],
        )


# --- Judgments from a table with named columns ---

TASK_SHEET = frozenset(("position", "block", "of_position"))  # what `make_tasks` writes


def recognise(content: FileContent) -> bool:
    """Take every file: the reader says what it misses."""
    return not content.is_folder


def read(
    source: TableSource,
    *,
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "refuse",
) -> Judgments:
    """Read one judgment per row from CSV, TSV, JSON, JSON lines, Parquet or a data frame.

    Parameters
    ----------
    source : file, mapping of str to sequence, or data frame
        The table; text may be compressed. Frames of pandas, polars and Arrow are taken.
    columns : mapping of role to column, optional
        Roles are ``system``, ``item``, ``score`` (required), ``rater``, ``document``,
        ``domain``, ``wave``, ``task``, ``language``, ``campaign``, ``kind``, ``seconds`` and
        ``sampling_weight``. Usual names of columns are recognised.
    scale : (float, float), optional
        Lowest and highest score. By default what the columns ``scale_low`` and ``scale_high``
        say; without them what the scores show, and no bounds for z-scores.
    repeated : {'refuse', 'mark'}
        What to do with two scores by one rater for one item of a system.

    In a sheet that `make_tasks` or `select` wrote, an empty score is a text that was not judged yet; such
    rows are left out and counted. In other tables it is an error.

    Examples
    --------
    >>> table = {"model": ["A", "B"], "segment": [1, 1], "annotator": ["x", "x"], "score": [5, 9]}
    >>> read(table).rater.levels
    ('x',)
    """
    table = with_language(read_table(source, several=True))
    chosen, notes = choose_columns(table, columns)
    if table.columns.keys() >= TASK_SHEET or "sampling_weight" in chosen:
        table, waiting = _judged(table, chosen["score"])
        notes += waiting
    notes += direction_note(chosen["score"])
    names = [name for role, name in chosen.items() if role not in _NUMBERS]
    table = unmarked(table, source, names)
    whole = _rows_of_documents(table, chosen)
    if not whole:
        return build_judgments(table, chosen, scale=scale, repeated=repeated, notes=notes)
    apart = set(whole)
    rest = [row for row in range(table.n_rows) if row not in apart]
    kept = {role: name for role, name in chosen.items() if role not in ("item", "kind")}
    kept["item"] = kept.pop("document", chosen["item"])
    documents = build_judgments(table.take(whole), kept, scale=scale, repeated=repeated)
    if not rest:
        return replace(documents, of_documents=documents)
    notes.append(apart_note(len(whole)))
    segments = build_judgments(
        table.take(rest), chosen, scale=scale, repeated=repeated, notes=notes
    )
    return replace(segments, of_documents=documents)


OF_DOCUMENT = "document"  # the kind of a row that rates a whole document


def _rows_of_documents(table: Table, chosen: Mapping[str, str]) -> list[int]:
    """Return the rows that rate whole documents, by their kind."""
    if "kind" not in chosen:
        return []
    cells = table.cells(chosen["kind"])
    return [row for row, cell in enumerate(cells) if str(cell).strip().lower() == OF_DOCUMENT]


def apart_note(n: int) -> str:
    """Say that ratings of whole documents are no ratings of segments."""
    return (
        f"{count(n, 'rating')} of whole documents kept apart; `level` document ranks by them."
    )


def direction_note(score: str) -> list[str]:
    """Say that higher is taken to be better, where the name of the column suggests the opposite."""
    if direction_of_name(score) != "lower":
        return []
    return [
        f"Column {score!r}: higher is taken to be better, and the name suggests the "
        "opposite. If lower is better, write the scores with a minus."
    ]


def _judged(table: Table, score: str) -> tuple[Table, list[str]]:
    """Return the rows of a task sheet that have a score; the others are not judged yet."""
    scores = table.cells(score)
    rows = [row for row, value in enumerate(scores) if not is_missing(value)]
    if len(rows) == len(scores):
        return table, []
    if not rows:
        raise DataError(
            f"{table.subject}, column {score!r}: nothing is judged yet. Fill in the scores of the "
            "task sheet."
        )
    waiting = count(len(scores) - len(rows), "text")
    return table.take(rows), [f"{waiting} of the task sheet not judged yet, left out."]


JUDGMENTS = JudgmentReader(
    name="table",
    about="CSV, TSV, JSON, JSON lines or Parquet with a header, one judgment per row",
    recognise=recognise,
    read=read,
    order=LAST,
    takes=("columns",),
)
