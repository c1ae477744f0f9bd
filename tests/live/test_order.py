"""The random order of questions: published places, nested draws, blocks and groups."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.live.order import block_of, drawn, order_hash, place, subsample
from tests.helpers import reference_data

ITEMS = st.lists(st.text(max_size=6), unique=True, min_size=1, max_size=40)


def _gold(section: str) -> list[dict[str, Any]]:
    entries = json.loads(reference_data("gold", "live.json").read_text())["entries"]
    return [one for one in entries if one["section"] == section]


def test_places_of_gold() -> None:
    cases = _gold("place")
    for one in cases:
        assert str(place(**one["settings"])) == one["value"]["place"]
    assert len(cases) == 4


def test_a_place_is_the_beginning_of_a_hash() -> None:
    """Computed with sha256sum of the text ``[2026,"mmlu","q \\u00e9"]``."""
    assert place(2026, "mmlu", "q é") == 11525887080313679467


def test_draws_of_gold() -> None:
    cases = _gold("subsample")
    for one in cases:
        said = one["settings"]
        found = subsample(range(60), seed=said["seed"], task=said["task"], n=said["n"])
        assert found == one["value"]["order"]
    assert len(cases) == 2


@given(ITEMS, st.integers(0, 99))
def test_a_draw_is_part_of_every_larger_one_and_no_question_moves_another(
    items: list[str], seed: int
) -> None:
    whole = subsample(items, seed=seed, task="t")
    assert sorted(whole) == sorted(items)
    assert subsample(reversed(items), seed=seed, task="t") == whole
    for n in range(1, len(items)):
        assert subsample(items, seed=seed, task="t", n=n) == whole[:n]
    assert subsample(items[1:], seed=seed, task="t") == [i for i in whole if i != items[0]]


@given(ITEMS, st.integers(1, 7))
def test_blocks_are_the_order_cut_into_parts(items: list[str], parts: int) -> None:
    cut = [block_of(items, k, parts) for k in range(1, parts + 1)]
    assert [item for block in cut for item in block] == items
    assert max(map(len, cut)) - min(map(len, cut)) <= 1


def test_tasks_of_the_same_questions_differ_unless_told_otherwise() -> None:
    tasks = {"a": [str(i) for i in range(50)], "b": [str(i) for i in range(50)]}
    own = drawn(tasks, seed=3, n=10).tasks
    same = drawn(tasks, seed=3, n=10, same_across_tasks=True).tasks
    assert own["a"] != own["b"]
    assert same["a"] == same["b"]


def test_groups_are_drawn_whole() -> None:
    items = [f"q{i}" for i in range(40)]
    groups = {item: f"p{i // 4}" for i, item in enumerate(items)}
    found = subsample(items, seed=5, n=10, groups=groups)
    assert set(Counter(groups[item] for item in found).values()) == {4}
    assert len(found) == 12
    assert found == subsample(items, seed=5, n=30, groups=groups)[:12]


def test_forms_that_harnesses_take() -> None:
    tasks = {"t": ["0", "1", "2", "3"]}
    order = [int(i) for i in drawn(tasks, seed=1).tasks["t"]]
    assert json.loads(drawn(tasks, seed=1, format="lm-eval").printed) == {"t": order}
    assert drawn(tasks, seed=1, format="inspect").printed == ",".join(map(str, order))
    assert drawn(tasks, seed=1).printed.split("\n") == [str(i) for i in order]


def test_bad_input() -> None:
    with pytest.raises(
        InputError, match=r"`items` must name every question once; 1 comes twice"
    ):
        subsample([1, 2, 1], seed=0)
    with pytest.raises(InputError, match="`block` must be one of 5; got 6"):
        block_of([1, 2], 6, 5)
    with pytest.raises(InputError, match="questions that are numbers"):
        _ = drawn({"t": ["a"]}, format="lm-eval").printed


def test_an_order_is_known_again() -> None:
    assert order_hash(["a", "b"]) == order_hash(["a", "b"]) != order_hash(["b", "a"])
