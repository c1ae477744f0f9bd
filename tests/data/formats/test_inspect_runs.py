"""Which logs of Inspect are of one system, and which of them is read."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from detectable.data.files.inputs import noted_inputs
from detectable.data.formats.inspect import find
from detectable.data.formats.inspect_runs import LoggedRun, newest, system_names
from detectable.data.scores.read_scores import read_scores
from tests.data.sample_files import fails
from tests.helpers import reference_data


def _log(path: Path, value: str, **more: Any) -> Path:
    """Write a log; what begins with ``eval_`` is about the evaluation, else about the log."""
    about = {k.removeprefix("eval_"): v for k, v in more.items() if k.startswith("eval_")}
    log = {
        "status": "success",
        "eval": {"task": "arc", "model": "m", **about},
        "samples": [
            {"id": i, "epoch": 1, "scores": {"match": {"value": value}}} for i in (1, 2)
        ],
        **{k: v for k, v in more.items() if not k.startswith("eval_")},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(log))
    return path


def _plan(solver: str = "ask", **params: Any) -> dict[str, Any]:
    return {"name": "plan", "steps": [{"solver": solver, "params": params}], "config": {}}


def test_of_several_logs_the_newest_is_read_whatever_its_file_is_called(tmp_path: Path) -> None:
    _log(tmp_path / "z.json", "C", eval_created="2026-11-01T10:00:00+00:00")
    new = _log(tmp_path / "a.json", "I", eval_created="2026-11-01T12:30:00+02:00")
    loaded = read_scores(tmp_path)
    assert {name: table.tolist() for name, table in loaded.systems.items()} == {
        "m": [[0.0, 0.0]]
    }
    assert loaded.notes[0] == (
        f"{tmp_path}: arc: 2 logs, the newest (a.json) is read. `pool` takes all as samples."
    )
    assert len(find(tmp_path, pool=True).systems["m"]) == 2
    assert find(tmp_path).systems == {"m": [new]}


def test_a_log_that_is_left_out_is_no_input(tmp_path: Path) -> None:
    _log(tmp_path / "a.json", "C", eval_created="2026-11-01T10:00:00")
    new = _log(tmp_path / "b.json", "I", eval_created="2026-11-02T10:00:00")
    with noted_inputs() as found:
        read_scores(tmp_path)
    assert list(found) == [str(new)]


def test_a_newer_log_that_failed_or_was_withdrawn_does_not_count(tmp_path: Path) -> None:
    good = _log(tmp_path / "a.json", "C", eval_created="2026-11-01T10:00:00")
    _log(tmp_path / "b.json", "I", eval_created="2026-11-02T10:00:00", status="error")
    _log(tmp_path / "c.json", "I", eval_created="2026-11-03T10:00:00", invalidated=True)
    found = find(tmp_path)
    assert found.systems == {"m": [good]}
    assert found.notes == [f"{tmp_path}: 2 logs of tasks that were tried again left out."]


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        ({"eval_metadata": {"version": 1}}, {"eval_metadata": {"version": 2}},
         ["m (metadata.version=1)", "m (metadata.version=2)"]),
        ({}, {"metadata": {"version": "b"}}, ["m", "m (metadata.version=b)"]),
        ({"eval_tags": ["old"]}, {"eval_tags": ["b", "a"]},
         ['m (tags=["old"])', 'm (tags=["a", "b"])']),
        ({"eval_task_args": {"shots": 0}}, {"eval_task_args": {"shots": 5}},
         ["m (shots=0)", "m (shots=5)"]),
        ({"plan": _plan(version="old")}, {"plan": _plan(version="bad")},
         ["m (ask.version=old)", "m (ask.version=bad)"]),
        ({"plan": _plan()}, {"plan": _plan("react")}, ["m (solver=ask)", "m (solver=react)"]),
        ({"eval_model_args": {"dtype": "int8"}}, {}, ["m (model_args.dtype=int8)", "m"]),
        ({"eval_model_generate_config": {"temperature": 0.0}},
         {"eval_model_generate_config": {"temperature": 1.0}},
         ["m (config.temperature=0.0)", "m (config.temperature=1.0)"]),
        ({"eval_config": {"message_limit": 10}}, {"eval_config": {"message_limit": 20}},
         ["m (message_limit=10)", "m (message_limit=20)"]),
        ({"eval_revision": {"commit": "aa"}}, {"eval_revision": {"commit": "bb", "dirty": True}},
         ["m (revision=aa)", "m (revision=bb with changes)"]),
        ({"eval_task_version": 1}, {"eval_task_version": 2},
         ["m (task_version=1)", "m (task_version=2)"]),
    ],
)  # fmt: skip
def test_different_settings_are_different_systems_and_the_name_says_how(
    tmp_path: Path, one: dict[str, Any], other: dict[str, Any], names: list[str]
) -> None:
    first = _log(tmp_path / "1.json", "C", **one)
    second = _log(tmp_path / "2.json", "I", **other)
    assert find(tmp_path).systems == {names[0]: [first], names[1]: [second]}
    with fails("1.json", "2.json", "are given for 'x', and are logs of different systems: "):
        read_scores({"x": [first, second]})


@pytest.mark.parametrize(
    "more",
    [
        {"eval_model_generate_config": {"max_connections": 20}},
        {"eval_run_id": "b", "eval_eval_id": "c"},
        {"eval_model_args": {"custom_outputs": None}, "eval_metadata": {}, "tags": []},
        {"eval_config": {"epochs": 2, "max_samples": 4}},
    ],
)
def test_what_does_not_change_answers_makes_no_other_system(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    _log(tmp_path / "1.json", "C")
    last = _log(tmp_path / "2.json", "I", **more)
    assert find(tmp_path).systems == {"m": [last]}


def test_as_few_settings_as_needed_are_named_and_tasks_stay_together(tmp_path: Path) -> None:
    for version in ("old", "new"):
        for task in ("arc", "gsm"):
            _log(
                tmp_path / f"{version}-{task}.json",
                "C",
                eval_task=task,
                eval_metadata={"version": version},
                eval_revision={"commit": f"{version}{task}"},
            )
    found = find(tmp_path).systems
    assert {name: len(logs) for name, logs in found.items()} == {
        "m (metadata.version=new)": 2,
        "m (metadata.version=old)": 2,
    }


def test_named_files_of_one_system_are_samples_and_a_note_says_so(tmp_path: Path) -> None:
    files = [_log(tmp_path / f"{k}.json", "C") for k in range(3)]
    loaded = read_scores({"x": files})
    assert loaded.systems["x"].shape == (3, 2)
    assert loaded.notes[0] == "x: 3 logs of arc are read as samples of each question."


def test_a_date_that_cannot_be_read_is_older_than_any() -> None:
    header = {"status": "success", "eval": {"created": "yesterday"}}
    dated = {"status": "success", "eval": {"created": "2020-01-01"}}
    undated, known = LoggedRun.of("b", header), LoggedRun.of("a", dated)
    assert newest([known, undated]) is known
    assert system_names([known, undated]) == ["model", "model"]


@pytest.mark.golden
def test_logs_of_todays_inspect(tmp_path: Path) -> None:
    """The kept runs differ in nothing but an argument of their solver."""
    for version in ("old", "new"):
        for path in reference_data("data", "live_logs", "inspect", version).glob("*arith*"):
            shutil.copy(path, tmp_path)
    scores = read_scores(tmp_path, metric="match")
    means = {name: float(table.mean()) for name, table in scores.systems.items()}
    assert means == {
        "mockllm/model (ask.version=old)": pytest.approx(0.775),
        "mockllm/model (ask.version=new)": pytest.approx(0.816667, abs=1e-6),
    }
