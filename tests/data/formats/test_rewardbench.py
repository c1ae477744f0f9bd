"""Results of RewardBench: equal rewards, numbers that come again, sections, version 2."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.data.files.content import FileContent
from detectable.data.reader import find_score_reader, score_readers
from detectable.data.scores.read_scores import read_scores
from tests.data.sample_files import SAMPLES, fails, write

FOLDER = SAMPLES / "scores"
COLUMNS: dict[str, Any] = {
    "id": [0, 1, 2, 3],
    "subset": ["a"] * 4,
    "scores_chosen": [2, 1, 0, None],
    "scores_rejected": [1, 1, 1, 0],
}


def _file(folder: Path, content: Any, name: str = "rm.json") -> Path:
    return write(folder, name, json.dumps(content))


def test_the_same_number_in_two_subsets_is_two_pairs() -> None:
    path = FOLDER / "rewardbench.json"
    assert find_score_reader(FileContent(path)).name == "rewardbench"
    loaded = read_scores(path)
    assert loaded.items == ("hep-cpp:0", "hep-cpp:1", "hep-go:0", "hep-go:1")
    np.testing.assert_equal(loaded.systems, {"lab/rm-1": np.array([[1, 0, 0, 1]])})
    assert loaded.metric == "accuracy"
    assert loaded.notes[0].startswith("Subsets are tasks. The total of RewardBench is")


def test_equal_rewards_count_nothing_and_missing_ones_are_missing(tmp_path: Path) -> None:
    loaded = read_scores(_file(tmp_path, COLUMNS))
    np.testing.assert_equal(loaded.systems, {"rm": np.array([[1, 0, 0, np.nan]])})
    assert loaded.items == ("0", "1", "2", "3")
    assert not [note for note in loaded.notes if "RewardBench" in note]  # one subset


def test_the_second_version_has_shares_and_a_subset_with_a_score_of_its_own(
    tmp_path: Path,
) -> None:
    content = {
        "id": ["7", "8", "9"],
        "subset": ["Focus", "Focus", "Ties"],
        "results": [0.5, 1.0, 1],
        "scores": [[1, 1, 0, 0], [3, 0, 1, 2], [1, 0, 0, 0]],
        "num_correct": [1, 1, 1],
        "model": "m",
    }
    loaded = read_scores(_file(tmp_path, content))
    np.testing.assert_equal(loaded.systems, {"m": np.array([[0.5, 1, 1]])})
    assert any(note.startswith("The subset of ties has a score") for note in loaded.notes)


def test_lines_of_rewards_are_matched_by_position(tmp_path: Path) -> None:
    one = FOLDER / "rm-1_all.jsonl"
    two = write(tmp_path, "rm-2_all.jsonl", '{"chosen": 0, "rejected": 1}\n' * 3)
    assert find_score_reader(FileContent(one)).name == "rewardbench"
    np.testing.assert_equal(read_scores(one).systems, {"rm-1": np.array([[1, 0, 0]])})
    both = read_scores({"x": one, "y": two})
    assert {name: of.tolist() for name, of in both.systems.items()} == {
        "x": [[1, 0, 0]],
        "y": [[0, 0, 0]],
    }
    wrong = write(tmp_path, "w.jsonl", '{"chosen": 0, "rejected": 1}\n{"chosen": 1}\n')
    with fails(
        "w.jsonl, line 2: expected the rewards 'chosen' and 'rejected', found ['chosen']"
    ):
        read_scores(wrong)
    with fails("t.jsonl, line 2, column 'rejected': expected a score, found 'x'"):
        read_scores(
            write(
                tmp_path,
                "t.jsonl",
                '{"chosen": 0, "rejected": 1}\n{"chosen": 1, "rejected": "x"}',
            )
        )


def test_results_without_subsets_are_of_somebody_else(tmp_path: Path) -> None:
    for content in (
        {"results": [1]},
        {"scores_chosen": [1]},
        {"subset": ["a"]},
        {"subset": "a"},
    ):
        path = _file(tmp_path, content)
        assert not score_readers().get("rewardbench").recognise(FileContent(path))


def test_texts_that_were_chosen_are_no_rewards(tmp_path: Path) -> None:
    path = write(tmp_path, "train.jsonl", '{"chosen": "good", "rejected": "bad"}\n')
    assert not score_readers().get("rewardbench").recognise(FileContent(path))


@pytest.mark.parametrize(
    "content",
    [
        {"model": "m", "model_type": "t", "chat_template": "c", "hep-cpp": 0.9},
        {"accuracy": 0.9, "num_prompts": 10, "model": "m", "extra_results": None},
    ],
)
def test_summaries_are_refused(tmp_path: Path, content: dict[str, Any]) -> None:
    path = _file(tmp_path, content)
    assert find_score_reader(FileContent(path)).name == "rewardbench"
    with fails("rm.json: this is a summary of RewardBench", "eval-set-scores", "--save_all"):
        read_scores(path)


def test_columns_that_do_not_fit_are_named(tmp_path: Path) -> None:
    with fails("id has 1 entry, scores_chosen has 4 entries"):
        read_scores(_file(tmp_path, {**COLUMNS, "id": [0]}))
    with fails("and 'scores_rejected' is no list."):
        read_scores(_file(tmp_path, {**COLUMNS, "scores_rejected": None}))
    with fails("rm.json, pair 2, column 'chosen': expected a score, found 'x'"):
        read_scores(_file(tmp_path, {**COLUMNS, "scores_chosen": [1, "x", 1, 1]}))
    with fails("rm.json, pair 1, results: expected a score, found [1]"):
        read_scores(_file(tmp_path, {**COLUMNS, "results": [[1], 1, 1, 1]}))


def test_files_of_one_model_are_runs_and_models_are_matched(tmp_path: Path) -> None:
    second = {**COLUMNS, "scores_chosen": [0, 2, 2, 2]}
    path, other = _file(tmp_path, COLUMNS), _file(tmp_path, second, "other.json")
    scores = read_scores({"x": [path, other], "y": other})
    np.testing.assert_equal(scores.systems["x"], [[1, 0, 0, np.nan], [0, 1, 1, 1]])
    np.testing.assert_equal(scores.systems["y"], [[0, 1, 1, 1]])
