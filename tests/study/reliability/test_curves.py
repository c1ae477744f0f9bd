"""Curves: what is stated, against errors taken from the closed form directly."""

import math
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.execute import Engine
from detectable.core.types import FloatArray, silent
from detectable.inference.prefixes import prefix_errors
from detectable.study.reliability.curves import (
    OrderedErrors,
    known_quantiles,
    random_orders,
    source_curves,
    stated,
)
from detectable.study.reliability.measures import Measured, ReliabilitySettings, gather
from detectable.study.reliability.result import Curve
from tests.study.reliability.data import clustered


def _gathered(scores: dt.Scores) -> Measured:
    return gather(scores, None, {}, {}, campaign=None, language=None, progress=silent)


def _curves(scores: dt.Scores, **options: Any) -> tuple[list[Curve], OrderedErrors]:
    measured = _gathered(scores)
    (source,) = measured.sources
    engine = Engine.start(1, n_jobs=1, executor=None, progress=silent)
    ordered = random_orders(source, 100, engine, np.random.default_rng(2))
    settings = ReliabilitySettings(**options)
    rng = np.random.default_rng(3)
    return source_curves(source, measured.measures, ordered, settings, engine, rng), ordered


def _signed() -> dt.Scores:
    """Return scores around zero: no natural zero, so spreads are in points."""
    table = clustered(8, 4)
    centred = {name: values - 60.0 for name, values in table.systems.items()}
    return dt.Scores.build(centred, documents=table.documents)


@pytest.mark.parametrize("relative", [True, False])
def test_a_curve_is_the_closed_form_as_stated(relative: bool) -> None:
    scores = clustered(8, 4) if relative else _signed()
    curves, ordered = _curves(scores, method="delta", alpha=0.1)
    (source,) = _gathered(scores).sources
    every = np.arange(1, 9)
    for s, curve in enumerate(curves):
        exact = prefix_errors(source, 0, s, np.arange(8)[None], every)
        score, sd = exact.score[0], exact.sd_segment[0]
        below = np.abs(score) if relative else 1.0
        assert (curve.metric, curve.system) == ("mean", f"s{s}")
        assert curve.score == pytest.approx(score[-1])
        assert curve.documents == tuple(range(1, 9))
        assert curve.segments == tuple(range(4, 36, 4))
        assert curve.mean == pytest.approx(score)
        assert curve.stdev == pytest.approx(sd / below)
        ends = [(one.low, one.high, one.level) for one in curve.interval]
        for (low, high, level), middle, error in zip(ends, score, sd, strict=True):
            assert (low, high) == pytest.approx(
                (middle - 1.6448536 * error, middle + 1.6448536 * error)
            )
            assert level == 0.9
        by_document = (exact.sd_document[0] / below)[4:]
        assert np.isnan(curve.stdev_document[:4]).all()
        assert curve.stdev_document[4:] == pytest.approx(by_document)
        spread = ordered.sd[0, s]
        if relative:
            spread = spread / np.abs(ordered.scores[0][:, :, s])
        assert curve.band.documents == curve.documents
        for name, at in (("low", 0.05), ("median", 0.5), ("high", 0.95)):
            assert getattr(curve.band, name) == pytest.approx(np.quantile(spread, at, axis=0))


def test_draws_take_the_place_of_the_closed_form() -> None:
    drawn, _ = _curves(clustered(8, 4), method="poisson", n_resamples=50)
    closed, _ = _curves(clustered(8, 4), method="delta")
    for one, other in zip(drawn, closed, strict=True):
        assert one.stdev != other.stdev
        assert one.mean != other.mean
        assert one.stdev == pytest.approx(other.stdev, rel=0.6)  # fifty draws
        assert one.stdev_document == pytest.approx(other.stdev_document, nan_ok=True)
        assert one.band == other.band


def _stated(sd: list[float], mean: list[float], *, scores: dt.Scores) -> FloatArray:
    return stated(_gathered(scores).measures[0], np.array(sd), np.array(mean))


def test_how_a_spread_is_stated() -> None:
    share = _stated([2.0, 3.0, 1.0, 1e-9], [-4.0, 6.0, 0.0, 3.0], scores=clustered())
    assert share == pytest.approx([0.5, 0.5, math.nan, 0.0], nan_ok=True)
    points = _stated([2.0, 3.0, 1.0, 1e-9], [-4.0, 6.0, 0.0, 3.0], scores=_signed())
    assert points.tolist() == [2.0, 3.0, 1.0, 0.0]  # a spread of rounding is none
    assert _stated([1e-9], [1.0], scores=_signed()).tolist() == [0.0]
    assert _stated([0.005], [0.005], scores=clustered()) == pytest.approx([1.0])


def test_quantiles_of_what_is_known() -> None:
    values = np.array([[1.0, math.nan, 5.0], [3.0, math.nan, math.nan], [2.0, math.nan, 7.0]])
    found = known_quantiles(values, (0.0, 0.5, 1.0), axis=0)
    assert found[:, 0].tolist() == [1.0, 2.0, 3.0]
    assert np.isnan(found[:, 1]).all()
    assert found[:, 2].tolist() == [5.0, 6.0, 7.0]
    assert known_quantiles(values, (0.0, 1.0)).tolist() == [1.0, 7.0]
    assert np.isnan(known_quantiles(np.full(3, math.nan), (0.5,))).all()
    assert known_quantiles(np.arange(5.0), (0.25, 0.5)).tolist() == [1.0, 2.0]
