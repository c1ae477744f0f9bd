import json
from pathlib import Path

import numpy as np
import pytest

from detectable.data.formats.lm_eval import read_lm_eval
from tests.data.sample_files import SAMPLES, fails, write

LOGS = SAMPLES / "lm_eval"
A = next((LOGS / "model-a").iterdir())
B = next((LOGS / "model-b").iterdir())


def test_questions_are_matched_by_id_and_gaps_counted() -> None:
    loaded = read_lm_eval({"a": A, "b": B}, filter="strict-match")
    assert loaded.items == ("0", "1", "2")
    assert loaded.metric == "exact_match"
    np.testing.assert_array_equal(loaded.systems["a"], [[1, 0, 1]])
    np.testing.assert_array_equal(loaded.systems["b"], [[1, float("nan"), 0]])
    assert loaded.notes == ("system 'b': 1 of 3 items without a score, first '1'.",)


def test_a_single_log_is_named_after_its_folder() -> None:
    loaded = read_lm_eval(A, filter="flexible-extract")
    assert {k: v.tolist() for k, v in loaded.systems.items()} == {"model-a": [[1, 1, 1]]}


def log(folder: Path, task: str, day: int, *rows: dict[str, object]) -> Path:
    name = f"samples_{task}_2025-01-0{day}T00-00-00.000001.jsonl"
    return write(folder, name, "".join(json.dumps(row) + "\n" for row in rows))


def test_logs_of_one_task_are_samples_and_others_are_tasks(tmp_path: Path) -> None:
    one = log(tmp_path, "x_y", 1, {"doc_id": 0, "acc": True}, {"doc_id": 1, "acc": 0})
    two = log(tmp_path, "x_y", 2, {"doc_id": 0, "acc": 0}, {"doc_id": 1, "acc": None})
    other = log(tmp_path, "z", 1, {"doc_id": 0, "acc": 0.5})
    runs = read_lm_eval({"A": [one, two]})
    np.testing.assert_array_equal(runs.systems["A"], [[1, 0], [0, float("nan")]])
    assert runs.repeats == "samples"
    assert runs.averaged().systems["A"].tolist() == [[0.5, 0.0]]
    parts = read_lm_eval({"A": [one, other]})
    assert parts.items == ("x_y:0", "x_y:1", "z:0")
    assert parts.tasks == ("x_y", "x_y", "z")
    assert parts.systems["A"].tolist() == [[1, 0, 0.5]]
    assert parts.notes == ("2 tasks: x_y, z.",)


def test_several_metrics_and_filters_need_a_choice(tmp_path: Path) -> None:
    path = log(
        tmp_path, "x", 1, {"doc_id": 0, "acc": 1, "acc_norm": 0, "metrics": ["acc", "acc_norm"]}
    )
    assert read_lm_eval(path, metric="acc_norm").metric == "acc_norm"
    with fails("jsonl: the log holds 2 metrics: acc, acc_norm. Choose one with metric='acc'."):
        read_lm_eval(path)
    with fails("there is no metric 'f1'. Found: acc, acc_norm."):
        read_lm_eval(path, metric="f1")
    with fails(
        "the log holds 2 filters: strict-match, flexible-extract. Choose one with filter="
    ):
        read_lm_eval(A)
    with fails("there is no filter 'x'. Found: strict-match, flexible-extract."):
        read_lm_eval(A, filter="x")


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        ([{"acc": 1}], ("line 1: there is no doc_id.", "lm_eval --log_samples")),
        ([{"doc_id": 0, "bleu": ["ref", "hyp"]}], ("line 1: metric 'bleu' holds ['ref', 'hyp'] and",
                                                   "Choose another metric.")),
        ([{"doc_id": 0}], ("the log holds no metric.",)),
        ([{"doc_id": 0, "acc": 1}] * 2, ("line 2: a second score for system", "item '0'", "line 1.")),
    ],
)  # fmt: skip
def test_a_bad_log_is_named(
    tmp_path: Path, rows: list[dict[str, object]], parts: tuple[str, ...]
) -> None:
    with fails("samples_x_2025-01-01T00-00-00.000001.jsonl", *parts):
        read_lm_eval(log(tmp_path, "x", 1, *rows))


def test_other_questions_and_metrics_are_refused(tmp_path: Path) -> None:
    one = log(tmp_path, "x", 1, {"doc_id": 0, "acc": 1, "doc_hash": "h1"})
    two = log(tmp_path, "x", 2, {"doc_id": 0, "acc": 1, "doc_hash": "h2"})
    with fails("02T00-00-00.000001.jsonl, line 1: question '0' of task 'x' differs from that in",
               "01T00-00-00.000001.jsonl, line 1. Run all systems"):  # fmt: skip
        read_lm_eval({"A": one, "B": two})
    three = log(tmp_path, "x", 3, {"doc_id": 0, "f1": 1})
    with fails("the logs hold different metrics: acc, f1. Choose one"):
        read_lm_eval({"A": one, "B": three})


def test_the_summary_beside_a_log_tells_the_direction(tmp_path: Path) -> None:
    when = "2025-01-01T00-00-00.000001"
    log = tmp_path / f"samples_toy_{when}.jsonl"
    log.write_text("".join(f'{{"doc_id": {i}, "resps": [], "glow": {i}}}\n' for i in range(3)))
    assert read_lm_eval(log).lower_is_better is None
    summary = tmp_path / f"results_{when}.json"
    for higher, lower in ((True, False), (False, True), ("yes", None)):
        about = {"results": {}, "configs": {}, "higher_is_better": {"toy": {"glow": higher}}}
        summary.write_text(json.dumps(about))
        assert read_lm_eval(log).lower_is_better is lower
