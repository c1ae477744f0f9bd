""""""

import numpy as np
import polars as pl
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.scores.scores import Scores

NAN = float("nan")


def test_a_vector_is_one_run_and_tables_cannot_be_written_to() -> None:
    scores = Scores.build({"A": [1, 2], "B": [[1, 2], [3, 4]]}, documents=["d", "e"])
    assert scores.items == ("1", "2")
    assert scores.outputs == (("A", 0), ("B", 0), ("B", 1))
    assert (scores.n_items, scores.n_runs("B")) == (2, 2)
    with pytest.raises(ValueError, match="read-only"):
        scores.systems["A"][0, 0] = 5


def test_items_without_a_score_can_be_cut() -> None:
    scores = Scores.build(
        {"A": [1, NAN, 3], "B": [[1, 2, 3], [1, 2, 4]]}, documents=["d", "d", "e"]
    )
    assert scores.incomplete() == ("2",)
    whole = scores.complete()
    assert (whole.items, whole.documents) == (("1", "3"), ("d", "e"))
    assert np.array_equal(whole.systems["B"], [[1, 3], [1, 4]])
    assert whole.complete() is whole
    with pytest.raises(DataError, match="no item has a score for every system"):
        Scores.build({"A": [1, NAN], "B": [NAN, 1]}).complete()


def test_samples_of_an_item_may_be_missing() -> None:
    scores = Scores.build(
        {
            "A": np.array([[1, NAN, NAN], [0, 1, NAN]]),
            "B": np.array([[1, 0, 1], [NAN] * 3]),
        },
        items=["x", "y", "z"],
        tasks=["s", "s", "t"],
        repeats="samples",
    )
    assert scores.incomplete() == ("z",)
    assert scores.complete().items == ("x", "y")
    assert scores.n_samples("A").tolist() == [2, 1, 0]
    assert scores.missing_share("A") == pytest.approx(0.25)  # of the 4 of task s; t has none
    assert scores.missing_share("B") == 0.0  # one each is what this system has
    whole = scores.complete().averaged()
    assert {name: table.tolist() for name, table in whole.systems.items()} == {
        "A": [[0.5, 1.0]], "B": [[1.0, 0.0]]}  # fmt: skip
    assert (whole.repeats, whole.averaged()) == ("runs", whole)
    assert np.isnan(scores.averaged().systems["A"][0, 2])
    assert (scores.n_runs("A"), scores.outputs) == (1, (("A", 0), ("B", 0)))


def test_tasks_are_taken_by_name() -> None:
    scores = Scores.build({"A": [1, 2, 3]}, tasks=["s", "t", "s"], documents=["d", "e", "f"])
    assert scores.task_names == ("s", "t")
    part = scores.of_task("s")
    assert (part.items, part.documents, part.tasks) == (("1", "3"), ("d", "f"), ("s", "s"))
    assert part.of_one_task() is part
    with pytest.raises(
        DataError, match=r"hold 2 tasks or language pairs: s, t\. Give those of"
    ):
        scores.of_one_task()
    with pytest.raises(DataError, match=r"there is no task 'u'. Found: s, t"):
        scores.of_task("u")
    with pytest.raises(DataError, match=r"`tasks` must name each of the 3 items; got 1"):
        Scores.build({"A": [1, 2, 3]}, tasks=["s"])


def test_one_row_each_is_a_run_whatever_it_is_called() -> None:
    assert Scores.build({"A": [1, 2], "B": [3, 4]}, repeats="samples").repeats == "runs"


def test_what_cannot_be_a_table_is_refused() -> None:
    for systems, message in (
        ({}, "there is no system to evaluate"),
        ({"A": [1, 2], "B": [1]}, r"every system must be scored on the same items.*'B' has 1"),
        ({"A": []}, "so there is nothing to compare"),
        ({"A": ["x"]}, r"scores of system 'A' must be numbers"),
        ({"A": [[[1]]]}, r"must be one row per run; got shape"),
        ({"A": [1, float("inf")]}, r"system 'A', run 1, item 2 is infinite"),
    ):
        with pytest.raises(DataError, match=message):
            Scores.build(systems)
    with pytest.raises(DataError, match=r"`items` must name each of the 2 items; got 1"):
        Scores.build({"A": [1, 2]}, items=["x"])


def test_items_are_numbered_from_zero_or_one_or_not_at_all() -> None:
    def numbered(*items: str) -> bool:
        return Scores.build({"A": [1.0] * len(items)}, items=list(items)).are_numbered

    assert numbered("0", "1", "2")
    assert numbered("1", "2", "3")
    assert not numbered("2", "3", "4")
    assert not numbered("0", "2", "1")


def test_a_frame_is_sent_to_its_reader() -> None:
    with pytest.raises(
        InputError, match=r"got DataFrame\. A frame or a file is read by `dt.read_scores`"
    ):
        Scores.build(pl.DataFrame({"A": [1.0]}))  # type: ignore[arg-type]
