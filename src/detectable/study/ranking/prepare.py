"""From judgments to what is tested: scores of items, matched differences, clusters."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.choices import RankingTest
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import capital, count, listing
from detectable.data.factor import Factor, cross
from detectable.data.human.cells import CellBlocks, Cells, Matched, ordinary
from detectable.data.human.judgments import Judgments
from detectable.data.human.scanned_judgments import ScannedJudgments
from detectable.inference.few_units import choose_test
from detectable.inference.standard_errors import Estimate
from detectable.study.ranking.item_scores import (
    SegmentScores,
    Standardised,
    rater_blocks,
    scanned_scores,
    segment_scores,
    severity_removed,
    system_estimate,
    without_z,
    z_scores,
)
from detectable.study.ranking.settings import MATCHED, NEEDS_DOMAINS, PAIRED, RankSettings

Matching: TypeAlias = Literal["rater", "item", "none"]
Pairs: TypeAlias = Sequence[tuple[int, int]]

ENOUGH = 0.5  # of the items of a pair must be matched, for every pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """For every pair, the share of the smaller system's items that are matched."""

    rater: FloatArray | None  # by a rater who judged the item of both; None without raters
    item: FloatArray


def item_differences(scores: FloatArray, pairs: Pairs) -> FloatArray:
    """Return differences of segment scores on items that both systems have."""
    first, second = np.array(pairs).T
    found: FloatArray = scores[:, first] - scores[:, second]
    return found


@dataclass(frozen=True, slots=True)
class PairedBlock:
    """What raters gave both systems of pairs, on the items of one block.

    Attributes
    ----------
    first : int
        The number of the first item.
    n_items : int
        Items of the block.
    columns : array of int
        Which of the pairs the matched ones are: a block may lack a system.
    matched : Matched
    """

    first: int
    n_items: int
    columns: IntArray
    matched: Matched

    @property
    def items(self) -> slice:
        """Where the items of the block stand among all."""
        return slice(self.first, self.first + self.n_items)


def paired_blocks(blocks: CellBlocks, pairs: Pairs) -> Iterator[PairedBlock]:
    """Match the cells of the pairs, block by block."""
    names = [(blocks.systems[a], blocks.systems[b]) for a, b in pairs]
    place = {pair: number for number, pair in enumerate(pairs)}
    for first, cells in blocks:
        matched = cells.matched(names)
        found = zip(matched.first.tolist(), matched.second.tolist(), strict=True)
        columns = np.array([place[pair] for pair in found], dtype=np.int64)
        yield PairedBlock(first, len(cells.items), columns, matched)


def rater_differences(blocks: CellBlocks, pairs: Pairs) -> FloatArray:
    """Return the difference of every item (row) and pair (column) within raters, NaN without."""
    found = np.full((blocks.n_items, len(pairs)), np.nan)
    for block in paired_blocks(blocks, pairs):
        found[block.items, block.columns] = block.matched.units("item").table()
    return found


def overlap(n_judgments: IntArray, blocks: CellBlocks | None, pairs: Pairs) -> Overlap:
    """Return how far the design allows pairing; scores play no part in it."""
    judged = n_judgments > 0
    first, second = np.array(pairs).T
    smaller = np.minimum(judged[:, first].sum(axis=0), judged[:, second].sum(axis=0))
    both = (judged[:, first] & judged[:, second]).sum(axis=0)
    by_rater = None
    if blocks is not None:
        n_items = np.zeros(len(pairs), dtype=np.int64)
        for block in paired_blocks(blocks, pairs):
            n_items[block.columns] += np.diff(block.matched.units("item").starts)
        by_rater = n_items / smaller
    return Overlap(rater=by_rater, item=both / smaller)


