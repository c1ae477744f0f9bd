"""Records of Every Eval Ever: models, evaluations with several results, errors, summaries, folders."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.reader import find_score_reader
from detectable.data.scores.direction import direction_of
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.suite import read_suite
from tests.data.sample_files import SAMPLES, fails, write

SAMPLE = SAMPLES / "scores" / "every_eval_ever.jsonl"
NAN = math.nan


def record(item: str, score: float = 1.0, **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "instance_level_eval_0.2.2",
        "evaluation_id": more.pop("run", "b/lab/one/1"),
        "model_id": more.pop("model", "lab/one"),
        "evaluation_name": more.pop("task", "gsm8k"),
        "sample_id": item,
        "interaction_type": "single_turn",
        "input": {"raw": more.pop("asked", item), "reference": ["x"]},
        "evaluation": {"score": score, "is_correct": more.pop("right", score == 1.0)},
        **more,
    }


def records(folder: Path, *rows: dict[str, Any], name: str = "a.jsonl") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return write(path.parent, path.name, "".join(json.dumps(row) + "\n" for row in rows))


def test_a_sample_with_an_error_has_no_score_or_counts_zero() -> None:
    assert find_score_reader(FileContent(SAMPLE)).name == "every-eval-ever"
    found = read_scores(SAMPLE)
    assert found.items == ("gsm8k_0001", "gsm8k_0002", "gsm8k_0003")
    np.testing.assert_equal(found.systems, {"lab/one": np.array([[1, 0, NAN]])})
    assert (found.metric, found.task_names) == ("score", ("gsm8k",))
    assert f"{SAMPLE}: 1 sample of gsm8k ended in an error." in found.notes
    zero = read_scores(SAMPLE, errors="zero")
    np.testing.assert_equal(zero.systems, {"lab/one": np.array([[1, 0, 0]])})


def test_scores_of_right_and_wrong_go_up_and_others_as_the_summary_says(tmp_path: Path) -> None:
    assert direction_of(read_scores(SAMPLE)) == "higher"
    path = records(tmp_path, record("1", 0.3, right=True), record("2", 0.9, right=False))
    assert direction_of(read_scores(path)) == "unknown"
    assert direction_of(read_scores(path, metric="is_correct")) == "higher"
    results = [{"evaluation_name": "gsm8k", "metric_config": {"lower_is_better": True}}]
    summary = {"evaluation_id": "b", "model_info": {}, "evaluation_results": results}
    write(tmp_path, "a.json", json.dumps(summary))
    assert direction_of(read_scores(path)) == "lower"
    with fails("a.json: this is a summary of Every Eval Ever", "Give its records, a.jsonl"):
        read_scores(tmp_path / "a.json")


def test_what_answers_took_is_read_by_its_name() -> None:
    took = read_scores(SAMPLE, metric="latency")
    np.testing.assert_equal(took.systems["lab/one"], [[210.5, 190.0, NAN]])
    assert direction_of(took) == "lower"
    tokens = read_scores(SAMPLE, metric="output_tokens", errors="zero")
    np.testing.assert_equal(tokens.systems["lab/one"], [[1, 3, NAN]])  # no answer, no tokens
    with fails("there is no metric 'bleu'. Found: score, is_correct"):
        read_scores(SAMPLE, metric="bleu")


def test_metadata_name_slices_and_groups() -> None:
    found = read_scores(SAMPLE, columns={"slice": "subject"})
    assert found.slices is not None
    assert list(found.slices) == ["sums", "products", "products"]
    with fails("its metadata have no 'level' for the slice. Found: subject"):
        read_scores(SAMPLE, columns={"slice": "level"})


def test_an_evaluation_with_several_results_must_say_which(tmp_path: Path) -> None:
    rows = [
        record(item, score, evaluation_result_id=result)
        for result, score in (("em", 1.0), ("f1", 0.5))
        for item in ("1", "2")
    ]
    path = records(tmp_path, *rows)
    with fails("holds 2 metrics: em, f1. Choose one with metric='em'"):
        read_scores(path)
    np.testing.assert_equal(read_scores(path, metric="f1").systems["lab/one"], [[0.5, 0.5]])
    assert [one.metric for one in read_suite(path, ["em", "f1"])] == ["em", "f1"]


def test_models_and_tasks_of_one_file_and_repeated_samples(tmp_path: Path) -> None:
    path = records(
        tmp_path,
        *(record("1", task=task, model=model) for task in ("a", "b") for model in ("x", "y")),
        record("1", 0.0, task="a", model="x"),
    )
    found = read_scores(path)
    assert (list(found.systems), found.task_names) == (["x", "y"], ("a", "b"))
    assert found.n_samples("x").tolist() == [2, 1]
    with fails("the records are of 2 models (x, y); expected one for 'new'"):
        read_scores({"new": path})


def test_another_question_under_one_name_is_refused(tmp_path: Path) -> None:
    old = records(tmp_path, record("1"), name="old.jsonl")
    new = records(tmp_path, record("1", asked="another"), name="new.jsonl")
    with pytest.raises(DataError, match="question '1' of task 'gsm8k' differs from that in"):
        read_scores({"old": old, "new": new})


def test_of_a_folder_the_newest_records_of_each_evaluation(tmp_path: Path) -> None:
    for when, score in ((9.5, 0.0), (10.25, 1.0)):
        row = record("1", score, run=f"gsm8k/lab/one/{when}")
        records(tmp_path, row, name=f"data/gsm8k/lab/one/{when}.jsonl")
    other = record("1", run="mmlu/lab/one/3", task="mmlu")
    records(tmp_path, other, name="data/mmlu/lab/one/u.jsonl")
    found = read_scores(tmp_path)
    np.testing.assert_equal(found.systems["lab/one"], [[1, 1]])
    assert "2 logs, the newest (10.25.jsonl) is read" in " ".join(found.notes)
    assert read_scores(tmp_path, pool=True).n_samples("lab/one").tolist() == [2, 1]
