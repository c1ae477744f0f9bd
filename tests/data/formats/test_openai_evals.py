"""Logs of OpenAI evals: several events per sample, errors, runs that did not end."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.data.files.content import FileContent
from detectable.data.reader import find_score_reader
from detectable.data.scores.read_scores import read_scores
from tests.data.sample_files import SAMPLES, fails, write

SAMPLE = SAMPLES / "scores" / "openai_evals.jsonl"
NAN = math.nan


def _log(
    folder: Path, *events: tuple[str, str, Any], name: str = "log.jsonl", **spec: Any
) -> Path:
    rows: list[dict[str, Any]] = [{"spec": {"eval_name": "toy", **spec}}]
    rows += [{"sample_id": item, "type": kind, "data": data} for item, kind, data in events]
    rows.append({"final_report": {}})
    return write(folder, name, "".join(json.dumps(row) + "\n" for row in rows))


def _match(item: str, correct: bool) -> tuple[str, str, Any]:
    return (item, "match", {"correct": correct})


def test_only_matches_are_scores_and_an_error_is_missing() -> None:
    assert find_score_reader(FileContent(SAMPLE)).name == "openai-evals"
    loaded = read_scores(SAMPLE)
    assert loaded.items == ("toy.s1.0", "toy.s1.1", "toy.s1.2")
    assert loaded.metric == "match"
    np.testing.assert_equal(loaded.systems, {"lab-1": np.array([[1, 0, NAN]])})
    assert f"{SAMPLE}: 1 sample without a score because of an error." in loaded.notes
    assert not [note for note in loaded.notes if "final report" in note or "several" in note]


def test_a_log_that_was_broken_off_says_so(tmp_path: Path) -> None:
    lines = SAMPLE.read_text().splitlines(keepends=True)
    path = write(tmp_path, "cut.jsonl", "".join(lines[:-2]))
    assert (
        f"{path}: there is no final report; the run may not have ended."
        in read_scores(path).notes
    )


def test_several_matches_of_a_sample_are_answers_of_one_item(tmp_path: Path) -> None:
    path = _log(tmp_path, _match("a", True), _match("b", True), _match("a", False))
    loaded = read_scores(path)
    assert loaded.items == ("a", "b")
    np.testing.assert_equal(loaded.systems["log"], [[1, 1], [0, NAN]])
    assert f"{path}: 1 sample with several scores, taken as further answers." in loaded.notes


def test_metrics_are_numbers_by_name(tmp_path: Path) -> None:
    graded = {"choice": "B", "score": 0.25, "exact": True, "why": ["x"]}
    events = (_match("a", True), ("a", "metrics", graded), ("b", "metrics", {"score": 1}))
    path = _log(tmp_path, *events, completion_fns=["lab", "judge"])
    with fails("log.jsonl: the log holds 3 metrics: match, score, exact. Choose one"):
        read_scores(path)
    scores = read_scores(path, metric="score")
    np.testing.assert_equal(scores.systems, {"lab+judge": np.array([[0.25, 1]])})
    np.testing.assert_equal(read_scores(path, metric="exact").systems["lab+judge"], [[1, NAN]])
    with fails("there is no metric 'choice'. Found: match, score, exact"):
        read_scores(path, metric="choice")


def test_systems_are_matched_by_sample(tmp_path: Path) -> None:
    one = _log(tmp_path, _match("a", True), _match("b", False), name="1.jsonl")
    two = _log(tmp_path, _match("b", True), _match("a", False), name="2.jsonl")
    scores = read_scores({"x": one, "y": two})
    assert {name: of.tolist() for name, of in scores.systems.items()} == {
        "x": [[1, 0]],
        "y": [[0, 1]],
    }


def test_another_question_under_the_same_name_is_refused(tmp_path: Path) -> None:
    made = [
        _log(
            tmp_path,
            ("a", "raw_sample", {"input": text}),
            _match("a", True),
            name=f"{text}.jsonl",
        )
        for text in ("one", "two")
    ]
    with fails(
        "two.jsonl, line 2: question 'a' of task 'toy' differs from that in", "one.jsonl"
    ):
        read_scores({"x": made[0], "y": made[1]})
    assert read_scores({"x": made[0], "y": made[0]}).items == ("a",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"spec": {"eval_name": "toy"}}', "line 2: a second run begins here"),
        ('{"spec": 3}', "line 2: expected a spec, found 3"),
        (
            '{"sample_id": "a", "type": "match", "data": {}}',
            "line 2: an event of the kind 'match'",
        ),
        (
            '{"sample_id": "a", "type": "metrics", "data": 1}',
            "of the kind 'metrics' without its",
        ),
        (
            '{"sample_id": "a", "type": "match", "data": {"correct": "x"}}',
            "line 2, column 'correct'",
        ),
        ('{"sample_id": "a", "type": "sampling"}', "the log holds no metric"),
    ],
)
def test_odd_lines_are_named(tmp_path: Path, line: str, message: str) -> None:
    with fails(message):
        read_scores(write(tmp_path, "log.jsonl", '{"spec": {"eval_name": "toy"}}\n' + line))


def test_without_a_spec_it_is_no_log(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "log.jsonl",
        '{"sample_id": "a", "type": "match", "data": {"correct": true}}\n',
    )
    assert find_score_reader(FileContent(path)).name != "openai-evals"
    with fails("log.jsonl: the log of OpenAI evals has no line with its spec"):
        read_scores(path, format="openai-evals")
