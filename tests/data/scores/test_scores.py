""""""

import math
from pathlib import Path

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.human.read_judgments import read_judgments
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.scores import (
    Scores,
    direction_of,
    direction_of_name,
    name_from_files,
)
from tests.data.sample_files import write

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


# --- Which way scores go, by their name and their sign ---


@pytest.mark.parametrize(
    ("name", "direction"),
    [
        *((name, "lower") for name in ("metricx", "mqm", "ter", "wer", "ppl", "perplexity")),
        *(
            (name, "lower")
            for name in ("error", "loss", "MetricX-24-Hybrid", "word_perplexity")
        ),
        *((name, "lower") for name in ("TER", "error rate", "eval/loss", "toxicity")),
        *((name, "higher") for name in ("COMET", "chrF2", "wmt22-comet-da", "f1", "includes")),
        *((name, "unknown") for name in ("score", "glow", "", "comet error", "termite", "22")),
    ],
)
def test_words_in_a_name_tell_the_direction(name: str, direction: str) -> None:
    assert direction_of_name(name) == direction


@pytest.mark.parametrize(
    ("values", "direction"),
    [([0.0, 3.0], "lower"), ([0.0, -3.0, math.nan], "higher"), ([-1.0, 0.005], "unknown")],
)
def test_penalties_with_a_minus_go_up(values: list[float], direction: str) -> None:
    assert direction_of(Scores.build({"A": values}, metric="mqm")) == direction


@pytest.mark.parametrize("name", ["ter", "val_loss", "metricx-24", "z-scored WER"])
def test_scores_of_both_signs_go_by_their_name(name: str) -> None:
    assert direction_of(Scores.build({"A": [-0.5, 1.5]}, metric=name)) == "lower"
    assert direction_of(Scores.build({"A": [-0.5, -1.5]}, metric=name)) == "higher"


def test_the_reader_knows_better_than_the_name() -> None:
    scores = Scores.build({"A": [0.0, -3.0]}, metric="comet", lower_is_better=True)
    assert direction_of(scores) == "lower"
    assert (
        direction_of(Scores.build({"A": [1.0]}, metric="ter", lower_is_better=False))
        == "higher"
    )
    assert direction_of(Scores.build({"A": [1.0]})) == "unknown"
    gap = Scores.build({"A": [0.0, math.nan]}, metric="comet", lower_is_better=True)
    assert gap.complete().lower_is_better is True


def test_the_column_of_a_long_table_names_the_scores(tmp_path: Path) -> None:
    path = write(tmp_path, "s.csv", "system,item,metricx\nA,1,3\nB,1,2\n")
    assert read_scores(path, columns={"score": "metricx"}).table.metric == "metricx"
    plain = write(tmp_path, "p.csv", "system,item,score\nA,1,3\nB,1,2\n")
    assert read_scores(plain).table.metric is None
    assert read_scores(plain, metric="wer").table.metric == "wer"


def test_files_that_are_called_after_an_error(tmp_path: Path) -> None:
    for name in ("A.ter.txt", "B.ter.txt"):
        write(tmp_path, name, "30\n40\n")
    files = {"A": tmp_path / "A.ter.txt", "B": tmp_path / "B.ter.txt"}
    assert read_scores(files).table.metric == "ter"
    wide = write(tmp_path, "ter.csv", "item,A,B\n1,3,4\n")
    assert read_scores(wide).table.metric == "ter"
    assert name_from_files(["a.ter", "b.wer"]) is None
    assert name_from_files([]) is None


def test_judgments_in_a_column_of_penalties_get_a_note(tmp_path: Path) -> None:
    path = write(tmp_path, "j.csv", "system,item,ter\nA,1,3\nB,1,2\n")
    notes = read_judgments(path, columns={"score": "ter"}).notes
    assert notes[-1].startswith("Column 'ter': higher is taken to be better, and the name")
