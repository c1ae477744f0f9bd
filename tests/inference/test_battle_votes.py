"""Who can be compared with whom."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from detectable.inference.battle_votes import (
    reaches,
    separate_parts,
    strong_components,
    wins_between,
)

GRAPHS = st.integers(1, 9).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n)
)


@given(GRAPHS)
def test_strong_components_are_those_of_scipy(rows: list[list[bool]]) -> None:
    beats = np.array(rows)
    found = strong_components(beats)
    _, labels = connected_components(beats, directed=True, connection="strong")
    assert sorted(found) == sorted(
        np.flatnonzero(labels == label).tolist() for label in set(labels.tolist())
    )
    # Nobody beats one of an earlier component.
    place = {member: i for i, part in enumerate(found) for member in part}
    for i, j in zip(*np.nonzero(beats), strict=True):
        assert place[int(i)] <= place[int(j)]


@given(GRAPHS)
def test_who_is_reached(rows: list[list[bool]]) -> None:
    beats = np.array(rows)
    power = np.linalg.matrix_power(
        beats.astype(object) + np.eye(len(rows), dtype=object), len(rows)
    )
    assert reaches(beats, [0]).tolist() == (power[0] > 0).tolist()


def test_a_thousand_systems_in_a_chain_need_no_recursion() -> None:
    chain: NDArray[np.bool_] = np.eye(3000, k=1, dtype=bool)
    assert len(strong_components(chain)) == 3000
    chain[-1, 0] = True
    assert len(strong_components(chain)) == 1


def test_parts_that_never_met_come_largest_first() -> None:
    met = np.zeros((5, 5), dtype=bool)
    met[1, 3] = met[3, 4] = met[0, 2] = True
    assert separate_parts(met) == [[1, 3, 4], [0, 2]]


@pytest.mark.parametrize(
    ("outcome", "wanted"),
    [(1.0, [(0, 1)]), (0.0, [(1, 0)]), (0.5, [(0, 1), (1, 0)]), (0.9, [(0, 1), (1, 0)])],
)
def test_a_tie_beats_both_ways(outcome: float, wanted: list[tuple[int, int]]) -> None:
    beats = wins_between(np.array([0]), np.array([1]), np.array([outcome]), 2)
    assert sorted(zip(*np.nonzero(beats), strict=True)) == wanted
