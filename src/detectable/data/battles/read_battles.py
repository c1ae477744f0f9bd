"""Battles from files of any known format, or from a table: two systems and a winner per row."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray
from detectable.core.wording import count
from detectable.data.battles import battles
from detectable.data.factor import Factor, factor
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import number_column
from detectable.data.files.place import Problems, is_missing, quote
from detectable.data.files.table import (
    LANGUAGE,
    ORIGINAL_LANGUAGE,
    Table,
    check_roles,
    find_column,
    is_path,
    read_table,
)
from detectable.data.names import value_name
from detectable.data.reader import TABLE, BattleReader, battle_readers

COLUMNS = {
    "a": ("model_a", "system_a", "a"),
    "b": ("model_b", "system_b", "b"),
    "winner": ("winner", "outcome"),
    "prompt": ("prompt", "question", "question_id", "item", "id", "conversation_a"),
    "voter": ("voter", "judge", "judge_hash", "evaluation_session_id", "rater"),
    "weight": ("weight",),
    "language": LANGUAGE,
    "document": ("document", "doc", "doc_id", "docid", "document_id"),
    "original_language": ORIGINAL_LANGUAGE,
}
NAMED = ("language", "document", "original_language")  # columns that no battle needs
ONE_HOT = {"winner_model_a": 1.0, "winner_model_b": 0.0, "winner_tie": battles.TIE}
_ITEM = ("question_id", "id", "item")
_FIRST = ("model_a", "a", "1", "1.0")
_SECOND = ("model_b", "b", "0", "0.0")
_BOTH_BAD = ("tie (bothbad)", "both_bad", "bothbad", "tie(bothbad)")
_TIES = ("tie", "equal", "neither", "both", "0.5", ".5", *_BOTH_BAD)
_MARKED = ("1", "1.0", "true")


def battles_of(
    table: Table,
    *,
    columns: Mapping[str, str] | None = None,
    covariates: Sequence[str] = (),
) -> battles.Battles:
    """Return the battles of a table.

    Parameters
    ----------
    table : Table
        Two columns with the systems, ``model_a`` and ``model_b`` (or ``system_a``, ``a`` and so
        on), and ``winner``: ``model_a``, ``model_b``, ``tie``, that both are bad, 1, 0 or 0.5, or
        the name of a system; or a column for each outcome.
    columns : mapping of role to column, optional
        Which column is what: ``a``, ``b``, ``winner``, ``prompt``, ``voter``, ``weight``,
        ``language``.
    covariates : sequence of str
        Names of what may sway voters. ``length`` is the columns ``length_a`` and ``length_b``, or
        one column ``length`` that holds the difference.
    """
    chosen = columns or {}
    check_roles(chosen, COLUMNS)
    found = {role: find_column(table, role, names, chosen) for role, names in COLUMNS.items()}
    for side in ("a", "b"):
        if found[side] is None:
            raise table.missing(f"model_{side}, which battles of an arena have")
    first, second = (factor(side, table.columns[str(found[side])]) for side in ("a", "b"))
    winner = found["winner"]
    if winner is not None:
        won, bad = _by_winner(table, winner, first, second)
    else:
        won, bad = _by_columns(table), np.zeros(table.n_rows, dtype=bool)
    shown = _names_shown(table)
    kept = np.flatnonzero(~shown & ~np.isnan(won))
    notes = battles.left_out_notes(
        {
            battles.NAMES_SHOWN: int(shown.sum()),
            battles.NO_BATTLE: int((np.isnan(won) & ~shown).sum()),
        }
    )
    battles.refuse_none(table.subject, kept.size, notes)
    n_bad = int(bad[kept].sum())
    if n_bad:
        notes.append(f"{count(n_bad, 'battle')} in which both are bad counted as ties.")
    problems = Problems(table.path)
    weight = found["weight"]
    numbers = {
        "weight": None
        if weight is None
        else number_column(table, weight, problems, remedy="Correct it.")[kept]
    }
    further = {name: covariate(table, name, problems)[kept] for name in covariates}
    problems.stop()
    lines = None if table.lines is None else np.asarray(table.lines)[kept]
    roles = {role: _column(table, role, found[role], kept) for role in ("prompt", "voter")}
    item = next(iter(table.find(_ITEM)), found["prompt"])
    names = {"item": item, **{role: found[role] for role in NAMED}}
    tags = {role: _column(table, role, column, kept) for role, column in names.items()}
    return battles.Battles.build(
        first.take(kept),
        second.take(kept),
        won[kept],
        path=table.path,
        lines=lines,  # type: ignore[arg-type]  # an array is a sequence of its own
        rows=kept + 1,
        sided=True,
        bad=bad[kept],
        covariates=further,
        names={role: column for role, column in tags.items() if column is not None},
        notes=tuple(notes),
        **roles,
        **numbers,
    )


def covariate(table: Table, name: str, problems: Problems) -> FloatArray:
    r"""Return what may sway a voter, as first − second.

    Of counts and lengths, which are not negative, it is the relative difference
    :math:`(x_a - x_b) / (x_a + x_b)`; of other numbers the plain one.
    """
    sides = [f"{name}_a", f"{name}_b"]
    if all(side in table.columns for side in sides):
        a, b = (_complete(table, side, problems) for side in sides)
        if min(a.min(), b.min()) >= 0.0:
            total = a + b
            return np.divide(a - b, total, out=np.zeros_like(a), where=total > 0.0)
        return np.asarray(a - b)
    if name in table.columns:
        return _complete(table, name, problems)
    raise DataError(
        f"{table.subject}: there is no column for the covariate {name!r}. It needs {sides[0]} and "
        f"{sides[1]}, or {name} for the difference. Found: {', '.join(table.columns)}."
    )


def _complete(table: Table, column: str, problems: Problems) -> FloatArray:
    numbers = number_column(table, column, problems, remedy="Correct it.")
    empty = np.flatnonzero(np.isnan(numbers)).tolist()
    problems.add_rows(
        empty,
        lambda row: table.place(row, column),
        "the covariate is missing",
        "Fill it in, or leave the covariate out.",
    )
    return np.where(np.isfinite(numbers), numbers, 0.0)


def _by_winner(
    table: Table, column: str, first: Factor, second: Factor
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return who won each battle, NaN where nobody said, and where both were bad."""
    told = factor("winner", table.columns[column])
    words = [level.strip().casefold() for level in told.levels]
    outcome = np.full(len(words), np.nan)
    # What is neither known nor missing may be the name of a system, which depends on the row.
    named = np.array([not is_missing(level) for level in told.levels])
    for code, word in enumerate(words):
        for known, value in ((_FIRST, 1.0), (_SECOND, 0.0), (_TIES, battles.TIE)):
            if word in known:
                outcome[code], named[code] = value, False
    won = outcome[told.codes]
    rows = np.flatnonzero(named[told.codes])
    if rows.size:
        won[rows] = _by_name(table, column, rows, (told, first, second))
    bad = np.array([word in _BOTH_BAD for word in words])
    return won, bad[told.codes]


