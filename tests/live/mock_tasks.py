"""Evaluations of Inspect with scripted answers: two scorers, epochs, errors that retries may heal.

Run as ``python -m tests.live.mock_tasks FOLDER``, in a process of its own: Inspect leaves streams open.
"""

import asyncio
import hashlib
import json
import logging
import random
import sys
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as run_tasks
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes, match
from inspect_ai.solver import solver

from detectable.live import InspectStop, plan_live

logging.getLogger("inspect_ai").setLevel(logging.ERROR)


def _chance(text: str) -> float:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 16**8


def _model(version: str, drop: float) -> Any:
    def answer(input: Any, *_: Any) -> ModelOutput:
        key, target = input[-1].text.split("|")[:2], input[-1].text.rsplit("(", 1)[1][:-1]
        hard = _chance(key[0])
        right = random.Random(f"{version}|{key}").random() < max(0.0, 1.15 - 0.75 * hard - drop)
        made = ModelOutput.from_content("mockllm/model", target if right else "no idea")
        made.usage = ModelUsage(
            input_tokens=10, output_tokens=90, total_tokens=100, total_cost=0.001
        )
        return made

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


@solver
def _ask(version: str, error: float) -> Any:
    tried: dict[str, int] = {}

    async def solve(state: Any, generate: Any) -> Any:
        key = f"{state.sample_id}|{state.epoch}"
        tried[key] = tried.get(key, 0) + 1
        wait = random.Random(f"w{version}{key}").random()
        await asyncio.sleep(0.002 * wait)
        fate = random.Random(f"e{version}{key}{tried[key]}").random()
        if fate < error:
            message = "the provider timed out"
            raise RuntimeError(message)
        state.messages[-1].content = f"{key}|{state.input_text} ({state.target.text})"
        return await generate(state)

    return solve


def task(
    name: str,
    n: int,
    *,
    version: str,
    stop: Any = None,
    epochs: int = 1,
    error: float = 0.0,
    **more: Any,
) -> Task:
    samples = [
        Sample(id=f"{name}-{i:04d}", input=f"What is {i} plus {i}?", target=str(2 * i))
        for i in range(n)
    ]
    data: Any = MemoryDataset(samples, name=name)
    if stop is not None:
        data = stop.dataset(data, task=name)
    scorer = match() if name == "arith" else includes()
    return Task(
        name=name,
        dataset=data,
        solver=_ask(version, error),
        scorer=more.pop("scorer", scorer),
        epochs=epochs,
        early_stopping=None if stop is None else stop.task(name),
        **more,
    )


def both(version: str, *, stop: Any = None, error: float = 0.0) -> list[Task]:
    return [
        task("arith", 120, version=version, stop=stop, error=error),
        task("lookup", 50, version=version, stop=stop, epochs=2, error=error),
    ]


def run(folder: Path, tasks: Any, version: str, *, drop: float = 0.0, **more: Any) -> list[Any]:
    logs = run_tasks(
        tasks,
        model=_model(version, drop),
        log_dir=str(folder),
        display="none",
        log_model_api=False,
        **{"max_samples": 4, **more},
    )
    return list(logs)


# --- What is run: a plan for each, the tasks, and how Inspect is asked to run them ---

MARGINS = {"match": 0.1, "includes": 0.1}
ARITH: dict[str, Any] = {"tasks": ["arith"], "margin": {"match": 0.1}}
RUNS: dict[str, dict[str, Any]] = {
    "worse": {"plan": {"stop": "task"}, "drop": 0.35},
    "worse-all": {"plan": {}, "drop": 0.5, "max_tasks": 2},
    "errors": {
        "plan": {"stop": "task"},
        "drop": 0.3,
        "error": 0.15,
        "fail_on_error": False,
        "retry_on_error": 1,
    },
    "unchanged": {"plan": {}, "version": "old"},
    "cap": {"plan": {**ARITH, "margin": {"match": 0.02}, "max_tokens": 4500}},
    "file-order": {"plan": ARITH, "in_file_order": True},
    "twice": {"plan": ARITH, "version": "old", "again": True},
    "fewer": {"plan": {**ARITH, "n_max": 40}, "version": "old"},
}


def _scenario(folder: Path, name: str, *, plan: dict[str, Any], **asked: Any) -> list[Any]:
    version = asked.pop("version", name)
    error, in_file_order = asked.pop("error", 0.0), asked.pop("in_file_order", False)
    again = asked.pop("again", False)
    (folder / name).mkdir()
    frozen = plan_live(
        folder / name / "ship.json", folder / "old", **{"margin": MARGINS, "seed": 7, **plan}
    )
    logs: list[Any] = []
    for turn in range(2 if again else 1):
        stop = InspectStop(frozen, baseline=folder / "old")
        if "tasks" not in plan:
            tasks = both(version, stop=stop, error=error)
        elif in_file_order:
            alone = task("arith", 120, version=version)
            alone.early_stopping = stop.task("arith")
            tasks = [alone]
        else:
            tasks = [task("arith", 120, version=version, stop=stop)]
        logs = run(folder / name / f"new{turn or ''}", tasks, version, **asked)
    return logs


def _told(log: Any) -> dict[str, Any]:
    early = log.results.early_stopping if log.results else None
    return {
        "status": log.status,
        "error": log.error.message if log.error else "",
        "order": [str(one) for one in log.eval.dataset.sample_ids],
        "samples": [
            {
                "id": str(one.id),
                "epoch": one.epoch,
                "failed": one.error is not None,
                "retries": len(one.error_retries or []),
                "score": None
                if one.error
                else float(next(iter(one.scores.values())).value == "C"),
            }
            for one in log.samples or []
        ],
        "manager": early and early.manager,
        "skipped": early and len(early.early_stops),
        "record": early and early.metadata,
    }


if __name__ == "__main__":
    target = Path(sys.argv[1])
    run(target / "old", both("old"), "old")
    found = {
        name: {log.eval.task: _told(log) for log in _scenario(target, name, **asked)}
        for name, asked in RUNS.items()
    }
    (target / "told.json").write_text(json.dumps(found))
