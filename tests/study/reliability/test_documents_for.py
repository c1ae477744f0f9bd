"""How many documents targets take: the smallest number, by search and by the formula."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

import detectable as dt
from detectable.core.types import silent
from detectable.inference.standard_errors import detectable_shift
from detectable.kernels.distributions import t_quantile
from detectable.study.reliability.documents_for import documents_for, smallest
from detectable.study.reliability.measures import ReliabilitySettings, gather
from detectable.study.reliability.result import DocumentsFor, RankingPoint
from tests.study.reliability.data import clustered


def _width(k: int) -> float:
    return t_quantile(0.975, k - 1.0)


@given(st.floats(0.01, 30.0))
def test_the_number_is_enough_and_one_less_is_not(ratio: float) -> None:
    k = smallest(ratio, _width)
    assert k is not None
    assert k >= 2
    assert _width(k) * ratio <= math.sqrt(k)
    if k > 2:
        assert _width(k - 1) * ratio > math.sqrt(k - 1)


@pytest.mark.parametrize("ratio", [3.0, 10.0])
def test_with_many_documents_it_is_the_formula(ratio: float) -> None:
    """(z c / h)², and ((z + z) c / δ)²: one or two more by t."""
    k = smallest(ratio, _width)
    assert k is not None
    assert 1 < k - (ndtri(0.975) * ratio) ** 2 < 4
    found = smallest(ratio, lambda k: detectable_shift(k - 1.0, alpha=0.05, power=0.8))
    assert found is not None
    assert 1 < found - ((ndtri(0.975) + ndtri(0.8)) * ratio) ** 2 < 4


def test_exactly_enough_is_enough() -> None:
    assert smallest(1.0, lambda _: 2.0) == 4  # found while doubling
    assert smallest(5.0, lambda _: 2.0) == 100  # found while halving


def _point(documents: int, full: float, remainder: float) -> RankingPoint:
    return RankingPoint(
        documents=documents,
        full=full,
        remainder=remainder,
        same_winner=0.5,
        significant_kept=0.5,
        exact=0.1,
    )


def _tau(points: list[RankingPoint]) -> DocumentsFor:
    measured = gather(
        clustered(20, 5), None, {}, {}, campaign=None, language=None, progress=silent
    )
    rows = documents_for(measured.measures[0], points, {}, {}, ReliabilitySettings())
    assert [row.target for row in rows] == ["half-width", "effect", "tau"]
    return rows[-1]


def test_the_first_number_of_documents_that_ranks_well() -> None:
    points = [_point(5, 0.7, 0.6), _point(10, 0.895, 0.8), _point(12, 0.9, math.nan)]
    row = _tau([*points, _point(15, 0.85, math.nan), _point(20, 1.0, math.nan)])
    assert (row.value, row.documents, row.segments, row.now) == (0.9, 12, 60, 0.8)
    assert row.documents_most is None


def test_a_ranking_that_only_all_documents_give() -> None:
    row = _tau([_point(5, 0.7, 0.6), _point(11, 0.89, math.nan), _point(20, 1.0, math.nan)])
    assert (row.documents, row.segments, row.now) == (None, None, 0.6)


def _rows(scores: dt.Scores, wanted: dict[str, float], **options: Any) -> list[DocumentsFor]:
    measured = gather(scores, None, {}, {}, campaign=None, language=None, progress=silent)
    settings = ReliabilitySettings(**options)
    return documents_for(measured.measures[0], [], wanted, wanted, settings)


@pytest.mark.parametrize("wanted", [{"mean": 2.0}, {}])
def test_both_targets_by_hand(wanted: dict[str, float]) -> None:
    """Of a mean over documents of one size; medians over three systems and three pairs."""
    scores = clustered(20, 5, systems=3, apart=9.0)
    width, effect = _rows(scores, wanted, alpha=0.1, power=0.7)
    means = [table.reshape(20, 5).mean(axis=1) for table in scores.systems.values()]
    alone = [float(m.std(ddof=1)) for m in means]
    apart = [float((means[a] - means[b]).std(ddof=1)) for a, b in ((0, 1), (0, 2), (1, 2))]
    value = wanted.get("mean", 0.02 * float(np.median([m.mean() for m in means])))

    def half(k: int) -> float:
        return t_quantile(0.95, k - 1.0)

    def shift(k: int) -> float:
        return detectable_shift(k - 1.0, alpha=0.1, power=0.7)

    for row, target, constants, errors in (
        (width, "half-width", alone, half),
        (effect, "effect", apart, shift),
    ):
        typical = float(np.median(constants))
        assert (row.metric, row.target) == ("mean", target)
        assert row.value == pytest.approx(value)
        assert row.documents == smallest(typical / value, errors)
        assert row.documents_most == smallest(max(constants) / value, errors)
        assert row.segments == 5 * (row.documents or 0)
        assert row.now == pytest.approx(errors(20) * typical / math.sqrt(20))


def test_a_small_target_is_one_too() -> None:
    width, _ = _rows(clustered(20, 5), {"mean": 0.005})
    assert (width.documents or 0) > 1e5


def test_points_without_a_zero_have_no_target_of_their_own() -> None:
    table = clustered(20, 5)
    centred = {name: values - 60.0 for name, values in table.systems.items()}
    scores = dt.Scores.build(centred, documents=table.documents)
    for row in _rows(scores, {}):
        assert math.isnan(row.value)
        assert (row.documents, row.documents_most, row.segments) == (None, None, None)
        assert row.now > 0.0
    assert all((row.documents or 0) > 1 for row in _rows(scores, {"mean": 2.0}))


def test_two_documents_are_the_fewest() -> None:
    assert smallest(1e-9, _width) == 2


def test_what_is_out_of_reach() -> None:
    assert smallest(1e9, _width) is None
    assert smallest(2.0**20, lambda _: 1.0) == 2**40  # the last one that counts
    assert smallest(2.0**20 + 1.0, lambda _: 1.0) is None
