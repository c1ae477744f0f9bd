"""Results of simple-evals: HealthBench has scores of answers, the others have none."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.data.files.content import FileContent
from detectable.data.reader import find_score_reader
from detectable.data.scores.read_scores import read_scores
from tests.data.sample_files import SAMPLES, fails, write

SAMPLE = SAMPLES / "scores" / "healthbench_lab-1_allresults.json"


def _results(folder: Path, metadata: Any, name: str = "r.json") -> Path:
    content = {"score": 0.5, "metrics": {}, "htmls": [], "convos": [], "metadata": metadata}
    return write(folder, name, json.dumps(content))


def test_answers_keep_their_scores_and_repeats_are_one_item() -> None:
    assert find_score_reader(FileContent(SAMPLE)).name == "simple-evals"
    loaded = read_scores(SAMPLE)
    assert loaded.items == ("p1", "p2")
    np.testing.assert_equal(
        loaded.systems, {"healthbench_lab-1": np.array([[0.75, -0.5], [0.5, np.nan]])}
    )
    assert loaded.metric == "quality"
    assert loaded.notes[0].startswith(f"{SAMPLE}: 1 answer scored below 0, kept as they are")


@pytest.mark.parametrize("metadata", [None, {}, {"example_level_metadata": [None, None]}])
def test_other_evaluations_have_no_items(tmp_path: Path, metadata: Any) -> None:
    path = _results(tmp_path, metadata)
    assert find_score_reader(FileContent(path)).name == "simple-evals"
    with fails("r.json: this result of simple-evals holds no scores of single questions"):
        read_scores(path)


def test_odd_examples_are_named(tmp_path: Path) -> None:
    one = {"prompt_id": "a", "score": 1}
    for example in (None, {"score": 1}, {"prompt_id": "a"}, "x"):
        with fails("r.json: example 2 has no prompt_id and score"):
            read_scores(_results(tmp_path, {"example_level_metadata": [one, example]}))
    with fails("r.json, example 1, score: expected a score, found 'x'"):
        read_scores(_results(tmp_path, {"example_level_metadata": [{**one, "score": "x"}]}))


def test_another_prompt_under_the_same_name_is_refused(tmp_path: Path) -> None:
    made = [
        _results(
            tmp_path,
            {"example_level_metadata": [{"prompt_id": "a", "score": 1, "prompt": text}]},
            f"{text}.json",
        )
        for text in ("one", "two")
    ]
    with fails(
        "two.json, example 1: question 'a'", "differs from that in", "one.json, example 1"
    ):
        read_scores({"x": made[0], "y": made[1]})


def test_a_missing_score_is_missing(tmp_path: Path) -> None:
    rows = [{"prompt_id": "a", "score": 0}, {"prompt_id": "b", "score": None}]
    loaded = read_scores(_results(tmp_path, {"example_level_metadata": rows}), metric="mine")
    np.testing.assert_equal(loaded.systems["r"], [[0, np.nan]])
    assert loaded.metric == "mine"
    assert not [note for note in loaded.notes if "below 0" in note]