def _by_name(
    table: Table, column: str, rows: NDArray[np.int64], factors: tuple[Factor, Factor, Factor]
) -> FloatArray:
    told, first, second = factors
    won = np.empty(rows.size)
    for place, row in enumerate(rows.tolist()):
        name = told.label(row)
        sides = (first.label(row), second.label(row))
        if name not in sides:
            raise DataError(
                f"{table.place(row, column)}: expected model_a, model_b, tie or tie (bothbad), or "
                f"one of the two systems, found {quote(name)}."
            )
        won[place] = 1.0 if name == sides[0] else 0.0
    return won


def _by_columns(table: Table) -> FloatArray:
    missing = [name for name in ONE_HOT if name not in table.columns]
    if missing:
        raise table.missing("winner, which battles of an arena have")
    marked = []
    for name in ONE_HOT:
        column = factor(name, table.columns[name])
        is_one = np.array([level.strip().casefold() in _MARKED for level in column.levels])
        marked.append(is_one[column.codes])
    told = np.sum(marked, axis=0)
    several = np.flatnonzero(told > 1)
    if several.size:
        row = int(several[0])
        raise DataError(
            f"{table.place(row)}: {int(told[row])} outcomes are marked; expected one."
        )
    won = np.select(marked, list(ONE_HOT.values()), default=np.nan)
    return np.asarray(won, dtype=np.float64)


