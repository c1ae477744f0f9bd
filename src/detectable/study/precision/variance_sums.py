"""One score per translation and rater: what noise and agreement are computed from."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from detectable.core.choices import JudgmentUnit, Pooled
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import Factor, cross_codes
from detectable.data.human.cells import Cells
from detectable.data.human.judgments import Judgments

_LARGEST = 2.0**62  # keys up to here are sorted as one number
_PAIRS = 1 << 20  # pairs of cells in a block, but for one rater; does not change the answer


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterCells:
    """Scores sorted by translation, one per rater; a translation is a system's item.

    Attributes
    ----------
    score : array
        The rater's score; the mean, or the first, where a rater scored a translation again.
    translation, rater : array of int
        Codes. Translations are numbered in the order in which they are sorted here.
    start : array of int
        Where each translation begins.
    size : array of int
        How many raters scored it.
    row : array of int
        The first judgment of the cell, of those that count.
    cell : array of int
        The cell of each of these judgments.
    """

    score: FloatArray
    translation: IntArray
    rater: IntArray
    start: IntArray
    size: IntArray
    row: IntArray
    cell: IntArray

    @property
    def n_translations(self) -> int:
        """The number of different translations."""
        return int(self.size.size)

    def pairs(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Give the cells of every two raters of one translation, first and second.

        They come in blocks, each with all that some raters share with raters after them: 1,600
        raters of one item are a million pairs. In a block those come first whose cells are next
        to each other.
        """
        after = (self.start + self.size)[self.translation] - np.arange(self.score.size) - 1
        of_rater = np.bincount(self.rater, after).astype(np.int64)
        block = (np.cumsum(of_rater) - of_rater)[self.rater] // _PAIRS
        order = np.argsort(block, kind="stable")
        for cells in np.split(order, np.flatnonzero(np.diff(block[order])) + 1):
            n = after[cells]
            lag = np.arange(int(n.sum())) - np.repeat(np.cumsum(n) - n, n) + 1
            near = np.argsort(lag, kind="stable")
            first = np.repeat(cells, n)[near]
            yield first, first + lag[near]


def system_codes(judgments: Judgments) -> IntArray:
    """Return the number of the system within its campaign and language of each row."""
    given = (judgments.campaign, judgments.language, judgments.system)
    return combined_codes(*(column for column in given if column is not None))


def combined_codes(*columns: Factor) -> IntArray:
    """Return the number of the combination in each row, in no particular order.

    One sort of one key. `cross_codes` also puts the numbers in order; it is the way out where the
    key would not fit into 64 bits.
    """
    sizes = [column.n_levels for column in columns]
    if float(np.prod(np.array(sizes, dtype=np.float64))) >= _LARGEST:
        return cross_codes(*columns)[0]
    key = columns[0].codes
    for column in columns[1:]:
        key = key * column.n_levels + column.codes
    return np.unique(key, return_inverse=True)[1]


def rater_cells(cells: Cells) -> RaterCells:
    """Return the cells sorted by translation, so that its raters stand side by side."""
    cells.judgments.column("rater")  # says so if there are none
    rater = cells.item if cells.rater is None else cells.rater
    order = _by_translation(cells)
    campaign, system, item = (
        part[order] for part in (cells.campaign, cells.system, cells.item)
    )
    steps = [np.diff(part, prepend=-1) != 0 for part in (campaign, system, item)]
    start = np.flatnonzero(np.logical_or.reduce(steps))
    size = np.diff(start, append=order.size)
    position = np.empty_like(order)
    position[order] = np.arange(order.size)
    cell = np.empty(cells.rows.size, dtype=np.int64)
    cell[cells.rows] = np.repeat(position, np.diff(cells.starts))
    return RaterCells(
        score=cells.mean[order],
        translation=np.repeat(np.arange(start.size), size),
        rater=rater[order],
        start=start,
        size=size,
        row=cells.row[order],
        cell=cell,
    )


def _by_translation(cells: Cells) -> IntArray:
    """Return the order of campaign, system, item; raters of a translation keep theirs."""
    n_systems, n_items = len(cells.systems), len(cells.items)
    if float(len(cells.campaigns)) * n_systems * n_items >= _LARGEST:
        return np.lexsort((cells.item, cells.system, cells.campaign))
    key = (cells.campaign * n_systems + cells.system) * n_items + cells.item
    return np.argsort(key, kind="stable")


# --- What a decomposition of variance is made of: sums by system, of which any translations can be left out ---