def choose_matching(shares: Overlap, *, within_raters: bool, paired: bool) -> Matching:
    """Return one level for the whole ranking: the strictest that the design allows.

    Pairing within raters where, for every pair of systems, at least half of the items were
    judged for both by one rater; else pairing of items where at least half are shared; else
    none. A test that must pair (`paired`) takes items however few they are.
    """
    if within_raters and shares.rater is not None and shares.rater.min() >= ENOUGH:
        return "rater"
    if paired or shares.item.min() >= ENOUGH:
        return "item"
    return "none"


def refuse_without_overlap(
    differences: FloatArray, pairs: Pairs, systems: tuple[str, ...], test: str
) -> None:
    """Stop where two systems share fewer than two units, for a paired test."""
    n = np.isfinite(differences).sum(axis=0)
    few = [
        f"{systems[a]} and {systems[b]}" for (a, b), k in zip(pairs, n, strict=True) if k < 2
    ]
    if few:
        raise DataError(
            f"`test={test!r}` compares systems on shared items, and {listing(few, most=3)} share "
            "fewer than two. Use test='rank-sum', which does not pair."
        )


# --- From judgments to what is tested: scores of items, matched differences, clusters ---

_FEW_CLUSTERS = 20  # documents below which tests of ranks are rough


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """All that the tests need; systems and pairs by position, best first.

    Attributes
    ----------
    scores : SegmentScores
        Raw and standardised, of whatever counts as an item in the test.
    distinct : SegmentScores
        The same of distinct items; other than `scores` where judgments or waves are tested.
    tested : array of shape (items, systems)
        What is tested: raw scores, z, or scores without the severity of raters.
    means : list of Estimate
        Of the systems, under `tested`.
    order : list of int
        Systems from best to worst.
    pairs : list of (int, int)
        Higher system, lower system; in the order of the ranking.
    differences : array of shape (units, pairs) or None
        Matched differences.
    clusters : array of int or None
        Document of each unit; None where units are independent.
    strata : array of int or None
        Domain of each unit, where means are taken over domains.
    origin : array of int or None
        Item of each row of `differences` where items come several times (waves).
    """

    scores: SegmentScores
    distinct: SegmentScores
    tested: FloatArray
    scale: str  # points, z
    means: list[Estimate]
    order: list[int]
    pairs: Pairs
    test: RankingTest
    matching: Matching
    shares: Overlap
    differences: FloatArray | None
    clusters: IntArray | None
    strata: IntArray | None
    origin: IntArray | None
    judgments: Judgments | ScannedJudgments | None
    by_rater: CellBlocks | None  # where systems are compared within raters
    values: (
        FloatArray | None
    )  # of each judgment, as tested; None: its score, or a table of scores
    fewest: int  # units behind the pair that has fewest
    weights: FloatArray | None  # of each item, where they weigh unequally
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def prepare(
    data: Judgments | ScannedJudgments | SegmentScores,
    settings: RankSettings,
    *,
    standardised: Standardised | None = None,
) -> Prepared:
    """Average, standardise, match and cluster.

    Parameters
    ----------
    standardised : Standardised, optional
        z of these judgments, where they are a part of those that their raters gave: raters must be
        standardised over all their work, or the difference between the parts would be lost.
    """
    judgments = data if isinstance(data, Judgments) else None
    item = None if judgments is None else _items(judgments, settings)
    z = _z(judgments, settings) if standardised is None else standardised
    scores, by_rater, z_notes = _scores(data, settings, z, item)
    check.number_of_pairs(len(scores.systems), "Rank fewer systems.")
    pairs = list(itertools.combinations(range(len(scores.systems)), 2))
    shares = overlap(scores.n_judgments, by_rater, pairs)
    matching = _matching(shares, settings)
    test = _test(settings, matching)
    scale, values = _tested(data, scores, z, settings, shares)
    tested = scores.raw if values is None else _table(judgments, scores, scale, values, item)
    strata = _strata(scores, settings)
    usable = np.isfinite(tested).sum(axis=0)
    if (usable < 2).any():
        names = [scores.systems[s] for s in np.flatnonzero(usable < 2)]
        raise DataError(
            f"every system needs at least two items with a score; {', '.join(names)} has fewer "
            "after standardising. Use standardise='none'."
        )
    weights = _weights(data, scores, settings, test, strata)
    plain = [
        system_estimate(tested[:, s], strata, None, weights) for s in range(tested.shape[1])
    ]
    order = np.argsort([-mean.value for mean in plain], kind="stable").tolist()
    pairs = list(itertools.combinations(order, 2))
    chosen = _valued(data, values, by_rater, item) if matching == "rater" else None
    differences = None
    if matching != "none":
        differences = (
            item_differences(tested, pairs)
            if chosen is None
            else rater_differences(chosen, pairs)
        )
    origin = None
    if settings.waves_as_items and judgments is not None and differences is not None:
        differences, origin = every_wave(judgments, tested, differences, pairs)
    if test in PAIRED or test == "rank-sum-matched":
        shared = item_differences(tested, pairs) if differences is None else differences
        refuse_without_overlap(shared, pairs, scores.systems, test)
    clusters, notes = _clusters(scores, settings)
    fewest = _fewest(clusters, scores, differences, strata if test in NEEDS_DOMAINS else None)
    test, warned = _few_units(test, fewest, clusters, settings)
    return Prepared(
        scores=scores,
        distinct=scores
        if judgments is None or item is None
        else _averaged(judgments.cells(), judgments, z, None),
        tested=tested,
        scale=scale,
        means=[system_estimate(column, strata, clusters, weights) for column in tested.T],
        order=order,
        pairs=pairs,
        test=test,
        matching=matching if test in MATCHED else "none",
        shares=shares,
        differences=differences,
        clusters=clusters,
        strata=strata,
        origin=origin,
        judgments=None if isinstance(data, SegmentScores) else data,
        by_rater=chosen,
        values=values,
        fewest=fewest,
        weights=weights,
        notes=(*scores.notes, *z_notes, *notes),
        warnings=warned,
    )


