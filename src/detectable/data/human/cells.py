"""Cells: what one rater gave one item of one system, in one campaign.

The way from judgments to any test of two systems starts here and nowhere else:

    judgments.cells()  →  cells.matched(pairs)  →  matched.units(unit)

so that all studies agree about who was compared with whom.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.choices import CellRepeats, UnitName, Within
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.factor import Factor
from detectable.data.human.columns import KINDS, Kind
from detectable.data.human.judgments import Judgments
from detectable.kernels.means import exact_mean
from detectable.kernels.pairing import match_cells, mean_by_item, means_of_runs

ORDINARY: tuple[Kind, ...] = ("system", "repeat")


def ordinary(judgments: Judgments) -> tuple[Judgments, tuple[str, ...]]:
    """Return the judgments of systems' own output, repeats among them, and what was left out.

    Degraded copies and references are there to check raters, or to set a mark. To count them
    as output of the system whose name they bear would pull that system down, or up.

    Examples
    --------
    >>> table = {"system": ["A", "A"], "item": [1, 1], "score": [70, 20]}
    >>> kept, notes = ordinary(Judgments.build({**table, "kind": ["system", "degraded"]}))
    >>> kept.score.tolist(), notes
    ([70.0], ("1 judgment left out, not of systems' own output: 1 degraded.",))
    """
    keep = judgments.is_kind(*ORDINARY)
    if keep.all():
        return judgments, ()
    return judgments.take(keep), (left_out_note(judgments, keep),)


def left_out_note(judgments: Judgments, keep: NDArray[np.bool_]) -> str:
    """Count by kind what is left out; if that is everything, say so and stop."""
    if not keep.any():
        raise DataError(
            f"{judgments.path or 'the judgments'}: no judgment is of a system's own output, all "
            "are of degraded copies or references. Check the column of the kind."
        )
    lost = np.bincount(judgments.kind[~keep], minlength=len(KINDS))
    named = [f"{int(n):,} {kind}" for kind, n in zip(KINDS, lost, strict=True) if n]
    return (
        f"{count(int((~keep).sum()), 'judgment')} left out, not of systems' own output: "
        f"{', '.join(named)}."
    )


# --- Cells: what one rater gave one item of one system, in one campaign ---
#
# The way from judgments to any test of two systems starts here and nowhere else:
#
# judgments.cells()  →  cells.matched(pairs)  →  matched.units(unit)
#
# so that all studies agree about who was compared with whom.

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
    weight : array or None
        How many items of the pool each item stands for; None where all stand for as many.
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
    weight: FloatArray | None
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
        weight=_weight_of_item(judgments, columns.item),
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


def _weight_of_item(judgments: Judgments, item: Factor) -> FloatArray | None:
    """Return the sampling weight of each item; a sample in which all weigh alike needs none."""
    if judgments.sampling_weight is None or not judgments.weighs_unequally:
        return None
    weight = np.full(item.n_levels, np.nan)
    weight[item.codes] = judgments.sampling_weight
    return weight


# --- Cells of whole items, block by block: all of them at once, or as many as memory takes ---


@dataclass(frozen=True, slots=True, kw_only=True)
class CellBlocks:
    """Cells of one evaluation, which can be walked through again and again.

    An item stands in one block with all its cells, so whatever is computed item by item does not
    depend on the blocks. Sums over items do not either, if they are carried on from block to block.

    Attributes
    ----------
    systems, raters : tuple of str
        Names, the same in all blocks.
    n_items : int
        In all blocks together.
    walk : callable
        Returns an iterator over the blocks: the number of the first item, and the cells, whose
        items are numbered from 0 on.

    Examples
    --------
    >>> from detectable.data.human.judgments import Judgments
    >>> table = {"system": ["A", "B"], "item": [1, 1], "rater": ["v", "v"], "score": [70, 80]}
    >>> [(first, cells.n_cells) for first, cells in CellBlocks.whole(Judgments.build(table).cells())]
    [(0, 2)]
    """

    systems: tuple[str, ...]
    raters: tuple[str, ...]
    n_items: int
    walk: Callable[[], Iterator[tuple[int, Cells]]]

    def __iter__(self) -> Iterator[tuple[int, Cells]]:
        return self.walk()

    @classmethod
    def whole(cls, cells: Cells) -> "CellBlocks":
        """Return cells that are held anyway as one block."""
        return cls(
            systems=cells.systems,
            raters=cells.raters or (),
            n_items=len(cells.items),
            walk=lambda: iter([(0, cells)]),
        )


# --- Differences of two systems, and what they are independent by: items, documents or raters ---


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedUnits:
    """Differences first − second, sorted by pair and item; pair p: ``starts[p] … [p + 1]``.

    Attributes
    ----------
    d : array
        The differences.
    first, second : array
        Mean scores of the two systems in each unit.
    item, cluster : array of int
        Of each unit. The clusters are items, documents or raters, as `unit` says.
    clusters : tuple of str
        Names of the clusters.
    weight : array or None
        What each unit stands for, where these differ.
    """

    unit: UnitName
    starts: IntArray
    d: FloatArray
    first: FloatArray
    second: FloatArray
    item: IntArray
    cluster: IntArray
    clusters: tuple[str, ...]
    items: tuple[str, ...]
    weight: FloatArray | None = None

    @property
    def n_clusters(self) -> int:
        """The number of clusters that have a name; some pairs may lack some of them."""
        return len(self.clusters)

    def mean(self, pair: int = 0) -> float:
        """Return the mean difference of a pair: the same to the last bit in any order."""
        return exact_mean(self.d[self.starts[pair] : self.starts[pair + 1]])

    def names(self) -> tuple[str, ...]:
        """Return what each unit is called: its item, or its item and rater."""
        labels = [self.items[code] for code in self.item.tolist()]
        if self.unit == "rater":
            raters = [self.clusters[code] for code in self.cluster.tolist()]
            labels = [f"{item}:{rater}" for item, rater in zip(labels, raters, strict=True)]
        return tuple(labels)

    def cluster_factor(self) -> Factor:
        """Return the cluster of each unit as a column of names, of those that have units."""
        every = Factor(name=self.unit, levels=self.clusters, codes=self.cluster)
        return every.take(np.arange(self.cluster.size))

    def table(self) -> FloatArray:
        """Return the difference of every item (row) and pair (column), NaN where there is none.

        Only where each item is one unit.
        """
        pair = np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts))
        found = np.full((len(self.items), self.starts.size - 1), np.nan)
        found[self.item, pair] = self.d
        return found


# --- Pairs of systems, and the cells that both systems of a pair have ---

_LARGE = 1 << 24  # slots beyond which they are found by sorting


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """Matched cells, sorted by pair, item and rater; those of pair p: ``starts[p] … [p + 1]``.

    Attributes
    ----------
    campaign, first, second : array of int
        Of each pair: the campaign and the two systems, positions in the names of `cells`.
    item, rater : array of int
        Of each matched cell. `rater` is None where cells are of items.
    score_first, score_second : array
        The means of the two matched cells.
    left, right : array of int
        Which two cells they are.
    n_judgments : array of int
        Judgments behind the matched cells of each pair, both systems together.
    unmatched : array of int
        Judgments of the two systems that have no partner.
    slots : Slots
        The systems of each campaign.
    """

    cells: Cells
    campaign: IntArray
    first: IntArray
    second: IntArray
    starts: IntArray
    item: IntArray
    rater: IntArray | None
    score_first: FloatArray
    score_second: FloatArray
    left: IntArray
    right: IntArray
    n_judgments: IntArray
    unmatched: IntArray
    slots: "Slots" = field(repr=False)

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return int(self.first.size)

    def names(self, pair: int) -> tuple[str, str]:
        """Return the two systems of a pair."""
        systems = self.cells.systems
        return systems[int(self.first[pair])], systems[int(self.second[pair])]

    def units(self, unit: UnitName = "item") -> PairedUnits:
        """Return the differences first − second, and the cluster of each.

        Parameters
        ----------
        unit : {'item', 'document', 'rater'}
            What is independent. The difference of an item is the mean, over the raters who
            judged it for both systems, of their score of the first less their score of the
            second: whatever a rater adds to all scores is gone. With raters as the clusters
            each item of a rater stays a unit.
        """
        self.refuse_unknown(unit)
        cells, first, second = self.cells, self.score_first, self.score_second
        starts, item, d = self.starts, self.item, first - second
        if unit == "rater" and self.rater is not None:
            cluster, clusters = self.rater, cells.raters or ()
        else:
            starts, item, first, second, d = mean_by_item(starts, item, first, second)
            cluster, clusters = item, cells.items
            if unit == "document" and cells.document is not None:
                cluster, clusters = cells.document[item], cells.documents or ()
        return PairedUnits(
            unit=unit,
            starts=starts,
            d=d,
            first=first,
            second=second,
            item=item,
            cluster=cluster,
            clusters=clusters,
            items=cells.items,
            weight=None if cells.weight is None else cells.weight[item],
        )

    def swapped(self, sides: NDArray[np.bool_]) -> "Matched":
        """Return matched cells in which some have changed sides."""
        first, second = self.score_first, self.score_second
        return replace(
            self,
            score_first=np.where(sides, second, first),
            score_second=np.where(sides, first, second),
        )

    def refuse_unknown(self, unit: UnitName) -> None:
        """Stop where the data do not name what is to be independent."""
        check.literal(unit, UnitName, "unit")
        known = {"item": self.item, "document": self.cells.document, "rater": self.rater}
        if known[unit] is None:
            raise InputError(
                f"`unit` must be known for every judgment; there is no {unit}. "
                "Give the column that names it."
            )


def unmatched_note(most: int) -> tuple[str, ...]:
    """Say how many judgments have no partner, of the pair that has most of them."""
    if not most:
        return ()
    return (
        f"Up to {count(most, 'judgment')} of a pair without a partner on the same item and by "
        "the same rater left out.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """The systems of each campaign, numbered campaign by campaign."""

    campaign: IntArray  # of each slot
    system: IntArray
    of_cell: IntArray  # the slot of each cell
    base: IntArray  # first slot of each campaign
    n_systems: IntArray  # of each campaign

    @classmethod
    def of(cls, cells: Cells) -> "Slots":
        """Find the systems that have cells."""
        width = len(cells.systems)
        key = cells.campaign * width + cells.system
        size = len(cells.campaigns) * width
        if size <= _LARGE:
            present = np.zeros(size, dtype=bool)
            present[key] = True
            slots = np.flatnonzero(present)
            of_cell = (np.cumsum(present) - 1)[key]
        else:
            slots, of_cell = np.unique(key, return_inverse=True)
        campaign, system = np.divmod(slots, width)
        n_systems = np.bincount(campaign, minlength=len(cells.campaigns))
        return cls(
            campaign=campaign,
            system=system,
            of_cell=of_cell.astype(np.int64),
            base=np.cumsum(n_systems) - n_systems,
            n_systems=n_systems,
        )

    def find(self, campaign: IntArray, system: IntArray) -> IntArray:
        """Return the slots of systems in campaigns."""
        width = int(self.system.max()) + 1
        at: IntArray = np.searchsorted(
            self.campaign * width + self.system, campaign * width + system
        )
        return at


def match(cells: Cells, pairs: Sequence[tuple[str, str]] | None) -> Matched:
    """Match the cells of the pairs, or of all pairs of every campaign."""
    slots = Slots.of(cells)
    one, other = _all_pairs(slots) if pairs is None else _named_pairs(cells, slots, pairs)
    starts, left, right = match_cells(cells.group, slots.of_cell, slots.campaign, one, other)
    judgments = np.bincount(slots.of_cell, cells.n, minlength=slots.system.size)
    weight = np.concatenate([[0], np.cumsum(cells.n[left] + cells.n[right])])
    used = np.diff(weight[starts])
    return Matched(
        cells=cells,
        campaign=slots.campaign[one],
        first=slots.system[one],
        second=slots.system[other],
        starts=starts,
        item=cells.item[left],
        rater=None if cells.rater is None else cells.rater[left],
        score_first=cells.mean[left],
        score_second=cells.mean[right],
        left=left,
        right=right,
        n_judgments=used,
        unmatched=(judgments[one] + judgments[other]).astype(np.int64) - used,
        slots=slots,
    )


def _all_pairs(slots: Slots) -> tuple[IntArray, IntArray]:
    """Return the slots of all pairs, campaign by campaign."""
    first, second = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for start, k in zip(slots.base.tolist(), slots.n_systems.tolist(), strict=True):
        i, j = np.triu_indices(k, 1)
        first.append(start + i)
        second.append(start + j)
    return np.concatenate(first), np.concatenate(second)


def _named_pairs(
    cells: Cells, slots: Slots, pairs: Sequence[tuple[str, str]]
) -> tuple[IntArray, IntArray]:
    """Return the slots of the pairs, campaign by campaign, in the order given."""
    position = {name: code for code, name in enumerate(cells.systems)}
    for name in {name: None for pair in pairs for name in pair}:
        if name not in position:
            raise DataError(
                f"{cells.judgments.path or 'the judgments'}: there is no judgment of the system "
                f"{name!r}; found {listing(list(cells.systems), most=10)}."
            )
    if len({frozenset(pair) for pair in pairs}) < len(pairs) or any(a == b for a, b in pairs):
        raise InputError(f"`pairs` must name different systems, each pair once; got {pairs!r}.")
    codes = np.array([(position[a], position[b]) for a, b in pairs], dtype=np.int64)
    width = len(cells.systems)
    key = slots.campaign * width + slots.system
    wanted = np.arange(len(cells.campaigns))[:, None, None] * width + codes.reshape(-1, 2)
    at: IntArray = np.minimum(np.searchsorted(key, wanted), max(key.size - 1, 0))
    there: NDArray[np.bool_] = (key[at] == wanted).all(axis=2)
    first, second = at[there].T
    return first, second
