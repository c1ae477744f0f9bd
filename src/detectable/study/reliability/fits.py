"""Power laws and cubics through the curves: what Estrella et al. (2007) read off them."""

import math
from collections.abc import Sequence

import numpy as np

from detectable.inference.cubic_curve import fit_cubic
from detectable.inference.power_law import exponents, fit_power_law
from detectable.study.reliability.curves import known_quantiles, stated
from detectable.study.reliability.measures import Measure
from detectable.study.reliability.random_orders import OrderedErrors
from detectable.study.reliability.result import Curve, MetricFit, SystemFit
from detectable.study.reliability.settings import ReliabilitySettings

_BAND = (0.05, 0.5, 0.95)


def metric_fit(
    one: Measure, curves: Sequence[Curve], ordered: OrderedErrors, settings: ReliabilitySettings
) -> MetricFit:
    """Fit the curves of all systems under one measure."""
    systems = tuple(_system_fit(one, curve, settings) for curve in curves)
    laws = [fit.power for fit in systems if fit.power is not None]
    spread = stated(one, ordered.sd[one.place], np.moveaxis(ordered.scores[one.place], -1, 0))
    low, middle, high = known_quantiles(exponents(ordered.at.astype(float), spread), _BAND)
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
    )


def _system_fit(one: Measure, curve: Curve, settings: ReliabilitySettings) -> SystemFit:
    x, y = np.array(curve.documents, dtype=np.float64), np.array(curve.stdev)
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
    )


def _median(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return float(np.median(known)) if known else math.nan


def _typical(values: list[float]) -> float | None:
    return float(np.median(values)) if values else None