def _weights(
    data: Judgments | ScannedJudgments | SegmentScores,
    scores: SegmentScores,
    settings: RankSettings,
    test: RankingTest,
    strata: IntArray | None,
) -> FloatArray | None:
    """Return the sampling weight of each item; tests that know none are refused."""
    if scores.weight is None or not isinstance(data, Judgments):
        return None
    if settings.preset is not None:
        data.refuse_weights(f"`preset={settings.preset!r}`", "no preset")
    if test not in ("permutation", "t"):
        data.refuse_weights(f"`test={test!r}`", "`test='permutation'` or `test='t'`")
    if strata is not None:
        data.refuse_weights("`average='domains'`", "`average='items'`")
    if settings.standardise == "mixed":
        data.refuse_weights("`standardise='mixed'`", "`standardise='none'`")
    return scores.weight


def _items(judgments: Judgments, settings: RankSettings) -> Factor | None:
    """Return what counts as an item where it is not the item: a judgment, or item and wave."""
    if settings.level == "judgment":
        names = tuple(str(row) for row in range(judgments.n_judgments))
        return Factor(name="item", levels=names, codes=np.arange(judgments.n_judgments))
    if settings.waves_as_items and judgments.wave is not None:
        return cross("item", judgments.item, judgments.wave)
    return None


def _scores(
    data: Judgments | ScannedJudgments | SegmentScores,
    settings: RankSettings,
    z: Standardised | None,
    item: Factor | None,
) -> tuple[SegmentScores, CellBlocks | None, tuple[str, ...]]:
    """Return scores of items, cells by rater where they may be compared, and what z left out."""
    if isinstance(data, SegmentScores):
        return data, None, ()
    if isinstance(data, ScannedJudgments):
        blocks = rater_blocks(data) if settings.within_raters else None
        return scanned_scores(data), blocks, without_z(*data.without_z())
    cells = data.cells(item=item)
    scores = _averaged(cells, data, z, item)
    return scores, _within_raters(cells, settings), () if z is None else z.notes


