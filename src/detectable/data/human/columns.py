"""Columns of judgments: names and kinds as whole numbers, scores and times as numbers."""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from detectable.core.check import LARGEST_SCORE
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import from_spreadsheet, number, scale_words
from detectable.data.factor import Factor, factor
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import number_in
from detectable.data.files.place import Problems, is_missing, missing_names, quote
from detectable.data.files.table import Table
from detectable.data.texts.corpus import UNKNOWN

Kind: TypeAlias = Literal["system", "repeat", "degraded", "reference"]
KINDS: tuple[Kind, ...] = ("system", "repeat", "degraded", "reference")
# What campaigns call the kinds: Direct Assessment on Mechanical Turk, Appraise, this package.
_KIND_WORDS: Mapping[str, Kind] = {
    **{kind: kind for kind in KINDS},
    **dict.fromkeys(("tgt", "target", "sys"), "system"),
    **dict.fromkeys(("chk", "dup", "duplicate"), "repeat"),
    **dict.fromkeys(("bad", "bad_ref", "bad-ref", "cal"), "degraded"),
    "ref": "reference",
}


def names_of(role: str, values: Any, problems: Problems, where: Any) -> Factor:
    """Return a column of names; a missing one is a problem."""
    column = factor(role, values)
    empty = missing_names(column.levels)
    if empty and role == "original_language":
        # Only one study asks for it; a gap there must not stop all others.
        return _with_unknown(column, set(empty))
    if empty:
        rows = np.flatnonzero(np.isin(column.codes, empty))
        problems.add_rows(
            rows.tolist(),
            lambda row: where(row, role),
            f"the {role} is missing",
            "Fill it in, or drop the row: it belongs to nothing.",
        )
    return column


def _with_unknown(column: Factor, missing: set[int]) -> Factor:
    """Return the column with one word for all levels that say nothing."""
    labels = [
        UNKNOWN if code in missing else column.levels[code] for code in column.codes.tolist()
    ]
    return factor(column.name, labels)


def kinds_of(values: Any, n: int, problems: Problems, where: Any) -> IntArray:
    """Return the kind of every row, a position in `KINDS`; an unknown word is a problem."""
    if values is None:
        return np.zeros(n, dtype=np.int64)
    column = factor("kind", values)
    # Where nothing is said, an item is an ordinary one.
    words = [
        "system" if is_missing(level) else level.strip().lower() for level in column.levels
    ]
    for code, word in enumerate(words):
        if word not in _KIND_WORDS:
            problems.add_rows(
                np.flatnonzero(column.codes == code).tolist(),
                lambda row: where(row, "kind"),
                f"unknown kind {quote(column.levels[code])}",
                f"Known are {', '.join(KINDS)} (and TGT, BAD, REF, CHK, BAD_REF, REPEAT).",
            )
    known = np.array([KINDS.index(_KIND_WORDS.get(word, "system")) for word in words])
    codes: IntArray = known[column.codes]
    return codes


# --- Scores of judgments as numbers ---


def judgment_scores(
    values: Any, scale: tuple[float, float], problems: Problems, where: Any
) -> FloatArray:
    """Return scores as numbers; what is none, or lies outside the scale, is a problem."""
    score = _numbers(values, lambda value: _or(number_in(value), float("nan")))
    bad = np.flatnonzero(~(np.abs(score) <= LARGEST_SCORE))  # so also what is no number
    if bad.size:
        problems.add_rows(
            bad.tolist(),
            lambda row: where(row, "score"),
            f"the score must be a number, found {quote(values[int(bad[0])])}",
            "Write 1 and 0."
            if isinstance(values[int(bad[0])], bool | np.bool_)
            else "A judgment that was not given needs no row.",
        )
    low, high = scale
    with np.errstate(invalid="ignore"):
        known = np.abs(score) <= LARGEST_SCORE
        outside = np.flatnonzero(known & ((score < low) | (score > high)))
    if outside.size:
        problems.add_rows(
            outside.tolist(),
            lambda row: where(row, "score"),
            f"the score {number(float(score[outside[0]]), digits=4).rstrip('0').rstrip('.')} "
            f"lies outside the {scale_words(low, high)}",
            "Correct it, or give the scale of these judgments with `scale`.",
        )
    return score