def _names_shown(table: Table) -> NDArray[np.bool_]:
    if "anony" not in table.columns:
        return np.zeros(table.n_rows, dtype=bool)
    column = factor("anony", table.columns["anony"])
    shown = np.array([level.strip().casefold() in ("false", "0") for level in column.levels])
    return np.asarray(shown[column.codes])


def _column(
    table: Table, role: str, column: str | None, kept: NDArray[np.int64]
) -> Factor | None:
    """Return a column of names; None where there is none, or all of it is empty."""
    if column is None:
        return None
    values = table.columns[column]
    if len(values) and _nested(values):
        names = factor(role, [_first_text(value) for value in table.cells(column)])
    else:
        names = factor(role, values)
        short = [level if is_missing(level) else value_name(level) for level in names.levels]
        if list(names.levels) != short:
            codes = factor(role, short)
            names = Factor(name=role, levels=codes.levels, codes=codes.codes[names.codes])
    names = names.take(kept)
    return None if all(is_missing(level) for level in names.levels) else names


def _nested(values: Any) -> bool:
    """Say whether a column holds lists or objects, as conversations are."""
    if hasattr(values, "dtype"):
        return "List" in str(values.dtype) or "Struct" in str(values.dtype)
    return any(isinstance(value, list | dict) for value in values[:100])


def _first_text(value: Any) -> str | None:
    """Return the name of what a conversation begins with: the prompt."""
    if is_missing(value):
        return None
    if (
        isinstance(value, list)
        and value
        and isinstance(value[0], dict)
        and "content" in value[0]
    ):
        return value_name(value[0]["content"])
    return value_name(value)


def refuse_columns(
    columns: Mapping[str, str] | None, covariates: Sequence[str], name: str
) -> None:
    """Refuse what only tables have."""
    for what, given in (("columns", columns), ("covariates", covariates)):
        if given:
            raise InputError(
                f"`{what}` does not apply to the format {name!r}, which is no table."
            )


# --- Of any known format ---


def read_battles(
    source: Any,
    *,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    covariates: Sequence[str] = (),
) -> battles.Battles:
    """Read battles: who was compared with whom, and who won.

    Parameters
    ----------
    source : path, paths, mapping of str to sequence, data frame, or Battles
        Files of an arena, AlpacaEval, Arena-Hard or MT-bench, or any table with two systems and
        a winner; a table in memory. Several files are joined. Battles are returned as they are.
    format : str
        ``arena``, ``alpaca-eval``, ``arena-hard``, ``mt-bench``, ``table``; ``auto`` looks into
        the file.
    columns : mapping of role to column, optional
        Of a table, which column is what: ``a``, ``b``, ``winner``, ``prompt``, ``voter``,
        ``weight``, ``language``.
    covariates : sequence of str
        Of a table, what may sway voters: ``length`` is the columns ``length_a`` and ``length_b``.

    Examples
    --------
    >>> table = {"a": ["x", "y"], "b": ["y", "x"], "winner": ["a", "tie"]}
    >>> read_battles(table).outcome.tolist()
    [1.0, 0.5]
    """
    if isinstance(source, battles.Battles):
        return source
    named = battle_readers().named(format)
    if isinstance(source, list | tuple):
        if not source:
            raise DataError("there is no file of battles. Name at least one.")
        parts = [
            read_battles(one, format=format, columns=columns, covariates=covariates)
            for one in source
        ]
        return battles.join_battles(parts)
    if not is_path(source):
        return battles_of(read_table(source), columns=columns, covariates=covariates)
    content = FileContent.of(source)
    reader = named or _reader(content, columns)
    if reader.is_table:
        return reader.read(content, columns=columns, covariates=covariates)
    refuse_columns(columns, covariates, reader.name)
    return reader.read(content)


def is_battles(content: FileContent) -> bool:
    """Return whether a file is of a known format of battles, and not just any table."""
    return battle_readers().find(content, any_table=False) is not None


def _reader(content: FileContent, columns: Mapping[str, str] | None) -> BattleReader:
    """Return the reader of a file; who names columns has a table, whatever it looks like."""
    readers = battle_readers()
    if columns:
        return readers.get(TABLE)
    readers.refuse_empty(content)
    found = readers.find(content, any_table=not content.is_zip)
    if found is None:
        what = "ZIP archive. Unpack it, and name" if content.is_zip else "folder. Name"
        raise DataError(f"{content}: this is a {what} the files in it.")
    return found
