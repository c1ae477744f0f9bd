"""Tasks of single sentences: who gets which outputs, and where controls stand."""

from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.study.tasks.rows import Output, Pool, pool_of
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
    paired: bool = True,
    per_task: int = 20,
    raters: int | None = None,
    seed: int = 1,
) -> tuple[Slots, int]:
    return segment_slots(
        _pool(n, systems),
        paired=paired,
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
@given(st.integers(14, 60), st.integers(1, 4), st.booleans(), st.sampled_from([None, 1, 2, 3]))
def test_every_output_is_shown_and_the_rest_fills_up(
    n: int, systems: int, paired: bool, raters: int | None
) -> None:
    if not paired and raters is not None and raters > n * systems // 14:
        raters = None
    slots, filled = _slots(n, systems, paired=paired, raters=raters)
    shown = _all(slots)
    assert len(shown) == n * systems
    assert sum(shown.values()) == n * systems + filled
    assert all(len(task) == 14 for slot in slots for task in slot)
    assert all(len(set(task)) == 14 for slot in slots for task in slot)


def test_all_systems_of_a_sentence_go_to_one_rater() -> None:
    slots, filled = _slots(21, 2)  # 7 sentences of 2 systems fill a task
    assert (len(slots), filled) == (3, 0)
    for slot in slots:
        rows = Counter(output.row for task in slot for output in task)
        assert set(rows.values()) == {2}


def test_sentences_come_in_random_order() -> None:
    slots, _ = _slots(28, 1)
    first = sorted(output.row for output in slots[0][0])
    assert first != list(range(14))


def test_outputs_are_shuffled_within_a_task() -> None:
    slots, _ = _slots(21, 2)
    systems = [output.system for output in slots[0][0]]
    assert systems != ["S0", "S1"] * 7


def test_a_slot_is_filled_up_with_the_sentences_of_the_next() -> None:
    """Nine sentences of two systems: seven in the first task, two and five others in the second."""
    slots, filled = _slots(9, 2)
    assert (len(slots), filled) == (2, 10)
    second = {output.row for output in slots[1][0]}
    first = {output.row for output in slots[0][0]}
    assert len(first) == 7
    assert len(second) == 7
    assert len(first & second) == 5  # the list begins again at its start


def test_raters_get_sentences_in_even_shares() -> None:
    slots, _ = _slots(40, 2, raters=3)
    own = [len({o.row for task in slot for o in task}) for slot in slots]
    assert len(slots) == 3
    # 13, 14 and 13 sentences; filling up adds one more to a slot that is not full.
    assert min(own) >= 13
    assert [len(slot) for slot in slots] == [2, 2, 2]


def test_random_tasks_are_shared_out_in_order() -> None:
    slots, filled = _slots(35, 2, paired=False, raters=2)
    assert ([len(slot) for slot in slots], filled) == ([3, 2], 0)


@pytest.mark.parametrize(
    ("paired", "raters", "most"),
    [(True, 15, "14: there are 14 sentences"), (False, 2, "1: the")],
)
def test_more_raters_than_work(paired: bool, raters: int, most: str) -> None:
    with pytest.raises(InputError, match=f"`raters` must be at most {most}"):
        _slots(14, 1, paired=paired, raters=raters)


def test_as_many_raters_as_sentences() -> None:
    assert len(_slots(14, 1, raters=14)[0]) == 14


def test_exactly_enough_outputs_for_a_task() -> None:
    assert _slots(14, 1)[1] == 0
    with pytest.raises(InputError, match="20 needs 14 outputs, and there are 13"):
        _slots(13, 1)


def test_more_systems_than_a_task_holds_still_share_a_rater() -> None:
    slots, _ = _slots(4, 20)
    for slot in slots:
        own = Counter(output.row for task in slot for output in task)
        assert max(own.values()) == 20
        assert len(slot) == 2  # 20 outputs of one sentence, and 8 to fill up


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
