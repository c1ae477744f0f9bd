import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.data.files.numbers import parse_score
from detectable.data.scores.cells import Cell, assemble
from tests.data.sample_files import fails


def cell(system: str, item: str, score: float, run: str = "1", doc: str | None = None) -> Cell:
    return Cell(system, run, item, score, "f.csv", 2, doc)


@given(st.permutations([("A", r, i, ord(r) + i) for r in "12" for i in range(4)]))
def test_the_order_of_the_cells_does_not_change_the_scores(
    order: list[tuple[str, str, int, int]],
) -> None:
    table = assemble(cell(s, str(i), v, r) for s, r, i, v in order)
    for run, row in zip("12", table.systems["A"], strict=True):
        assert {int(i): v for i, v in zip(table.items, row, strict=True)} == {
            i: ord(run) + i for i in range(4)
        }


def test_run_labels_of_endless_digits_are_names() -> None:
    endless = "9" * 5000
    table = assemble([cell("A", "x", 1, endless), cell("A", "x", 2, "1")])
    assert table.systems["A"].tolist() == [[1], [2]]


def test_run_labels_that_are_no_numbers_keep_their_order() -> None:
    table = assemble([cell("A", "1", 5, "z"), cell("A", "1", 7, "a")])
    assert table.systems["A"].tolist() == [[5], [7]]


def test_systems_come_in_the_order_asked_for() -> None:
    cells = [cell("A", "1", 1), cell("B", "1", 2), cell("C", "1", 3)]
    loaded = assemble(cells, systems=["C", "A"], notes=["before."])
    assert list(loaded.systems) == ["C", "A"]
    assert loaded.notes == ("before.", "1 system left out as asked: B.")


def test_documents_are_known_for_all_items_or_for_none() -> None:
    with fails("f.csv, line 2: item '2' has no document, while others have one. Name the"):
        assemble([cell("A", "1", 1, doc="d"), cell("A", "2", 1)])
    with fails("f.csv, line 2: item '1' has no document here, while others have one."):
        assemble([cell("A", "1", 1, doc="d"), cell("B", "1", 1)])


def test_nothing_is_no_table() -> None:
    with fails("there is no score in the data. Give at least one."):
        assemble([])


@pytest.mark.parametrize("value", [None, "", " ", "NaN", "nan", "NA", "n/a", "None", "null"])
def test_missing_scores_are_nan(value: object) -> None:
    assert math.isnan(parse_score(value, "f"))


@given(st.floats(-1e100, 1e100))
def test_numbers_survive_as_text_and_as_numbers(value: float) -> None:
    assert parse_score(repr(value), "f") == value == parse_score(value, "f")


@pytest.mark.parametrize(
    "value", ["x", "1_0", "１", "0x1", "inf", float("inf"), [1], {}, 10**400]
)
def test_everything_else_is_refused(value: object) -> None:
    with fails("f.csv, line 3, column 'A': expected a score, found "):
        parse_score(value, "f.csv", 3, "A")


def test_a_long_value_is_cut_in_the_message() -> None:
    with fails("…'. Write a finite number"):
        parse_score("word " * 50, "f.csv")
    with fails("found [1, 1, 1,", "…. Write a finite"):
        parse_score([1] * 100, "f.csv")


@given(
    st.dictionaries(
        st.tuples(
            st.sampled_from("AB"),
            st.sampled_from(["1", "2", "10"]),
            st.sampled_from("xyz"),
            st.sampled_from("st"),
        ),
        st.floats(-9, 9),
        min_size=1,
    ),
    st.sampled_from([None, ["B"], ["B", "A"]]),
)
def test_every_score_lands_where_its_names_say(
    given_: dict[tuple[str, str, str, str], float], systems: list[str] | None
) -> None:
    """Against a dictionary: items of one name in two tasks are two, runs come in order."""
    cells = [Cell(s, r, i, v, "f", 1, None, t) for (s, r, i, t), v in given_.items()]
    wanted = {key: v for key, v in given_.items() if systems is None or key[0] in systems}
    if systems is not None and not {"B", *systems} <= {s for s, *_ in given_}:
        with fails("f: there is no system"):
            assemble(cells, systems=systems)
        return
    tasks_of = {i: {t for _, _, j, t in wanted if j == i} for *_, i, _ in wanted}
    shared = any(len(tasks) > 1 for tasks in tasks_of.values())
    items = {(i, t): f"{t}:{i}" if shared else i for _, _, i, t in wanted}
    of_system = {
        s: [{items[i, t] for q, _, i, t in wanted if q == s}] for s in {s for s, *_ in wanted}
    }
    if not set.intersection(*(names for [names] in of_system.values())):
        with fails("no item was scored for all"):
            assemble(cells, systems=systems)
        return
    loaded = assemble(cells, systems=systems, repeats="samples")
    table = loaded
    assert any("occur in several tasks" in note for note in loaded.notes) == shared
    assert set(table.systems) == {s for s, *_ in wanted}
    if systems is not None:
        assert list(table.systems) == systems
    assert set(table.items) == set(items.values())
    assert table.tasks == tuple(
        next(t for (i, t), name in items.items() if name == item) for item in table.items
    )
    for system, rows in table.systems.items():
        runs = sorted({r for s, r, *_ in wanted if s == system}, key=int)
        assert len(rows) == len(runs)
        for run, row in zip(runs, rows, strict=True):
            found = {item: v for item, v in zip(table.items, row, strict=True) if v == v}
            assert found == {
                items[i, t]: v for (s, r, i, t), v in wanted.items() if (s, r) == (system, run)
            }


def test_a_second_score_is_placed_with_the_first() -> None:
    cells = [
        Cell("A", "1", "x", 1.0, "f.csv", 2),
        Cell("A", "2", "x", 1.0, "f.csv", 3),
        Cell("A", "1", "y", 1.0, "f.csv", 4),
        Cell("A", "2", "x", 0.0, "g.csv", 5),
        Cell("A", "1", "x", 0.0, "g.csv", 6),
    ]
    with fails("g.csv, line 5: a second score for system 'A', run 2, item 'x'; the first is in f.csv, line 3."):  # fmt: skip
        assemble(cells)
    with fails("g.csv, line 6: a second score for system 'A', item 'x'; the first is in f.csv, line 2."):  # fmt: skip
        assemble([cells[0], cells[2], cells[4]])


def test_a_question_stays_with_its_item() -> None:
    cells = [
        Cell("A", "1", "x", 1.0, "f", 1, question="what?"),
        Cell("A", "1", "y", 1.0, "f", 2),
        Cell("B", "1", "y", 1.0, "f", 3, question="why?"),
        Cell("B", "1", "x", 1.0, "f", 4, question=""),
    ]
    assert assemble(cells).questions == ("what?", "why?")
    assert assemble(cells, systems=["B"]).questions == ("why?", "")
    assert assemble([cells[1]]).questions is None
