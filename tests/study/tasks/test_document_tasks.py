"""Tasks of documents: shared out evenly, packed tightly, and copies far from their originals."""

from collections import Counter
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.study.tasks.document_tasks import (
    FirstFit,
    Piece,
    _give_company,
    document_rows,
    document_work,
    longest_part,
    paired_document_slots,
    random_document_slots,
    room,
)
from detectable.study.tasks.make_tasks import make_tasks
from detectable.study.tasks.result import TaskRow, pool_of
from tests.study.tasks.texts import documents_corpus, pool_and_controls

Slots = list[list[list[Piece]]]


def _slots(
    lengths: list[int],
    *,
    systems: int = 2,
    paired: bool = True,
    size: int = 70,
    raters: int | None = None,
    twice: tuple[int, ...] = (),
    seed: int = 1,
) -> Slots:
    pool = pool_of(documents_corpus(lengths, systems), None)
    rng = np.random.default_rng(seed)
    if not paired:
        parts, _ = document_rows(pool, size)
        return random_document_slots(pool, parts, size=size, raters=raters, rng=rng)
    parts, _ = document_rows(pool, size // systems)
    return paired_document_slots(pool, parts, twice, size=size, raters=raters, rng=rng)


def _load(slot: list[list[Piece]]) -> int:
    return sum(len(piece.rows) for task in slot for piece in task)


# Room


@pytest.mark.parametrize(
    ("per_task", "outputs", "controls"), [(100, 70, 30), (10, 7, 3), (25, 17, 8), (50, 35, 15)]
)
def test_three_tenths_of_a_task_are_controls(
    per_task: int, outputs: int, controls: int
) -> None:
    assert room(per_task) == (outputs, controls)


def test_nine_texts_are_too_few() -> None:
    with pytest.raises(InputError, match="`per_task` must be at least 10 for documents; got 9"):
        room(9)


# Documents and their parts


def test_lines_of_a_document_are_gathered_wherever_they_stand() -> None:
    corpus = documents_corpus([2, 2, 2])
    mixed = corpus.select([0, 2, 4, 1, 3, 5])
    parts, note = document_rows(pool_of(mixed, None), 35)
    assert parts == [[(0, 3)], [(1, 4)], [(2, 5)]]
    assert note == ""


@pytest.mark.parametrize(
    ("length", "longest", "sizes"),
    [(35, 35, [35]), (36, 35, [18, 18]), (70, 35, [35, 35]), (71, 35, [24, 24, 23])],
)
def test_a_long_document_is_cut_into_parts_of_nearly_equal_length(
    length: int, longest: int, sizes: list[int]
) -> None:
    [parts], note = document_rows(pool_of(documents_corpus([length]), None), longest)
    assert [len(part) for part in parts] == sizes
    assert [row for part in parts for row in part] == list(range(length))
    assert bool(note) is (len(sizes) > 1)


def test_the_documents_that_were_cut_are_named() -> None:
    pool = pool_of(documents_corpus([5, 40, 35, 80]), None)
    _, note = document_rows(pool, 35)
    assert note == "2 documents longer than 35 lines cut into parts (d1, d3)."


# Who gets what


def test_all_systems_of_a_document_go_to_one_rater() -> None:
    slots = _slots([10] * 14, systems=3)
    owner: dict[int, set[int]] = {}
    for rater, slot in enumerate(slots):
        for piece in (piece for task in slot for piece in task):
            owner.setdefault(piece.rows[0], set()).add(rater)
    assert len(owner) == 14
    assert {len(raters) for raters in owner.values()} == {1}


@pytest.mark.parametrize("raters", [2, 3, 5])
def test_raters_get_nearly_the_same_load(raters: int) -> None:
    """The longest documents first, each to whom has least: within the shortest document."""
    lengths = [13, 11, 9, 8, 7, 6, 5, 5, 4, 3, 3, 2, 2, 1, 1]
    slots = _slots(lengths, systems=2, raters=raters)
    loads = sorted(_load(slot) for slot in slots)
    assert len(slots) == raters
    assert sum(loads) == 2 * sum(lengths)
    assert loads[-1] - loads[0] <= 2 * 2


def test_loads_that_can_be_equal_are_equal() -> None:
    slots = _slots([8, 7, 6, 5, 4, 3, 2, 1], systems=3, raters=4)
    assert [_load(slot) for slot in slots] == [27] * 4


def test_longest_first_is_better_than_as_they_come() -> None:
    """Ten short documents and a long one: who has the long one gets little else."""
    slots = _slots([1] * 10 + [10], systems=1, raters=2)
    assert sorted(_load(slot) for slot in slots) == [10, 10]


def test_without_raters_a_slot_is_filled_as_long_as_documents_fit() -> None:
    slots = _slots([10] * 7, systems=2, size=40)
    assert [_load(slot) for slot in slots] == [40, 40, 40, 20]


def test_a_document_that_fits_exactly_still_goes_in() -> None:
    assert [_load(slot) for slot in _slots([20, 20], systems=2, size=80)] == [80]
    assert [_load(slot) for slot in _slots([20, 20], systems=2, size=79)] == [40, 40]


def test_random_tasks_are_shared_out_in_order() -> None:
    slots = _slots([10] * 14, paired=False, size=35, raters=3)
    tasks = [len(slot) for slot in slots]
    assert max(tasks) - min(tasks) <= 1
    assert sum(_load(slot) for slot in slots) == 280


@pytest.mark.parametrize(
    ("paired", "most"), [(True, "14: there are 14 documents"), (False, "4: there are 4 tasks")]
)
def test_more_raters_than_work(paired: bool, most: str) -> None:
    with pytest.raises(
        InputError, match=f"`raters` must be at most {most} to share out; got 15"
    ):
        _slots([10] * 14, paired=paired, raters=15)


def test_as_many_raters_as_documents() -> None:
    assert len(_slots([3] * 6, raters=6)) == 6


def test_a_document_goes_to_two_raters_where_asked() -> None:
    lengths = [5, 3, 8, 2, 6, 4]
    starts = np.cumsum([0, *lengths[:-1]]).tolist()
    twice = (*range(5, 8), *range(16, 18))  # the second document and the fourth
    for raters in (None, 2, 3):
        for seed in range(10):
            slots = _slots(lengths, size=30, raters=raters, twice=twice, seed=seed)
            for slot in slots:  # nobody gets it twice
                own = Counter(piece for task in slot for piece in task)
                assert set(own.values()) == {1}
            times = Counter(piece.rows[0] for slot in slots for task in slot for piece in task)
            assert times == {s: 4 if i in (1, 3) else 2 for i, s in enumerate(starts)}


def test_loads_stay_even_where_some_is_judged_twice() -> None:
    for seed in range(10):
        slots = _slots([4] * 20, raters=4, twice=tuple(range(16)), seed=seed)
        assert [_load(slot) for slot in slots] == [48] * 4


def test_one_document_and_two_raters() -> None:
    assert len(_slots([4], twice=tuple(range(4)))) == 2
    with pytest.raises(InputError, match="`raters` must be at least 2 for an overlap"):
        _slots([4, 4], raters=1, twice=(0,))


@pytest.mark.parametrize(
    ("per_task", "systems", "longest"),
    [(100, 1, 30), (100, 2, 15), (100, 4, 7), (100, 30, 1), (10, 3, 1)],
)
def test_all_versions_of_a_part_can_be_copied_in_a_task(
    per_task: int, systems: int, longest: int
) -> None:
    assert longest_part(per_task, systems) == longest


@pytest.mark.parametrize(("per_task", "systems", "enough"), [(100, 31, 102), (10, 4, 12)])
def test_systems_that_do_not_fit_are_refused(per_task: int, systems: int, enough: int) -> None:
    with pytest.raises(
        InputError,
        match=f"`per_task` must be at least {enough} for controls of all {systems} systems of a "
        f"line to fit into one task; got {per_task}",
    ):
        longest_part(per_task, systems)
    assert longest_part(enough, systems) == 1


# Packing


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=15),
    st.integers(2, 5),
    st.sampled_from([None, 1, 2, 3]),
    st.integers(0, 99),
)
def test_versions_of_a_document_stand_side_by_side(
    lengths: list[int], systems: int, raters: int | None, seed: int
) -> None:
    raters = None if raters is None else min(raters, len(lengths))
    made = make_tasks(
        documents_corpus(lengths, systems), kind="document", raters=raters, rng=seed
    )
    firsts: list[int] = []
    for rows in made.by_task().values():
        assert len(rows) <= 100
        shown: Counter[tuple[str, ...]] = Counter()
        blocks = _blocks(rows)
        for start in range(0, len(blocks), systems):
            versions = blocks[start : start + systems]
            names = sorted(block[0].system for block in versions)
            assert names == [f"S{s}" for s in range(systems)]
            # Lines are the same for all versions of a part in a row, and so is what they are.
            [items] = {tuple(row.item for row in block) for block in versions}
            [ordinary] = {row.kind == "system" for block in versions for row in block}
            if ordinary:
                firsts.append(int(items[0]))
            shown[items] += 1
        # A copy has the form of what it copies: a part is there once or twice, and whole.
        assert set(shown.values()) <= {1, 2}
        assert len({item for items in shown for item in items}) == sum(map(len, shown))
    assert len(set(firsts)) == len(firsts)
    assert made.n_whole == made.n_units == len(lengths)


