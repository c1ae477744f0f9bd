"""The tree finds what looking at every box finds."""

from hypothesis import given
from hypothesis import strategies as st

from detectable.study.tasks.document_tasks import FirstFit


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
    for room in rooms:
        tree.add(room)
    for start in range(len(rooms) + 2):
        for length in range(1, 11):
            plain = next((i for i in range(start, len(rooms)) if rooms[i] >= length), None)
            assert tree.first(length, start=start) == plain
