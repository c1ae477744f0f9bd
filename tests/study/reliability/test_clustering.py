"""Medians over systems and pairs of design effects, each computed on its own."""

import math

import numpy as np
import pytest

import detectable as dt
from detectable.core.types import silent
from detectable.inference.standard_errors import design_effect, segment_coverage
from detectable.study.reliability.curves import clustering
from detectable.study.reliability.measures import Measure, gather
from detectable.study.reliability.result import Clustering
from tests.study.reliability.data import clustered


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
