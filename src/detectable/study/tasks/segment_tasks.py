"""Tasks of single sentences at random: blocks of ten, seven outputs and three controls."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from detectable.core.errors import InputError
from detectable.study.tasks.controls import ControlMaker
from detectable.study.tasks.deal import deal_evenly
from detectable.study.tasks.rows import Output, Pool, Shown, Task
from detectable.study.tasks.share_items import check_raters

BLOCK = 10
ORDINARY = 7


def ordinary_per_task(per_task: int) -> int:
    """Return the outputs in a task of `per_task` texts."""
    if per_task % (2 * BLOCK):
        raise InputError(
            f"`per_task` must be a multiple of {2 * BLOCK} for single sentences, so that "
            f"blocks of {BLOCK} make two halves; got {per_task}."
        )
    return per_task // BLOCK * ORDINARY


def segment_slots(
    pool: Pool,
    *,
    per_task: int,
    raters: int | None,
    rng: np.random.Generator,
) -> tuple[list[list[list[Output]]], int]:
    """Return for every rater the outputs of each task, and how many fill up the last one.

    All outputs are shuffled. The last task is filled up with the first outputs once more.
    """
    size = ordinary_per_task(per_task)
    n_outputs = len(pool.systems) * pool.n_rows
    if n_outputs < size:
        raise InputError(
            f"`per_task` must leave no text twice in a task: {per_task} needs {size} outputs, "
            f"and there are {n_outputs:,}. Choose a smaller multiple of {2 * BLOCK}."
        )
    outputs = _shuffled([Output(name, row) for name in pool.systems for row in pool.rows], rng)
    missing = -len(outputs) % size
    tasks = _cut([*outputs, *outputs[:missing]], size)
    slots = len(tasks) if raters is None else raters
    check_raters(slots, len(tasks), "task", overlap=False)
    parts = np.array_split(np.arange(len(tasks)), slots)
    return [[tasks[i] for i in part.tolist()] for part in parts], missing


def _shuffled(outputs: list[Output], rng: np.random.Generator) -> list[Output]:
    return [outputs[i] for i in rng.permutation(len(outputs)).tolist()]


def _cut(outputs: list[Output], size: int) -> list[list[Output]]:
    return [outputs[start : start + size] for start in range(0, len(outputs), size)]


def segment_work(
    slot: Sequence[Sequence[Output]],
    pool: Pool,
    controls: ControlMaker,
    rng: np.random.Generator,
) -> list[Task]:
    """Return the tasks of a rater, degraded copies dealt evenly over systems."""
    available = [Counter(output.system for output in outputs) for outputs in slot]
    dealt = deal_evenly(
        available, [len(outputs) // ORDINARY for outputs in slot], controls.degraded, rng
    )
    return [
        segment_task(outputs, pool, controls, rng, degraded=systems)
        for outputs, systems in zip(slot, dealt, strict=True)
    ]


def segment_task(
    outputs: Sequence[Output],
    pool: Pool,
    controls: ControlMaker,
    rng: np.random.Generator,
    *,
    degraded: Counter[str],
) -> Task:
    """Return a task: the controls of a block are made from the block half a task away.

    Original and control are then 40 to 60 texts apart in a task of 100, which is far enough
    to forget, and by the same rater. `degraded` says of which systems copies are degraded, one
    for each block.
    """
    systems = list(degraded.elements())
    systems = [systems[i] for i in rng.permutation(len(systems)).tolist()]
    blocks = _blocks([pool.shown(output) for output in outputs], systems)
    half = len(blocks) // 2
    made = []
    for index, block in enumerate(blocks):
        far = (index + half) % len(blocks)
        both = [*block, *controls.one_of_each(blocks[far], systems[far])]
        made.append([both[i] for i in rng.permutation(len(both)).tolist()])
    return made


def _blocks(shown: Sequence[Shown], systems: Sequence[str]) -> list[list[Shown]]:
    """Cut texts into blocks, with a text of the given system in each."""
    left = list(shown)
    blocks = []
    for system in systems:
        place = next(i for i, one in enumerate(left) if one.output.system == system)
        blocks.append([left.pop(place)])
    for index, block in enumerate(blocks):
        block += left[index * (ORDINARY - 1) : (index + 1) * (ORDINARY - 1)]
    return blocks
