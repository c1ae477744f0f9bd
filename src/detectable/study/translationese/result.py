"""The answer of `translationese`: what reverse-created data do to scores and to conclusions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from detectable.contrasts.contrast import Alias, Contrast
from detectable.core.interval import Interval
from detectable.core.result import Result
from detectable.core.verdict import Verdict
from detectable.study.comparison.result import Comparison
from detectable.study.ranking.ranking import Ranking
from detectable.study.translationese.halves import HalfName, Part

Change: TypeAlias = Literal["same", "lost", "gained", "turned"]
Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemEffect(Contrast):
    """One system under one measure on both halves; corrected for the systems of the measure.

    Attributes
    ----------
    forward, reverse : float
        Its score on each half.
    difference : float
        Reverse − forward: what reverse-created data add to its score. Its error is over
        independent documents of two halves.
    n_forward, n_reverse : int
        Distinct segments with a score.
    """

    LAYOUT = """
        measure system forward forward_interval reverse reverse_interval difference interval
        standard_error df p_value p_adjusted n_forward n_reverse
    """

    forward: float
    forward_interval: Interval
    reverse: float
    reverse_interval: Interval
    n_forward: int
    n_reverse: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairEffect:
    """Two systems under one measure: what reverse data do to the difference between them.

    Attributes
    ----------
    forward, reverse, both : float
        Difference first − second, on each half and on both together. The first system has the
        better score on both.
    effect_first, effect_second : float
        Reverse − forward of each of the two.
    opposite : bool
        Whether reverse data raise one and lower the other.
    relative : float
        Reverse − forward of the difference: by how much reverse data favour the first.
    p_value, p_adjusted : float
        Of “reverse data favour neither”, alone and corrected (Holm) for the pairs of the measure.
    relative_mde : float
        Smallest `relative` that could have been detected, after that correction.
    verdict_forward, verdict_reverse, verdict_both : str
        Of the first against the second, by the test of a ranking or comparison of that half.
    mde_forward, mde_reverse, mde_both : float
        Smallest difference that each of these could have detected.
    change : {'same', 'lost', 'gained', 'turned'}
        What becomes of the verdict on both halves if reverse data are left out.
    forward_had_power : bool
        Whether the forward half could have detected a difference as large as that on both.
    """

    measure: str
    first: str
    second: str
    forward: float
    reverse: float
    both: float
    effect_first: float
    effect_second: float
    opposite: bool
    relative: float
    interval: Interval
    standard_error: float
    df: float
    p_value: float
    p_adjusted: float
    relative_mde: float
    verdict_forward: Verdict
    verdict_reverse: Verdict
    verdict_both: Verdict
    mde_forward: float
    mde_reverse: float
    mde_both: float
    change: Change
    forward_had_power: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfAgreement:
    """How far the two halves score the systems alike.

    Attributes
    ----------
    value : float
        Correlation, over systems, of the scores on the two halves.
    interval : Interval
        For what two halves of this size show on average, of these systems on other documents:
        both halves resampled. Not for scores without noise, which would agree better.
    random_halves : float
        The median over random splits of the same documents: what noise alone allows.
    random_interval : Interval
        The middle of these.
    p_value : float
        Share of random splits that agree as little as forward and reverse do.
    """

    measure: str
    coefficient: Coefficient
    value: float
    interval: Interval
    random_halves: float
    random_interval: Interval
    p_value: float
    n_systems: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfConclusion:
    """What one half alone says about the order of the systems.

    Attributes
    ----------
    clusters : tuple of tuple of str
        Best first.
    told_apart, pairs : int
        Pairs with a verdict, and all pairs.
    mde : float
        Median over pairs of the smallest difference that could have been detected.
    n_units, n_segments : int
        Documents (or segments) and distinct segments of the half.
    n_judgments : int or None
        N: judgments of these segments.
    """

    measure: str
    half: HalfName
    clusters: tuple[tuple[str, ...], ...]
    told_apart: int
    pairs: int
    mde: float
    n_units: int
    n_segments: int
    n_judgments: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replicated:
    """A rank-sum test of two systems on n segments, and the same on N judgments.

    Attributes
    ----------
    n, N : int
        Distinct segments on which either was judged, and judgments of the two.
    p_segments : float
        One-sided, in favour of the first, on the mean of each segment: as WMT tests.
    p_judgments : float
        The same with every judgment taken for a segment of its own, which is wrong.
    """

    half: HalfName
    first: str
    second: str
    n: int
    N: int
    p_segments: float
    p_judgments: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Parity(Contrast):
    """Is a system not worse than the human translation by more than a margin.

    Attributes
    ----------
    difference : float
        System − human translation, on distinct segments of the half.
    interval : Interval
        At 1 − 2α, corrected for the number of systems: non-inferiority is shown where all of it
        lies on the better side of −margin.
    p_value, p_adjusted : float
        Of “worse by the margin or more”, alone and corrected (Holm); nan without a margin.
    verdict : {'non-inferior', 'inferior', 'undecided'} or None
        None without a margin.
    margin_shown : float
        The smallest margin that these data show; 0 where the system is shown not to be worse at all.
    margin_found : float
        The smallest margin that this half could show, if the two are equally good.
    power : float
        The chance to show the margin, if they are equally good; nan without a margin.
    segments_needed : int or None
        Distinct segments, in documents like these, that give the asked power.
    """

    LAYOUT = """
        measure half system human difference interval standard_error df margin p_value p_adjusted
        verdict margin_shown margin_found power n_segments n_units segments_needed
    """
    half, human = Alias[HalfName]("part"), Alias[str]("baseline")
    margin_found, segments_needed = Alias[float]("mde"), Alias[int | None]("units_needed")
    n_segments, n_units = Alias[int]("n"), Alias[int]("n_clusters")

    margin: float | None
    margin_shown: float
    power: float


# --- The answer of `translationese`: what reverse-created data do to scores and to conclusions ---

_NAMED = {"raw": "raw human scores", "z": "human scores (z)"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Translationese(Result):
    """Forward against reverse test data.

    Attributes
    ----------
    language_pair : str
        Source and target language, in short form.
    parts : tuple of Part
        How many documents, segments and judgments were written in which language, and so belong
        to the forward half, to the reverse half, or to neither (*other*, *missing*).
    measures : tuple of str
        ``raw`` or ``z`` for human scores, the one that rankings are about first; then the
        metrics.
    effects : tuple of SystemEffect
        Systems within measures.
    pairs : tuple of PairEffect
        Pairs within measures; of human scores those of the first measure.
    agreement : tuple of HalfAgreement
        Three correlations within measures; none with fewer than three systems.
    conclusions : tuple of HalfConclusion
        What each half, and both together, say about the order of the systems.
    replicated : tuple of Replicated
        The test that WMT uses, on n segments and on N judgments.
    parity : tuple of Parity
        Where a human translation was named.
    rankings, comparisons : mapping of half to Ranking or Comparison
        All about each half; not in `to_dict`.
    """

    language_pair: str
    parts: tuple[Part, ...]
    measures: tuple[str, ...]
    digits: Mapping[str, int]
    unit: str
    effects: tuple[SystemEffect, ...]
    pairs: tuple[PairEffect, ...]
    agreement: tuple[HalfAgreement, ...]
    conclusions: tuple[HalfConclusion, ...]
    replicated: tuple[Replicated, ...]
    parity: tuple[Parity, ...]
    human: str | None
    margin: Mapping[str, float]
    alpha: float
    power: float
    n_resamples: int
    notes: tuple[str, ...] = ()
    rankings: Mapping[HalfName, Ranking] = field(
        default_factory=dict, repr=False, compare=False, metadata={"bulk": "rows"}
    )
    comparisons: Mapping[HalfName, Comparison] = field(
        default_factory=dict, repr=False, compare=False, metadata={"bulk": "rows"}
    )

    @property
    def judged_measures(self) -> tuple[str, ...]:
        """Measures of which each half draws conclusions: two systems or more."""
        return tuple(m for m in self.measures if any(row.measure == m for row in self.pairs))

    def label(self, measure: str) -> str:
        """Return what to call a measure in a sentence."""
        return _NAMED.get(measure, measure)

    def part(self, data: str, direction: str) -> Part:
        """Return the counts of one direction."""
        return next(p for p in self.parts if (p.data, p.direction) == (data, direction))

    def conclusion(self, measure: str, half: HalfName) -> HalfConclusion:
        """Return what a half concludes under a measure."""
        return next(c for c in self.conclusions if (c.measure, c.half) == (measure, half))