def _blocks(rows: list[TaskRow]) -> list[list[TaskRow]]:
    return [list(run) for _, run in groupby(rows, key=lambda row: row.block)]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.integers(0, 99))
def test_parts_of_a_document_follow_each_other(lengths: list[int], seed: int) -> None:
    """Before some of them change places with their copies."""
    slots = _slots(lengths, raters=1, seed=seed)
    edges = np.cumsum(lengths)
    for slot in slots:
        rows = [piece.rows[0] for task in slot for piece in task]
        by_document: dict[int, list[int]] = {}
        for row in rows:
            by_document.setdefault(int(np.searchsorted(edges, row, side="right")), []).append(
                row
            )
        assert all(parts == sorted(parts) for parts in by_document.values())


@pytest.mark.parametrize("systems", [2, 3, 4])
def test_no_version_comes_first_more_often(systems: int) -> None:
    for seed in range(10):
        made = make_tasks(
            documents_corpus([3] * 30, systems), kind="document", raters=2, rng=seed
        )
        first: dict[str, Counter[str]] = {}
        seen = set()
        for row in made.rows:
            if row.kind == "system" and row.document not in seen:
                seen.add(row.document)
                first.setdefault(row.rater, Counter())[row.system] += 1
        for counts in first.values():
            times = [counts[f"S{s}"] for s in range(systems)]
            assert sum(times) == 15
            assert max(times) - min(times) <= 1


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 35), min_size=1, max_size=20), st.integers(0, 99))
def test_no_task_is_overfull_and_nothing_is_lost(lengths: list[int], seed: int) -> None:
    slots = _slots(lengths, paired=False, size=35, seed=seed)
    tasks = [task for slot in slots for task in slot]
    assert all(sum(len(piece.rows) for piece in task) <= 35 for task in tasks)
    pieces = Counter(
        (piece.system, row) for task in tasks for piece in task for row in piece.rows
    )
    assert set(pieces.values()) == {1}
    assert len(pieces) == 2 * sum(lengths)