def _z(judgments: Judgments | None, settings: RankSettings) -> Standardised | None:
    if judgments is None or judgments.rater is None:
        return None
    return z_scores(judgments, over=settings.over)


def _averaged(
    cells: Cells, judgments: Judgments, z: Standardised | None, item: Factor | None
) -> SegmentScores:
    means = None if z is None else judgments.cells(values=z.values, item=item).table()
    return segment_scores(cells, means)


def _within_raters(cells: Cells, settings: RankSettings) -> CellBlocks | None:
    """Return the cells if systems may be compared within raters."""
    if cells.rater is None or not settings.within_raters or settings.level == "judgment":
        return None
    return CellBlocks.whole(cells)


def _matching(shares: Overlap, settings: RankSettings) -> Matching:
    if settings.level == "judgment" or settings.test in (
        "rank-sum",
        "rank-sum-matched",
        "mixed",
    ):
        return "none"
    return choose_matching(
        shares, within_raters=settings.within_raters, paired=settings.test in PAIRED
    )


def _test(settings: RankSettings, matching: Matching) -> RankingTest:
    if settings.test != "auto":
        return settings.test
    return "rank-sum" if matching == "none" else "permutation"


def _tested(
    data: Judgments | ScannedJudgments | SegmentScores,
    scores: SegmentScores,
    z: Standardised | None,
    settings: RankSettings,
    shares: Overlap,
) -> tuple[str, FloatArray | None]:
    """Return the scale of what is tested, and a value per judgment (None: raw, or a table).

    Where the same raters judged both systems, their severity is the same for both, whatever the
    test. z would do harm there: a rater's z add up to zero, so that the means of two systems in a
    document by one rater are each other's opposite, and a test of unpaired documents then
    rejects twice as often as it says.
    """
    wanted = settings.standardise
    if wanted == "auto":
        same_raters = shares.rater is not None and shares.rater.min() >= ENOUGH
        # Published rankings by MQM are of raw penalties, and z can order systems otherwise: a
        # rater who marks few errors has a small standard deviation, so that each counts double.
        penalty = not isinstance(data, SegmentScores) and data.is_penalty
        unneeded = same_raters or penalty or settings.test == "mixed" or scores.z is None
        wanted = "none" if unneeded else "z"
    if wanted == "none":
        if not np.isfinite(scores.raw).any():
            raise InputError("`standardise='none'` needs raw scores; the table has z only.")
        return "points", None
    if wanted == "z" and scores.z is None:
        raise InputError(
            "`standardise='z'` needs to know who judged (or a column z of segment scores). Give the "
            "column of the rater, or use standardise='none'."
        )
    if wanted == "z":
        return "z", np.empty(0) if z is None else z.values
    if not isinstance(data, Judgments):
        raise InputError(
            "`standardise='mixed'` needs the judgments with their raters; segment scores have none."
        )
    return "points", severity_removed(data).values


def _table(
    judgments: Judgments | None,
    scores: SegmentScores,
    scale: str,
    values: FloatArray,
    item: Factor | None,
) -> FloatArray:
    if scale == "z" and scores.z is not None:
        return scores.z
    if judgments is None:
        raise InputError("segment scores cannot be standardised anew.")
    return judgments.cells(values=values, item=item).table()


def _valued(
    data: Judgments | ScannedJudgments | SegmentScores,
    values: FloatArray | None,
    blocks: CellBlocks | None,
    item: Factor | None,
) -> CellBlocks | None:
    """Return the cells of what is tested, where raters are known."""
    if blocks is None or values is None:
        return blocks
    if isinstance(data, ScannedJudgments):
        return rater_blocks(data, standardised=True)
    if isinstance(data, SegmentScores):
        return None
    return CellBlocks.whole(data.cells(values=values, item=item))


