"""Tasks of single sentences: blocks of ten, seven outputs and three controls."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from detectable.core.errors import InputError
from detectable.core.wording import count
from detectable.study.tasks.controls import ControlMaker
from detectable.study.tasks.deal import deal_evenly
from detectable.study.tasks.rows import Output, Pool, Shown, Task

BLOCK = 10
_ORDINARY = 7


def ordinary_per_task(per_task: int) -> int:
    """Return the outputs in a task of `per_task` texts."""
    if per_task % (2 * BLOCK):
        raise InputError(
            f"`per_task` must be a multiple of {2 * BLOCK} for single sentences, so that "
            f"blocks of {BLOCK} make two halves; got {per_task}."
        )
    return per_task // BLOCK * _ORDINARY


def segment_slots(
    pool: Pool,
    *,
    paired: bool,
    per_task: int,
    raters: int | None,
    rng: np.random.Generator,
) -> tuple[list[list[list[Output]]], int]:
    """Return for every rater the outputs of each task, and how many fill up the last ones.

    Paired, a rater gets all systems of a sentence; the sentences come in random order, and the
    outputs of a rater are shuffled over the rater's tasks. Otherwise all outputs are shuffled.
    The last task of a list is filled up with what follows in the list, beginning again at its
    start.
    """
    size = ordinary_per_task(per_task)
    n_outputs = len(pool.systems) * pool.n_rows
    if n_outputs < size:
        raise InputError(
            f"`per_task` must leave no text twice in a task: {per_task} needs {size} outputs, "
            f"and there are {n_outputs:,}. Choose a smaller multiple of {2 * BLOCK}."
        )
    if paired:
        return _paired(pool, size, raters, rng)
    outputs = [Output(name, row) for name in pool.systems for row in range(pool.n_rows)]
    outputs = _shuffled(outputs, rng)
    missing = -len(outputs) % size
    tasks = _cut([*outputs, *outputs[:missing]], size)
    slots = len(tasks) if raters is None else raters
    _check_slots(slots, len(tasks), "task")
    parts = np.array_split(np.arange(len(tasks)), slots)
    return [[tasks[i] for i in part.tolist()] for part in parts], missing


def _paired(
    pool: Pool, size: int, raters: int | None, rng: np.random.Generator
) -> tuple[list[list[list[Output]]], int]:
    order = rng.permutation(pool.n_rows).tolist()
    if raters is None:
        fitting = max(1, size // len(pool.systems))
        bounds = [*range(0, pool.n_rows, fitting), pool.n_rows]
    else:
        _check_slots(raters, pool.n_rows, "sentence")
        bounds = np.linspace(0, pool.n_rows, raters + 1).round().astype(int).tolist()
    slots, filled = [], 0
    for first, last in pairwise(bounds):
        own = _shuffled(_all_systems(pool, order[first:last]), rng)
        missing = -len(own) % size
        n_next = -(-missing // len(pool.systems))
        following = _all_systems(pool, [*order[last:], *order[:first]][:n_next])
        padded = [*own, *[*following, *own][:missing]]
        slots.append([_shuffled(task, rng) for task in _cut(padded, size)])
        filled += missing
    return slots, filled


def _all_systems(pool: Pool, rows: Sequence[int]) -> list[Output]:
    return [Output(name, row) for row in rows for name in pool.systems]


def _shuffled(outputs: list[Output], rng: np.random.Generator) -> list[Output]:
    return [outputs[i] for i in rng.permutation(len(outputs)).tolist()]


def _cut(outputs: list[Output], size: int) -> list[list[Output]]:
    return [outputs[start : start + size] for start in range(0, len(outputs), size)]


def _check_slots(slots: int, most: int, what: str) -> None:
    if slots > most:
        raise InputError(
            f"`raters` must be at most {most}: there are {count(most, what)} to share out; "
            f"got {slots}."
        )


def segment_work(
    slot: Sequence[Sequence[Output]],
    pool: Pool,
    controls: ControlMaker,
    rng: np.random.Generator,
) -> list[Task]:
    """Return the tasks of a rater, degraded copies dealt evenly over systems."""
    available = [Counter(output.system for output in outputs) for outputs in slot]
    dealt = deal_evenly(
        available, [len(outputs) // _ORDINARY for outputs in slot], controls.degraded, rng
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
        block += left[index * (_ORDINARY - 1) : (index + 1) * (_ORDINARY - 1)]
    return blocks
