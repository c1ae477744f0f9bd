"""The answer of `reliability`: what the documents at hand can tell, and how many more it takes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from detectable.core.choices import CurveMethod, DocumentOrder, PowerFit
from detectable.core.interval import Interval
from detectable.core.result import ADDED_IF_KNOWN, Result
from detectable.inference.curves import CubicCurve, PowerLaw
from detectable.study.reverse_share import ReverseShare

DocumentTarget: TypeAlias = Literal["half-width", "effect", "tau"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderBand:
    """The spread on the first documents of random orders: median, and 5 to 95 % of the orders.

    Always by the delta method, whatever made the curve.
    """

    documents: tuple[int, ...]
    low: tuple[float, ...]
    median: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnotherOrder:
    """The same curve in another random order of the documents."""

    mean: tuple[float, ...]
    stdev: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One system under one measure on the first 1, 2, … documents, given or in random order.

    Attributes
    ----------
    stdev : tuple of float
        Standard deviation over resampled segments, as a share of the mean (in points where the
        measure has no natural zero). Segments are taken for independent: too small.
    interval : tuple of Interval
        Mean ± z standard deviations; as narrow as that.
    stdev_document : tuple of float
        The same from documents, which are independent; nan for fewer than five.
    band : OrderBand
        `stdev` in random orders of the documents.
    another : AnotherOrder or None
        Where the order is random.
    """

    metric: str
    system: str
    score: float  # on all documents
    documents: tuple[int, ...]
    segments: tuple[int, ...]
    mean: tuple[float, ...]
    stdev: tuple[float, ...]
    interval: tuple[Interval, ...]
    stdev_document: tuple[float, ...]
    band: OrderBand
    another: AnotherOrder | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemFit:
    """Curves through the spread of one system; None where there are too few points.

    Attributes
    ----------
    settled : int or None
        Documents from which on the relative spread stays close to that of all documents; None
        where it is in points.
    """

    system: str
    power: PowerLaw | None
    cubic: CubicCurve | None
    x_min: float | None
    x_max: float | None
    x_min_cubic: float | None
    x_max_cubic: float | None
    settled: int | None = None

    @property
    def better(self) -> Literal["power", "cubic", ""]:
        """Which curve explains more of the spread itself; nothing where one is missing."""
        if self.power is None or self.cubic is None:
            return ""
        return "cubic" if self.cubic.r2 > self.power.r2_lin else "power"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFit:
    """Curves through the spread of one measure: medians over systems, and each system.

    Attributes
    ----------
    stdev : {'relative', 'absolute'}
        What was fitted: a share of the score, or points.
    epsilon, epsilon_unit
        `x_max` is where one document more makes `stdev` smaller by this.
    x_unit : {'documents'}
        Of `x_min` and `x_max`.
    a, b, r2_log, r2_lin : float
        The power law; nan where no system has one.
    b_orders : (float, float, float)
        5 %, median and 95 % of b over systems and random orders.
    x_min : float or None
        (1 + b) / b: the exponent again, for readers of Estrella et al. (2007).
    x_max, x_max_range
        Median over systems, smallest and largest; None where `epsilon` has no meaning.
    x_max_cubic : float or None
        Median over the systems whose cubic has a minimum.
    n_without_minimum : int
        Systems whose cubic has none.
    r2_cubic, settled
        Medians over systems.
    """

    metric: str
    stdev: Literal["relative", "absolute"]
    epsilon: float
    a: float
    b: float
    r2_log: float
    r2_lin: float
    b_orders: tuple[float, float, float]
    x_min: float | None
    x_max: float | None
    x_max_range: tuple[float, float] | None
    x_max_cubic: float | None
    n_without_minimum: int
    systems: tuple[SystemFit, ...]
    x_unit: Literal["documents"] = "documents"
    epsilon_unit: Literal["fraction of the score per document"] = (
        "fraction of the score per document"
    )
    r2_cubic: float = math.nan
    settled: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsFor:
    """How many documents like these a target takes.

    Attributes
    ----------
    target : {'half-width', 'effect', 'tau'}
        An interval of a score this narrow; a paired difference that is found with the stated
        power; a ranking that agrees with that of all documents this well on average.
    value : float
        The target, in points of the measure; Kendall's τ for ``'tau'``. nan where none was named
        and the measure has no natural zero to take 2 % of.
    documents, segments : int or None
        For the middle system or pair; None without a target, and where these documents do not
        suffice to say (τ).
    documents_most : int or None
        For the system or pair that takes most.
    now : float
        What the documents at hand give: half-width, detectable difference, or τ of a half.
    """

    metric: str
    target: DocumentTarget
    value: float
    documents: int | None
    documents_most: int | None
    segments: int | None
    now: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustering:
    """How much the segments of a document resemble each other: medians over systems or pairs.

    Attributes
    ----------
    icc_range, design_effect_range : (float, float)
        Over systems.
    n_effective : float
        What the segments are worth as independent ones.
    too_narrow : float
        Factor by which the interval of a segment bootstrap is too narrow, √design effect.
    coverage : float
        What share of such intervals covers, by the design effect.
    difference_design_effect : float
        Of the paired difference of two systems; nan with one system.
    pairing : float
        Standard error of a paired difference over that of unpaired systems; small is good.
    """

    metric: str
    n_documents: int
    n_segments: int
    icc: float
    icc_range: tuple[float, float]
    design_effect: float
    design_effect_range: tuple[float, float]
    n_effective: float
    too_narrow: float
    coverage: float
    difference_design_effect: float
    pairing: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingPoint:
    """How well a number of documents in random order ranks the systems.

    Attributes
    ----------
    full, remainder : float
        Mean Kendall τ to the ranking of all documents (1 at the end by construction), and to
        that of the documents not taken; nan beyond half of them.
    same_winner : float
        How often the best system is that of all documents; nan where no system is best.
    significant_kept : float
        How often every pair that differs on all documents keeps its order; nan without any.
    exact : float
        How often the whole ranking is the same. Near-ties make it rare.
    """

    documents: int
    full: float
    remainder: float
    same_winner: float
    significant_kept: float
    exact: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DifficultDocument:
    """A document that moves scores unlike the others do.

    Attributes
    ----------
    reason : {'apart', 'pull'}
        Measures move apart when it enters; or they all move, and by much.
    change : mapping of measure to float
        How much the score of the mean system changes when it enters.
    standardised : mapping of measure to float
        The same in robust standard deviations of all documents, higher being better.
    statistic, threshold : float
        Of `reason`.
    """

    document: str
    place: int  # in the given order, from 1
    segments: int
    reason: Literal["apart", "pull"]
    change: Mapping[str, float]
    standardised: Mapping[str, float]
    statistic: float
    threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability(Result):
    """What the documents at hand can tell, and how many it takes.

    Attributes
    ----------
    metrics : tuple of mapping
        Name, label, direction, decimals, numbers of systems, documents and segments of each
        measure.
    icc, design_effect : mapping of measure to float
        Medians over systems; more in `clustering`.
    tau : mapping of measure to tuple of RankingPoint
        How the ranking settles; empty with one system.
    order : {'given', 'random'}
        Of the documents of `curves` and `fits`.
    close_to : float
        How close to the last relative spread counts as settled.
    words_per_segment : float or None
        Of the first reference; None where there are no texts, or no spaces between words.
    chart_systems, chart_metrics : tuple of str
        Of the figures of Estrella et al. (2007).
    reverse : ReverseShare or None
        How much of the data was created in reverse, and what changes without it; None where the
        original languages are not known.
    """

    metrics: tuple[Mapping[str, Any], ...]
    documents_for: tuple[DocumentsFor, ...]
    icc: Mapping[str, float]
    design_effect: Mapping[str, float]
    clustering: tuple[Clustering, ...]
    tau: Mapping[str, tuple[RankingPoint, ...]]
    difficult: tuple[DifficultDocument, ...]
    fits: tuple[MetricFit, ...]
    curves: tuple[Curve, ...]
    method: CurveMethod
    fit: PowerFit
    epsilon: float
    orders: int
    n_resamples: int | None
    alpha: float
    power: float
    notes: tuple[str, ...]
    order: DocumentOrder = "given"
    close_to: float = 0.005
    words_per_segment: float | None = None
    chart_systems: tuple[str, ...] = ()
    chart_metrics: tuple[str, ...] = ()
    reverse: ReverseShare | None = field(default=None, metadata=ADDED_IF_KNOWN)

    def about(self, metric: str) -> Mapping[str, Any]:
        """Return what is known of a measure."""
        return next(row for row in self.metrics if row["metric"] == metric)

    def label(self, metric: str) -> str:
        """Return what people call a measure."""
        return str(self.about(metric)["label"])

    def needed(self, metric: str, target: DocumentTarget) -> DocumentsFor | None:
        """Return how many documents a target takes under a measure, if it was asked."""
        return next(
            (row for row in self.documents_for if (row.metric, row.target) == (metric, target)),
            None,
        )
