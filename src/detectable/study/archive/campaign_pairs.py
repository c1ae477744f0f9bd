"""Every pair of systems in an archive of campaigns, tested with and without pairing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.choices import JudgmentUnit, PairTest, UnitName
from detectable.core.errors import DataError, InputError
from detectable.core.result import Result, Signature
from detectable.core.rng import resolve
from detectable.core.types import FloatArray, IntArray, Progress, Seed, silent
from detectable.core.wording import count
from detectable.data.files.table import TableSource
from detectable.data.human.cells import Cells, Matched, PairedUnits, Slots
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import judgments_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRows:
    """All judgments of each system in each campaign (slot), matched or not, sorted by slot."""

    starts: IntArray  # of each slot
    value: IntArray  # position in `values`
    item: IntArray
    rater: IntArray | None
    values: FloatArray  # the different scores, rising

    @classmethod
    def of(cls, cells: Cells, slots: Slots) -> "SlotRows":
        """Sort the judgments of cells by slot."""
        slot = np.repeat(slots.of_cell, np.diff(cells.starts))
        order = np.argsort(slot, kind="stable")
        rows = cells.rows[order]
        values, value = _unique_scores(cells.columns.value[rows])
        rater = cells.columns.rater
        return cls(
            starts=np.searchsorted(slot[order], np.arange(slots.system.size + 1)),
            value=value,
            item=cells.columns.item.codes[rows],
            rater=None if rater is None else rater.codes[rows],
            values=values,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedPairs:
    """All pairs within each campaign: what their systems have in common, and all they have."""

    matched: Matched
    first: IntArray  # slots of each pair
    second: IntArray
    rows: SlotRows
    notes: tuple[str, ...]

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return self.matched.n_pairs

    @property
    def document(self) -> IntArray | None:
        """The document of each item."""
        return self.matched.cells.document


def matched_pairs(judgments: Judgments) -> MatchedPairs:
    """Pair all systems within each campaign and match what the same rater gave the same item."""
    cells = judgments.cells()
    matched = cells.matched()
    if not matched.n_pairs:
        raise DataError(
            f"{judgments.path or 'the judgments'}: no campaign has two systems to compare. "
            "Name the column of the campaign only if its systems were judged together."
        )
    slots = matched.slots
    return MatchedPairs(
        matched=matched,
        first=slots.find(matched.campaign, matched.first),
        second=slots.find(matched.campaign, matched.second),
        rows=SlotRows.of(cells, slots),
        notes=(*cells.notes, *_single(slots.n_systems)),
    )


def _unique_scores(scores: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the different scores and the position of each; whole numbers need no sorting."""
    low, high = float(scores.min()), float(scores.max())
    if high - low < 1 << 16 and bool((scores == np.rint(scores)).all()):
        codes = (scores - low).astype(np.int64)
        present = np.bincount(codes) > 0
        position = (np.cumsum(present) - 1).astype(np.int64)
        return low + np.flatnonzero(present).astype(np.float64), position[codes]
    values, inverse = np.unique(scores, return_inverse=True)
    return values, inverse.astype(np.int64)


def _single(n_systems: IntArray) -> tuple[str, ...]:
    alone = int((n_systems == 1).sum())
    return (
        (f"{count(alone, 'campaign')} with one system: nothing to compare.",) if alone else ()
    )


# --- Test every pair of systems in an archive of campaigns, with and without pairing ---

