"""Which column of a table of judgments is what, and the table built from them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from detectable.core.check import LARGEST_SCORE
from detectable.core.choices import Repeated
from detectable.core.errors import DataError, InputError
from detectable.core.wording import listing
from detectable.data.files.languages import LANGUAGE
from detectable.data.files.missing import is_missing
from detectable.data.files.table import Table
from detectable.data.human.judgments import REQUIRED, ROLES, Judgments

UNBOUNDED = (-np.inf, np.inf)
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
}


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
        columns[role] = (
            number_cells(values) if role in ("score", "seconds") else name_cells(values)
        )
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
            found = {none if is_missing(value) else float(value) for value in values}
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
    if values.dtype != pl.String:
        return values.to_list()
    cast = values.str.strip_chars().cast(pl.Float64, strict=False)
    # What is not a number is quoted as it stands.
    return values.to_list() if cast.null_count() or cast.is_nan().any() else cast


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
