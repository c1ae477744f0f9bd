"""Rules for drawing lines between clusters."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.choices import ClusterRule
from detectable.core.errors import InputError
from detectable.study.ranking.verdicts import Beats, cluster, rank_ranges


def matrix(*rows: str) -> Beats:
    """Return who beats whom from rows of dots and crosses."""
    return np.array([[cell == "x" for cell in row] for row in rows])


# The third beats the fourth only; the first does not beat the third.
LAST_ONLY = matrix("...x", "..xx", "...x", "....")


def test_all_pairs_wants_every_system_above_to_beat_every_system_below() -> None:
    assert cluster(LAST_ONLY, "all-pairs") == [[0, 1, 2], [3]]


def test_wmt_looks_at_the_last_system_only() -> None:
    assert cluster(LAST_ONLY, "wmt-last") == [[0, 1], [2], [3]]


def test_min_wins_looks_at_the_weakest_so_far() -> None:
    # The first has one win, so no line with two systems below is drawn.
    assert cluster(LAST_ONLY, "min-wins") == [[0, 1, 2], [3]]


def test_rank_ranges_walk_from_neighbour_to_neighbour() -> None:
    # The first is stopped by the fourth, the second by the third.
    assert rank_ranges(LAST_ONLY, "rank-ranges") == ([1, 1, 3, 4], [3, 2, 3, 4])
    assert cluster(LAST_ONLY, "rank-ranges") == [[0, 1, 2], [3]]


def test_a_walk_may_draw_a_line_that_all_pairs_does_not() -> None:
    # Each beats the next, but the first does not beat the third.
    beats = matrix(".x.", "..x", "...")
    assert cluster(beats, "rank-ranges") == [[0], [1], [2]]
    assert cluster(beats) == [[0, 1, 2]]


def test_ranges_count_losses_and_wins() -> None:
    assert rank_ranges(LAST_ONLY) == ([1, 1, 2, 4], [3, 2, 3, 4])


@given(st.integers(1, 6), st.integers(0, 10_000))
def test_every_rule_keeps_the_order_and_all_systems(n: int, seed: int) -> None:
    beats = np.triu(np.random.default_rng(seed).random((n, n)) < 0.6, 1)
    for rule in get_args(ClusterRule):
        groups = cluster(beats, rule)
        assert [i for group in groups for i in group] == list(range(n))


@given(st.integers(2, 7), st.integers(0, 10_000))
def test_a_line_of_all_pairs_is_a_line_of_every_other_rule(n: int, seed: int) -> None:
    beats = np.triu(np.random.default_rng(seed).random((n, n)) < 0.8, 1)
    strict = {group[0] for group in cluster(beats)}
    for rule in get_args(ClusterRule):
        assert strict <= {group[0] for group in cluster(beats, rule)}


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(InputError, match=r"`rule` must be one of .*; got 'last'"):
        cluster(LAST_ONLY, "last")  # type: ignore[arg-type]


def test_one_system_is_one_cluster_under_every_rule() -> None:
    for rule in get_args(ClusterRule):
        assert cluster(matrix("."), rule) == [[0]]
        assert rank_ranges(matrix("."), rule) == ([1], [1])


def test_wins_against_higher_systems_count_in_wmts_rules() -> None:
    # The third beats the first: two wins with one system below it.
    beats = matrix(".x.x", "...x", "x..x", "....")
    assert cluster(beats, "wmt-last") == [[0, 1, 2, 3]]
    assert cluster(beats, "min-wins") == [[0, 1, 2], [3]]
    assert rank_ranges(beats) == ([2, 2, 1, 4], [2, 3, 2, 4])


def test_a_rank_range_that_reaches_up_to_the_line_is_over_it() -> None:
    # The fourth is beaten by the first alone, so that it may be second: no line below the second.
    beats = matrix("..xx", "..x.", "....", "....")
    assert rank_ranges(beats, "rank-ranges") == ([1, 1, 3, 2], [2, 2, 4, 4])
    assert cluster(beats, "rank-ranges") == [[0, 1, 2, 3]]
