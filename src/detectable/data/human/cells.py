"""Cells: what one rater gave one item of one system, in one campaign.

The way from judgments to any test of two systems starts here and nowhere else:

    judgments.cells()  →  cells.matched(pairs)  →  matched.units(unit)

so that all studies agree about who was compared with whom.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.choices import CellRepeats, Within
from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import listing
from detectable.data.factor import Factor
from detectable.data.human.judgment_names import Kind
from detectable.data.human.judgments import Judgments
from detectable.data.human.ordinary import ORDINARY, left_out_note
from detectable.kernels.matching import means_of_runs

if TYPE_CHECKING:
    from detectable.data.human.matched import Matched

_LARGEST = float(1 << 62)  # keys up to here are sorted as one number


@dataclass(frozen=True, slots=True, kw_only=True)
class CellColumns:
    """The columns that cells are made from, one entry per judgment that counts."""

    value: FloatArray  # NaN where a judgment has none
    campaign: Factor | None
    item: Factor
    rater: Factor | None
    system: Factor


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Mean scores, sorted by campaign, item, rater and system. Make them by `Judgments.cells`.

    Names are numbered in the order in which they first appear in the table.

    Attributes
    ----------
    campaign, item, rater, system : array of int
        The key of each cell: positions in `campaigns`, `items`, `raters` and `systems`. `rater`
        is None where raters are not known: all judgments of an item of a system are one cell.
    group : array of int
        Equal for the cells of one campaign, item and rater: these can be compared.
    mean : array
        The mean of the rater's judgments, or the first of them (``repeats="first"``).
    n : array of int
        How many judgments count in it.
    row : array of int
        The first judgment of each cell, as a position in `judgments`.
    rows, starts : array of int
        All judgments sorted by cell; those of cell c are ``rows[starts[c] : starts[c + 1]]``.
    document : array of int or None
        The document of each item, a position in `documents`.
    judgments : Judgments
        Those that count.
    notes : tuple of str
        What was left out, with its count.
    """

    campaign: IntArray
    item: IntArray
    rater: IntArray | None
    system: IntArray
    group: IntArray
    mean: FloatArray
    n: IntArray
    row: IntArray
    rows: IntArray
    starts: IntArray
    campaigns: tuple[str, ...]
    items: tuple[str, ...]
    raters: tuple[str, ...] | None
    systems: tuple[str, ...]
    document: IntArray | None
    documents: tuple[str, ...] | None
    judgments: Judgments
    columns: CellColumns
    repeats: CellRepeats
    notes: tuple[str, ...]

    @property
    def n_cells(self) -> int:
        """The number of cells."""
        return int(self.mean.size)

    def without_raters(self) -> "Cells":
        """Return cells of all judgments of an item of a system, whoever gave them."""
        if self.rater is None:
            return self
        columns = replace(self.columns, rater=None)
        return _build(self.judgments, columns, self.repeats, self.notes)

    def table(self) -> FloatArray:
        """Return the mean of every item (row) and system (column), NaN where there is none.

        All judgments of an item count alike: a rater's repeat as much as another rater.
        """
        self._refuse_several_campaigns()
        whole = self.without_raters()
        means = np.full((len(self.items), len(self.systems)), np.nan)
        means[whole.item, whole.system] = whole.mean
        return means

    def counts(self) -> IntArray:
        """Return the number of judgments of every item (row) and system (column)."""
        self._refuse_several_campaigns()
        shape = len(self.items), len(self.systems)
        found = np.bincount(
            self.item * shape[1] + self.system, self.n, minlength=shape[0] * shape[1]
        )
        return found.astype(np.int64).reshape(shape)

    def _refuse_several_campaigns(self) -> None:
        """Stop where one item would have a row for each of several campaigns."""
        if len(self.campaigns) > 1:
            raise InputError(
                f"a table of items must be of one campaign; got {listing(list(self.campaigns))}. "
                "Choose one with judgments.where(…)."
            )

    def matched(
        self, pairs: Sequence[tuple[str, str]] | None = None, *, within: Within = "rater"
    ) -> "Matched":
        """Match the cells of two systems in the same campaign.

        Parameters
        ----------
        pairs : sequence of (str, str), optional
            Names of first and second system; a pair is sought in every campaign that has both.
            By default all pairs of all campaigns.
        within : {'rater', 'item'}
            Match what the same rater gave the same item of both systems; or the means of an
            item over all its judgments, whoever gave them. Without raters both are the same.
        """
        from detectable.data.human.matched import match

        check.literal(within, Within, "within")
        return match(self if within == "rater" else self.without_raters(), pairs)