def test_two_tasks_are_never_both_half_empty() -> None:
    """First fit: were two tasks at most half full, the second would have gone into the first."""
    for seed in range(10):
        slots = _slots([4, 9, 3, 7, 8, 2, 6], paired=False, size=20, seed=seed)
        fill = sorted(sum(len(p.rows) for p in task) for slot in slots for task in slot)
        assert fill[0] + fill[1] > 20


def test_a_lonely_piece_gets_company() -> None:
    """A task of one document would show the copy right after its original."""
    for seed in range(20):
        slots = _slots([20, 3, 3, 3, 3, 3], systems=1, paired=False, size=24, seed=seed)
        tasks = [task for slot in slots for task in slot]
        assert all(len(task) > 1 for task in tasks), seed
        assert all(sum(len(piece.rows) for piece in task) <= 24 for task in tasks)


def _company(sizes: list[list[int]], free: list[int]) -> list[list[int]]:
    """Return the sizes of the pieces in each task after company was given."""
    tasks = [[Piece("S0", tuple(range(n))) for n in task] for task in sizes]
    left = FirstFit()
    for n in free:
        left.add(n)
    _give_company(tasks, left)
    before = [sum(task) + room for task, room in zip(sizes, free, strict=True)]
    after = [sum(len(p.rows) for p in t) + left.room(i) for i, t in enumerate(tasks)]
    assert after == before  # what is free is kept account of
    return [[len(piece.rows) for piece in task] for task in tasks]


