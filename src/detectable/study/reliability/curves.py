"""Curves on the first 1, 2, … documents: random orders, fits, and how documents cluster."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from detectable.core.execute import Engine, run_blocks
from detectable.core.interval import Interval
from detectable.core.rng import Block, blocks
from detectable.core.types import FloatArray, IntArray
from detectable.inference.curves import exponents, fit_cubic, fit_power_law
from detectable.inference.prefixes import (
    Documents,
    PrefixErrors,
    PrefixMoments,
    document_grid,
    prefix_bootstrap,
    prefix_errors,
    prefix_scores,
)
from detectable.inference.standard_errors import DesignEffect, design_effect, segment_coverage
from detectable.study.reliability.measures import ROUNDING, Measure
from detectable.study.reliability.result import (
    AnotherOrder,
    Clustering,
    Curve,
    MetricFit,
    OrderBand,
    SystemFit,
)
from detectable.study.settings import ReliabilitySettings

_BLOCK = 25  # orders per block; part of every answer, so changing it changes the numbers


@dataclass(frozen=True, slots=True)
class OrderedErrors:
    """What random orders of the documents of one source give.

    Attributes
    ----------
    at : array of int
        Numbers of documents.
    scores, rest : list of arrays of shape (orders, points, systems)
        Per sample: scores on the first documents, and on all others (nan where there is none).
    sd : array of shape (samples, systems, orders, points)
        Standard error over segments, by the delta method.
    """

    at: IntArray
    scores: list[FloatArray]
    rest: list[FloatArray]
    sd: FloatArray


@dataclass(frozen=True, slots=True)
class _Payload:
    source: Documents
    at: IntArray


def random_orders(
    source: Documents, orders: int, engine: Engine, rng: np.random.Generator
) -> OrderedErrors:
    """Put the documents into `orders` random orders and look at the first 1, 2, … of them."""
    at = document_grid(source.n_documents)
    found = run_blocks(
        _look,
        _Payload(source, at),
        blocks(orders, rng, size=_BLOCK),
        n_jobs=engine.n_jobs,
        executor=engine.executor,
        progress=engine.progress,
        step="random orders of documents",
    )
    samples = range(len(source.samples))
    return OrderedErrors(
        at=at,
        scores=[np.concatenate([one[0][m] for one in found]) for m in samples],
        rest=[np.concatenate([one[1][m] for one in found]) for m in samples],
        sd=np.concatenate([one[2] for one in found], axis=2),
    )


def _look(
    payload: _Payload, block: Block
) -> tuple[list[FloatArray], list[FloatArray], FloatArray]:
    source, at = payload.source, payload.at
    start = np.tile(np.arange(source.n_documents), (block.rows, 1))
    orders = block.rng.permuted(start, axis=1)
    both = [prefix_scores(source, m, orders, at) for m in range(len(source.samples))]
    sd = np.array(
        [
            [
                prefix_errors(source, m, s, orders, at).sd_segment
                for s in range(len(source.systems))
            ]
            for m in range(len(source.samples))
        ]
    )
    return [one[0] for one in both], [one[1] for one in both], sd


# --- Curves of every system on the first 1, 2, … documents, and the band of random orders ---

FEWEST_DOCUMENTS = 5  # from here on, the spread between documents can be estimated at all
_BAND = (0.05, 0.5, 0.95)


def source_curves(
    source: Documents,
    measures: tuple[Measure, ...],
    ordered: OrderedErrors,
    settings: ReliabilitySettings,
    engine: Engine,
    rng: np.random.Generator,
) -> list[Curve]:
    """Return a curve per measure and system of one source."""
    given = np.arange(source.n_documents)[None]
    every = np.arange(1, source.n_documents + 1)
    drawn = None
    if settings.method != "delta":
        drawn = prefix_bootstrap(
            source,
            method=settings.method,
            n_resamples=settings.n_resamples,
            engine=engine,
            rng=rng,
        )
    found = []
    for one in measures:
        for s in range(len(source.systems)):
            exact = prefix_errors(source, one.place, s, given, every)
            band = _band(one, ordered, s)
            found.append(_curve(one, s, exact, drawn, band, settings))
    return found


def _curve(
    one: Measure,
    system: int,
    exact: PrefixErrors,
    drawn: PrefixMoments | None,
    band: OrderBand,
    settings: ReliabilitySettings,
) -> Curve:
    from scipy.special import ndtri

    mean, sd = exact.score[0], exact.sd_segment[0]
    if drawn is not None:
        mean, sd = drawn.mean[:, system, one.place], drawn.sd[:, system, one.place]
    half = float(ndtri(0.5 + settings.level / 2.0)) * sd
    k = np.arange(1, len(mean) + 1)
    by_document = np.where(k < FEWEST_DOCUMENTS, np.nan, exact.sd_document[0])
    return Curve(
        metric=one.name,
        system=one.systems[system],
        score=one.sample.score(system),
        documents=tuple(k.tolist()),
        segments=tuple(one.documents.starts[1:].tolist()),
        mean=tuple(mean.tolist()),
        stdev=tuple(stated(one, sd, mean).tolist()),
        interval=tuple(
            Interval(float(m - h), float(m + h), settings.level)
            for m, h in zip(mean, half, strict=True)
        ),
        stdev_document=tuple(stated(one, by_document, exact.score[0]).tolist()),
        band=band,
    )


def stated(one: Measure, sd: FloatArray, mean: FloatArray) -> FloatArray:
    """Return a spread as it is stated: as a share of the mean, or in points."""
    below = np.abs(mean)
    sd = np.where(sd <= ROUNDING * below, 0.0, sd)
    if not one.relative:
        return sd
    share: FloatArray = sd / np.where(below > 0.0, below, np.nan)
    return share


def _band(one: Measure, ordered: OrderedErrors, system: int) -> OrderBand:
    spread = stated(one, ordered.sd[one.place, system], ordered.scores[one.place][:, :, system])
    low, median, high = known_quantiles(spread, _BAND, axis=0)
    return OrderBand(
        documents=tuple(ordered.at.tolist()),
        low=tuple(low.tolist()),
        median=tuple(median.tolist()),
        high=tuple(high.tolist()),
    )


def known_quantiles(
    values: FloatArray, levels: tuple[float, ...], *, axis: int | None = None
) -> FloatArray:
    """Return quantiles of the known values, nan where there are none."""
    known = np.isfinite(values)
    if known.all():
        return np.asarray(np.quantile(values, levels, axis=axis))
    unknown = ~known.any(axis=axis)
    filled = np.where(np.expand_dims(unknown, axis) if axis is not None else unknown, 0, values)
    found: FloatArray = np.nanquantile(filled, levels, axis=axis)
    return np.where(unknown, np.nan, found)


def in_random_order(source: Documents, names: Sequence[str]) -> Documents:
    """Return the same documents in the order of `names`, which may name more."""
    place = {name: i for i, name in enumerate(names)}
    order = sorted(range(source.n_documents), key=lambda d: place[source.names[d]])
    position = np.empty(source.n_documents, dtype=np.int64)
    position[order] = np.arange(source.n_documents)
    return Documents.build(
        source.samples, position[source.of_segment], tuple(source.names[d] for d in order)
    )


def with_another(curves: Sequence[Curve], others: Sequence[Curve]) -> list[Curve]:
    """Return the curves, each with the same one in another order."""
    return [
        replace(curve, another=AnotherOrder(mean=other.mean, stdev=other.stdev))
        for curve, other in zip(curves, others, strict=True)
    ]


# --- Power laws and cubics through the curves: what Estrella et al. (2007) read off them ---

_FIT_BAND = (0.05, 0.5, 0.95)


def metric_fit(
    one: Measure, curves: Sequence[Curve], ordered: OrderedErrors, settings: ReliabilitySettings
) -> MetricFit:
    """Fit the curves of all systems under one measure."""
    systems = tuple(_system_fit(one, curve, settings) for curve in curves)
    laws = [fit.power for fit in systems if fit.power is not None]
    spread = stated(one, ordered.sd[one.place], np.moveaxis(ordered.scores[one.place], -1, 0))
    low, middle, high = known_quantiles(exponents(ordered.at.astype(float), spread), _FIT_BAND)
    flat = [fit.x_max for fit in systems if fit.x_max is not None]
    bottoms = [fit.x_max_cubic for fit in systems if fit.x_max_cubic is not None]
    return MetricFit(
        metric=one.name,
        stdev="relative" if one.relative else "absolute",
        epsilon=settings.epsilon,
        a=_median([law.a for law in laws]),
        b=_median([law.b for law in laws]),
        r2_log=_median([law.r2_log for law in laws]),
        r2_lin=_median([law.r2_lin for law in laws]),
        b_orders=(float(low), float(middle), float(high)),
        x_min=_typical([fit.x_min for fit in systems if fit.x_min is not None]),
        x_max=_typical(flat),
        x_max_range=(min(flat), max(flat)) if flat else None,
        x_max_cubic=_typical(bottoms),
        n_without_minimum=sum(
            fit.cubic is not None and fit.x_max_cubic is None for fit in systems
        ),
        systems=systems,
        r2_cubic=_median([fit.cubic.r2 for fit in systems if fit.cubic is not None]),
        settled=_typical([fit.settled for fit in systems if fit.settled is not None]),
    )


def _system_fit(one: Measure, curve: Curve, settings: ReliabilitySettings) -> SystemFit:
    x, y = np.array(curve.documents, dtype=np.float64), np.array(curve.stdev)
    close = settled_from(y, settings.close_to) if one.relative else None
    power = fit_power_law(x, y, fit=settings.fit)
    cubic = fit_cubic(x, y)
    return SystemFit(
        system=curve.system,
        power=power,
        cubic=cubic,
        x_min=None if power is None else power.x_min,
        # ε is a share of the score per document; it means nothing for a spread in points.
        x_max=power.x_max(settings.epsilon) if power is not None and one.relative else None,
        x_min_cubic=None if cubic is None else cubic.x_min,
        x_max_cubic=None if cubic is None else cubic.x_max,
        settled=None if close is None else curve.documents[close],
    )


def settled_from(spread: FloatArray, close_to: float) -> int | None:
    """Return the place from which on the spread stays close to its last value.

    Estrella et al. (2007) call a score reliable where its standard deviation is close to that of
    the whole test set. None where the last value is not known.

    Examples
    --------
    >>> settled_from(np.array([0.05, 0.031, 0.036, 0.033, 0.03]), 0.005)
    3
    """
    last = spread[-1]
    if math.isnan(last):
        return None
    rounding = 1e-12
    far = np.flatnonzero(~(np.abs(spread - last) <= close_to + rounding))
    return int(far[-1]) + 1 if far.size else 0


def _median(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return float(np.median(known)) if known else math.nan


def _typical(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None


# --- How much segments of a document resemble each other, for systems and for their differences ---


def clustering(one: Measure, *, level: float) -> Clustering:
    """Return design effect and intraclass correlation under one measure, medians over systems."""
    influence = [one.documents.influence(one.place, s) for s in range(len(one.systems))]
    of_segment = one.documents.of_segment
    alone = [design_effect(values, of_segment) for values in influence]
    pairs = list(itertools.combinations(range(len(alone)), 2))
    apart = [design_effect(influence[a] - influence[b], of_segment) for a, b in pairs]
    ratio = [
        pair.sd_document / math.hypot(alone[a].sd_document, alone[b].sd_document)
        for pair, (a, b) in zip(apart, pairs, strict=True)
        if alone[a].sd_document > 0.0 or alone[b].sd_document > 0.0
    ]
    typical = _known(alone, "design_effect")
    middle = _median_or_nan(typical)
    iccs = _known(alone, "icc")
    n_segments = one.documents.n_segments
    return Clustering(
        metric=one.name,
        n_documents=one.documents.n_documents,
        n_segments=n_segments,
        icc=_median_or_nan(iccs),
        icc_range=_range(iccs),
        design_effect=middle,
        design_effect_range=_range(typical),
        n_effective=n_segments / middle if middle > 0.0 else math.nan,
        too_narrow=math.sqrt(middle),
        coverage=segment_coverage(middle, level),
        difference_design_effect=_median_or_nan(_known(apart, "design_effect")),
        pairing=_median_or_nan(np.array(ratio)),
    )


def _known(found: list[DesignEffect], name: str) -> FloatArray:
    values = np.array([getattr(one, name) for one in found], dtype=np.float64)
    return values[~np.isnan(values)]


def _median_or_nan(values: FloatArray) -> float:
    return float(np.median(values)) if values.size else math.nan


def _range(values: FloatArray) -> tuple[float, float]:
    return (float(values.min()), float(values.max())) if values.size else (math.nan, math.nan)
