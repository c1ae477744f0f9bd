"""Curves: what is stated, against errors taken from the closed form directly."""

import math
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.execute import Engine
from detectable.core.types import FloatArray, silent
from detectable.inference.curves import exponents, fit_cubic, fit_power_law
from detectable.inference.prefixes import prefix_errors
from detectable.inference.standard_errors import design_effect, segment_coverage
from detectable.study.reliability.curves import (
    OrderedErrors,
    clustering,
    known_quantiles,
    metric_fit,
    random_orders,
    source_curves,
    stated,
)
from detectable.study.reliability.measures import Measure, Measured, gather
from detectable.study.reliability.result import Clustering, Curve, MetricFit
from detectable.study.settings import ReliabilitySettings
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


# --- Medians over systems and pairs of design effects, each computed on its own ---


def _measure(scores: dt.Scores) -> Measure:
    found = gather(scores, None, {}, {}, campaign=None, language=None, progress=silent)
    return found.measures[0]


def test_medians_over_systems_and_pairs() -> None:
    one = _measure(clustered(9, 4, systems=4, apart=12.0))
    found = clustering(one, level=0.9)
    influence = [one.documents.influence(0, s) for s in range(4)]
    where = one.documents.of_segment
    alone = [design_effect(values, where) for values in influence]
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    apart = [design_effect(influence[a] - influence[b], where) for a, b in pairs]
    effects, iccs = [x.design_effect for x in alone], [x.icc for x in alone]
    assert (found.metric, found.n_documents, found.n_segments) == ("mean", 9, 36)
    assert found.icc == pytest.approx(np.median(iccs))
    assert found.icc_range == pytest.approx((min(iccs), max(iccs)))
    assert found.design_effect == pytest.approx(np.median(effects))
    assert found.design_effect_range == pytest.approx((min(effects), max(effects)))
    assert found.n_effective == pytest.approx(36 / found.design_effect)
    assert found.too_narrow == pytest.approx(math.sqrt(found.design_effect))
    assert found.coverage == segment_coverage(found.design_effect, 0.9)
    assert found.difference_design_effect == pytest.approx(
        np.median([x.design_effect for x in apart])
    )
    unpaired = [
        math.sqrt(alone[a].sd_document ** 2 + alone[b].sd_document ** 2) for a, b in pairs
    ]
    ratio = [x.sd_document / y for x, y in zip(apart, unpaired, strict=True)]
    assert found.pairing == pytest.approx(np.median(ratio))


def test_one_system_has_no_pair() -> None:
    found = clustering(_measure(clustered(6, 4, systems=1)), level=0.95)
    assert math.isnan(found.difference_design_effect)
    assert math.isnan(found.pairing)
    assert found.icc_range == (found.icc, found.icc)


def _still(*names: str) -> Measure:
    """Return three systems of which some have the same score everywhere."""
    scores = clustered(6, 4, systems=3)
    values = {
        name: np.full(24, 5.0) if name in names else table[0]
        for name, table in scores.systems.items()
    }
    return _measure(dt.Scores.build(values, documents=scores.documents))


def test_systems_that_do_not_vary_count_in_no_median() -> None:
    found = clustering(_still("s0"), level=0.95)
    rest = clustering(_still("s0", "s2"), level=0.95)
    assert math.isfinite(found.design_effect)
    assert rest.design_effect_range == (rest.design_effect, rest.design_effect)
    # A system against one that stands still is as uncertain as alone; two of them are no pair.
    assert rest.pairing == pytest.approx(1.0)
    assert rest.difference_design_effect == pytest.approx(rest.design_effect)


def test_documents_of_one_segment_have_no_intraclass_correlation() -> None:
    found = clustering(_measure(clustered(8, 1)), level=0.95)
    assert math.isnan(found.icc)
    assert all(math.isnan(end) for end in found.icc_range)
    assert found.design_effect == pytest.approx(8 / 7)


def test_documents_that_are_nearly_equal() -> None:
    def found(*values: float) -> Clustering:
        scores = dt.Scores.build({"A": np.array(values) + 50.0}, documents=list("xxyy"))
        return clustering(_measure(scores), level=0.95)

    nearly = found(1.0, -0.95, -1.0, 0.95)
    assert nearly.design_effect == pytest.approx(0.01 / 3.805)
    assert nearly.n_effective == pytest.approx(4 * 380.5)
    equal = found(1.0, -1.0, -1.0, 1.0)
    assert (equal.design_effect, equal.too_narrow) == (0.0, 0.0)
    assert math.isnan(equal.n_effective)
    assert math.isnan(equal.coverage)


def test_small_scores_are_clustered_as_large_ones_are() -> None:
    scores = clustered(9, 4, systems=3)
    small = {name: 1e-5 * values for name, values in scores.systems.items()}
    one = clustering(_measure(scores), level=0.95)
    other = clustering(_measure(dt.Scores.build(small, documents=scores.documents)), level=0.95)
    assert other.pairing == pytest.approx(one.pairing)
    assert other.icc_range == pytest.approx(one.icc_range)
    assert other.design_effect_range == pytest.approx(one.design_effect_range)


@pytest.mark.parametrize("order", ["AB", "BA"])
def test_a_small_spread_beside_none_is_a_pair(order: str) -> None:
    scores = clustered(9, 4, systems=1)
    values = {"A": 1e-5 * scores.systems["s0"][0], "B": np.full(36, 4.0)}
    made = dt.Scores.build({name: values[name] for name in order}, documents=scores.documents)
    assert clustering(_measure(made), level=0.95).pairing == pytest.approx(1.0)


# --- Fits of all systems: medians and ranges of fits that are made one by one ---


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


# --- Random orders: every one a permutation, and what is left is what was not taken ---


def test_shapes_first_and_rest() -> None:
    scores = clustered(6, 3, systems=2)
    measured = gather(scores, None, {}, {}, campaign=None, language=None, progress=silent)
    (source,) = measured.sources
    told: list[tuple[str, int, int | None]] = []
    engine = Engine.start(1, n_jobs=1, executor=None, progress=lambda *step: told.append(step))
    found = random_orders(source, 60, engine, np.random.default_rng(2))
    assert ("random orders of documents", 3, 3) in told  # blocks of 25 are part of the answer
    assert found.at.tolist() == [1, 2, 3, 4, 5, 6]
    assert len(found.scores) == len(found.rest) == 1
    assert found.scores[0].shape == found.rest[0].shape == (60, 6, 2)
    assert found.sd.shape == (1, 2, 60, 6)
    means = np.array([table[0].reshape(6, 3).mean(axis=1) for table in scores.systems.values()])
    whole = means.mean(axis=1)
    # Documents are of one size: the whole is the weighted mean of what was taken and the rest.
    k = found.at[:-1, None]
    assert (found.scores[0][:, :-1] * k + found.rest[0][:, :-1] * (6 - k)) / 6 == pytest.approx(
        np.broadcast_to(whole, (60, 5, 2))
    )
    assert np.isnan(found.rest[0][:, -1]).all()
    firsts = np.abs(found.scores[0][:, 0, None, 0] - means[0]).argmin(axis=1)
    assert np.bincount(firsts, minlength=6).min() > 0  # every document comes first sometimes
    every = np.arange(1, 7)
    for s in range(2):
        last = prefix_errors(source, 0, s, np.arange(6)[None], every).sd_segment[0, -1]
        assert found.sd[0, s, :, -1] == pytest.approx(last)
        assert len(np.unique(found.sd[0, s, :, 0].round(9))) == 6