_FEW = 7  # clusters below which a t test leans on normality


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """How many comparisons a test decides, and how it differs from the first test."""

    test: str
    tested: int
    significant: int
    share: float
    gained: int  # significant here and not by the first test
    lost: int
    opposite: int  # significant by both, in opposite directions


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignPairs(Result):
    """All pairs of an archive. Arrays have one entry per pair; the rest sums them up.

    Attributes
    ----------
    tests : tuple of Decided
        In the order asked for; gains and losses are against the first.
    variance_ratio : (float, float, float)
        Quartiles over pairs of the squared standard error of the difference of raw means over
        that of the mean paired difference: by how much fewer judgments pairing needs.
    correlation : float
        Median over pairs of the correlation of the two scores of an item.
    matched_share : float
        Share of the judgments of all pairs that have a partner.
    unit : str
        What counts as one observation in the paired test: item, document or rater.
    claim : str
        “these raters” or “raters like these”: for whom the paired test speaks.
    named : mapping of str to tuple of str
        The campaign and the language pair of each pair, as far as the judgments name them;
        `campaign` is both together.
    """

    n_pairs: int
    n_campaigns: int
    n_judgments: int
    alpha: float
    tests: tuple[Decided, ...]
    variance_ratio: tuple[float, float, float]
    correlation: float
    matched_share: float
    unit: str
    claim: str
    notes: tuple[str, ...]
    campaign: tuple[str, ...] = field(repr=False, metadata={"bulk": "rows"})
    first: tuple[str, ...] = field(repr=False, metadata={"bulk": "rows"})
    second: tuple[str, ...] = field(repr=False, metadata={"bulk": "rows"})
    named: Mapping[str, tuple[str, ...]] = field(
        repr=False, compare=False, metadata={"bulk": "rows"}
    )
    columns: Mapping[str, FloatArray] = field(
        repr=False, compare=False, metadata={"bulk": "array"}
    )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per pair as plain columns: names, sizes, differences, p-values."""
        names = {"campaign": self.campaign, "first": self.first, "second": self.second}
        listed: dict[str, list[Any]] = {name: list(column) for name, column in names.items()}
        return {**listed, **{name: column.tolist() for name, column in self.columns.items()}}


def campaign_pairs(
    judgments: Judgments | TableSource,
    *,
    tests: Sequence[PairTest] = ("rank-sum", "paired"),
    alpha: float = 0.05,
    unit: JudgmentUnit = "auto",
) -> CampaignPairs:
    r"""Test every pair of systems within each campaign of an archive.

    ``rank-sum`` is Mann-Whitney's test on all judgments, two-sided with continuity and tie
    correction, as Wei et al. [1]_ tested an archive of campaigns. It takes the judgments of the
    two systems as unrelated.

    ``paired`` uses that the same rater judged the same item of both systems. A rater's repeats
    are averaged; the difference of an item is the mean over the raters who judged both systems;
    their mean is divided by its standard error and compared with Student's t,

    .. math:: t = \bar d / s, \qquad
              s^2 = \frac{G}{G - 1} \sum_g \frac{1}{n^2}
                    \Bigl(\sum_{i \in g} (d_i - \bar d)\Bigr)^2, \qquad \text{df} = G - 1,

    with documents as clusters g where they are known, else every item alone. Where all
    differences are equal, s is zero and the sign-flip p-value :math:`2^{1-G}` takes its place.

    ``signed-rank`` is Wilcoxon's test of the same differences, with Pratt's zeros. It takes
    items as independent.

    Parameters
    ----------
    judgments : Judgments
        Rows of kind system and repeat are used. Campaign and language pair tell evaluations
        apart.
    tests : sequence of {'rank-sum', 'paired', 'signed-rank'}
        Gains and losses are counted against the first.
    unit : {'auto', 'item', 'document', 'rater'}
        What may be taken as independent in the paired test. 'auto' is document where it is
        known, else item: the claim is then about these raters, on items like these. 'rater'
        makes the claim about raters like these; differences of single cells are then the units.

    References
    ----------
    .. [1] Wei, Kocmi and Federmann (2022), "Searching for a higher power in the human evaluation
       of MT", WMT, section 5 and table 1.

    Examples
    --------
    >>> judgments = Judgments.build({
    ...     "system": ["A", "B"] * 6, "item": [i // 2 for i in range(12)], "rater": ["w"] * 12,
    ...     "score": [52, 50, 93, 90, 34, 33, 71, 70, 15, 12, 88, 86],
    ... })
    >>> pairs = campaign_pairs(judgments)
    >>> [(test.test, test.significant) for test in pairs.tests]
    [('rank-sum', 0), ('paired', 1)]
    """
    judgments = judgments_of(judgments)
    judgments.refuse_weights("an archive of pairs", "`rank`")
    names = check_tests(tests)
    alpha = check.probability(alpha, "alpha")
    pairs = matched_pairs(judgments)
    unit = resolve_unit(pairs, unit)
    items = units_of(pairs, "item")
    columns = _describe(pairs, items)
    p_values, signs = {}, {}
    for name in names:
        p_values[name], signs[name] = pair_p_values(pairs, name, unit)
    columns |= columns_of(items if unit == "item" else units_of(pairs, unit))
    columns |= {f"p {name}": p for name, p in p_values.items()}
    counts = tuple(_count(name, names[0], p_values, signs, alpha) for name in names)
    matched, cells = pairs.matched, pairs.matched.cells
    both = columns["judgments first"] + columns["judgments second"]
    return CampaignPairs(
        n_pairs=matched.n_pairs,
        n_campaigns=int(np.unique(matched.campaign).size),
        n_judgments=judgments.n_judgments,
        alpha=alpha,
        tests=counts,
        variance_ratio=_quartiles(columns["variance ratio"]),
        correlation=_quantile(columns["correlation"], 0.5),
        matched_share=float(matched.n_judgments.sum() / both.sum()),
        unit=unit,
        claim="raters like these" if unit == "rater" else "these raters",
        notes=(*judgments.notes, *pairs.notes, *_notes(judgments, columns)),
        campaign=tuple(cells.campaigns[c] for c in matched.campaign.tolist()),
        first=tuple(cells.systems[s] for s in matched.first.tolist()),
        second=tuple(cells.systems[s] for s in matched.second.tolist()),
        named=_named(matched),
        columns=columns,
        signature=Signature(
            "campaign-pairs", {"tests": "+".join(names), "alpha": alpha, "unit": unit}
        ),
    )


def _named(matched: Matched) -> dict[str, tuple[str, ...]]:
    """Return campaign and language pair of each pair: its cells lie together, the first says it."""
    cells = matched.cells
    rows = cells.row[np.searchsorted(cells.campaign, matched.campaign)]
    columns = {"campaign": cells.judgments.campaign, "language": cells.judgments.language}
    return {
        role: tuple(column.levels[code] for code in column.codes[rows].tolist())
        for role, column in columns.items()
        if column is not None
    }


def _describe(pairs: MatchedPairs, units: PairedUnits) -> dict[str, FloatArray]:
    """Return the columns that need no test."""
    from detectable.kernels.pairing import clustered_means, correlations

    sizes = np.diff(pairs.rows.starts).astype(np.float64)
    mean, variance = _slot_moments(pairs, sizes)
    first, second = pairs.first, pairs.second
    _, error, _ = clustered_means(units.starts, units.cluster, units.d, units.n_clusters)
    unpaired = (variance / sizes)[first] + (variance / sizes)[second]
    # Two systems with the same scores throughout have no variance left; no ratio is given.
    ratio = np.divide(unpaired, error**2, out=np.full_like(error, np.nan), where=error > 0.0)
    return {
        "judgments first": sizes[first],
        "judgments second": sizes[second],
        "matched judgments": 0.5 * pairs.matched.n_judgments,
        "difference of means": mean[first] - mean[second],
        "standard error of means": np.sqrt(unpaired),
        "correlation": correlations(units.starts, units.first, units.second),
        "variance ratio": ratio,
    }


def _slot_moments(pairs: MatchedPairs, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of all judgments of each system in each campaign."""
    rows, n_values = pairs.rows, pairs.rows.values.size
    slot = np.repeat(np.arange(sizes.size), sizes.astype(np.int64))
    if sizes.size * n_values <= rows.value.size:  # few values: their counts say everything
        counts = np.bincount(slot * n_values + rows.value, minlength=sizes.size * n_values)
        counts = counts.reshape(sizes.size, n_values)
        mean = counts @ rows.values / sizes
        apart = np.square(rows.values - mean[:, None])
        squares = np.einsum("ij,ij->i", counts, apart)
    else:
        score = rows.values[rows.value]
        mean = np.bincount(slot, score) / sizes
        squares = np.bincount(slot, np.square(score - mean[slot]))
    return mean, np.divide(
        squares, sizes - 1.0, out=np.full_like(mean, np.nan), where=sizes > 1
    )


def _count(
    name: str,
    reference: str,
    p_values: dict[Any, FloatArray],
    signs: dict[Any, FloatArray],
    alpha: float,
) -> Decided:
    with np.errstate(invalid="ignore"):
        here, there = p_values[name] < alpha, p_values[reference] < alpha
    tested = int((~np.isnan(p_values[name])).sum())
    return Decided(
        test=name,
        tested=tested,
        significant=int(here.sum()),
        share=float(here.sum() / tested) if tested else float("nan"),
        gained=int((here & ~there).sum()),
        lost=int((there & ~here).sum()),
        opposite=int((here & there & (signs[name] != signs[reference])).sum()),
    )


def _quantile(values: FloatArray, share: float) -> float:
    known = values[np.isfinite(values)]
    return float(np.quantile(known, share)) if known.size else float("nan")


def _quartiles(values: FloatArray) -> tuple[float, float, float]:
    return _quantile(values, 0.25), _quantile(values, 0.5), _quantile(values, 0.75)


def _notes(judgments: Judgments, columns: dict[str, FloatArray]) -> tuple[str, ...]:
    notes = []
    if judgments.rater is None:
        notes.append("Raters are not known: systems are paired by item alone.")
    apart = int((columns["units"] == 0).sum())
    if apart:
        notes.append(
            f"{count(apart, 'pair')} without an item that one rater judged for both systems: "
            "no paired test."
        )
    few = int(((columns["units"] > 0) & (columns["df"] + 1 < _FEW)).sum())
    if few:
        notes.append(
            f"{count(few, 'pair')} with fewer degrees of freedom than {_FEW} equal clusters have: t "
            "rests on the shape of few numbers there. `paired_permutation` counts all signs."
        )
    return tuple(notes)


# --- The tests of all pairs of an archive: from matched judgments to p-values ---

Moments: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]

