"""One score per system and item: what rank tests work on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.check import LARGEST_SCORE
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.factor import Factor, cross, factor
from detectable.data.files.content import FileContent
from detectable.data.files.languages import LANGUAGE, with_language
from detectable.data.files.place import FilePath
from detectable.data.files.spaced import is_spaced, read_spaced
from detectable.data.files.table import Table, read_table
from detectable.data.human.cells import Cells
from detectable.data.human.one_evaluation import several

# What tables of segment scores call their columns; the first that is there is taken.
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "system": ("system", "sys", "sys_id"),
    "item": ("item", "sid", "segment", "segment_id", "seg_id", "line"),
    "raw": ("raw", "raw.scr", "mqm_avg_score", "score"),
    "z": ("z", "z.scr"),
    "n_judgments": ("n_judgments", "n"),
    "document": ("document", "doc", "doc_id"),
    "domain": ("domain",),
    "campaign": ("campaign",),
    "language": LANGUAGE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentScores:
    """Mean scores of every item of every system, with the number of judgments behind each.

    Attributes
    ----------
    systems, items : tuple of str
        The columns and the rows of the matrices.
    raw, z : array of shape (items, systems)
        Plain mean over all judgments of ordinary items and their repeats; NaN where there is
        none. `z` is None where raters are not known.
    n_judgments : array of shape (items, systems)
    document, domain : Factor or None
        Of each item.
    notes : tuple of str
        What was left out.
    """

    systems: tuple[str, ...]
    items: tuple[str, ...]
    raw: FloatArray
    z: FloatArray | None
    n_judgments: IntArray
    document: Factor | None = None
    domain: Factor | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.systems) < 2:
            raise DataError(
                f"a ranking needs at least two systems; the data have {listing(list(self.systems))} only."
            )
        n = (self.n_judgments > 0).sum(axis=0)
        few = [name for name, size in zip(self.systems, n.tolist(), strict=True) if size < 2]
        if few:
            raise DataError(
                f"every system needs at least two judged items; {listing(few)} "
                f"{'has' if len(few) == 1 else 'have'} fewer. Leave them out, or judge more."
            )


def segment_scores(cells: Cells, z: FloatArray | None) -> SegmentScores:
    """Average judgments per system and item.

    The score of a segment is the plain mean over all judgments of it, as WMT has it: a repeat
    by the same rater counts like another rater. References and degraded copies are left out.

    Parameters
    ----------
    cells : Cells
        Of one campaign.
    z : array of shape (items, systems), optional
        Mean standard scores.
    """
    kept, items = cells.judgments, cells.columns.item
    return SegmentScores(
        systems=cells.systems,
        items=cells.items,
        raw=cells.table(),
        z=z,
        n_judgments=cells.counts(),
        document=_of_known("document", kept.document, items),
        domain=_of_known("domain", kept.domain, items),
        notes=cells.notes,
    )


def _of_known(role: str, column: Factor | None, items: Factor) -> Factor | None:
    return None if column is None else of_item(role, column, items)


def of_item(role: str, column: Factor, items: Factor) -> Factor:
    """Return the document, domain or original language of each item; an item must have one."""
    both = cross(role, items, column)
    if both.n_levels > items.n_levels:
        first = np.full(items.n_levels, -1)
        first[items.codes[::-1]] = column.codes[::-1]
        row = int(np.flatnonzero(first[items.codes] != column.codes)[0])
        raise DataError(
            f"item {items.label(row)!r} is in {role} {column.levels[int(first[items.codes[row]])]!r} and "
            f"in {column.label(row)!r}; an item has one {role}. Give different names to different items."
        )
    of_item = np.empty(items.n_levels, dtype=np.int64)
    of_item[items.codes] = column.codes
    return Factor(name=role, levels=column.levels, codes=of_item)


def read_segment_scores(
    path: FilePath, *, campaign: str | None = None, language: str | None = None
) -> SegmentScores:
    """Read a table with one score per system and segment, as campaigns publish them.

    Columns: system, item (or sid), raw and/or z, and where known N (judgments behind the score),
    document, domain, campaign, language. CSV, TSV, JSON lines or Parquet; also what WMT
    (``ad-seg-scores-*.csv``) and Google (``avg_seg_scores.tsv``) publish, with spaces.
    """
    content = FileContent.of(path)
    table = with_language(read_spaced(content) if is_spaced(content) else read_table(content))
    found = _found_columns(table)
    rows = np.ones(table.n_rows, dtype=bool)
    for role, wanted in (("campaign", campaign), ("language", language)):
        if role in found:
            rows &= _chosen(factor(role, table.columns[found[role]]), wanted, role, str(path))
        elif wanted is not None:
            raise InputError(f"{path} has no column of the {role}; drop `{role}={wanted!r}`.")
    picked = np.flatnonzero(rows)
    columns = {
        role: np.asarray(table.cells(name))[picked]
        for role, name in found.items()
        if role not in ("campaign", "language")
    }
    return build_segment_scores(columns, where=lambda row: table.place(int(picked[row])))


def _found_columns(table: Table) -> dict[str, str]:
    by_lower = {name.lower(): name for name in table.columns}
    found = {
        role: by_lower[known]
        for role, names in _COLUMNS.items()
        for known in [next((name for name in names if name in by_lower), "")]
        if known
    }
    missing = [role for role in ("system", "item") if role not in found]
    if missing or not {"raw", "z"} & found.keys():
        lacking = [*missing, *([] if {"raw", "z"} & found.keys() else ["raw or z"])]
        raise DataError(
            f"{table.path}: a table of segment scores needs columns system, item (or sid) and raw "
            f"or z; {' and '.join(lacking)} not found among {listing(list(table.columns), most=12)}."
        )
    return found


def _chosen(column: Factor, wanted: str | None, role: str, path: str) -> NDArray[np.bool_]:
    """Return the rows of one campaign; several without a choice are an error."""
    if wanted is None:
        if column.n_levels > 1:
            raise DataError(several(path, role, column.levels))
        return np.ones(column.codes.size, dtype=bool)
    if wanted not in column.levels:
        raise InputError(
            f"`{role}` must be one of {listing(list(column.levels), most=20)}; got {wanted!r}."
        )
    mask: NDArray[np.bool_] = column.codes == column.levels.index(wanted)
    return mask


def build_segment_scores(columns: Mapping[str, Any], *, where: Any = None) -> SegmentScores:
    """Check columns `system`, `item`, `raw` and/or `z`, …, and make the matrices."""
    place = where or (lambda row: f"row {row:,} (from 0)")
    system, item = factor("system", columns["system"]), factor("item", columns["item"])
    document = factor("document", columns["document"]) if "document" in columns else None
    domain = factor("domain", columns["domain"]) if "domain" in columns else None
    if document is not None and cross("item", document, item).n_levels > item.n_levels:
        item = cross("item", document, item)
    shape = item.n_levels, system.n_levels
    cell = item.codes * shape[1] + system.codes
    _refuse_twice(cell, system, item, place)
    counts = np.zeros(shape[0] * shape[1], dtype=np.int64)
    counts[cell] = (
        _numbers(columns["n_judgments"], "N", place).astype(np.int64)
        if "n_judgments" in columns
        else 1
    )
    matrices = {}
    for role in ("raw", "z"):
        if role in columns:
            flat = np.full(shape[0] * shape[1], np.nan)
            flat[cell] = _numbers(columns[role], role, place)
            matrices[role] = flat.reshape(shape)
    notes = (
        () if "n_judgments" in columns else ("No column N: one judgment per score assumed.",)
    )
    return SegmentScores(
        systems=system.levels,
        items=item.levels,
        raw=matrices.get("raw", np.full(shape, np.nan)),
        z=matrices.get("z"),
        n_judgments=counts.reshape(shape),
        document=_of_known("document", document, item),
        domain=_of_known("domain", domain, item),
        notes=notes,
    )


def _refuse_twice(cell: IntArray, system: Factor, item: Factor, place: Any) -> None:
    _, first = np.unique(cell, return_index=True)
    if first.size == cell.size:
        return
    again = np.ones(cell.size, dtype=bool)
    again[first] = False
    row = int(np.flatnonzero(again)[0])
    raise DataError(
        f"{place(row)}: a second score of system {system.label(row)!r} for item {item.label(row)!r} "
        f"({count(int(again.sum()), 'row')} in all). Segment scores have one row per system and item; "
        "average them, or give the judgments themselves."
    )


_MOST_JUDGMENTS = 1e15  # of one output; beyond it a number has no units


def _numbers(values: Sequence[Any] | NDArray[Any], role: str, place: Any) -> FloatArray:
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        try:
            numbers[row] = float(value)
        except (TypeError, ValueError, OverflowError):
            numbers[row] = np.nan
    bad = np.flatnonzero(
        ~(np.abs(numbers) <= (_MOST_JUDGMENTS if role == "N" else LARGEST_SCORE))
    )
    if bad.size:
        raise DataError(
            f"{place(int(bad[0]))}: {role} must be a number, found {str(values[int(bad[0])])!r} "
            f"({count(int(bad.size), 'row')} in all). A score that was not given needs no row."
        )
    return numbers
