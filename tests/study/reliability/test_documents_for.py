"""How many documents targets take: the smallest number, by search and by the formula."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from detectable.core.progress import silent
from detectable.inference.delta import detectable_shift, t_quantile
from detectable.study.reliability.documents_for import documents_for, smallest
from detectable.study.reliability.measures import gather
from detectable.study.reliability.result import DocumentsFor, RankingPoint
from detectable.study.reliability.settings import ReliabilitySettings
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


def test_two_documents_are_the_fewest() -> None:
    assert smallest(1e-9, _width) == 2


def test_what_is_out_of_reach() -> None:
    assert smallest(1e9, _width) is None