# Columns of the sums, in this order, added up over translations of a group. With k scores y of a
# translation about the mean of the group in all data:
COLUMNS = (
    "scores",  # one per rater, repeats taken together
    "sum",  # of y
    "squares",  # of y
    "between",  # squares between raters, about the mean of the translation
    "between_df",
    "repeated",  # translations with two raters or more
    "products",  # mean over their pairs of raters of y y'
    "means",  # of y, of these
    "total_squares",  # squared sum of y
    "total_sizes",  # k times the sum of y
    "sizes",  # k²
    "items",
    "again",  # squares between repeats by the same rater
    "again_df",
)
_CELLS = 4_000_000  # sums held at a time
# With more units than this, groups of them are left out: the spread between groups has the same
# expectation, and is known to about 2 % (the delete-a-group jackknife; Kott 2001, Journal of Official
# Statistics 17(4), 521–526).
_GROUPS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Parts of the estimators by group, of all translations or of all but some.

    A group is a system (in a campaign and language); all of them where they are pooled.
    """

    judgments: Judgments  # one per cell: the rater's first score, or the mean of them
    cells: RaterCells
    deviation: FloatArray  # per cell, from the mean of its group
    group: IntArray  # per translation
    again: FloatArray  # per cell: squares between the rater's own repeats
    again_df: FloatArray  # per cell: repeats - 1
    again_correlation: float
    n_systems: int  # of all campaigns and languages
    n_groups: int
    pooled: Pooled

    def whole(self) -> FloatArray:
        """Return the columns `COLUMNS` of every group, over all translations."""
        columns = self._columns(np.arange(self.cells.score.size), self.group)
        return _added(columns, self.group, self.n_groups)

    def observed(self) -> "Moments":
        """Return the estimates from all judgments."""
        return Moments.of(self.whole()[None], self.pooled)

    def without_clusters(self, cluster: IntArray) -> "Moments":
        """Return the estimates without one cluster, for each of the clusters.

        `cluster` is the number of the cluster of each translation. More than 1,000 clusters are
        dealt into 1,000 groups, of which one is left out at a time.
        """
        cluster = cluster % _GROUPS
        columns = self._columns(np.arange(self.cells.score.size), self.group)
        whole = _added(columns, self.group, self.n_groups)
        order = np.argsort(cluster, kind="stable")
        n = int(cluster.max()) + 1
        step = max(1, _CELLS // (self.n_groups * len(COLUMNS)))
        found = []
        for first in range(0, n, step):
            here = order[slice(*np.searchsorted(cluster[order], [first, first + step]))]
            size = min(step, n - first)
            code = (cluster[here] - first) * self.n_groups + self.group[here]
            own = _added(columns[here], code, size * self.n_groups)
            left = whole - own.reshape(size, self.n_groups, -1)
            found.append(Moments.of(left, self.pooled))
        return Moments.joined(found)

    def without_raters(self) -> "Moments":
        """Return the estimates without one rater, for each of the raters; many are dealt likewise."""
        whole = self.whole()
        left = [whole - before + after for before, after in self._touched()]
        return Moments.of(np.stack(left), self.pooled)

    def _touched(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield the sums of the translations that a rater scored, with and without the rater."""
        cells, raters = self.cells, self.cells.rater % _GROUPS
        by_rater = np.argsort(raters, kind="stable")
        edges = np.searchsorted(raters[by_rater], np.arange(raters.max() + 2))
        for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            own = by_rater[first:last]
            if not own.size:
                continue
            seen = np.unique(cells.translation[own])
            rows = np.repeat(cells.start[seen], cells.size[seen]) + _within(cells.size[seen])
            kept = rows[raters[rows] != raters[own[0]]]
            yield self._of(rows), self._of(kept)

    def _of(self, rows: IntArray) -> FloatArray:
        if not rows.size:
            return np.zeros((self.n_groups, len(COLUMNS)))
        seen = np.unique(self.cells.translation[rows])
        group = self.group[seen]
        return _added(self._columns(rows, group), group, self.n_groups)

    def _columns(self, rows: IntArray, group: IntArray) -> FloatArray:
        """Return the columns of every translation of some cells, which are in order."""
        y, place = self.deviation[rows], np.unique(
            self.cells.translation[rows], return_inverse=True
        )[1]  # fmt: skip
        n = group.size

        def added(values: FloatArray) -> FloatArray:
            return np.asarray(np.bincount(place, values, n), dtype=np.float64)

        k = np.bincount(place, minlength=n).astype(np.float64)
        total, squares = added(y), added(np.square(y))
        mean = total / k
        several = (k > 1).astype(np.float64)
        products = several * (np.square(total) - squares) / np.maximum(k * (k - 1.0), 1.0)
        return np.column_stack(
            [
                k, total, squares, added(np.square(y - mean[place])), k - 1.0, several, products,
                several * mean, np.square(total), k * total, np.square(k), np.ones(n),
                added(self.again[rows]), added(self.again_df[rows]),
            ]
        )  # fmt: skip


def _added(columns: FloatArray, code: IntArray, n: int) -> FloatArray:
    """Return columns added up by a code."""
    return np.column_stack([np.bincount(code, column, n) for column in columns.T])


def _within(sizes: IntArray) -> IntArray:
    """Return 0, 1, … within groups of the given sizes that follow each other."""
    return np.asarray(np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes))