_COUNTS = 1 << 22  # counts of score values in memory at once; does not change the answer
_ROUNDING = 1e-12
_DIGITS = 9  # averages of repeats that agree to this many digits are equal


@dataclass(frozen=True, slots=True)
class Swap:
    """Change sides at random: which unit each matched cell and each row moves with."""

    of_cell: IntArray
    of_row: IntArray
    seed: int


def units_of(pairs: MatchedPairs, unit: UnitName, swap: Swap | None = None) -> PairedUnits:
    """Return the paired differences of all pairs, after some have changed sides."""
    from detectable.kernels.pairing import swap_units

    matched = pairs.matched
    if swap is not None:
        matched = matched.swapped(swap_units(matched.starts, swap.of_cell, swap.seed))
    return matched.units(unit)


def moments(units: PairedUnits, *, rounded: bool = False) -> Moments:
    """Return mean, standard error and degrees of freedom of the differences of each pair."""
    from detectable.kernels.pairing import clustered_means

    d = np.round(units.d, _DIGITS) if rounded else units.d
    return clustered_means(units.starts, units.cluster, d, units.n_clusters)


def columns_of(units: PairedUnits) -> dict[str, FloatArray]:
    """Return number of units, mean, standard error and degrees of freedom of each pair."""
    mean, error, df = moments(units)
    return {
        "units": np.diff(units.starts).astype(np.float64),
        "paired difference": mean,
        "standard error": error,
        "df": df,
    }


