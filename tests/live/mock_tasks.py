"""Tasks of Inspect with scripted answers: two scorers, epochs, errors that retries may heal."""

import asyncio
import hashlib
import logging
import random
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as run_tasks
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes, match
from inspect_ai.solver import solver

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
