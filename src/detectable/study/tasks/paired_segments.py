"""Tasks of single sentences in which the systems of a sentence follow each other."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from detectable.core.errors import InputError
from detectable.study.tasks.arrange import arrange
from detectable.study.tasks.controls import ControlMaker
from detectable.study.tasks.deal import deal_evenly
from detectable.study.tasks.rows import Output, Pool, Shown, Task
from detectable.study.tasks.segment_tasks import BLOCK, ORDINARY, ordinary_per_task
from detectable.study.tasks.share_items import check_raters, share_items
from detectable.study.tasks.system_order import SystemOrder


def sentences_per_task(per_task: int, n_systems: int) -> int:
    """Return how many sentences fit into a task with all their systems.

    Examples
    --------
    >>> sentences_per_task(100, 2), sentences_per_task(100, 3), sentences_per_task(20, 14)
    (35, 23, 1)
    """
    size = ordinary_per_task(per_task)
    if size < n_systems:
        enough = -(-n_systems // (2 * ORDINARY)) * 2 * BLOCK
        raise InputError(
            f"`per_task` must be at least {enough} for all {n_systems} systems of a sentence to "
            f"fit into one task; got {per_task}. Choose a larger multiple of {2 * BLOCK}, fewer "
            '`systems`, or assignment="random".'
        )
    return size // n_systems


def paired_slots(
    pool: Pool,
    twice: Collection[int],
    *,
    per_task: int,
    raters: int | None,
    rng: np.random.Generator,
) -> list[list[list[int]]]:
    """Return for every rater the sentences of each task, in order.

    Without `raters` there are as many as tasks are needed. The tasks of a rater have the same
    number of sentences, or one more.
    """
    most = sentences_per_task(per_task, len(pool.systems))
    check_raters(raters, pool.n_rows, "sentence", overlap=bool(twice))
    if raters is None:
        raters = max(-(-(pool.n_rows + len(twice)) // most), 2 if twice else 1)
    slots = []
    for own in share_items(pool.rows, twice, raters, rng):
        n_tasks = -(-len(own) // most)
        bounds = np.linspace(0, len(own), n_tasks + 1).round().astype(int).tolist()
        slots.append([own[first:last] for first, last in pairwise(bounds)])
    return slots


def n_controls(n_outputs: int, n_systems: int, per_task: int) -> int:
    """Return how many controls a task of so many outputs gets.

    Three for seven outputs, as in Direct Assessment, rounded down so that all systems of a
    sentence are copied. Where outputs fill nine tenths of their room, controls fill up the
    task, so that it has `per_task` texts exactly.

    Examples
    --------
    >>> [n_controls(n, 2, 100) for n in (70, 68, 64, 62, 48, 2)]
    [30, 32, 36, 26, 20, 2]
    """
    if 10 * n_outputs >= 9 * ordinary_per_task(per_task):
        return per_task - n_outputs
    wanted = min(3 * max(1, round(n_outputs / ORDINARY)), n_outputs)
    return max(wanted // n_systems * n_systems, min(wanted, n_systems))


@dataclass(frozen=True, slots=True)
class _Draft:
    """A task before its controls are made: sentences, and the outputs that are copied."""

    groups: list[list[Shown]]
    copied: dict[int, list[Shown]]  # by the number of the sentence in the task

    @property
    def originals(self) -> list[Shown]:
        return [one for run in self.copied.values() for one in run]

    @property
    def n_references(self) -> int:
        # One in a run at most: the same text twice in a row would give it away.
        return min(round(len(self.originals) / 3), len(self.copied))

    @property
    def n_degraded(self) -> int:
        return -(-(len(self.originals) - self.n_references) // 2)


def paired_work(
    slot: Sequence[Sequence[int]],
    pool: Pool,
    controls: ControlMaker,
    rng: np.random.Generator,
    *,
    per_task: int,
) -> list[Task]:
    """Return the tasks of a rater: all systems of a sentence next to each other.

    Controls come in the same form as outputs: all systems of a sentence once more, half a task
    away, each output degraded, repeated or replaced by the reference. A control that stood alone
    would be known by that. Degraded copies are dealt evenly over systems and random within.
    """
    orders = SystemOrder(list(pool.systems), rng)
    drafts = [_draft(rows, pool, orders, rng, per_task) for rows in slot]
    dealt = deal_evenly(
        [Counter(one.output.system for one in draft.originals) for draft in drafts],
        [draft.n_degraded for draft in drafts],
        controls.degraded,
        rng,
    )
    return [
        _task(draft, degraded, controls, rng)
        for draft, degraded in zip(drafts, dealt, strict=True)
    ]


def _draft(
    rows: Sequence[int],
    pool: Pool,
    orders: SystemOrder[str],
    rng: np.random.Generator,
    per_task: int,
) -> _Draft:
    groups = [[pool.shown(Output(name, row)) for name in orders.next()] for row in rows]
    n_systems = len(pool.systems)
    wanted = n_controls(len(groups) * n_systems, n_systems, per_task)
    n_runs = -(-wanted // n_systems)
    # One from each stretch of the task, so that controls are spread over it; where not all can
    # be whole, several are short by one, and none is alone.
    bounds = np.linspace(0, len(groups), n_runs + 1).round().astype(int).tolist()
    sizes = rng.permutation([wanted // n_runs + (i < wanted % n_runs) for i in range(n_runs)])
    copied = {}
    for (first, last), size in zip(pairwise(bounds), sizes.tolist(), strict=True):
        index = int(rng.integers(first, last))
        some = sorted(rng.permutation(n_systems)[:size].tolist())
        copied[index] = [groups[index][i] for i in some]
    return _Draft(groups, copied)


def _task(
    draft: _Draft, degraded: Counter[str], controls: ControlMaker, rng: np.random.Generator
) -> Task:
    kinds = controls.spread(draft.copied, degraded, draft.n_references)
    copies: dict[int, Task] = {}
    for index, run in kinds.items():
        # In the only sentence of a task a copy is farthest from its original in the same order.
        order = range(len(run)) if len(draft.groups) == 1 else rng.permutation(len(run))
        copies[index] = [[run[i] for i in order]]
    return arrange([[group] for group in draft.groups], copies)
