"""Looks at logs by blocks, and conclusions from logs."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError
from detectable.data.formats.inspect import read_task_log
from detectable.live import conclude_logs, look_at_logs, plan_live, subsample
from detectable.live.logs import live_history
from detectable.live.order import block_of
from detectable.live.task_logs import task_logs
from tests.helpers import reference_data

MARGINS = {"acc": 0.05, "exact_match": 0.05}


def _logs(*parts: str) -> Path:
    return reference_data("data", "live_logs", *parts)


def _plan(folder: Path, **more: Any) -> Path:
    plan_live(
        folder / "ship.json",
        _logs("lm_eval", "old"),
        margin=MARGINS,
        seed=7,
        higher_is_better=("exact_match",),
        **more,
    )
    return folder / "ship.json"


def _block(folder: Path, number: int, of: int, *, spoil: str = "") -> None:
    """Write the samples of one block of the new system, as a run of its own would."""
    for path in sorted(_logs("lm_eval", "new").glob("*/samples_*.jsonl")):
        task = path.name.split("_")[1]
        chosen = {str(i) for i in block_of(subsample(range(60), seed=7, task=task), number, of)}
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        kept = [row for row in rows if str(row["doc_id"]) in chosen]
        for row in kept if task == spoil else ():
            for name in row["metrics"]:
                row[name] = 1.0 - row[name]
        target = folder / path.parent.name / path.name.replace("_2026", f"_202{number}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(json.dumps(row) + "\n" for row in kept))


def test_blocks_of_lm_eval_are_looked_at_as_they_come(tmp_path: Path) -> None:
    plan, out = _plan(tmp_path), tmp_path / "out"
    _block(out, 1, 3)
    first = look_at_logs(plan, out)
    assert first.decision == "continue"
    assert {one.samples for one in first.tasks} == {20}
    assert {one.ahead for one in first.tasks} == {30}
    _block(out, 2, 3)
    second = look_at_logs(plan, out)
    assert {one.looks for one in second.tasks} == {4}  # at 30, 33, 36 and 39 of 60
    assert "the next look needs the first 42" in second.summary()
    with pytest.raises(DataError, match="goes on: no look has stopped it"):
        conclude_logs(plan, out)
    _block(out, 3, 3)
    third = look_at_logs(plan, out)
    assert third.decision == "stop"
    found = conclude_logs(plan, out)
    whole = task_logs(_logs("lm_eval", "new"))
    for row in found.tasks:
        means = whole[row.task].means(row.metric, 0.0)
        assert row.new == pytest.approx(sum(means.values()) / 60)
        assert (row.verdict, row.logged, row.not_run) == ("inconclusive", 60, 0)
        assert row.interval is not None
        assert row.interval.low < -0.05
    assert found.verdict == "inconclusive"
    written = json.loads((tmp_path / "ship.conclusion.json").read_text())
    assert written["verdict"] == "inconclusive"


def test_all_at_once_and_block_by_block_are_the_same_looks(tmp_path: Path) -> None:
    looks = []
    for name, parts in (("a", 3), ("b", 1)):
        folder = tmp_path / name
        folder.mkdir()
        plan = _plan(folder)
        for number in range(1, parts + 1):
            _block(folder / "out", number, parts)
            look_at_logs(plan, folder / "out")
        looks.append(
            [(one.task, one.n, one.z_pass, one.decision) for one in live_history(plan).looks]
        )
    assert sorted(looks[0]) == sorted(looks[1])


def test_answers_that_changed_after_a_look_are_refused(tmp_path: Path) -> None:
    plan, out = _plan(tmp_path), tmp_path / "out"
    _block(out, 1, 2)
    look_at_logs(plan, out)
    shutil.rmtree(out)
    _block(out, 1, 2, spoil="addmc")
    with pytest.raises(
        DataError, match="the first 30 samples of addmc are not those that look 1"
    ):
        look_at_logs(plan, out)


def test_a_declared_end_holds_what_has_no_gap(tmp_path: Path) -> None:
    plan, out = _plan(tmp_path), tmp_path / "out"
    _block(out, 1, 2)
    _block(out, 2, 2)
    shutil.rmtree(out)
    _block(out, 1, 2)
    found = look_at_logs(plan, out, final=True)
    assert found.decision == "stop"
    ended = conclude_logs(plan, out)
    assert {row.cap for row in ended.tasks} == {"final"}
    assert "declared the last look at 30 of 60 samples" in " ".join(ended.notes)


def _inspect_plan(folder: Path, **more: Any) -> Path:
    margins = {"match": 0.1, "includes": 0.1}
    plan_live(folder / "i.json", _logs("inspect", "old"), margin=margins, seed=7, **more)
    return folder / "i.json"


def test_a_finished_log_of_inspect_replays_what_a_run_would_decide(tmp_path: Path) -> None:
    """Gold: new against old, arith at the prefix of 30; lookup inconclusive."""
    plan = _inspect_plan(tmp_path)
    found = look_at_logs(plan, _logs("inspect", "new"))
    looks = live_history(plan).looks
    arith = [one for one in looks if one.task == "arith"]
    assert [(one.n, one.decision) for one in arith] == [(30, "stop: pass")]
    assert arith[0].z_pass == pytest.approx(3.16227766, abs=1e-6)
    assert found.tasks[0].decision == "stop: pass"
    ended = conclude_logs(plan, _logs("inspect", "new"))
    # Late data count: all 120 questions decide, and the look spends nothing more.
    row = ended.tasks[0]
    assert (row.n, row.logged) == (30, 120)
    assert row.difference == pytest.approx(0.041667, abs=1e-6)
    assert row.p_value < 0.05


def test_a_log_that_somebody_stopped_is_not_the_log_of_this_plan(tmp_path: Path) -> None:
    plan = _inspect_plan(tmp_path)
    with pytest.raises(DataError, match="stopped early by"):
        look_at_logs(plan, _logs("inspect", "early"))


def test_precision_of_one_system(tmp_path: Path) -> None:
    plan_live(tmp_path / "p.json", half_width=0.1, metric="match", seed=7)
    log = next(_logs("inspect", "new").glob("*_arith_*"))
    found = look_at_logs(tmp_path / "p.json", log)
    assert found.tasks[0].decision == "stop: precise"
    row = conclude_logs(tmp_path / "p.json", log).tasks[0]
    assert row.interval is not None
    assert (row.interval.high - row.interval.low) / 2 <= 0.1
    assert row.interval.level == 0.95
    assert row.verdict == "precise"


def test_the_ledger_must_be_beside_the_plan(tmp_path: Path) -> None:
    plan = _inspect_plan(tmp_path)
    (tmp_path / "i.ledger.jsonl").unlink()
    (tmp_path / "i.ledger.jsonl.lock").unlink()
    with pytest.raises(DataError, match=r"its ledger .* is not here"):
        look_at_logs(plan, _logs("inspect", "new"))


def test_a_running_log_is_looked_at_by_prefixes(tmp_path: Path) -> None:
    """Samples 31 to 60 have ended but for the 35th: the looks end before it, not at what is there."""
    log = read_task_log(next(_logs("inspect", "new").glob("*_arith_*")))
    order = subsample([row["id"] for row in log["samples"]], seed=8, task="arith")
    by_id = {row["id"]: row for row in log["samples"]}
    log["eval"]["dataset"] |= {"sample_ids": order, "shuffled": True}
    log |= {"status": "started", "results": None}
    log["samples"] = [by_id[item] for item in (*order[:34], *order[35:60])]
    (tmp_path / "running.json").write_text(json.dumps(log))
    old, margin = _logs("inspect", "old"), {"match": 0.05}
    plan_live(tmp_path / "r.json", old, margin=margin, tasks=["arith"], seed=8)
    found = look_at_logs(tmp_path / "r.json", tmp_path / "running.json")
    assert [(one.n, one.unfinished) for one in live_history(tmp_path / "r.json").looks] == [
        (30, 0)
    ]
    assert (found.tasks[0].samples, found.tasks[0].ahead) == (59, 36)
    # In the order of the file nothing may be looked at before it is whole.
    log["eval"]["dataset"] |= {"sample_ids": sorted(order), "shuffled": False}
    (tmp_path / "file.json").write_text(json.dumps(log))
    plan_live(tmp_path / "f.json", old, margin=margin, tasks=["arith"], seed=8)
    with pytest.raises(DataError, match="the questions come in the order of their file"):
        look_at_logs(tmp_path / "f.json", tmp_path / "file.json")


def test_logs_of_another_run_are_refused(tmp_path: Path) -> None:
    plan = _inspect_plan(tmp_path)
    look_at_logs(plan, _logs("inspect", "new"))
    with pytest.raises(DataError, match=r"is of the run 3v8ysNLGCGtsht6crLLN2M, and this is"):
        look_at_logs(plan, _logs("inspect", "old"))


def test_promptfoo_is_planned_and_looked_at(tmp_path: Path) -> None:
    """60 tests, two providers in one file: errors count 0, and `score` needs no direction."""
    source = reference_data("data", "live_logs", "promptfoo", "results.jsonl")
    plan = plan_live(tmp_path / "p.json", source, system="old", margin=0.1, seed=3)
    assert (plan.baseline, plan.tasks[0].metric, plan.tasks[0].questions) == (
        "old",
        "score",
        60,
    )
    assert plan.tasks[0].baseline_score == pytest.approx(0.65)  # 3 calls failed
    first = look_at_logs(plan, source, system="new")
    assert first.tasks[0].samples == 60
    assert first.tasks[0].decision == "stop: inconclusive"
    found = conclude_logs(plan, source, system="new")
    (row,) = found.tasks
    assert row.new == pytest.approx(0.583333, abs=1e-6)
    assert row.old == pytest.approx(0.65)
    assert row.verdict == "inconclusive"


def test_promptfoo_by_blocks_is_looked_at_as_they_come(tmp_path: Path) -> None:
    source = reference_data("data", "live_logs", "promptfoo", "results.jsonl")
    plan = plan_live(tmp_path / "p.json", source, system="old", margin=0.1, seed=3)
    log = task_logs(source, system="new")[""]
    order = subsample(log.order, seed=3, task="")
    lines = [json.loads(line) for line in source.read_text().splitlines()]
    block = tmp_path / "block.jsonl"
    taken = set(order[:40])
    kept = [one for one in lines if json.dumps(one["vars"], ensure_ascii=False) in taken]
    assert len(kept) == 80  # of both providers
    block.write_text("\n".join(json.dumps(one) for one in kept))
    early = look_at_logs(plan, block, system="new")
    assert early.tasks[0].samples == 40
    assert early.tasks[0].looks > 0
    whole = look_at_logs(plan, source, system="new")
    assert whole.tasks[0].looks > early.tasks[0].looks