def check_tests(tests: Sequence[PairTest]) -> tuple[PairTest, ...]:
    """Return the names of the tests, refusing unknown ones, none and repetitions."""
    names = tuple(tests)
    if not names or len(set(names)) < len(names):
        raise InputError(f"`tests` must name different tests, at least one; got {names!r}.")
    for name in names:
        check.literal(name, PairTest, "tests")
    return names


def resolve_unit(pairs: MatchedPairs, unit: JudgmentUnit) -> UnitName:
    """Return what is independent in the paired test, refusing what the data do not name."""
    check.literal(unit, JudgmentUnit, "unit")
    if unit == "auto":
        return "item" if pairs.document is None else "document"
    pairs.matched.refuse_unknown(unit)
    return unit


def pair_p_values(
    pairs: MatchedPairs, test: PairTest, unit: UnitName, *, swap: Swap | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the two-sided p-value and the direction of one test for every pair.

    With `swap`, the two systems of every pair change sides first.
    """
    from scipy.special import ndtr

    if test == "paired":
        return _t_tests(units_of(pairs, unit, swap))
    if test == "rank-sum":
        z = _rank_sums(pairs, swap)
    else:
        from detectable.kernels.pairing import signed_ranks_z

        items = units_of(pairs, "item", swap)
        z = signed_ranks_z(items.starts, np.round(items.d, _DIGITS))
    return np.minimum(2.0 * ndtr(-np.abs(z)), 1.0), np.sign(z)


def _t_tests(units: PairedUnits) -> tuple[FloatArray, FloatArray]:
    from scipy.special import stdtr

    mean, error, df = moments(units, rounded=True)
    # Equal differences leave nothing but rounding in the standard error.
    spread = error > _ROUNDING * np.abs(mean)
    t = np.divide(np.abs(mean), error, out=np.zeros_like(mean), where=spread)
    constant = np.where(mean == 0.0, 1.0, 2.0 ** -df.astype(np.float64))
    p = np.where(spread, 2.0 * stdtr(np.maximum(df, 1), -t), constant)
    return np.where(np.isnan(error), np.nan, p), np.sign(mean)


def _rank_sums(pairs: MatchedPairs, swap: Swap | None) -> FloatArray:
    from detectable.kernels.pairing import rank_sum_z

    z = [rank_sum_z(a, b) for a, b in _pair_counts(pairs, swap)]
    return np.concatenate(z)


def _pair_counts(pairs: MatchedPairs, swap: Swap | None) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the counts of the score values of both systems, for as many pairs as memory takes."""
    from detectable.kernels.pairing import pair_counts

    rows = pairs.rows
    unit, seed = (rows.item, -1) if swap is None else (swap.of_row, swap.seed)
    n_values = rows.values.size
    step = max(1, _COUNTS // n_values)
    for start in range(0, pairs.n_pairs, step):
        yield pair_counts(
            np.arange(start, min(start + step, pairs.n_pairs)),
            (pairs.first, pairs.second),
            (rows.starts, rows.value, unit),
            n_values,
            seed,
        )


# --- How often tests reject when there is nothing to find: systems swapped within real pairs ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The share of pairs without a difference that a test calls different."""

    test: str
    share: float
    standard_error: float
    tested: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapCalibration(Result):
    """Measured levels of the tests on real judgments from which the difference was taken."""

    alpha: float
    levels: tuple[Level, ...]
    n_pairs: int
    n_swaps: int
    swapped: str  # what changes sides together: item, document or rater
    unit: str


def swap_calibration(
    judgments: Judgments,
    *,
    tests: Sequence[PairTest] = ("rank-sum", "paired"),
    alpha: float = 0.05,
    unit: JudgmentUnit = "auto",
    swap: JudgmentUnit = "auto",
    n_swaps: int = 20,
    rng: Seed = None,
    progress: Progress = silent,
) -> SwapCalibration:
    """Measure the level of the tests of `campaign_pairs` on real judgments.

    In every pair, the two systems change sides in a random half of the units. All judgments of
    a unit move together, so ties, repeats, raters and the correlation of the two systems stay
    as they are; only the difference between the systems is gone. A test that keeps its level
    rejects in a share `alpha` of the swapped pairs.

    Swapped by item (or document), the null hypothesis is about these raters. Swapped by rater it
    is that raters differ in which system they favour and none is favoured by raters at large.
    That is the hardest such case: the whole real difference has become disagreement of raters.

    Parameters
    ----------
    unit : {'auto', 'item', 'document', 'rater'}
        As in `campaign_pairs`.
    swap : {'auto', 'item', 'document', 'rater'}
        What changes sides together; by default the unit.
    n_swaps : int
        How often every pair is swapped and tested.
    """
    names = check_tests(tests)
    alpha = check.probability(alpha, "alpha")
    n_swaps = check.repetitions(n_swaps, "n_swaps")
    generator, seed = resolve(rng)
    pairs = matched_pairs(judgments)
    unit = resolve_unit(pairs, unit)
    moved = unit if swap == "auto" else resolve_unit(pairs, swap)
    of_cell, of_row = _moved(pairs, moved)
    rejected = np.zeros(len(names), dtype=np.int64)
    tested = np.zeros(len(names), dtype=np.int64)
    progress("swaps", 0, n_swaps)
    for done, drawn in enumerate(generator.integers(0, 1 << 62, n_swaps).tolist(), start=1):
        swaps = Swap(of_cell, of_row, drawn)
        for k, name in enumerate(names):
            p, _ = pair_p_values(pairs, name, unit, swap=swaps)
            known = p[~np.isnan(p)]
            rejected[k] += int((known < alpha).sum())
            tested[k] += known.size
        progress("swaps", done, n_swaps)
    return SwapCalibration(
        alpha=alpha,
        levels=tuple(
            _level(name, int(r), int(n))
            for name, r, n in zip(names, rejected, tested, strict=True)
        ),
        n_pairs=pairs.n_pairs,
        n_swaps=n_swaps,
        swapped=moved,
        unit=unit,
        signature=Signature(
            "swap-calibration", {"swaps": n_swaps, "swap": moved, "unit": unit}, seed
        ),
    )


def _moved(pairs: MatchedPairs, swap: str) -> tuple[IntArray, IntArray]:
    """Return the unit that each matched cell and each row moves with."""
    matched, rows = pairs.matched, pairs.rows
    if swap == "rater" and matched.rater is not None and rows.rater is not None:
        return matched.rater, rows.rater
    if swap == "document" and pairs.document is not None:
        return pairs.document[matched.item], pairs.document[rows.item]
    return matched.item, rows.item


def _level(name: str, rejected: int, tested: int) -> Level:
    """Given the judgments, swaps are independent: the error is that of a count."""
    share = rejected / tested if tested else float("nan")
    error = float(np.sqrt(share * (1.0 - share) / tested)) if tested else float("nan")
    return Level(test=name, share=share, standard_error=error, tested=tested)
