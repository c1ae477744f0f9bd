"""Curves of every system on the first 1, 2, … documents, and the band of random orders."""

import numpy as np

from detectable.core.execute import Engine
from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.inference.prefix_bootstrap import PrefixMoments, prefix_bootstrap
from detectable.inference.prefix_delta import PrefixErrors, prefix_errors
from detectable.inference.prefixes import Documents
from detectable.study.reliability.measures import ROUNDING, Measure
from detectable.study.reliability.random_orders import OrderedErrors
from detectable.study.reliability.result import Curve, OrderBand
from detectable.study.reliability.settings import ReliabilitySettings

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
