"""What a study of translationese says, row by row."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from detectable.core.interval import Interval
from detectable.core.verdict import Verdict
from detectable.study.translationese.halves import HalfName

Change: TypeAlias = Literal["same", "lost", "gained", "turned"]
Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemEffect:
    """One system under one measure on both halves.

    Attributes
    ----------
    forward, reverse : float
        Its score on each half.
    difference : float
        Reverse − forward: what reverse-created data add to its score.
    interval, standard_error, df
        Of the difference, over independent documents of two halves.
    p_value, p_adjusted : float
        Of «no difference», alone and corrected (Holm) for the systems of the measure.
    n_forward, n_reverse : int
        Distinct segments with a score.
    """

    measure: str
    system: str
    forward: float
    forward_interval: Interval
    reverse: float
    reverse_interval: Interval
    difference: float
    interval: Interval
    standard_error: float
    df: float
    p_value: float
    p_adjusted: float
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
        Of «reverse data favour neither», alone and corrected (Holm) for the pairs of the measure.
    relative_mde : float
        Smallest `relative` that would reliably have been found, after that correction.
    verdict_forward, verdict_reverse, verdict_both : str
        Of the first against the second, by the test of a ranking or comparison of that half.
    mde_forward, mde_reverse, mde_both : float
        Smallest difference that each of these would reliably have found.
    change : {'same', 'lost', 'gained', 'turned'}
        What becomes of the verdict on both halves if reverse data are left out.
    forward_had_power : bool
        Whether the forward half would reliably have found a difference as large as that on both.
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
        Median over pairs of the smallest difference that would reliably have been found.
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
class Parity:
    """Is a system not worse than the human translation by more than a margin.

    Attributes
    ----------
    difference : float
        System − human translation, on distinct segments of the half.
    interval : Interval
        At 1 − 2α, corrected for the number of systems: non-inferiority is shown where all of it
        lies on the better side of −margin.
    p_value, p_adjusted : float
        Of «worse by the margin or more», alone and corrected (Holm); nan without a margin.
    verdict : {'non-inferior', 'undecided'} or None
        None without a margin.
    margin_shown : float
        The smallest margin that these data show; 0 where the system is shown not to be worse at all.
    margin_found : float
        The smallest margin that this half would reliably show, if the two are equally good.
    power : float
        The chance to show the margin, if they are equally good; nan without a margin.
    segments_needed : int or None
        Distinct segments, in documents like these, that give the asked power.
    """

    measure: str
    half: HalfName
    system: str
    human: str
    difference: float
    interval: Interval
    standard_error: float
    df: float
    margin: float | None
    p_value: float
    p_adjusted: float
    verdict: Verdict | None
    margin_shown: float
    margin_found: float
    power: float
    n_segments: int
    n_units: int
    segments_needed: int | None
