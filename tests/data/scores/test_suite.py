"""Suites: every metric on the tasks that have it; tables as people have them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.scores.read_score_table import read_score_table
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.sample_log import SeveralFound
from detectable.data.scores.scores import Scores
from detectable.data.scores.suite import SeveralScorers, joined, read_suite
from detectable.data.scores.task_metrics import metric_of_tasks
from detectable.study.comparison.compare import compare


def table(tmp_path: Path, text: str, name: str = "t.csv") -> Path:
    path = tmp_path / name
    path.write_text(text.replace(" ", "\n") + "\n")
    return path


LONG = (
    "system,task,item,metric,score A,a,1,acc,1 A,a,2,acc,0 A,b,3,em,1 A,b,4,em,1 "
    "A,a,1,seconds,4 A,a,2,seconds,6 A,b,3,seconds,5 A,b,4,seconds,5"
)


def test_each_metric_is_read_on_the_tasks_that_have_it(tmp_path: Path) -> None:
    found = read_suite(table(tmp_path, LONG), ["acc", "em", "seconds"])
    assert [(one.metric, one.task_names, one.n_items) for one in found] == [
        ("acc", ("a",), 2),
        ("em", ("b",), 2),
        ("seconds", ("a", "b"), 4),
    ]
    one_task = read_suite(table(tmp_path, LONG), ["a=seconds", "acc", "em"])
    assert (one_task[0].metric, one_task[0].task_names) == ("seconds", ("a",))


def test_a_task_is_left_out_only_where_it_is_said(tmp_path: Path) -> None:
    path = table(tmp_path, LONG)
    with pytest.raises(
        DataError, match=r"task 'b' has none of acc; it is scored by em, seconds"
    ):
        read_suite(path, ["acc"])
    (alone,) = read_suite(path, ["acc"], tasks=["a"])
    assert alone.task_names == ("a",)
    with pytest.raises(SeveralScorers, match=r"a: acc, seconds; b: em, seconds"):
        read_suite(path)
    every = read_suite(path, every=True)
    assert [one.metric for one in every] == ["acc", "seconds", "em"]


def test_one_metric_for_each_task_needs_no_name(tmp_path: Path) -> None:
    rows = LONG.split(" A,a,1,seconds")[0]
    assert [one.metric for one in read_suite(table(tmp_path, rows))] == ["acc", "em"]


@pytest.mark.parametrize(
    ("text", "systems", "metric"),
    [
        ("model,id,correct A,1,1 A,2,0 B,1,1 B,2,1", {"A": [1, 0], "B": [1, 1]}, "correct"),
        ("prompt_id,passed 1,true 2,false 3,TRUE", {"t": [1, 0, 1]}, "passed"),
        ("sample_id,success x,1 y,0", {"t": [1, 0]}, "success"),
        ("id,score 1,0.5 2,0.25", {"t": [0.5, 0.25]}, None),
        # A column beside others may be a system that is called so.
        ("item,score,other 1,0.5,1 2,0.25,2", {"score": [0.5, 0.25], "other": [1, 2]}, None),
        ("prompt_id,passed,latency_ms 1,1,250 2,0,300", {"t": [1, 0]}, "passed"),
    ],
)
def test_tables_as_people_have_them(
    tmp_path: Path, text: str, systems: dict[str, Any], metric: str | None
) -> None:
    found = read_scores(table(tmp_path, text))
    assert {name: one[0].tolist() for name, one in found.systems.items()} == systems
    assert found.metric == metric


def test_a_column_for_each_metric(tmp_path: Path) -> None:
    path = table(
        tmp_path, "id,model,helpful,correct,ms 1,A,3,1,12 2,A,2,0,14 1,B,3,1,9 2,B,5,1,8"
    )
    assert read_scores(path).metric == "correct"
    for name, scores in (("helpful", [3, 5]), ("ms", [9, 8])):
        found = read_scores(path, metric=name)
        assert (found.metric, found.systems["B"][0].tolist()) == (name, scores)
    judged = table(tmp_path, "id,model,helpful,fluent 1,A,3,4 2,A,2,2", "j.csv")
    with pytest.raises(SeveralFound, match="2 metrics: helpful, fluent"):
        read_scores(judged)
    assert [one.metric for one in read_suite(judged, ["helpful", "fluent"])] == [
        "helpful",
        "fluent",
    ]


def test_a_name_that_is_no_column_is_never_another_column(tmp_path: Path) -> None:
    """Latency that is not there must not be gated as right and wrong answers."""
    path = table(tmp_path, "id,model,correct,ms 1,A,1,12 2,A,0,14")
    (named,) = read_suite(path, ["accuracy"])  # the only scores may have a name of their own
    assert (named.metric, named.systems["A"][0].tolist()) == ("accuracy", [1.0, 0.0])
    with pytest.raises(DataError, match=r"there is no metric 'accuracy'. Found: correct, ms"):
        read_suite(path, ["accuracy", "latency"])
    with pytest.raises(DataError, match="there is no metric 'latency'"):
        read_suite(path, ["correct", "latency"])


def test_columns_that_no_name_tells_are_proposed_as_they_are_typed(tmp_path: Path) -> None:
    path = table(tmp_path, "who,prompt,hit A,1,1 A,2,0 B,1,1 B,2,1")
    words = "--column system=who --column item=prompt --column score=hit"
    with pytest.raises(DataError, match=words):
        read_scores(path)
    found = read_scores(path, columns={"system": "who", "item": "prompt", "score": "hit"})
    assert found.systems["B"][0].tolist() == [1.0, 1.0]


def test_a_slice_of_a_table(tmp_path: Path) -> None:
    path = table(tmp_path, "system,item,score,lang A,1,1,de A,2,0,en")
    assert read_scores(path, columns={"slice": "lang"}).slices == ("de", "en")
    assert read_scores(path).slices is None
    wide = table(tmp_path, "item,A,B,lang 1,1,0,de 2,0,1,en", "w.csv")
    read = read_scores(wide, columns={"slice": "lang"})
    assert read.slices == ("de", "en")
    assert list(read.systems) == ["A", "B"]


def test_what_samples_took_is_missing_where_a_part_is(tmp_path: Path) -> None:
    import json

    def row(i: int, **more: Any) -> dict[str, Any]:
        return {"id": i, "epoch": 1, "scores": {"m": {"value": "C"}}, **more}

    used = {"x": {"total_tokens": 10}, "y": {"total_tokens": 5}}
    samples = [
        row(1, model_usage=used, total_time=2.0),
        row(2, model_usage={"x": {"total_tokens": 7}, "y": {}}),  # of y nothing is known
        row(3, model_usage=used, error={"message": "no"}),
        row(4),
    ]
    path = tmp_path / "log.json"
    about = {"task": "t", "model": "M"}
    path.write_text(json.dumps({"status": "success", "eval": about, "samples": samples}))
    tokens = read_scores(path, metric="tokens").systems["M"][0]
    assert tokens[0] == 15
    assert np.isnan(tokens[1:]).all()
    with pytest.raises(DataError, match="the log holds no cost of its samples"):
        read_scores(path, metric="cost")
    with pytest.raises(DataError, match="there is no metric 'cost'"):
        read_suite(path, ["m", "cost"])


def test_a_suite_as_one_table(tmp_path: Path) -> None:
    path = table(tmp_path, LONG)
    found = read_scores(path, metric=["acc", "em"])
    assert (found.metric, found.task_names) == ("acc, em", ("a", "b"))
    assert found.items == ("a:1", "a:2", "b:3", "b:4")
    assert found.systems["A"].tolist() == [[1.0, 0.0, 1.0, 1.0]]
    assert "A metric for each task: acc (a), em (b)." in found.notes
    with pytest.raises(DataError, match="task 'a' is scored by acc and by seconds"):
        read_scores(path, metric=["acc", "em", "seconds"])  # one task has two
    with pytest.raises(DataError, match="higher is better for acc, lower for seconds"):
        read_scores(path, metric=["a=acc", "b=seconds"])


def test_a_suite_with_samples_and_passages() -> None:
    one = Scores.build(
        {"A": [[1, 0], [1, 1]]}, tasks=["a"] * 2, repeats="samples", metric="acc"
    )
    two = Scores.build({"A": [1, 1]}, tasks=["b"] * 2, documents=["p", "p"], metric="em")
    found = joined([one, two])
    assert found.repeats == "samples"
    assert found.averaged().systems["A"][0].tolist() == [1.0, 0.5, 1.0, 1.0]
    assert found.documents == ("1", "2", "p", "p")
    other = Scores.build({"B": [1, 1]}, tasks=["b"] * 2, metric="em")
    with pytest.raises(DataError, match="acc has scores of A, em of B"):
        joined([one, other])


# --- A metric for each task: what they are called together, and what does not go together ---


def test_one_metric_of_all_tasks_keeps_its_name() -> None:
    assert metric_of_tasks([("a", "acc", [1.0]), ("b", "acc", [0.0])]) == ("acc", None, ())


def test_a_metric_for_each_task_is_named_with_its_tasks() -> None:
    scored = [
        ("arc", "acc", [0.0, 1.0]),
        ("mmlu", "acc", [1.0]),
        ("gsm8k", "exact_match", [1.0]),
    ]
    found = metric_of_tasks(scored)
    assert (found.name, found.lower_is_better) == ("acc, exact_match", False)
    assert found.notes == ("A metric for each task: acc (arc, mmlu), exact_match (gsm8k).",)
    losses = metric_of_tasks([("a", "val_loss", [0.3]), ("b", "perplexity", [0.9])])
    assert losses.lower_is_better is True
    unknown = metric_of_tasks([("a", "acc", [0.3]), ("b", "glow", [0.9])])
    assert unknown.lower_is_better is None


@pytest.mark.parametrize(
    ("scored", "said"),
    [
        ([("a", "acc", [1.0]), ("a", "f1", [1.0])], "different metrics: acc, f1. Choose one with"),
        ([("a", "acc", [1.0]), ("b", "val_loss", [1.0])], "higher is better for acc, lower for val_loss"),
        ([("a", "acc", [1.0]), ("b", "rouge", [0.4, 41.5])], "acc stays within 1 where rouge reaches 41.5"),
    ],
)  # fmt: skip
def test_metrics_that_do_not_go_together_are_refused(
    scored: list[tuple[str, str, list[float]]], said: str
) -> None:
    with pytest.raises(DataError, match=said):
        metric_of_tasks(scored)


def test_a_table_with_a_metric_for_each_task_is_compared_task_by_task(tmp_path: Path) -> None:
    rows = ["system,item,task,metric,score"]
    for task, metric in (("arc", "acc"), ("gsm8k", "exact_match")):
        rows += [
            f"{system},{task}-{i},{task},{metric},{int((i * 7 + k) % 10 < 5 + k)}"
            for k, system in enumerate("AB")
            for i in range(30)
        ]
    path = tmp_path / "tasks.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    loaded = read_score_table(path)
    assert loaded.metric == "acc, exact_match"
    assert "A metric for each task: acc (arc), exact_match (gsm8k)." in loaded.notes
    result = compare(loaded, baseline="A", rng=1)
    assert result.tasks is not None
    assert [row.task for row in result.tasks.rows] == ["arc", "gsm8k"]
    # With two metrics of a task there is still one to choose.
    path.write_text("\n".join([*rows, "A,arc-0,arc,f1,1"]), encoding="utf-8")
    with pytest.raises(DataError, match="Choose one with metric='acc'"):
        read_score_table(path)