@pytest.mark.parametrize(
    ("sizes", "free", "expected"),
    [
        ([[9], [4, 2, 3]], [2, 0], [[9, 2], [4, 3]]),
        ([[9], [4, 2, 3]], [1, 0], [[9], [4, 2, 3]]),
        ([[9], [4, 2]], [5, 0], [[9], [4, 2]]),
        ([[4, 2, 3], [9]], [0, 3], [[4, 3], [9, 2]]),
        ([[5, 5], [4, 2, 3]], [5, 0], [[5, 5], [4, 2, 3]]),
        ([[9], [8], [1, 1, 1, 1]], [3, 3, 0], [[9, 1], [8, 1], [1, 1]]),
        ([[9], [8], [1, 1, 1]], [3, 3, 0], [[9, 1], [8], [1, 1]]),
    ],
    ids=[
        "the shortest piece moves",
        "no room",
        "two cannot spare one",
        "in any order",
        "two are company",
        "one for each",
        "only as long as two are left",
    ],
)
def test_who_gets_company(sizes: list[list[int]], free: list[int], expected: Any) -> None:
    assert _company(sizes, free) == expected


# The task itself


def _task(lengths: list[int], *, seed: int = 3) -> list[list[tuple[str, int, str]]]:
    """Return (system, line, kind) of every text, block by block."""
    pool, controls = pool_and_controls(documents_corpus(lengths, systems=1))
    starts = np.cumsum([0, *lengths[:-1]])
    pieces = [
        Piece("S0", tuple(range(start, start + length)))
        for start, length in zip(starts.tolist(), lengths, strict=True)
    ]
    rng = np.random.default_rng(seed)
    [task] = document_work([pieces], pool, controls, rng, per_task=100, together=1)
    return [[(one.output.system, one.output.row, one.kind) for one in block] for block in task]


def _is_copy(block: list[tuple[str, int, str]]) -> bool:
    return block[0][2] != "system"


