"""Test every pair of systems in an archive of campaigns, with and without pairing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from detectable.core import check
from detectable.core.choices import JudgmentUnit, PairTest
from detectable.core.result import Result, Signature
from detectable.core.types import FloatArray
from detectable.core.wording import count, number
from detectable.data.human.judgments import Judgments
from detectable.data.human.matched import Matched
from detectable.data.human.paired_units import PairedUnits
from detectable.study.archive.matched_pairs import MatchedPairs, matched_pairs
from detectable.study.archive.pair_tests import (
    check_tests,
    columns_of,
    pair_p_values,
    resolve_unit,
    units_of,
)

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
        «these raters» or «raters like these»: for whom the paired test speaks.
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

    def summary(self) -> str:
        """Say how many comparisons each test decides, then what pairing was worth."""
        sentences = [_more(self.tests[0], other) for other in self.tests[1:]]
        decided = ", ".join(
            f"{t.test} {t.significant:,} ({100 * t.share:.1f} %)" for t in self.tests
        )
        sentences.append(
            f"Of {count(self.n_pairs, 'comparison')} in {count(self.n_campaigns, 'campaign')}, "
            f"decided at {self.alpha:g}: {decided}."
        )
        if np.isnan(self.variance_ratio[1]):
            return " ".join([*sentences, "No two systems could be paired."])
        low, middle, high = (number(ratio) for ratio in self.variance_ratio)
        sentences.append(
            f"Pairing is worth {middle} times the judgments (quartiles {low} to {high}); "
            f"median correlation {number(self.correlation)}."
        )
        if any(t.test == "paired" for t in self.tests):
            sentences.append(f"The paired test speaks for {self.claim}.")
        return " ".join(sentences)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per pair as plain columns: names, sizes, differences, p-values."""
        names = {"campaign": self.campaign, "first": self.first, "second": self.second}
        listed: dict[str, list[Any]] = {name: list(column) for name, column in names.items()}
        return {**listed, **{name: column.tolist() for name, column in self.columns.items()}}


def campaign_pairs(
    judgments: Judgments,
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


def _more(first: Decided, other: Decided) -> str:
    """Say in one sentence what another test adds to the first."""
    moved = f"({count(other.gained, 'comparison')} gained, {other.lost:,} lost)"
    if not first.significant:
        return (
            f"The {other.test} test decides {count(other.significant, 'comparison')}, "
            f"{first.test} none {moved}."
        )
    change = 100.0 * (other.significant / first.significant - 1.0)
    if change < 0.0:
        return (
            f"The {other.test} test decides {-change:.0f} % fewer comparisons than "
            f"{first.test} {moved}."
        )
    return (
        f"The same judgments decide {change:.0f} % more comparisons with the {other.test} test "
        f"than with {first.test} {moved}."
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
