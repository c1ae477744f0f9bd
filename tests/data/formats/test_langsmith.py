"""Experiments of LangSmith: feedback, errors, repetitions, what answers took."""

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from detectable.data.files.content import FileContent
from detectable.data.reader import find_score_reader
from detectable.data.scores.direction import direction_of
from detectable.data.scores.read_scores import read_scores
from tests.data.sample_files import SAMPLES, fails, write

SAMPLE = SAMPLES / "scores" / "langsmith.csv"
NAN = math.nan


def test_feedback_is_read_by_example_and_an_error_is_missing() -> None:
    assert find_score_reader(FileContent(SAMPLE)).name == "langsmith"
    found = read_scores(SAMPLE)
    assert (found.metric, found.items) == ("correct", ("e1", "e2", "e3"))
    np.testing.assert_equal(found.systems, {"langsmith": np.array([[1, 0, NAN]])})
    assert f"{SAMPLE}: 1 example ended in an error." in found.notes
    zero = read_scores({"new": SAMPLE}, errors="zero")
    np.testing.assert_equal(zero.systems, {"new": np.array([[1, 0, 0]])})


def test_seconds_are_read_by_name_and_slices_by_column() -> None:
    took = read_scores(SAMPLE, metric="latency")
    np.testing.assert_equal(took.systems["langsmith"], [[0.42, 0.61, NAN]])
    assert direction_of(took) == "lower"
    found = read_scores(SAMPLE, columns={"slice": "inputs.language"})
    assert found.slices is not None
    assert list(found.slices) == ["en", "de", "de"]
    with fails("there is no metric 'speed'. Found: correct"):
        read_scores(SAMPLE, metric="speed")


@pytest.mark.usefixtures("sound_parquet")
@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_other_forms_of_the_table(tmp_path: Path, ending: str) -> None:
    frame = pl.read_csv(SAMPLE)
    path = tmp_path / f"langsmith.{ending}"
    frame.write_ndjson(path) if ending == "jsonl" else frame.write_parquet(path)
    found = read_scores(path)
    np.testing.assert_equal(found.systems, read_scores(SAMPLE).systems)


def test_repetitions_are_answers_and_several_keys_must_be_chosen(tmp_path: Path) -> None:
    rows = ["feedback.a,feedback.b,error,example_id,id", "1,0.5,,e1,r1", "0,0.25,,e1,r2"]
    path = write(tmp_path, "x.csv", "\n".join([*rows, ""]))
    with fails("the log holds 2 metrics: a, b. Choose one with metric='a'"):
        read_scores(path)
    np.testing.assert_equal(read_scores(path, metric="b").systems["x"], [[0.5], [0.25]])
