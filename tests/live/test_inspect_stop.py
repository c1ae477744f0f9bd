"""Evaluations of Inspect that stop by themselves: two tasks, epochs, errors, retries, caps."""

import asyncio
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from detectable.core.errors import DataError
from detectable.live import InspectStop, conclude_logs, look_at_logs, plan_live
from detectable.live.plan import LivePlan
from tests.helpers import require

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run all evaluations, with the real Inspect and scripted answers."""
    if importlib.util.find_spec("inspect_ai") is None:
        require("inspect", "inspect_ai is not installed: there is nothing to stop")
    made = tmp_path_factory.mktemp("runs")
    words = [sys.executable, "-m", "tests.live.mock_tasks", str(made)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return made


@pytest.fixture
def told(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "told.json").read_text())
    return found


def test_a_worse_system_is_stopped_and_the_log_says_all(
    folder: Path, told: dict[str, Any]
) -> None:
    for name, total in (("arith", 120), ("lookup", 100)):
        log = told["worse"][name]
        record = log["record"]
        assert (log["status"], log["manager"]) == ("success", "detectable")
        assert (record["decision"], record["trouble"]) == ("stop: fail", None)
        assert len(log["samples"]) + log["skipped"] == total
        assert record["samples_skipped"] == log["skipped"] > total / 4
        # What ran is a prefix of the schedule: what was begun was finished.
        ran = sorted(
            (one["epoch"] - 1, log["order"].index(one["id"])) for one in log["samples"]
        )
        assert ran == [divmod(i, len(log["order"])) for i in range(len(ran))]
    found = conclude_logs(folder / "worse" / "ship.json", folder / "worse" / "new")
    assert [row.verdict for row in found.tasks] == ["fail", "fail"]
    arith = found.tasks[0]
    assert arith.n <= arith.logged <= arith.n + 10
    assert found.summary().startswith(
        f"arith fails: stopped at {arith.n} of 120 questions (look {arith.look}), {arith.logged} "
        f"logged, {120 - arith.logged} samples not run."
    )
    # The finished log says the same again.
    seen = look_at_logs(folder / "worse" / "ship.json", folder / "worse" / "new")
    assert seen.decision == "stop"


def test_a_fail_ends_all_tasks(folder: Path, told: dict[str, Any]) -> None:
    ends = [log["record"]["decision"] for log in told["worse-all"].values()]
    assert "stop: fail" in ends
    found = conclude_logs(folder / "worse-all" / "ship.json", folder / "worse-all" / "new")
    assert found.verdict == "fail"


def test_errors_and_retries_leave_their_trace(folder: Path, told: dict[str, Any]) -> None:
    """A retry is let through also after the stop; every sample that ran is in the log."""
    logs = told["errors"]
    for log in logs.values():
        assert log["record"]["trouble"] is None
        assert len(log["samples"]) + log["skipped"] == log["record"]["samples_planned"]
    samples = [one for log in logs.values() for one in log["samples"]]
    assert sum(one["failed"] for one in samples) > 0
    assert sum(one["retries"] for one in samples) > 0
    found = conclude_logs(folder / "errors" / "ship.json", folder / "errors" / "new")
    own = logs["arith"]["samples"]
    right = sum(one["score"] or 0.0 for one in own) / len(own)
    assert found.tasks[0].new == pytest.approx(right)  # errors count 0


def test_an_unchanged_system_passes_and_saves(folder: Path, told: dict[str, Any]) -> None:
    ends = {log["record"]["decision"] for log in told["unchanged"].values()}
    assert ends == {"stop: pass"}
    found = conclude_logs(folder / "unchanged" / "ship.json", folder / "unchanged" / "new")
    assert found.verdict == "pass"
    assert all(row.not_run > 0 and row.p_value <= 0.05 for row in found.tasks)


def test_a_cap_is_a_declared_last_look(folder: Path, told: dict[str, Any]) -> None:
    log = told["cap"]["arith"]
    assert log["record"]["cap"] == "max_tokens"
    n = len(log["samples"])
    assert 45 <= n <= 55
    assert log["record"]["looks"][-1]["t"] == pytest.approx(n / 120)
    row = conclude_logs(folder / "cap" / "ship.json", folder / "cap" / "new").tasks[0]
    assert (row.cap, row.n) == ("max_tokens", n)


def test_the_order_of_the_file_is_refused_before_any_sample(told: dict[str, Any]) -> None:
    log = told["file-order"]["arith"]
    assert (log["status"], log["samples"]) == ("error", [])
    assert "the questions come in the order of their file" in log["error"]


def test_a_second_run_needs_a_plan_of_its_own(told: dict[str, Any]) -> None:
    log = told["twice"]["arith"]
    assert log["status"] == "error"
    assert "--attempt 2" in log["error"]


def test_fewer_questions_than_the_file_has(told: dict[str, Any]) -> None:
    assert told["fewer"]["arith"]["record"]["samples_planned"] == 40


# --- The protocol, without a run ---


@pytest.fixture
def old(folder: Path) -> Path:
    return folder / "old"


def _plan(folder: Path, old: Path) -> LivePlan:
    margin = {"match": 0.1}
    return plan_live(folder / "ship.json", old, margin=margin, tasks=["arith"], seed=7)


def _spec(**more: Any) -> Any:
    config = {"log_samples": None, "sample_shuffle": None, **more.pop("config", {})}
    return SimpleNamespace(
        eval_id="e1",
        scorers=[SimpleNamespace(name=name) for name in more.pop("scorers", ("match",))],
        config=SimpleNamespace(**config),
        dataset=SimpleNamespace(shuffled=True),
    )


def _sample(i: int, text: str | None = None) -> Any:
    return SimpleNamespace(id=f"arith-{i:04d}", input=text or f"What is {i} plus {i}?")


def _started(plan: LivePlan, old: Path, spec: Any, samples: list[Any]) -> Any:
    stop = InspectStop(plan, baseline=old).task("arith")
    asyncio.run(stop.start_task(spec, samples, 1))
    return stop


def test_what_start_task_refuses(tmp_path: Path, old: Path) -> None:
    plan = _plan(tmp_path, old)
    samples = [_sample(i) for i in range(120)]
    with pytest.raises(DataError, match="with log_samples=False Inspect asks nobody"):
        _started(plan, old, _spec(config={"log_samples": False}), samples)
    with pytest.raises(DataError, match=r"the task arith has no scorer 'match'\. Found: other"):
        _started(plan, old, _spec(scorers=("other",)), samples)
    changed = [_sample(0, "What is one plus one?"), *samples[1:]]
    with pytest.raises(DataError, match="question 'arith-0000' has another text than in"):
        _started(plan, old, _spec(), changed)
    with pytest.raises(DataError, match="the baseline has 120 of 220 questions"):
        _started(plan, old, _spec(), [_sample(i) for i in range(220)])
    assert [line["event"] for line in plan.ledger_lines()] == ["plan"]  # nothing was begun


def test_hooks_never_raise(tmp_path: Path, old: Path) -> None:
    """A score off the scale switches the looks off, keeps the reason, and lets the run go on."""
    plan = _plan(tmp_path, old)
    stop = _started(plan, old, _spec(), [_sample(i) for i in range(120)])
    score = SimpleNamespace(score=SimpleNamespace(value=7.0))

    async def told() -> Any:
        await stop.complete_sample("arith-0003", 1, {"match": score})
        await stop.complete_sample("nobody", 1, {"match": score})
        assert await stop.schedule_sample("arith-0004", 1) is None
        return await stop.complete_task()

    record = asyncio.run(told())
    assert "lies outside the scale 0 to 1" in record["trouble"]
    assert json.loads(json.dumps(record))["decision"] == "continue"


def test_a_retry_is_let_through_after_the_stop(tmp_path: Path, old: Path) -> None:
    plan = _plan(tmp_path, old)
    stop = _started(plan, old, _spec(), [_sample(i) for i in range(120)])
    order = list(stop.stop._items)
    wrong = SimpleNamespace(score=SimpleNamespace(value="I"))

    async def told() -> tuple[Any, Any]:
        await stop.schedule_sample(order[-1], 1)
        for name in order[:60]:
            await stop.schedule_sample(name, 1)
            await stop.complete_sample(name, 1, {"match": wrong})
        return await stop.schedule_sample(order[-1], 1), await stop.schedule_sample(
            order[70], 1
        )

    again, new = asyncio.run(told())
    assert again is None
    assert new.reason == "stop: fail"