def every_wave(
    judgments: Judgments, tested: FloatArray, differences: FloatArray, pairs: Pairs
) -> tuple[FloatArray, IntArray | None]:
    """Set each of two judgments of an item against both of the other system, as WMT25 did.

    Returns the differences and the item of each row; with one wave, or more than two, the
    differences as they are.
    """
    if judgments.wave is None:
        return differences, None
    kept, _ = ordinary(judgments)
    items = cross("item", kept.item, kept.column("wave"))
    origin, wave = np.empty((2, items.n_levels), dtype=np.int64)
    origin[items.codes], wave[items.codes] = kept.item.codes, kept.column("wave").codes
    if kept.column("wave").n_levels != 2:
        return differences, origin
    row = np.full((kept.item.n_levels, 2), -1)
    row[origin, wave] = np.arange(items.n_levels)
    other = row[origin, 1 - wave]
    first, second = np.array(pairs).T
    swapped = np.where(other[:, None] >= 0, tested[:, first] - tested[other][:, second], np.nan)
    return np.concatenate([differences, swapped]), np.concatenate([origin, origin])


def _strata(scores: SegmentScores, settings: RankSettings) -> IntArray | None:
    wanted = settings.average == "domains" or settings.test in NEEDS_DOMAINS
    if not wanted:
        return None
    if scores.domain is None:
        raise InputError(
            "means over domains need to know the domain of each item. Give the column of the "
            "domain, or use another test."
        )
    return scores.domain.codes


def _clusters(
    scores: SegmentScores, settings: RankSettings
) -> tuple[IntArray | None, tuple[str, ...]]:
    """Return the document of each item, or None where items are the units; and what to say."""
    if settings.unit == "item" or settings.level == "judgment":
        asked = settings.plain and settings.level == "item" and scores.document is not None
        note = "Items of a document are treated as independent, which they rarely are."
        return None, (note,) if asked else ()
    if settings.level == "document":
        return None, ()
    if scores.document is None:
        if settings.unit == "document":
            raise InputError(
                "`unit='document'` needs to know the document of each item. Give its column."
            )
        return None, ("Documents are not known: items count as independent.",)
    return scores.document.codes, ()


def _few_units(
    test: RankingTest, fewest: int, clusters: IntArray | None, settings: RankSettings
) -> tuple[RankingTest, tuple[str, ...]]:
    """Return the test that so few units can bear, and what to say about it."""
    if settings.preset is not None or test == "mixed":
        return test, ()
    unit = "item" if clusters is None else "document"
    if fewest < 2:
        remedy = "Judge more items of both."
        if unit == "document":
            remedy = "Use unit='item', which is a claim about this document."
        alone = (
            f"some pair of systems rests on {count(fewest, unit)}, and one {unit} says nothing about "
            "the next"
        )
        if test not in ("permutation", "t") and settings.test != "auto":
            raise DataError(f"{alone}. {remedy}")
        # Means stand for themselves. By t a pair without a spread is never decided.
        withheld = "its difference is shown and nothing is claimed of it"
        return "t", (f"{capital(alone)}: {withheld}. {remedy}",)
    if settings.test == "auto" and choose_test(fewest, settings.alpha) == "t":
        return "t", ()
    by_ranks = test not in ("permutation", "t")
    if by_ranks and clusters is not None and fewest < _FEW_CLUSTERS:
        return test, (
            f"Some pair rests on {count(fewest, 'document')} only (below {_FEW_CLUSTERS}): p-values "
            "of ranks of so few are rough.",
        )
    return test, ()


def _fewest(
    documents: IntArray | None,
    scores: SegmentScores,
    differences: FloatArray | None,
    strata: IntArray | None,
) -> int:
    """Return the smallest number of units behind a pair (or a system), in a domain."""
    seen = np.isfinite(differences) if differences is not None else scores.n_judgments > 0
    units = np.arange(len(seen)) if documents is None else documents
    groups = [np.ones(len(seen), dtype=bool)]
    if strata is not None:
        groups = [strata == level for level in np.unique(strata)]
    return min(np.unique(units[column & group]).size for column in seen.T for group in groups)
