"""Tasks of single sentences at random: who gets which outputs, and where controls stand."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.data.texts.corpus import Corpus
from detectable.study.tasks.make_tasks import make_tasks
from detectable.study.tasks.result import Output, Pool, Shown, Task, TaskRow, pool_of
from detectable.study.tasks.segment_tasks import (
    SystemOrder,
    arrange,
    n_controls,
    ordinary_per_task,
    paired_slots,
    paired_work,
    segment_slots,
    segment_work,
    sentences_per_task,
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
        assert len(block) == 10
        away = (i + half) % len(blocks)
        copies = [one for one in (*block, *blocks[away]) if one.of is not None]
        assert len(copies) == 6  # of both blocks together
        for one in copies:
            assert {home[id(one)], home[id(one.of)]} == {i, away}


def _random_task(seed: int) -> Task:
    pool, controls = pool_and_controls(documents_corpus([70], 1))
    outputs = [Output("S0", row) for row in range(70)]
    [blocks] = segment_work([outputs], pool, controls, np.random.default_rng(seed))
    return blocks


def test_controls_stand_anywhere_in_their_block() -> None:
    tasks = [_random_task(seed) for seed in range(5)]
    places = {
        i
        for blocks in tasks
        for block in blocks
        for i, one in enumerate(block)
        if one.of is not None
    }
    assert places == set(range(10))


def test_a_control_stands_before_its_original_as_often_as_after_it() -> None:
    """By a coin of its own: the number of 30 has the variance of independent coins, 30 / 4."""
    before = []
    for seed in range(200):
        flat = [one for block in _random_task(seed) for one in block]
        at = {id(one): place for place, one in enumerate(flat)}
        before.append(sum(at[id(one)] < at[id(one.of)] for one in flat if one.of is not None))
    # Standard errors of the mean and of the variance of 200 such numbers.
    assert abs(np.mean(before) - 15) < 4 * (7.5 / 200) ** 0.5
    assert abs(np.var(before) - 7.5) < 4 * 7.5 * (2 / 200) ** 0.5


# --- Copies half a task away from their group, and never inside another one ---


def _block(name: str) -> list[Shown]:
    return [Shown("system", Output(name, 0), name)]


def _names(task: Task) -> str:
    return " ".join(one.text for block in task for one in block)


@pytest.mark.parametrize(
    ("n", "copied", "expected"),
    [
        (1, [0], "A0 B0 a0"),
        (2, [0, 1], "a1 A0 B0 A1 B1 a0"),
        (3, [0, 1, 2], "A0 B0 a2 A1 B1 a0 A2 B2 a1"),
        (4, [3, 0], "A0 B0 a3 A1 B1 A2 B2 a0 A3 B3"),
        (4, [], "A0 B0 A1 B1 A2 B2 A3 B3"),
    ],
)
def test_where_copies_stand(n: int, copied: list[int], expected: str) -> None:
    groups = [[_block(f"A{i}"), _block(f"B{i}")] for i in range(n)]
    assert _names(arrange(groups, {i: [_block(f"a{i}")] for i in copied})) == expected


def test_all_copies_of_a_group_stay_together() -> None:
    groups = [[_block(f"A{i}")] for i in range(2)]
    assert _names(arrange(groups, {0: [_block("a"), _block("b")]})) == "A0 A1 a b"


# --- Single sentences in pairs: systems side by side, balanced, with controls of the same form ---


def _slots_of_paired_segments(
    n: int, systems: int, *, per_task: int = 20, raters: int | None = None, twice: int = 0
) -> list[list[list[int]]]:
    return paired_slots(
        pool_of(documents_corpus([n], systems), None),
        range(twice),
        per_task=per_task,
        raters=raters,
        rng=np.random.default_rng(1),
    )


def runs(rows: list[TaskRow]) -> list[tuple[str, list[TaskRow]]]:
    """Return item and texts of every run of texts of one item."""
    return [
        (run[0].item, run)
        for run in (
            list(some) for _, some in groupby(rows, key=lambda row: (row.task, row.block))
        )
    ]


def places(rows: list[TaskRow]) -> Iterator[tuple[str, int, str]]:
    """Yield item, place in its run and system of every output."""
    for item, run in runs(rows):
        for place, row in enumerate(run):
            if row.kind == "system":
                yield item, place, row.system


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 60),
    systems=st.integers(1, 9),
    per_task=st.sampled_from([20, 40, 100]),
    raters=st.sampled_from([None, 1, 2, 5]),
    overlap=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    seed=st.integers(0, 999),
)
def test_systems_of_a_sentence_stand_side_by_side(
    n: int, systems: int, per_task: int, raters: int | None, overlap: float, seed: int
) -> None:
    raters = None if raters is None else min(raters, n)
    if raters == 1:
        overlap = 0.0
    lines = [f"this is line {i} of the long text" for i in range(n)]
    texts = Corpus.build({f"S{s}": lines for s in range(systems)}, lines)
    options: dict[str, Any] = {"per_task": per_task, "raters": raters, "overlap": overlap}
    made = make_tasks(texts, **options, rng=seed)
    judged: Counter[tuple[str, str]] = Counter()
    for rows in made.by_task().values():
        assert len(rows) <= per_task
        for item, run in runs(rows):
            assert {row.item for row in run} == {item}
            names = {row.system for row in run}
            assert len(names) == len(run)  # nobody sees a system twice in a row
            # All of them, but for what fills up a task, which are repeats.
            assert len(names) == systems or {row.kind for row in run} == {"repeat"}
            degraded = [row for row in rows if row.item == item and row.kind == "degraded"]
            own = {row.kind == "system" for row in run}
            assert len(degraded) > 1 or len(own) == 1  # outputs stand side by side
        outputs = Counter(row.item for row in rows if row.kind == "system")
        assert set(outputs.values()) == {systems}
        judged.update((item, rows[0].rater) for item in outputs)
    # Every sentence once with a rater, and as many as asked with two.
    assert set(judged.values()) == {1}
    raters_of = Counter(item for item, _ in judged)
    two = int(np.ceil(overlap * n - 1e-9))
    assert Counter(raters_of.values()) == Counter({1: n - two, 2: two}) - Counter()
    assert made.n_shared == two
    assert made.n_pairs == (n + two) * systems * (systems - 1) // 2
    work = Counter(rater for _, rater in judged)
    assert max(work.values()) - min(work.values()) <= (1 if n - two >= made.n_raters else 2)
    assert make_tasks(texts, **options, rng=seed).rows == made.rows


@pytest.mark.parametrize(("systems", "n"), [(2, 63), (3, 66), (5, 63)])
def test_no_system_comes_first_more_often(systems: int, n: int) -> None:
    """Within a rater by one at most, at every place; who has one more is left to chance."""
    more: Counter[str] = Counter()
    n_uneven = 0
    for seed in range(60):
        made = make_tasks(documents_corpus([n], systems), raters=3, per_task=40, rng=seed)
        first: dict[str, Counter[str]] = {}
        for rows in made.by_task().values():
            for _, place, name in places(rows):
                key = f"{rows[0].rater} {place}"
                first.setdefault(key, Counter())[name] += 1
        for key, counts in first.items():
            times = [counts[f"S{s}"] for s in range(systems)]
            assert max(times) - min(times) <= 1
            if key.endswith(" 0") and sum(times) % systems == 1:
                more[counts.most_common(1)[0][0]] += 1
                n_uneven += 1
    assert n_uneven == 180
    error = (n_uneven * (1 / systems) * (1 - 1 / systems)) ** 0.5
    assert all(abs(more[f"S{s}"] - n_uneven / systems) < 4 * error for s in range(systems))


def test_orders_of_systems_cannot_be_told_in_advance() -> None:
    """Two sentences have one order each; the next two begin with either, equally often.

    969 such changes, four standard errors. Two systems have at most one degraded copy of a
    sentence, so that its outputs stand side by side.
    """
    pool, controls = pool_and_controls(documents_corpus([2000]))
    orders = []
    for seed in range(57):
        rng = np.random.default_rng(seed)
        [task] = paired_work([range(35)], pool, controls, rng, per_task=100)
        own = {
            run[0].output.row: [one.output.system for one in run]
            for run in task
            if all(one.of is None for one in run)
        }
        orders += [own[row] for row in range(35)]
    pairs = [orders[start : start + 35] for start in range(0, len(orders), 35)]
    across = [a == b for one in pairs for a, b in zip(one[1::2], one[2::2], strict=True)]
    assert len(across) == 969
    assert abs(np.mean(across) - 0.5) < 4 * 0.5 / len(across) ** 0.5


# Who gets what


def test_without_raters_there_is_one_for_each_task() -> None:
    assert [len(slot) for slot in _slots_of_paired_segments(21, 2)] == [1, 1, 1]
    assert [len(slot[0]) for slot in _slots_of_paired_segments(9, 2)] == [
        5,
        4,
    ]  # not seven and two
    assert [len(slot[0]) for slot in _slots_of_paired_segments(7, 2, twice=7)] == [7, 7]
    assert [len(slot[0]) for slot in _slots_of_paired_segments(21, 2, twice=7)] == [
        7,
        7,
        7,
        7,
    ]
    assert (
        len(_slots_of_paired_segments(2, 2, twice=1)) == 2
    )  # one task would hold all, but it takes two


def test_the_tasks_of_a_rater_are_of_one_size() -> None:
    slots = _slots_of_paired_segments(40, 2, raters=3)
    assert sorted(sum(map(len, slot)) for slot in slots) == [13, 13, 14]
    for slot in slots:
        sizes = [len(task) for task in slot]
        assert len(sizes) == 2
        assert max(sizes) - min(sizes) <= 1


def test_more_raters_than_sentences() -> None:
    assert len(_slots_of_paired_segments(14, 1, raters=14)) == 14
    with pytest.raises(InputError, match="at most 14: there are 14 sentences to share out"):
        _slots_of_paired_segments(14, 1, raters=15)


def test_one_rater_cannot_agree_with_anybody() -> None:
    assert len(_slots_of_paired_segments(14, 1, raters=2, twice=3)) == 2
    with pytest.raises(InputError, match="`raters` must be at least 2 for an overlap; got 1"):
        _slots_of_paired_segments(14, 1, raters=1, twice=3)


@pytest.mark.parametrize(
    ("systems", "per_task", "enough"), [(11, 20, 40), (21, 40, 60), (51, 100, 120)]
)
def test_systems_that_do_not_fit_are_refused(systems: int, per_task: int, enough: int) -> None:
    with pytest.raises(
        InputError,
        match=f"`per_task` must be at least {enough} for all {systems} systems of a sentence "
        f'to fit into one task twice, as outputs and as controls; got {per_task}.*"random"',
    ):
        sentences_per_task(per_task, systems)
    assert sentences_per_task(per_task, systems - 1) == 1
    assert sentences_per_task(enough, systems) >= 1


# Controls


@pytest.mark.parametrize(
    ("per_task", "systems"), [(n, k) for n in (20, 40, 100) for k in range(1, n // 2 + 1)]
)
def test_as_many_controls_as_in_direct_assessment(per_task: int, systems: int) -> None:
    for sentences in range(1, sentences_per_task(per_task, systems) + 1):
        outputs = sentences * systems
        copied, more = n_controls(sentences, systems, per_task)
        assert 1 <= copied <= sentences
        assert 0 <= more < systems
        if outputs >= 0.9 * per_task * 0.7:
            assert outputs + copied * systems + more == per_task
            assert copied < sentences or not more  # what fills up is of a sentence more
        else:
            assert more == 0
            assert outputs + copied * systems <= per_task
            wanted = min(outputs, 3 * max(1, round(outputs / 7)))
            assert wanted - systems < copied * systems <= max(wanted, systems)


@pytest.mark.parametrize("systems", [2, 3, 4, 6, 7])
@pytest.mark.parametrize("sentences", [2, 5, 8, 35])
def test_controls_have_the_form_of_outputs(systems: int, sentences: int) -> None:
    """A run that was shorter, or stood alone, would be known as a copy by that."""
    for seed in range(4):
        made = make_tasks(documents_corpus([sentences], systems), rng=seed)
        for rows in made.by_task().values():
            times: Counter[str] = Counter()
            short = []
            for item, run in runs(rows):
                if len(run) == systems:
                    times[item] += 1
                else:
                    short.append(run)
                assert sum(row.kind == "reference" for row in run) <= 1
            assert set(times.values()) <= {1, 2}
            copied = {row.item for row in rows if row.kind in ("degraded", "reference")}
            assert copied <= {item for item, n in times.items() if n == 2}
            # What fills up a task of a hundred is known by its length, and tells nothing.
            assert len(short) == (len(rows) == 100 and 100 % systems > 0)
            assert all(row.kind == "repeat" for run in short for row in run)
            assert all(times[run[0].item] == 1 for run in short)


def test_every_degraded_copy_has_a_coin_of_its_own() -> None:
    """Of two in one sentence, first or second: the four ways equally often, 4 standard errors."""
    ways: Counter[tuple[bool, bool]] = Counter()
    for seed in range(150):
        made = make_tasks(documents_corpus([17], 4), rng=seed)
        for item in {row.item for row in made.rows}:
            of = [r for r in made.rows if r.item == item and r.kind == "degraded"]
            if len(of) == 2:
                one, two = sorted(of, key=lambda row: row.system)
                before = [row.position < (row.of_position or 0) for row in (one, two)]
                ways[before[0], before[1]] += 1
    n = sum(ways.values())
    assert n >= 500
    assert all(
        abs(ways[a, b] - n / 4) < 4 * (n * 3 / 16) ** 0.5
        for a in (False, True)
        for b in (False, True)
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 70), st.integers(1, 6), st.integers(0, 99))
def test_a_sentence_lies_between_original_and_copy(n: int, systems: int, seed: int) -> None:
    made = make_tasks(documents_corpus([n], systems), raters=1, rng=seed)
    for rows in made.by_task().values():
        size = len(rows)
        m = len({row.item for row in rows if row.kind == "system"})
        for row in rows:
            if row.of_position is not None and m > 1:
                between = rows[
                    min(row.position, row.of_position) : max(row.position, row.of_position) - 1
                ]
                other = {one.item for one in between} - {row.item}
                assert len(other) >= m // 2 - (m % 2 == 0)
                assert abs(row.position - row.of_position) > size / 2 - 3 * systems - 3


def test_the_only_sentence_of_a_task_has_its_copies_in_the_same_order() -> None:
    made = make_tasks(documents_corpus([3], 5), raters=3, per_task=20, rng=1)
    away = {abs(r.position - r.of_position) for r in made.rows if r.of_position is not None}
    assert away == {5}
    assert made.notes == (
        "3 of 3 tasks hold a single sentence, so that its copies stand near: raters may notice. "
        "A larger `per_task` or fewer raters help.",
    )


def test_controls_are_spread_over_the_task() -> None:
    """Fifteen sentences, one from each fifteenth: either run of four to six in each third."""
    for seed in range(20):
        made = make_tasks(documents_corpus([35]), rng=seed)
        copied = {row.item for row in made.rows if row.of_position is not None}
        assert len(copied) == 15
        places = [row.position for row in made.rows if row.item in copied]
        thirds = Counter((place - 1) * 3 // 100 for place in places)
        assert all(14 <= thirds[third] <= 26 for third in range(3)), (seed, thirds)


def test_which_sentences_are_copied_is_random() -> None:
    pool, controls = pool_and_controls(documents_corpus([35]))
    chosen: Counter[int] = Counter()
    runs_each = 15
    for seed in range(300):
        rng = np.random.default_rng(seed)
        [task] = paired_work([range(35)], pool, controls, rng, per_task=100)
        chosen.update({one.output.row for block in task for one in block if one.of is not None})
    assert sum(chosen.values()) == 300 * runs_each
    assert set(chosen) == set(range(35))


def test_the_order_of_copies_is_random() -> None:
    made = make_tasks(documents_corpus([700]), raters=1, rng=1)
    orders = Counter(
        tuple(row.system for row in run)
        for _, run in runs(list(made.rows))
        if run[0].kind != "system"
    )
    n = sum(orders.values())
    assert n == 300
    assert abs(orders["S0", "S1"] - n / 2) < 4 * (n / 4) ** 0.5


# --- Orders of systems: random, and balanced over places within a rater ---


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_however_many_items_counts_of_a_place_differ_by_one(n: int) -> None:
    names = [f"S{i}" for i in range(n)]
    orders = SystemOrder(names, np.random.default_rng(3))
    at: dict[int, Counter[str]] = {place: Counter() for place in range(n)}
    for _ in range(5 * n + 2):
        order = orders.next()
        assert sorted(order) == names
        for place, name in enumerate(order):
            at[place][name] += 1
        for counts in at.values():
            times = [counts[name] for name in names]
            assert max(times) - min(times) <= 1


def test_every_order_comes_by_chance() -> None:
    """The first order of 6,000 raters: each of six orders within four standard errors."""
    runs = 6000
    first = Counter(
        SystemOrder(["A", "B", "C"], np.random.default_rng(seed)).next() for seed in range(runs)
    )
    error = (runs * (1 / 6) * (5 / 6)) ** 0.5
    assert len(first) == 6
    assert all(abs(times - runs / 6) < 4 * error for times in first.values())


def test_a_new_order_is_drawn_for_every_square() -> None:
    orders = SystemOrder(["A", "B", "C", "D"], np.random.default_rng(1))
    # Rotations keep who follows whom: were there one square only, A would have one follower.
    cycles = set()
    for _ in range(10):
        square = [orders.next() for _ in range(4)]
        cycles |= {one[(one.index("A") + 1) % 4] for one in square}
    assert cycles == {"B", "C", "D"}