_PLAIN = {int, float, type(None)}  # of lists that numpy reads as we do


def _numbers(values: Any, read: Callable[[Any], float]) -> FloatArray:
    """Return a column as numbers; what is more than plain numbers is read one by one."""
    typed = (
        set(map(type, values)) <= _PLAIN if isinstance(values, list) else _is_numeric(values)
    )
    if typed:
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            found: FloatArray = np.asarray(values, dtype=np.float64)
            if found.shape == (len(values),):
                return found
    return np.array([read(value) for value in values])


def _is_numeric(values: Any) -> bool:
    """Say whether an array or a series holds numbers by its type, and not texts or objects."""
    if isinstance(values, np.ndarray):
        return values.dtype.kind in "iufb"
    kind = getattr(values, "dtype", None)
    return kind is not None and hasattr(kind, "is_numeric") and bool(kind.is_numeric())


def _or(found: float | None, other: float) -> float:
    return other if found is None else found


# --- Times of judgments as numbers ---


def judgment_seconds(values: Any, problems: Problems, where: Any) -> FloatArray:
    """Return times in seconds, NaN where one is missing; others must be numbers from 0 on."""
    seconds = _numbers(values, _seconds)
    with np.errstate(invalid="ignore"):
        bad = np.flatnonzero((seconds < 0) | np.isinf(seconds))
    if bad.size:
        problems.add_rows(
            bad.tolist(),
            lambda row: where(row, "seconds"),
            f"the time must be a number of seconds, found {quote(values[int(bad[0])])}",
            "Leave it empty where it is not known.",
        )
    return seconds


def _seconds(value: Any) -> float:
    """Return a time, NaN where it is missing, and a negative number where it is none."""
    return float("nan") if is_missing(value) else _or(number_in(value), -1.0)


def elapsed(times: Iterable[Any]) -> float | None:
    """Return the seconds from the first to the last of some times; None if that makes no sense.

    Examples
    --------
    >>> elapsed([100.0, 103.5]), elapsed([5, 4]), elapsed(["?", 1]), elapsed([])
    (3.5, None, None, None)
    """
    numbers = [number_in(time) for time in times]
    if not numbers or None in numbers:
        return None
    spent = float(numbers[-1] or 0.0) - float(numbers[0] or 0.0)
    return spent if 0.0 <= spent < float("inf") else None


# --- Names without the mark that keeps a spreadsheet from taking them for formulas ---

_JSON = (b"{", b"[")


def unmarked(table: Table, source: Any, columns: Iterable[str]) -> Table:
    """Return a table whose names are as they were before `write_judgments` marked them.

    Only CSV and TSV have marks.

    Parameters
    ----------
    source
        What the table was read from.
    columns : iterable of str
        Those that hold names.
    """
    if not isinstance(source, FileContent) or source.is_parquet:
        return table
    if source.data.lstrip()[:1] in _JSON:
        return table
    changed = {}
    for name in columns:
        names = {cell: from_spreadsheet(cell) for cell in _different(table.columns[name])}
        marked = {cell: plain for cell, plain in names.items() if plain != cell}
        if marked:
            changed[name] = [marked.get(cell, cell) for cell in table.cells(name)]
    return replace(table, columns={**table.columns, **changed}) if changed else table


def _different(values: Any) -> list[str]:
    """Return the different texts of a column that begin with an apostrophe."""
    unique = values.unique().to_list() if hasattr(values, "unique") else set(values)
    return [one for one in unique if isinstance(one, str) and one.startswith("'")]
