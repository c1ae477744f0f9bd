"""The exact power of the sign test, against all tables of a small evaluation written out."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from detectable.planning.closed_forms import sign_power


def _by_hand(
    n: int, win: float, loss: float, alpha: float
) -> tuple[float, float, float, float]:
    """Sum over every number of wins and losses."""
    right = wrong = per_item = per_decided = 0.0
    tie = 1.0 - win - loss
    for wins in range(n + 1):
        for losses in range(n - wins + 1):
            ties = n - wins - losses
            ways = math.factorial(n) // (
                math.factorial(wins) * math.factorial(losses) * math.factorial(ties)
            )
            chance = ways * win**wins * loss**losses * tie**ties
            decided = wins + losses
            if not decided or stats.binomtest(wins, decided).pvalue > alpha * (1 + 1e-9):
                continue
            right += chance * (wins > losses)
            wrong += chance * (losses > wins)
            per_item += chance * abs(wins - losses) / n
            per_decided += chance * abs(wins - losses) / decided
    return right, wrong, per_item, per_decided


@pytest.mark.parametrize(
    ("n", "win", "loss", "alpha"),
    [
        (12, 0.4, 0.2, 0.05),
        (12, 0.5, 0.5, 0.05),
        (20, 0.35, 0.05, 0.01),
        (15, 0.9, 0.1, 0.2),
        (6, 0.3, 0.3, 0.05),
        (5, 0.9, 0.05, 0.05),
    ],
)
def test_equals_the_sum_over_all_tables(n: int, win: float, loss: float, alpha: float) -> None:
    found = sign_power(n, win, loss, alpha=alpha)
    wanted = _by_hand(n, win, loss, alpha)
    assert (found.right, found.wrong) == pytest.approx(wanted[:2], abs=1e-10)
    assert (found.per_item, found.per_decided) == pytest.approx(wanted[2:], abs=1e-10)


def test_a_system_that_never_loses() -> None:
    """Six wins of six have p = 1/32; five of five have 1/16."""
    assert sign_power(6, 1.0, 0.0, alpha=0.05).right == pytest.approx(1.0)
    assert sign_power(5, 1.0, 0.0, alpha=0.05).right == 0.0
    half = sign_power(8, 0.5, 0.0, alpha=0.05)
    assert half.right == pytest.approx(stats.binom.sf(5, 8, 0.5))
    assert half.wrong == 0.0


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 300), st.floats(0.01, 0.5), st.floats(0.01, 0.5))
def test_chances_stay_chances(n: int, a: float, b: float) -> None:
    found = sign_power(n, max(a, b), min(a, b), alpha=0.05)
    assert 0.0 <= found.wrong <= found.right + 1e-12 <= 1.0 + 1e-9
    assert found.right + found.wrong <= 1.0 + 1e-9
    assert found.per_item <= found.per_decided + 1e-12


def test_equal_systems_are_told_apart_at_most_at_the_level() -> None:
    for n in (10, 50, 500, 5000):
        found = sign_power(n, 0.2, 0.2, alpha=0.05)
        assert found.right == pytest.approx(found.wrong, rel=1e-9)
        assert found.right + found.wrong <= 0.05


@pytest.mark.parametrize("n", [2000, 20_000])
def test_large_evaluations_agree_with_the_normal_form(n: int) -> None:
    win, loss = 0.12, 0.08
    found = sign_power(n, win, loss, alpha=0.05)
    spread = math.sqrt((win + loss - (win - loss) ** 2) / n)
    critical = 1.959964 * math.sqrt((win + loss) / n)
    assert found.right == pytest.approx(stats.norm.sf((critical - 0.04) / spread), abs=0.03)
