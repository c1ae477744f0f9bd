"""Tasks of single sentences at random: who gets which outputs, and where controls stand."""

from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.study.tasks.result import Output, Pool, pool_of
from detectable.study.tasks.segment_tasks import (
    ordinary_per_task,
    segment_slots,
    segment_work,
)
from tests.study.tasks.texts import documents_corpus, pool_and_controls

Slots = list[list[list[Output]]]


def _pool(n: int, systems: int) -> Pool:
    return pool_of(documents_corpus([n], systems), None)


def _slots(
    n: int,
    systems: int,
    *,
    per_task: int = 20,
    raters: int | None = None,
    seed: int = 1,
) -> tuple[Slots, int]:
    return segment_slots(
        _pool(n, systems),
        per_task=per_task,
        raters=raters,
        rng=np.random.default_rng(seed),
    )


def _all(slots: Slots) -> Counter[Output]:
    return Counter(chain.from_iterable(chain.from_iterable(slots)))


@pytest.mark.parametrize(("per_task", "outputs"), [(20, 14), (40, 28), (100, 70)])
def test_seven_of_ten_are_outputs(per_task: int, outputs: int) -> None:
    assert ordinary_per_task(per_task) == outputs


@pytest.mark.parametrize("per_task", [10, 30, 50, 99])
def test_blocks_of_ten_make_two_halves(per_task: int) -> None:
    with pytest.raises(
        InputError, match=f"a multiple of 20 for single sentences.*got {per_task}"
    ):
        ordinary_per_task(per_task)


@settings(max_examples=30, deadline=None)
@given(st.integers(14, 60), st.integers(1, 4), st.sampled_from([None, 1, 2, 3]))
def test_every_output_is_shown_and_the_rest_fills_up(
    n: int, systems: int, raters: int | None
) -> None:
    if raters is not None and raters > n * systems // 14:
        raters = None
    slots, filled = _slots(n, systems, raters=raters)
    shown = _all(slots)
    assert len(shown) == n * systems
    assert sum(shown.values()) == n * systems + filled
    assert all(len(task) == 14 for slot in slots for task in slot)
    assert all(len(set(task)) == 14 for slot in slots for task in slot)


def test_sentences_come_in_random_order() -> None:
    slots, _ = _slots(28, 1)
    first = sorted(output.row for output in slots[0][0])
    assert first != list(range(14))


def test_outputs_are_shuffled_within_a_task() -> None:
    slots, _ = _slots(21, 2)
    systems = [output.system for output in slots[0][0]]
    assert systems != ["S0", "S1"] * 7


def test_the_last_task_is_filled_up_from_the_start_of_the_list() -> None:
    """Nine sentences of two systems: 14 outputs in the first task, 4 and 10 of them again."""
    slots, filled = _slots(9, 2)
    assert (len(slots), filled) == (2, 10)
    assert len(set(slots[0][0]) & set(slots[1][0])) == 10


def test_random_tasks_are_shared_out_in_order() -> None:
    slots, filled = _slots(35, 2, raters=2)
    assert ([len(slot) for slot in slots], filled) == ([3, 2], 0)


def test_more_raters_than_work() -> None:
    with pytest.raises(InputError, match="`raters` must be at most 1: there are 1 task"):
        _slots(14, 1, raters=2)


def test_exactly_enough_outputs_for_a_task() -> None:
    assert _slots(14, 1)[1] == 0
    with pytest.raises(InputError, match="20 needs 14 outputs, and there are 13"):
        _slots(13, 1)


@pytest.mark.parametrize("per_task", [20, 40, 100])
def test_the_controls_of_a_block_come_from_half_a_task_away(per_task: int) -> None:
    pool, controls = pool_and_controls(documents_corpus([100], 1))
    outputs = [Output("S0", row) for row in range(ordinary_per_task(per_task))]
    [blocks] = segment_work([outputs], pool, controls, np.random.default_rng(1))
    half = len(blocks) // 2
    assert len(blocks) == per_task // 10
    home = {id(one): i for i, block in enumerate(blocks) for one in block}
    for i, block in enumerate(blocks):
        originals = [one for one in block if one.of is None]
        copies = [one for one in block if one.of is not None]
        assert (len(originals), len(copies)) == (7, 3)
        assert {home[id(one.of)] for one in copies} == {(i + half) % len(blocks)}


def test_controls_stand_anywhere_in_their_block() -> None:
    pool, controls = pool_and_controls(documents_corpus([70], 1))
    outputs = [Output("S0", row) for row in range(70)]
    [blocks] = segment_work([outputs], pool, controls, np.random.default_rng(1))
    places = {i for block in blocks for i, one in enumerate(block) if one.of is not None}
    assert {0, 9} <= places
