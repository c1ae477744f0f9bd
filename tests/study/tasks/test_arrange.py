"""Copies half a task away from their group, and never inside another one."""

import pytest

from detectable.study.tasks.result import Output, Shown, Task
from detectable.study.tasks.segment_tasks import arrange


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
