"""Fits of all systems: medians and ranges of fits that are made one by one."""

import math
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.execute import Engine
from detectable.core.types import silent
from detectable.inference.curves import exponents, fit_cubic, fit_power_law
from detectable.study.reliability.curves import (
    OrderedErrors,
    metric_fit,
    random_orders,
    source_curves,
)
from detectable.study.reliability.measures import ReliabilitySettings, gather
from detectable.study.reliability.result import Curve, MetricFit
from tests.study.reliability.data import clustered


def _fit(scores: dt.Scores, **options: Any) -> tuple[MetricFit, list[Curve], OrderedErrors]:
    measured = gather(scores, None, {}, {}, campaign=None, language=None, progress=silent)
    (source,) = measured.sources
    engine = Engine.start(1, n_jobs=1, executor=None, progress=silent)
    ordered = random_orders(source, 100, engine, np.random.default_rng(2))
    settings = ReliabilitySettings(method="delta", **options)
    rng = np.random.default_rng(3)
    curves = source_curves(source, measured.measures, ordered, settings, engine, rng)
    return metric_fit(measured.measures[0], curves, ordered, settings), curves, ordered


def test_medians_over_systems() -> None:
    found, curves, ordered = _fit(clustered(9, 4, systems=4, apart=9.0), epsilon=3e-4)
    x = np.arange(1.0, 10.0)
    laws = [fit_power_law(x, curve.stdev) for curve in curves]
    cubics = [fit_cubic(x, curve.stdev) for curve in curves]
    known = [law for law in laws if law is not None]
    assert len(known) == 4
    assert (found.metric, found.stdev, found.epsilon) == ("mean", "relative", 3e-4)
    for name in ("a", "b", "r2_log", "r2_lin"):
        expected = np.median([getattr(law, name) for law in known])
        assert getattr(found, name) == pytest.approx(expected), name
    falling = [law for law in known if law.b > 0.0]
    assert len(falling) == 3  # a curve that rises becomes flat nowhere
    flat = [law.x_max(3e-4) or math.nan for law in falling]
    ends = [law.x_min or math.nan for law in falling]
    assert found.x_min == pytest.approx(np.median(ends))
    assert found.x_max == pytest.approx(np.median(flat))
    assert found.x_max_range == pytest.approx((min(flat), max(flat)))
    bottoms = [curve.x_max for curve in cubics if curve is not None]
    known_bottoms = [x for x in bottoms if x is not None]
    assert found.n_without_minimum == len(bottoms) - len(known_bottoms)
    assert found.x_max_cubic == (
        pytest.approx(np.median(known_bottoms)) if known_bottoms else None
    )
    for s, one in enumerate(found.systems):
        assert one.system == f"s{s}"
        assert (one.power, one.cubic) == (laws[s], cubics[s])
        assert one.x_min == known[s].x_min
        assert one.x_max == known[s].x_max(3e-4)
        assert one.x_min_cubic == (cubics[s].x_min if cubics[s] is not None else None)  # type: ignore[union-attr]
        assert one.x_max_cubic == (cubics[s].x_max if cubics[s] is not None else None)  # type: ignore[union-attr]
    spread = ordered.sd[0] / np.moveaxis(ordered.scores[0], -1, 0)
    b = exponents(x, spread)
    assert found.b_orders == pytest.approx(np.quantile(b, [0.05, 0.5, 0.95]))


def test_least_squares_where_asked_for() -> None:
    found, curves, _ = _fit(clustered(9, 4), fit="nls")
    law = fit_power_law(np.arange(1.0, 10.0), curves[0].stdev, fit="nls")
    assert found.systems[0].power == law


def test_points_have_no_epsilon() -> None:
    """ε is a share of the score, and a spread in points is none."""
    table = clustered(9, 4)
    centred = {name: values - 60.0 for name, values in table.systems.items()}
    found, _, _ = _fit(dt.Scores.build(centred, documents=table.documents))
    assert found.stdev == "absolute"
    assert math.isfinite(found.a)
    assert (found.x_max, found.x_max_range) == (None, None)
    assert all(one.x_max is None and one.power is not None for one in found.systems)


def test_a_system_that_stands_still_has_a_flat_cubic_and_no_law() -> None:
    table = clustered(9, 4, systems=2)
    values = {"A": table.systems["s0"][0], "B": np.full(36, 4.0)}
    found, _, _ = _fit(dt.Scores.build(values, documents=table.documents))
    alone, _, _ = _fit(dt.Scores.build({"A": values["A"]}, documents=table.documents))
    assert found.systems[1].power is None
    assert found.systems[1].x_min is None
    assert found.systems[1].x_max is None
    assert (found.a, found.b, found.x_max) == (alone.a, alone.b, alone.x_max)
    assert found.n_without_minimum == alone.n_without_minimum + 1


def test_two_documents_are_too_few_for_a_fit() -> None:
    found, _, _ = _fit(clustered(2, 6))
    assert all(one.power is None and one.cubic is None for one in found.systems)
    assert all(one.x_min_cubic is None and one.x_max_cubic is None for one in found.systems)
    assert math.isnan(found.a)
    assert all(math.isnan(b) for b in found.b_orders)
    assert (found.x_min, found.x_max, found.x_max_cubic) == (None, None, None)
    assert (found.x_max_range, found.n_without_minimum) == (None, 0)
