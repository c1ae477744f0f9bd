"""One score per system and item: raters' severity taken out, scanned or in memory, with influence values."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.check import LARGEST_SCORE
from detectable.core.choices import Over
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.factor import Factor, cross, factor
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import number_in
from detectable.data.files.place import FilePath
from detectable.data.files.table import (
    LANGUAGE,
    Table,
    is_spaced,
    read_spaced,
    read_table,
    with_language,
)
from detectable.data.human.cells import ORDINARY, CellBlocks, Cells
from detectable.data.human.judgments import Judgments, several
from detectable.data.human.scanned_judgments import ScannedJudgments
from detectable.inference.standard_errors import Estimate, cluster_sums, robust_variance
from detectable.kernels.means import exact_mean, rater_spread

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
    weight: FloatArray | None = None

    def __repr__(self) -> str:
        known = count(len(self.systems), "system"), count(len(self.items), "item")
        return f"<SegmentScores: {', '.join(known)}>"

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
        weight=cells.weight,
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
        found = number_in(value)
        numbers[row] = np.nan if found is None else found
    bad = np.flatnonzero(
        ~(np.abs(numbers) <= (_MOST_JUDGMENTS if role == "N" else LARGEST_SCORE))
    )
    if bad.size:
        raise DataError(
            f"{place(int(bad[0]))}: {role} must be a number, found {str(values[int(bad[0])])!r} "
            f"({count(int(bad.size), 'row')} in all). A score that was not given needs no row."
        )
    return numbers


# --- Scores of items, and cells by rater, of judgments that were scanned ---


def scanned_scores(data: ScannedJudgments) -> SegmentScores:
    """Average judgments per system and item, block by block, as `segment_scores` does."""
    shape = data.n_items, len(data.systems)
    raw, n_judgments = np.empty(shape), np.empty(shape, dtype=np.int64)
    z = None if data.spread is None else np.empty(shape)
    for first, block in data.blocks(raters=False):
        items = slice(first, first + block.item.n_levels)
        cells = block.cells()
        raw[items], n_judgments[items] = cells.table(), cells.counts()
        if z is not None:
            z[items] = block.cells(values=data.z(first, block)).table()
    return SegmentScores(
        systems=data.systems,
        items=data.items,
        raw=raw,
        z=z,
        n_judgments=n_judgments,
        document=data.document,
        domain=data.domain,
    )


def rater_blocks(data: ScannedJudgments, *, standardised: bool = False) -> CellBlocks | None:
    """Return the cells of scores, or of standard scores; None where raters are not known."""
    if data.raters is None:
        return None

    def walk() -> Iterator[tuple[int, Cells]]:
        for first, block in data.blocks():
            values = data.z(first, block) if standardised else None
            yield first, block.cells(values=values)

    return CellBlocks(systems=data.systems, raters=data.raters, n_items=data.n_items, walk=walk)


# --- Take the severity of raters out of their scores ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Standardised:
    """A score per judgment, and what could not be standardised."""

    values: FloatArray  # NaN where there is none
    dropped: tuple[str, ...] = ()  # raters without a standard score
    notes: tuple[str, ...] = ()


def z_scores(judgments: Judgments, *, over: Over = "all") -> Standardised:
    r"""Return each judgment in standard deviations from its rater's mean.

    .. math:: z = (y - \bar y_w) / s_w

    with mean and standard deviation (n − 1) of rater w in one language pair of one campaign.
    ``over='all'`` counts all that a rater judged there, references and degraded copies too, as
    WMT's to-English campaigns do; ``'ordinary'`` only system outputs and repeats of them, as in
    its other directions.

    A rater with one judgment, or with one score throughout, has no z. These judgments are left
    out of z (they stay in the raw means) and the raters are named. WMT22 instead gave z = 0 to
    segments that only such raters had judged, which pulls a system towards the average; that is
    not repeated here.

    References
    ----------
    Graham, Baldwin, Moffat and Zobel (2017), "Can machine translation systems be evaluated by
    the crowd alone", Natural Language Engineering 23(1), 3–30.

    Examples
    --------
    >>> table = {"system": list("ABAB"), "item": [1, 1, 2, 2], "rater": list("vvww")}
    >>> judged = Judgments.build({**table, "score": [60, 80, 50, 50]})
    >>> z_scores(judged).values.round(3).tolist(), z_scores(judged).dropped
    ([-0.707, 0.707, nan, nan], ('w',))
    """
    check.literal(over, Over, "over")
    rater = judgments.column("rater")
    campaign = judgments.by_campaign()
    group = rater if campaign is None else cross("rater", rater, campaign)
    counted = (
        np.ones(judgments.n_judgments, dtype=bool)
        if over == "all"
        else judgments.is_kind(*ORDINARY)
    )
    mean, spread = rater_spread(group.codes[counted], judgments.score[counted], group.n_levels)
    usable = np.isfinite(spread)
    values = np.full(judgments.n_judgments, np.nan)
    known = usable[group.codes]
    at = group.codes[known]
    values[known] = (judgments.score[known] - mean[at]) / spread[at]
    dropped = tuple(level for level, fine in zip(group.levels, usable, strict=True) if not fine)
    return Standardised(
        values=values, dropped=dropped, notes=without_z(dropped, int((~known).sum()))
    )


def without_z(dropped: tuple[str, ...], n_judgments: int) -> tuple[str, ...]:
    """Say which raters have no z, and how many judgments that costs."""
    if not dropped:
        return ()
    they = "rater gave" if len(dropped) == 1 else "raters gave"
    return (
        f"{len(dropped):,} {they} one judgment or one score throughout and "
        f"{'has' if len(dropped) == 1 else 'have'} no z: {listing(list(dropped))} "
        f"({count(n_judgments, 'judgment')}, left out of z, kept in the raw means).",
    )


def severity_removed(judgments: Judgments) -> Standardised:
    """Return scores less the severity of each rater, predicted by a mixed model.

    The prediction is shrunk towards zero, the more the fewer judgments a rater gave, and allows
    for which systems and items a rater happened to see, which z does not. Scores stay on their
    own scale. Judgments of references and degraded copies are not used.

    References
    ----------
    Henderson (1975), "Best linear unbiased estimation and prediction under a selection model",
    Biometrics 31(2), 423–447.
    """
    from detectable.mixed.fit import fit_mixed
    from detectable.mixed.predictions import predict_effects

    rater = judgments.column("rater")
    fit = fit_mixed(judgments, unit="item", slopes="none", repeats="keep")
    severity = {row.level: row.effect for row in predict_effects(fit, factor="rater").effects}
    by_rater = np.array([severity.get(level, np.nan) for level in rater.levels])
    return Standardised(values=judgments.score - by_rater[rater.codes])


# --- Means with their influence values: scores of systems and differences of pairs ---


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanParts:
    """A mean, and what every unit has to do with it."""

    value: float
    weights: FloatArray  # of each unit; 0 where there is no value
    influence: FloatArray  # what each unit adds to the error, corrected for few clusters
    sizes: FloatArray  # variance of the mean of each stratum, if units were alike: weight² / n
    df: FloatArray  # behind the variance of each stratum


def mean_parts(
    values: FloatArray,
    strata: IntArray | None = None,
    clusters: IntArray | None = None,
    weights: FloatArray | None = None,
) -> MeanParts:
    r"""Return a mean with its influence values.

    Without strata the mean of the known values; with strata (domains) the mean of the means of
    the strata. Unit i of a stratum of n units, one of D strata, has weight :math:`w_i = 1/(D n)`
    and influence

    .. math:: \psi_i = w_i (x_i - \bar x) / \sqrt{1 - h_g}

    with the mean of its stratum and the share :math:`h_g` of the stratum that is in its cluster
    (1/n, where there are no clusters). Then :math:`\sum_g (\sum_{i \in g} \psi_i)^2` is the
    cluster-robust squared error of a stratified mean; with one stratum it is that of
    `inference.standard_errors`. With sampling weights :math:`w_i` is the unit's share of their sum,
    and so is :math:`h_g` (one stratum only).
    """
    if weights is not None:
        return _weighted_parts(values, weights, clusters)
    known = np.isfinite(values)
    stratum = np.zeros(values.size, dtype=np.int64) if strata is None else strata
    size = int(stratum.max()) + 1
    n = np.bincount(stratum[known], minlength=size)
    present = n > 0
    if not present.any():
        nothing, none = np.zeros(values.size), np.zeros(0)
        return MeanParts(
            value=math.nan, weights=nothing, influence=nothing, sizes=none, df=none
        )
    # The sums are exact: a mean of the same differences is the same wherever it is reported.
    means = np.array([exact_mean(values[known & (stratum == level)]) for level in range(size)])
    means[~present] = 0.0
    weights = np.where(known, (1.0 / (present.sum() * np.maximum(n, 1)))[stratum], 0.0)
    apart = np.where(known, values, 0.0) - means[stratum]
    rest, df = np.ones(values.size), []
    for level in np.flatnonzero(present):
        inside = known & (stratum == level)
        groups = np.arange(n[level]) if clusters is None else clusters[inside]
        codes = np.unique(groups, return_inverse=True)[1]
        shares = np.bincount(codes) / n[level]
        rest[inside] = 1.0 - shares[codes] if shares.size > 1 else np.nan
        df.append(float(robust_variance(shares, shares)[1]))
    return MeanParts(
        value=float(means[present].mean()),
        weights=weights,
        influence=np.where(known, weights * apart / np.sqrt(rest), 0.0),
        sizes=1.0 / (np.square(present.sum()) * n[present]),
        df=np.array(df),
    )


def _weighted_parts(
    values: FloatArray, weights: FloatArray, clusters: IntArray | None
) -> MeanParts:
    """Return the same of Hájek's mean."""
    known = np.isfinite(values)
    nothing, none = np.zeros(values.size), np.zeros(0)
    if not known.any():
        return MeanParts(
            value=math.nan, weights=nothing, influence=nothing, sizes=none, df=none
        )
    share = nothing.copy()
    share[known] = weights[known] / float(weights[known].sum())
    codes = np.arange(int(known.sum()))
    if clusters is not None:
        codes = np.unique(clusters[known], return_inverse=True)[1]
    of_cluster = np.bincount(codes, share[known]).astype(np.float64)
    value = float(share[known] @ values[known])
    rest = 1.0 - of_cluster[codes] if of_cluster.size > 1 else np.full(codes.size, np.nan)
    influence = nothing.copy()
    influence[known] = share[known] * (values[known] - value) / np.sqrt(rest)
    return MeanParts(
        value=value,
        weights=share,
        influence=influence,
        sizes=np.array([float(np.square(share).sum())]),
        df=np.array([float(robust_variance(of_cluster, of_cluster)[1])]),
    )


