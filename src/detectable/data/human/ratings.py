"""Ratings: who gave which item of which system what, one row per rating."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.factor import Factor, factor
from detectable.data.files.missing import is_missing
from detectable.data.files.parse_score import parse_score
from detectable.data.files.place import FilePath, quote
from detectable.data.files.table import Table, read_table

RatingsSource: TypeAlias = FilePath | Mapping[str, Sequence[Any]] | Any

_MEMORY = ""  # the path of a table that was never a file


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Ratings with their systems, raters, items and, where known, documents."""

    response: FloatArray
    system: Factor
    rater: Factor
    item: Factor
    document: Factor | None
    name: str  # of the response column
    table: Table

    @property
    def n_ratings(self) -> int:
        """The number of rows."""
        return int(self.response.size)

    def place(self, row: int) -> str:
        """Return where a rating stands, for messages."""
        return _place(self.table, row)


def read_ratings(
    source: RatingsSource,
    *,
    response: str,
    system: str,
    rater: str,
    item: str,
    document: str | None = None,
) -> Ratings:
    """Return ratings from a file, a mapping of columns, or a polars or pandas frame.

    Parameters
    ----------
    source : path, mapping of str to sequence, or data frame
        CSV, TSV, JSON lines or Parquet; or anything with named columns.
    response, system, rater, item, document : str
        The names of the columns. Where documents are given and an item name occurs in several
        of them, document and name together name the item.
    """
    table = _table(source)
    names = {
        "response": response,
        "system": system,
        "rater": rater,
        "item": item,
        **({} if document is None else {"document": document}),
    }
    _check_columns(table, names)
    cells = {role: table.columns[name] for role, name in names.items()}
    holes = {
        role: np.array([is_missing(value) for value in column])
        for role, column in cells.items()
    }
    _check_systems(table, cells["system"], holes, names)
    for role in names:
        _check_missing(table, holes[role], names[role])
    labels = {role: [str(value) for value in cells[role]] for role in names}
    if document is not None:
        labels["item"] = _items_in_documents(labels["item"], labels["document"])
    return Ratings(
        response=_numbers(table, response),
        system=factor(system, labels["system"]),
        rater=factor(rater, labels["rater"]),
        item=factor(item, labels["item"]),
        document=None if document is None else factor(document, labels["document"]),
        name=response,
        table=table,
    )


def numeric_levels(ratings: Ratings) -> FloatArray:
    """Return the names of the systems as the numbers that they are."""
    values = np.empty(len(ratings.system.levels))
    for level, label in enumerate(ratings.system.levels):
        try:
            values[level] = float(label)
        except ValueError:
            values[level] = np.nan
        if not np.isfinite(values[level]):
            row = int(np.flatnonzero(ratings.system.codes == level)[0])
            raise DataError(
                f"{ratings.place(row)}: column {ratings.system.name!r} must hold numbers to be "
                f"used as such; found {quote(label)}. Leave out `numeric_system` "
                "(--numeric-system) to treat the systems as names."
            )
    return values


def _table(source: RatingsSource) -> Table:
    if isinstance(source, str) or hasattr(source, "__fspath__"):
        table = read_table(source)
        plain = {name: table.cells(name) for name in table.columns}
        return Table(path=table.path, columns=plain, lines=table.lines)
    if isinstance(source, Mapping):
        columns = {str(name): list(values) for name, values in source.items()}
    elif hasattr(source, "columns") and hasattr(source, "__getitem__"):
        columns = {str(name): list(source[name]) for name in source.columns}
    else:
        raise InputError(
            "`ratings` must be a file, a mapping of columns or a data frame; "
            f"got {type(source).__name__}."
        )
    sizes = {name: len(values) for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} has {count(n, 'row')}" for name, n in sizes.items())
        raise DataError(f"the columns of `ratings` must have one length: {listed}.")
    if not sizes or not next(iter(sizes.values())):
        raise DataError("`ratings` has no row. Give at least one rating.")
    return Table(path=_MEMORY, columns=columns, lines=range(next(iter(sizes.values()))))


def _place(table: Table, row: int) -> str:
    return f"row {row:,} (from 0)" if table.path == _MEMORY else table.place(row)


def _check_columns(table: Table, names: Mapping[str, str]) -> None:
    for role, name in names.items():
        if name not in table.columns:
            where = "" if table.path == _MEMORY else f"{table.path}: "
            raise DataError(
                f"{where}there is no column {name!r} for the {role}. "
                f"Found: {listing(list(table.columns), most=20)}."
            )
    roles = list(names)
    for index, role in enumerate(roles):
        for other in roles[:index]:
            if names[role] == names[other]:
                raise InputError(
                    f"`{role}` and `{other}` must be two columns; both are {names[role]!r}."
                )


def _check_systems(
    table: Table,
    systems: Sequence[Any],
    holes: Mapping[str, np.ndarray[Any, np.dtype[np.bool_]]],
    names: Mapping[str, str],
) -> None:
    """Refuse a system all of whose ratings are missing."""
    rated = {str(s) for s, hole in zip(systems, holes["response"], strict=True) if not hole}
    for row, value in enumerate(systems):
        if not holes["system"][row] and str(value) not in rated:
            rows = sum(str(other) == str(value) for other in systems)
            raise DataError(
                f"{_place(table, row)}: system {quote(str(value))} has no rating at all: column "
                f"{names['response']!r} is empty in all its {count(rows, 'row')}. Drop them."
            )


def _check_missing(
    table: Table, holes: np.ndarray[Any, np.dtype[np.bool_]], column: str
) -> None:
    if holes.any():
        first = int(np.flatnonzero(holes)[0])
        raise DataError(
            f"column {column!r} is empty in {int(holes.sum()):,} of {count(holes.size, 'row')}, "
            f"first in {_place(table, first)}. Drop these rows, or fill them in: a rating that "
            "is absent needs no row."
        )


def _numbers(table: Table, column: str) -> FloatArray:
    values = np.empty(table.n_rows)
    for row, value in enumerate(table.columns[column]):
        try:
            values[row] = parse_score(value, table.path)
        except DataError:
            bad = sum(not _is_number(other) for other in table.columns[column])
            raise DataError(
                f"column {column!r} must hold numbers; {bad:,} of {count(table.n_rows, 'row')} "
                f"do not, first in {_place(table, row)}: {quote(value)}. Turn words into numbers "
                "before the analysis, and write decimals with a point."
            ) from None
    return values


def _is_number(value: object) -> bool:
    try:
        parse_score(value, _MEMORY)
    except DataError:
        return False
    return True


def _items_in_documents(items: list[str], documents: list[str]) -> list[str]:
    pairs = dict.fromkeys(zip(items, documents, strict=True))
    if len(pairs) == len(set(items)):
        return items
    return [f"{document}:{item}" for item, document in zip(items, documents, strict=True)]