def variance_sums(source: Cells, *, pooled: Pooled) -> Sums:
    """Centre the scores and square what is to be squared.

    Total, noise and covariance are of the same scores, one per translation and rater. A total of
    single judgments beside a noise of averages would call quality what averaging took from the
    noise.
    """
    judgments = source.judgments
    cells = rater_cells(source)
    again, again_df, correlation = _own_repeats(judgments.score, cells)
    if again_df.any():
        score = judgments.score.copy()
        score[cells.row] = cells.score
        judgments = replace(judgments, score=score).take(np.sort(cells.row))
        cells = rater_cells(judgments.cells())  # the same cells in the same order
    n = judgments.n_judgments
    system = system_codes(judgments)
    code = np.zeros(n, np.int64) if pooled == "all" else system
    size = np.bincount(code)
    if n == size.size and pooled != "mean-of-systems":
        raise DataError(
            f"{judgments.path or 'the data'}: every system has one judgment, so nothing varies "
            "within a system. Judge more items of each."
        )
    mean = np.bincount(code, judgments.score) / size
    group = code[cells.row]
    return Sums(
        judgments=judgments,
        cells=cells,
        deviation=cells.score - mean[group],
        group=group[cells.start],
        again=again,
        again_df=again_df,
        again_correlation=correlation,
        n_systems=int(system.max()) + 1,
        n_groups=size.size,
        pooled=pooled,
    )


def _own_repeats(score: FloatArray, cells: RaterCells) -> tuple[FloatArray, FloatArray, float]:
    """Return squares and degrees of freedom between a rater's own repeats, and their correlation.

    The correlation is the intraclass one: which of two judgments came first does not matter.
    """
    size = np.bincount(cells.cell)
    mean = np.bincount(cells.cell, score) / size
    off = np.square(score - mean[cells.cell])
    squares = np.bincount(cells.cell, off).astype(np.float64)
    degrees = (size - 1.0).astype(np.float64)
    repeated = size > 1
    if not repeated.any():
        return squares, degrees, math.nan
    centred = score - score[repeated[cells.cell]].mean()
    sums = np.bincount(cells.cell, centred)[repeated]
    own = np.bincount(cells.cell, np.square(centred))[repeated]
    spread = float((own * (size[repeated] - 1)).sum())
    correlation = float((np.square(sums) - own).sum()) / spread if spread else math.nan
    return squares, degrees, correlation


# --- Variances from sums ---


@dataclass(frozen=True, slots=True)
class Moments:
    """Variances and covariances, of all judgments or without some."""

    total: FloatArray
    noise: FloatArray
    covariance: FloatArray
    intra: FloatArray

    @classmethod
    def of(cls, sums: FloatArray, pooled: Pooled) -> "Moments":
        """Return the estimates of sums of shape (samples, groups, columns).

        Scores are centred at the means of their groups in the sample itself. Nothing over nothing
        is not a number.
        """
        column = dict(zip(COLUMNS, np.moveaxis(sums, -1, 0), strict=True))
        n = column["scores"]
        with np.errstate(invalid="ignore", divide="ignore"):
            shift = np.where(n > 0.0, column["sum"] / n, 0.0)
            squares = column["squares"] - n * shift**2
            if pooled == "mean-of-systems":
                # A system with one judgment has no variance, so it takes no part in the mean.
                several = n > 1.0
                each = np.where(several, squares / (n - 1.0), 0.0)
                total = each.sum(axis=1) / several.sum(axis=1)
            else:
                total = squares.sum(axis=1) / (n.sum(axis=1) - (n > 0.0).sum(axis=1))
            added = {name: column[name].sum(axis=1) for name in COLUMNS}
            return cls(
                total,
                added["between"] / added["between_df"],
                _covariance(column, n, shift) / added["repeated"],
                added["again"] / added["again_df"],
            )

    @classmethod
    def joined(cls, parts: "list[Moments]") -> "Moments":
        """Return the samples of several as one."""
        names = ("total", "noise", "covariance", "intra")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def share_by_difference(self) -> FloatArray:
        """Return 1 - noise / total."""
        return np.asarray(1.0 - self.noise / self.total)

    def share_by_covariance(self) -> FloatArray:
        """Return covariance / total."""
        return np.asarray(self.covariance / self.total)


def _covariance(column: dict[str, FloatArray], n: FloatArray, shift: FloatArray) -> FloatArray:
    """Return the sum over translations of mean products, about means that are estimated.

    With y about its estimated mean, E[(y₁ − ȳ)(y₂ − ȳ)] = cov − var(ȳ), and what centring takes is
    given back: the variance of a group's mean, from sums of translations.
    """
    repeated, items = column["repeated"], column["items"]
    products = column["products"] - 2.0 * shift * column["means"] + shift**2 * repeated
    totals = column["total_squares"] - 2.0 * shift * column["total_sizes"]
    totals = totals + shift**2 * column["sizes"]
    variance = np.where(n > 0.0, totals / np.square(n), 0.0)
    variance *= items / np.maximum(items - 1.0, 1.0)
    return np.asarray((products + variance * repeated).sum(axis=1))


def unit_codes(judgments: Judgments, unit: JudgmentUnit) -> tuple[str, IntArray]:
    """Return what is left out at a time, and its number for every row."""
    if unit == "rater":
        return "rater", judgments.column("rater").codes
    if unit == "auto":
        unit = "item" if judgments.document is None else "document"
    named = judgments.column(unit)
    outer = [part for part in (judgments.campaign, judgments.language) if part is not None]
    return unit, combined_codes(*outer, named)
