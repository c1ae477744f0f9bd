"""Runs of Langfuse: which trace answers which item, and the scores beside them."""

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.data.files.content import FileContent
from detectable.data.reader import find_score_reader
from detectable.data.scores.read_scores import read_scores
from tests.data.sample_files import SAMPLES, fails, write

FOLDER = SAMPLES / "scores" / "langfuse"
NAN = math.nan


def run(folder: Path, name: str, **more: Any) -> Path:
    """Write a run in the words of the SDK, whose traces are called after it."""
    items = [
        {"dataset_item_id": f"i{n}", "trace_id": f"{name}-{n}", **more} for n in range(1, 3)
    ]
    return write(folder, f"{name}.json", json.dumps({"name": name, "dataset_run_items": items}))


def api(folder: Path, *rows: tuple[str, float], name: str = "scores.json", **more: Any) -> Path:
    """Write scores as the API lists them."""
    told = {"name": "ok", "source": "API", "dataType": "NUMERIC", **more}
    data = [{"traceId": trace, "value": value, **told} for trace, value in rows]
    return write(folder, name, json.dumps({"data": data, "meta": {"page": 1}}))


def test_a_run_with_scores_of_the_export_beside_it() -> None:
    assert find_score_reader(FileContent(FOLDER / "run.json")).name == "langfuse"
    for source in (FOLDER, FOLDER / "run.json"):
        found = read_scores(source)
        assert (found.metric, found.items) == ("correct", ("item-1", "item-2", "item-3"))
        assert found.task_names == ("support",)
        np.testing.assert_equal(found.systems, {"prompt-v2": np.array([[1, 0, NAN]])})
    with fails("there is no metric 'tone'. Found: correct"):  # categories are no numbers
        read_scores(FOLDER, metric="tone")


def test_two_runs_are_paired_by_items_and_not_by_traces(tmp_path: Path) -> None:
    old, new = run(tmp_path, "old"), run(tmp_path, "new")
    api(tmp_path, ("new-2", 0.5), ("old-1", 1.0), ("old-2", 0.0), ("new-1", 1.0))
    found = read_scores(tmp_path)
    assert found.items == ("i1", "i2")
    np.testing.assert_equal(found.systems, {"new": [[1, 0.5]], "old": [[1, 0]]})
    assert list(read_scores({"a": old, "b": new}).systems) == ["a", "b"]


@pytest.mark.parametrize("name", ["scores.jsonl", "s.csv"])
def test_scores_alone_are_refused(tmp_path: Path, name: str) -> None:
    if name.endswith("csv"):
        write(tmp_path, name, "id,trace_id,name,value,source,data_type\n1,t,ok,1,API,NUMERIC\n")
    else:
        shutil.copy(FOLDER / name, tmp_path)
    with fails("these scores of Langfuse name traces, and no two runs share one. Give the run"):
        read_scores(tmp_path / name)


def test_a_run_without_scores_says_where_they_come_from(tmp_path: Path) -> None:
    path = run(tmp_path, "old")
    with fails("no score of a trace of this run. Put the scores of its traces beside it: GET"):
        read_scores(path)


def test_two_scores_of_one_name_are_refused_and_steps_inside_are_left_out(
    tmp_path: Path,
) -> None:
    path = run(tmp_path, "old", observation_id="root")
    api(tmp_path, ("old-1", 1.0), ("old-2", 0.0))
    api(tmp_path, ("old-1", 0.0), name="inner.json", observationId="step")
    np.testing.assert_equal(read_scores(path).systems["old"], [[1, 0]])
    api(tmp_path, ("old-1", 0.0), name="more.json", source="ANNOTATION", observationId="root")
    with fails("trace 'old-1' has 2 scores 'ok' (ANNOTATION, API). Keep one of them"):
        read_scores(path)
