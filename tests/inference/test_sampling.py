"""Unequal probabilities: worked examples, exact inclusion over all orders, two batches."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.inference.sampling import draw, probabilities, systematic, two_batch_weights
from tests.gold_select import gold


@pytest.mark.golden
def test_probabilities_are_those_of_the_worked_examples() -> None:
    for case in gold()["probabilities"]:
        size, cost = (np.array(case[name], dtype=float) for name in ("z", "cost"))
        found = probabilities(size, cost, case["budget"], floor=case["floor"])
        assert found.tolist() == pytest.approx(case["probability"], abs=1e-10)


@pytest.mark.golden
def test_draws_are_those_of_the_worked_examples() -> None:
    for case in gold()["systematic"]:
        found = systematic(
            np.array(case["probability"]), np.array(case["order"]), case["start"]
        )
        assert found.tolist() == case["chosen"]


def joint(probability: np.ndarray) -> np.ndarray:
    """Return exact inclusion of pairs: every order, and every start between two jumps."""
    found = np.zeros((probability.size, probability.size))
    orders = list(itertools.permutations(range(probability.size)))
    for order in map(np.array, orders):
        ends = np.cumsum(probability[order]) % 1.0
        starts = np.unique(np.concatenate([[0.0, 1.0], ends.round(12)]))
        for low, high in itertools.pairwise(starts[starts <= 1.0]):
            chosen = systematic(probability, order, (low + high) / 2.0)
            found[np.ix_(chosen, chosen)] += (high - low) / len(orders)
    return found


def test_every_unit_is_drawn_with_exactly_its_probability() -> None:
    probability = np.array([0.35, 0.45, 0.55, 0.65])
    assert np.diag(joint(probability)).tolist() == pytest.approx(probability.tolist(), abs=1e-9)
    # Also where they add up to no whole number of units.
    odd = np.array([0.2, 0.9, 0.3])
    assert np.diag(joint(odd)).tolist() == pytest.approx(odd.tolist(), abs=1e-9)


@pytest.mark.golden
def test_pairs_are_drawn_as_in_the_worked_example() -> None:
    case = gold()["joint_inclusion"]
    assert joint(np.array(case["probability"])) == pytest.approx(
        np.array(case["joint"]), abs=1e-10
    )


def test_any_two_units_can_be_drawn_together() -> None:
    # In the order of the file, systematic draws never take the first two of these.
    assert joint(np.array([0.35, 0.45, 0.55, 0.65])).min() > 0.1
    rng = np.random.default_rng(3)
    pairs = {tuple(draw(np.full(4, 0.5), rng).tolist()) for _ in range(200)}
    assert len(pairs) == 6


@given(
    st.lists(st.floats(0.0, 100.0), min_size=1, max_size=30),
    st.floats(0.05, 0.95),
    st.floats(0.0, 1.0),
)
def test_the_expected_cost_is_the_budget_and_the_floor_holds(
    size: list[float], share: float, floor: float
) -> None:
    cost = (1.0 + np.arange(len(size)) % 3).astype(np.float64)
    budget = share * cost.sum()
    found = probabilities(np.array(size), cost, budget, floor=floor)
    if floor > 0.0 or min(size) > 0.0:
        assert (found * cost).sum() == pytest.approx(budget)
    assert found.max() <= 1.0
    assert found.min() >= floor * share - 1e-12


def test_the_start_moves_the_draw_and_the_number_drawn_stays() -> None:
    probability = np.full(10, 0.3)
    rng = np.random.default_rng(1)
    draws = [tuple(draw(probability, rng).tolist()) for _ in range(50)]
    assert {len(one) for one in draws} == {3}
    assert len(set(draws)) > 20
    in_order = [
        tuple(systematic(probability, np.arange(10), start)) for start in (0.0, 0.25, 0.9)
    ]
    assert len(set(in_order)) == 3


@pytest.mark.golden
def test_two_batches_are_those_of_the_worked_example() -> None:
    case = gold()["two_batches"]
    drawn = np.arange(case["pool"]) < case["first"]
    for row in case["second"]:
        second = np.full(case["pool"] - case["first"], row["probability"])
        found = two_batch_weights(drawn, second, case["planned"])
        assert 1.0 / found[0] == pytest.approx(case["first_effective"], abs=1e-10)
        assert 1.0 / found[-1] == pytest.approx(row["effective"], abs=1e-10)


def test_two_batches_estimate_a_total_without_bias() -> None:
    rng = np.random.default_rng(4)
    total = np.array([3.0, 9.0, 1.0, 4.0, 7.0, 2.0])
    size = np.array([1.0, 5.0, 2.0, 1.0, 3.0, 2.0])
    found = []
    for _ in range(20_000):
        first = np.isin(np.arange(6), rng.permutation(6)[:2])
        second = probabilities(size[~first], np.ones(4), 2.0)
        weights = two_batch_weights(first, second, 4.0)
        drawn = first.copy()
        drawn[np.flatnonzero(~first)[draw(second, rng)]] = True
        found.append(float((weights * total)[drawn].sum()))
    error = np.std(found) / len(found) ** 0.5
    assert np.mean(found) == pytest.approx(total.sum(), abs=4 * error)


def test_a_second_batch_that_is_not_larger_than_nothing_is_refused() -> None:
    with pytest.raises(InputError, match=r"`planned` must lie above the 10 units of the first"):
        two_batch_weights(np.arange(20) < 10, np.ones(10), 10.0)
