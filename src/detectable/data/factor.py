"""A column of names, stored as whole numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import IntArray
from detectable.data.files.place import is_missing

if TYPE_CHECKING:
    import polars as pl


_FEW = 10_000
_HASH_BITS = 20
_LARGEST = (1 << 63) - 1  # combinations up to here are numbered in one go
_PLAIN = {str, int, bool, type(None)}  # of which only None is missing, whatever words say


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """A column of names: who or what each row belongs to."""

    name: str  # of the column
    levels: tuple[str, ...]  # in order of first appearance
    codes: IntArray  # position in `levels`, one per row

    @property
    def n_levels(self) -> int:
        """The number of different names."""
        return len(self.levels)

    def labels(self) -> list[str]:
        """Return the name of every row."""
        return [self.levels[code] for code in self.codes.tolist()]

    def label(self, row: int) -> str:
        """Return the name of one row."""
        return self.levels[int(self.codes[row])]

    def take(self, rows: NDArray[Any]) -> "Factor":
        """Return the column cut to `rows` (positions or a mask), without levels that are gone.

        Examples
        --------
        >>> factor("system", ["A", "B", "C", "B"]).take(np.array([1, 3])).levels
        ('B',)
        """
        codes = self.codes[rows]
        present = np.zeros(len(self.levels), dtype=bool)
        present[codes] = True
        position = np.cumsum(present) - 1
        levels = tuple(level for level, kept in zip(self.levels, present, strict=True) if kept)
        return Factor(name=self.name, levels=levels, codes=position[codes])


def factor(name: str, labels: Any) -> Factor:
    """Return a column of names from any sequence, array or polars series, or one that it is.

    A missing name becomes the empty one. Polars does the look-up: it is some ten times as fast
    as a dictionary on millions of rows. A few names do not wait for its import.

    Examples
    --------
    >>> factor("rater", ["ann", "bob", "ann"]).codes.tolist()
    [0, 1, 0]
    """
    if isinstance(labels, Factor):
        return labels
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iuU" and labels.size < _FEW:
        return _few(name, labels)
    if isinstance(labels, list | tuple) and len(labels) < _FEW:
        return factor_of_texts(name, _readable(_texts(labels)))
    import polars as pl

    # Whole columns keep their own type until there are few values left to write as text.
    if isinstance(labels, pl.Series):
        series = labels
    elif isinstance(labels, np.ndarray) and labels.dtype != np.object_:
        series = pl.Series(labels)
    else:
        series = _series(_texts(labels))
    if series.null_count():
        series = series.cast(pl.String).fill_null("")
    different = series.unique(maintain_order=True)
    codes = series.replace_strict(different, pl.int_range(different.len(), eager=True))
    return Factor(
        name=name,
        levels=tuple(different.cast(pl.String).to_list()),
        codes=codes.to_numpy().astype(np.int64),
    )


def _few(name: str, labels: NDArray[Any]) -> Factor:
    different, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    position = np.argsort(order, kind="stable")
    return Factor(
        name=name,
        levels=tuple(str(level) for level in different[order].tolist()),
        codes=position[inverse].astype(np.int64),
    )


def factor_of_texts(name: str, labels: Sequence[str]) -> Factor:
    """Return a column of names that are texts already, as they are, without polars.

    Examples
    --------
    >>> factor_of_texts("rater", ["ann", "bob", "ann"]).codes.tolist()
    [0, 1, 0]
    """
    place = {str(label): code for code, label in enumerate(dict.fromkeys(labels))}
    codes = np.fromiter(map(place.__getitem__, labels), np.int64, len(labels))
    return Factor(name=name, levels=tuple(place), codes=codes)


def cross(name: str, *columns: Factor) -> Factor:
    """Return the combinations of several columns that occur, as one column.

    Examples
    --------
    >>> both = cross("cell", factor("a", ["x", "x", "y"]), factor("b", ["1", "2", "1"]))
    >>> both.levels, both.codes.tolist()
    (('x:1', 'x:2', 'y:1'), [0, 1, 2])
    """
    codes, first = cross_codes(*columns)
    levels = tuple(
        ":".join(column.levels[int(column.codes[row])] for column in columns)
        for row in first.tolist()
    )
    return Factor(name=name, levels=levels, codes=codes)


def cross_codes(*columns: Factor) -> tuple[IntArray, IntArray]:
    """Return the number of the combination in each row, and the first row of each combination.

    Combinations are numbered in order of first appearance.
    """
    return _dense(_combined(*columns))


def repeated_rows(*columns: Factor) -> IntArray:
    """Return the rows whose combination of names stands in an earlier row, too.

    Examples
    --------
    >>> repeated_rows(factor("a", ["x", "y", "x", "x"])).tolist()
    [2, 3]
    """
    combined = _combined(*columns)
    ordered = np.sort(combined)  # ten times as fast as to find the order
    several = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not several.size:
        return np.zeros(0, dtype=np.int64)
    # A small table of hashes leaves few rows to look at closely.
    marked = np.zeros(1 << _HASH_BITS, dtype=bool)
    marked[_hashed(several)] = True
    rows = np.flatnonzero(marked[_hashed(combined)])
    rows = rows[np.isin(combined[rows], several)]
    _, first = np.unique(combined[rows], return_index=True)
    return np.delete(rows, first)


def _hashed(codes: IntArray) -> NDArray[np.uint64]:
    """Return some bits of a product, which every bit of a code moves."""
    product: NDArray[np.uint64] = codes.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return product >> np.uint64(64 - _HASH_BITS)


def _combined(*columns: Factor) -> IntArray:
    """Return a number for each combination, equal where all columns are."""
    combined, size = columns[0].codes, len(columns[0].levels)
    for column in columns[1:]:
        if size * len(column.levels) > _LARGEST:  # sorting is dear: only where it must be
            combined = _dense(combined)[0]
            size = int(combined.max(initial=0)) + 1
        combined = combined * len(column.levels) + column.codes
        size *= len(column.levels)
    return combined


def _dense(codes: IntArray) -> tuple[IntArray, IntArray]:
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    position = np.empty_like(order)
    position[order] = np.arange(order.size)
    return position[inverse], first[order]


def _texts(labels: Iterable[Any]) -> list[str]:
    listed = labels if isinstance(labels, list) else list(labels)
    if set(map(type, listed)) <= _PLAIN:  # is_missing would take as long as all the rest
        return ["" if label is None else str(label) for label in listed]
    return [
        label if isinstance(label, str) else "" if is_missing(label) else str(label)
        for label in listed
    ]


def _series(texts: list[str]) -> "pl.Series":
    import polars as pl

    try:
        return pl.Series(texts, dtype=pl.String)
    except UnicodeEncodeError:
        return pl.Series(_readable(texts), dtype=pl.String)


def _readable(texts: list[str]) -> list[str]:
    """Return names that UTF-8 can hold; half a surrogate pair, which JSON can, it cannot."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return [text.encode("utf-8", "replace").decode() for text in texts]
    return texts