def cells(
    judgments: Judgments,
    *,
    repeats: CellRepeats = "mean",
    values: FloatArray | None = None,
    item: Factor | None = None,
    system: Factor | None = None,
    kinds: Sequence[Kind] = ORDINARY,
    across_campaigns: bool = False,
) -> Cells:
    """Gather what each rater gave each item of each system; see `Judgments.cells`.

    Parameters
    ----------
    judgments : Judgments
        Rows of other kinds than `kinds` are left out, and counted in the notes.
    repeats : {'mean', 'first'}
        What to make of several scores of one rater for one item of a system.
    values : array, optional
        Use these in place of the scores, one per judgment. NaN does not count.
    item : Factor, optional
        What counts as an item, one entry per judgment: item and wave, for instance.
    system : Factor, optional
        What is compared, one entry per judgment; by default the system.
    kinds : sequence of str
        The kinds that count.
    across_campaigns : bool
        Take items of one name for the same item, whatever the campaign. By default campaigns
        (campaign and language pair) are kept apart.

    Examples
    --------
    >>> table = Judgments.build(
    ...     {"system": ["A", "B", "A", "A"], "item": [1, 1, 2, 2], "rater": ["v", "v", "v", "v"],
    ...      "score": [70, 80, 50, 60]}, repeated="mark")
    >>> found = cells(table)
    >>> found.mean.tolist(), found.n.tolist()
    ([70.0, 80.0, 55.0], [1, 1, 2])
    >>> found.matched([("A", "B")]).units("item").d.tolist()
    [-10.0]
    """
    check.literal(repeats, CellRepeats, "repeats")
    _check_length(judgments, values)
    keep = judgments.is_kind(*kinds)
    notes: tuple[str, ...] = ()
    kept = judgments
    if not keep.all():
        notes = (left_out_note(judgments, keep),)
        kept = judgments.take(keep)
        item = None if item is None else item.take(keep)
        system = None if system is None else system.take(keep)
        values = None if values is None else values[keep]
    columns = CellColumns(
        value=kept.score if values is None else values,
        campaign=None if across_campaigns else kept.by_campaign(),
        item=kept.item if item is None else item,
        rater=kept.rater,
        system=kept.system if system is None else system,
    )
    return _build(kept, columns, repeats, notes)


def _check_length(judgments: Judgments, values: FloatArray | None) -> None:
    if values is not None and values.shape != judgments.score.shape:
        raise InputError(
            f"`values` must hold one number for each of the {judgments.n_judgments:,} "
            f"judgments; got shape {values.shape}."
        )


def _build(
    judgments: Judgments, columns: CellColumns, repeats: CellRepeats, notes: tuple[str, ...]
) -> Cells:
    """Sort the judgments once, by one key."""
    known = _known(columns.value)
    keys = [_codes(c, known) for c in (columns.campaign, columns.item, columns.rater)]
    system = _codes(columns.system, known)
    sizes = [
        1 if column is None else column.n_levels
        for column in (columns.campaign, columns.item, columns.rater, columns.system)
    ]
    order, new, group = _sorted([*keys, system], sizes)
    starts = np.append(new, order.size)
    n = np.diff(starts)
    rows = order if known is None else known[order]
    value = columns.value[rows]
    if repeats == "mean":
        mean = means_of_runs(value, n)
    else:
        mean, n = value[new], np.ones_like(n)
    row = rows[new]
    campaign, rater = columns.campaign, columns.rater
    return Cells(
        campaign=np.zeros_like(row) if campaign is None else campaign.codes[row],
        item=columns.item.codes[row],
        rater=None if rater is None else rater.codes[row],
        system=columns.system.codes[row],
        group=group,
        mean=mean,
        n=n,
        row=row,
        rows=rows,
        starts=starts,
        campaigns=("",) if campaign is None else campaign.levels,
        items=columns.item.levels,
        raters=None if rater is None else rater.levels,
        systems=columns.system.levels,
        document=_document_of_item(judgments, columns.item),
        documents=None if judgments.document is None else judgments.document.levels,
        judgments=judgments,
        columns=columns,
        repeats=repeats,
        notes=notes,
    )


def _known(values: FloatArray) -> IntArray | None:
    """Return the rows with a value; None says that all have one."""
    unknown = np.isnan(values)
    return np.flatnonzero(~unknown) if unknown.any() else None


def _codes(column: Factor | None, rows: IntArray | None) -> IntArray | None:
    if column is None:
        return None
    return column.codes if rows is None else column.codes[rows]


def _sorted(
    keys: Sequence[IntArray | None], sizes: Sequence[int]
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the sorted rows, where each cell begins in them, and the group of each cell."""
    given = [
        (codes, size) for codes, size in zip(keys, sizes, strict=True) if codes is not None
    ]
    if float(np.prod(np.array(sizes, dtype=np.float64))) < _LARGEST:
        key = given[0][0]
        for codes, size in given[1:]:
            key = key * size + codes
        order = np.argsort(key, kind="stable")
        key = key[order]
        new = np.flatnonzero(np.diff(key, prepend=-1))
        return order, new, key[new] // sizes[-1]
    order = np.lexsort([codes for codes, _ in reversed(given)])
    steps: list[NDArray[np.bool_]] = [
        np.diff(codes[order], prepend=-1) != 0 for codes, _ in given
    ]
    other_group = np.logical_or.reduce(steps[:-1])
    new = np.flatnonzero(other_group | steps[-1])
    return order, new, np.cumsum(other_group)[new]


def _document_of_item(judgments: Judgments, item: Factor) -> IntArray | None:
    """Return the document of each item: items are named within documents, so there is one."""
    if judgments.document is None:
        return None
    document = np.zeros(item.n_levels, dtype=np.int64)
    document[item.codes] = judgments.document.codes
    return document