def system_estimate(
    scores: FloatArray,
    strata: IntArray | None,
    clusters: IntArray | None,
    weights: FloatArray | None = None,
) -> Estimate:
    """Return the mean of scores, or of matched differences, with its standard error."""
    parts = mean_parts(scores, strata, clusters, weights)
    return _clustered(parts.value, parts.influence, (parts,), clusters)


def unpaired_estimate(
    first: FloatArray,
    second: FloatArray,
    strata: IntArray | None,
    clusters: IntArray | None,
    weights: FloatArray | None = None,
) -> Estimate:
    """Return the difference of two means over partly shared items.

    An item (or document) that both systems share adds the difference of its two influence
    values, so that what they have in common cancels; with no shared item the squared error is
    the sum of both, as in Welch's test.
    """
    parts = tuple(mean_parts(one, strata, clusters, weights) for one in (first, second))
    influence = parts[0].influence - parts[1].influence
    return _clustered(parts[0].value - parts[1].value, influence, parts, clusters)


def _clustered(
    value: float,
    influence: FloatArray,
    parts: tuple[MeanParts, ...],
    clusters: IntArray | None,
) -> Estimate:
    """Add influence values up by cluster."""
    seen = np.any([part.weights > 0.0 for part in parts], axis=0)
    within = None if clusters is None else clusters[seen]
    sums = cluster_sums(influence[seen], within)
    df = _degrees(parts, seen, within)
    if not df > 0.0:
        return Estimate(value, math.nan, math.nan)
    return Estimate(value, math.sqrt(float(np.square(sums).sum())), df)


def _degrees(
    parts: tuple[MeanParts, ...], seen: NDArray[np.bool_], clusters: IntArray | None
) -> float:
    """Return the degrees of freedom of a sum of variances, by Satterthwaite.

    Each stratum has its own, and counts with the variance it would have if units were alike: the
    working model of Bell and McCaffrey. Clusters that both systems share are not counted twice.
    """
    sizes = np.concatenate([part.sizes for part in parts])
    df = np.concatenate([part.df for part in parts])
    if not sizes.size or np.isnan(df).any():
        return math.nan
    apart = float(sizes.sum() ** 2 / (sizes**2 / df).sum())
    if len(parts) == 1:
        return apart
    weights = np.mean([part.weights for part in parts], axis=0)[seen]
    shares = cluster_sums(weights, clusters)
    return min(apart, float(robust_variance(shares, shares)[1]))