@pytest.mark.parametrize("seed", range(8))
def test_a_copy_stands_half_a_task_from_its_original(seed: int) -> None:
    blocks = _task([5] * 14, seed=seed)
    shown = [block[0][1] // 5 for block in blocks]
    twice = [document for document, n in Counter(shown).items() if n == 2]
    assert len(twice) == 6
    for document in twice:
        first, second = (place for place, one in enumerate(shown) if one == document)
        assert _is_copy(blocks[first]) != _is_copy(blocks[second])
        # Counted in documents between the two, each once: 14 documents, so seven away.
        between = set(shown[first + 1 : second])
        assert len(between) >= 6


@pytest.mark.parametrize("seed", range(5))
def test_controls_fill_three_tenths(seed: int) -> None:
    kinds = Counter(kind for block in _task([5] * 14, seed=seed) for _, _, kind in block)
    assert kinds["system"] == 70
    assert sum(kinds.values()) - 70 == 30


@pytest.mark.parametrize("seed", range(5))
def test_kinds_of_controls_are_equally_frequent(seed: int) -> None:
    blocks = _task([5] * 14, seed=seed)
    kinds = Counter(kind for block in blocks for _, _, kind in block if kind != "system")
    assert kinds == {"degraded": 10, "repeat": 10, "reference": 10}


def test_kinds_of_controls_come_in_random_order() -> None:
    orders = {
        tuple(
            kind
            for block in _task([5] * 14, seed=seed)
            for *_, kind in block
            if kind != "system"
        )
        for seed in range(5)
    }
    assert len(orders) == 5


@pytest.mark.parametrize(
    ("lengths", "copied"),
    [([8] * 8, 24), ([23] * 3, 23), ([12] * 5, 24), ([9] * 7, 27), ([30, 30], 30), ([30], 30)],
    ids=["three", "one is nearer than two", "two", "as near as it gets", "one", "at least one"],
)
def test_whole_documents_are_copied_nearest_to_three_tenths(
    lengths: list[int], copied: int
) -> None:
    """Three lines for seven outputs: 27, 30, 26, 27, 26 and 13 would be exact."""
    for seed in range(5):
        blocks = _task(lengths, seed=seed)
        sizes = Counter(block[0][1] for block in blocks if not _is_copy(block))
        copies = [block for block in blocks if _is_copy(block)]
        assert sum(map(len, copies)) == copied
        assert all(len(block) == lengths[0] for block in copies)
        assert len(sizes) == len(lengths)


def test_a_task_is_never_overfull() -> None:
    """Free is what outputs leave, also where three tenths would be nearer with one more."""
    for seed in range(20):
        blocks = _task([14] * 5, seed=seed)  # 70 outputs: two copies are 28, three would be 42
        assert sum(map(len, blocks)) == 98


@pytest.mark.parametrize("seed", range(5))
def test_one_part_of_a_document_is_copied_in_a_task(seed: int) -> None:
    """Who checks raters by the lines of a copy finds them by task, document and system."""
    corpus = documents_corpus([64] * 4)  # in five parts each
    made = make_tasks(corpus, kind="document", per_task=100, raters=1, rng=seed)
    for rows in made.by_task().values():
        copies = [block for block in _blocks(rows) if block[0].kind != "system"]
        assert copies
        assert len({(b[0].document, b[0].system) for b in copies}) == len(copies)


@pytest.mark.parametrize("lines", [1, 2, 7])
def test_even_the_smallest_task_has_a_control(lines: int) -> None:
    blocks = _task([lines], seed=1)
    assert sum(kind != "system" for block in blocks for _, _, kind in block) == lines


def test_one_document_has_its_copy_at_once() -> None:
    """Before it or after it, by a coin: within four standard errors of 200 tasks."""
    after = 0
    for seed in range(200):
        blocks = _task([10], seed=seed)
        assert sorted(map(_is_copy, blocks)) == [False, True]
        after += _is_copy(blocks[1])
    assert abs(after - 100) < 4 * 50**0.5


@pytest.mark.parametrize("n", [2, 3, 5, 14])
def test_originals_come_first_as_often_as_copies(n: int) -> None:
    """Also where half of the documents is no whole number; four standard errors."""
    first = total = 0
    for seed in range(150):
        blocks = _task([5] * n, seed=seed)
        copies = [(b[0][1], i) for i, b in enumerate(blocks) if _is_copy(b)]
        own = {b[0][1]: i for i, b in enumerate(blocks) if not _is_copy(b)}
        first += sum(own[row] < place for row, place in copies)
        total += len(copies)
    assert abs(first - total / 2) < 4 * (total / 4) ** 0.5


def test_documents_stay_in_the_order_of_the_pieces() -> None:
    """But for those that are copied, which may change places with their copies."""
    blocks = _task([3, 4, 5, 6], seed=2)
    times = Counter(block[0][1] for block in blocks)
    once = [block[0][1] for block in blocks if times[block[0][1]] == 1]
    assert len(once) == 2
    assert once == sorted(once)


def _versions(n: int, lengths: list[int], seed: int = 2) -> list[tuple[str, int, bool]]:
    """Return (system, first line, whether a copy) of each block of a task of n versions."""
    pool, controls = pool_and_controls(documents_corpus(lengths, systems=n))
    starts = np.cumsum([0, *lengths[:-1]]).tolist()
    pieces = [
        Piece(f"S{s}", tuple(range(start, start + length)))
        for start, length in zip(starts, lengths, strict=True)
        for s in range(n)
    ]
    rng = np.random.default_rng(seed)
    [task] = document_work([pieces], pool, controls, rng, per_task=100, together=n)
    return [(b[0].output.system, b[0].output.row, b[0].of is not None) for b in task]


@pytest.mark.parametrize("seed", range(5))
def test_copies_do_not_come_between_versions(seed: int) -> None:
    blocks = _versions(3, [4, 4, 4, 4], seed)
    groups = [blocks[i : i + 3] for i in range(0, len(blocks), 3)]
    assert len(groups) == 6  # two of four are copied, whole
    for group in groups:
        assert {name for name, _, _ in group} == {"S0", "S1", "S2"}
        assert len({(row, copy) for _, row, copy in group}) == 1
        if not group[0][2]:
            assert [name for name, _, _ in group] == ["S0", "S1", "S2"]


def test_the_order_of_copied_versions_is_random() -> None:
    orders = Counter(
        tuple(name for name, _, copy in _versions(2, [5, 5, 5], seed) if copy)
        for seed in range(200)
    )
    assert set(orders) == {("S0", "S1"), ("S1", "S0")}
    assert abs(orders["S0", "S1"] - 100) < 4 * 50**0.5


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_in_a_task_of_one_document_another_version_lies_between(n: int) -> None:
    blocks = _versions(n, [6])
    plain = {name: i for i, (name, _, copy) in enumerate(blocks) if not copy}
    copies = [(name, i) for i, (name, _, copy) in enumerate(blocks) if copy]
    assert len(copies) == n
    for name, place in copies:
        assert abs(place - plain[name]) == n


# Through the door


def test_the_load_of_raters_through_make_tasks() -> None:
    lengths = [12, 10, 9, 7, 6, 6, 5, 3, 2]
    made = make_tasks(documents_corpus(lengths), kind="document", raters=3, rng=4)
    work = Counter(row.rater for row in made.rows if row.kind == "system")
    assert sorted(work.values()) == [38, 40, 42]


def test_copies_keep_their_distance_through_make_tasks() -> None:
    made = make_tasks(documents_corpus([7] * 40), kind="document", rng=4)
    assert made.distance_min > 7  # another document lies between
    assert made.n_filled == 0
    assert made.counts == {"system": 560, "repeat": 72, "degraded": 80, "reference": 72}


# --- The tree finds what looking at every box finds ---


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 40)), max_size=60))
def test_first_fit_is_first_fit(pieces: list[tuple[int, int]]) -> None:
    tree, rooms = FirstFit(), list[int]()
    for length, start in pieces:
        plain = next((i for i in range(start, len(rooms)) if rooms[i] >= length), None)
        assert tree.first(length, start=start) == plain
        box = next((i for i, room in enumerate(rooms) if room >= length), None)
        assert tree.first(length) == box
        if box is None:
            box = len(rooms)
            rooms.append(20)
            tree.add(20)
        rooms[box] -= length
        tree.take(box, length)
        assert [tree.room(i) for i in range(len(tree))] == rooms


def test_a_search_begins_where_it_is_told() -> None:
    tree = FirstFit()
    rooms = [5, 9, 2, 9, 7, 9, 1]
    for free in rooms:
        tree.add(free)
    for start in range(len(rooms) + 2):
        for length in range(1, 11):
            plain = next((i for i in range(start, len(rooms)) if rooms[i] >= length), None)
            assert tree.first(length, start=start) == plain
