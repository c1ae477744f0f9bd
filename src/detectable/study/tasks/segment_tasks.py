"""Tasks of single sentences: at random or by pairs, with copies far from their originals."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, TypeVar

import numpy as np

from detectable.core.errors import InputError
from detectable.study.tasks.controls import ControlMaker, check_raters, deal_evenly, share_items
from detectable.study.tasks.result import Output, Pool, Shown, Task

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
    to forget, and by the same rater. Each control changes places with its original by a coin of
    its own: which of two appearances is the copy cannot be told from where they stand.
    `degraded` says of which systems copies are degraded, one for each block.
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
    places = {id(one): (block, i) for block in made for i, one in enumerate(block)}
    for control in [one for block in made for one in block if one.of is not None]:
        if rng.integers(2):
            (here, i), (there, j) = places[id(control)], places[id(control.of)]
            here[i], there[j] = there[j], here[i]
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


# --- Where copies stand: half a task away from their originals, and never inside a group ---


def arrange(groups: Sequence[Task], again: Mapping[int, Task]) -> Task:
    """Return the blocks of a task in order, the second blocks of a group half of the groups away.

    Which of the two holds the originals is for the caller to draw: the places tell nothing.

    Parameters
    ----------
    groups : sequence of list of blocks
        What has to stay together: the systems of a sentence, or the versions of a document.
    again : mapping of int to list of blocks
        What is shown of a group once more, by its number. It stands after the group that is half
        of the groups further on, or before the one that is half of them back: with two groups or
        more there is always one in between.
    """
    half = len(groups) // 2
    before: dict[int, Task] = {}
    after: dict[int, Task] = {}
    for index, blocks in again.items():
        if index + half < len(groups):
            after.setdefault(index + half, []).extend(blocks)
        else:
            before.setdefault(index - half, []).extend(blocks)
    made: Task = []
    for index, group in enumerate(groups):
        made += [*before.get(index, []), *group, *after.get(index, [])]
    return made


# --- In which order a rater sees the systems of an item: by chance, and balanced over places ---

T = TypeVar("T")


class SystemOrder(Generic[T]):
    """Deals the orders of systems, or of pairs of them, to one rater, item after item.

    The systems are put into a random order, and the next items get its rotations, themselves in
    random order, until each was used once; then a new order is drawn. So within a rater every
    system stands in every place once in as many items as there are systems: however many items
    are judged, its times in a place differ from those of any other system by one at most.

    References
    ----------
    Fisher (1935), *The Design of Experiments*, chapter V: Latin squares.

    Examples
    --------
    >>> orders = SystemOrder(["A", "B"], np.random.default_rng(1))
    >>> [orders.next() for _ in range(4)]
    [('B', 'A'), ('A', 'B'), ('A', 'B'), ('B', 'A')]
    """

    def __init__(self, systems: Sequence[T], rng: np.random.Generator) -> None:
        self._systems, self._rng = list(systems), rng
        self._waiting: list[tuple[T, ...]] = []

    def next(self) -> tuple[T, ...]:
        """Return the order of the systems of the next item."""
        if not self._waiting:
            n = len(self._systems)
            names = [self._systems[i] for i in self._rng.permutation(n).tolist()]
            self._waiting = [
                tuple(names[(start + place) % n] for place in range(n))
                for start in self._rng.permutation(n).tolist()
            ]
        return self._waiting.pop()


# --- Tasks of single sentences in which the systems of a sentence follow each other ---


def sentences_per_task(per_task: int, n_systems: int) -> int:
    """Return how many sentences fit into a task with all their systems, and one of them twice.

    Examples
    --------
    >>> sentences_per_task(100, 2), sentences_per_task(100, 3), sentences_per_task(20, 10)
    (35, 23, 1)
    """
    size = ordinary_per_task(per_task)
    if per_task < 2 * n_systems:
        enough = -(-n_systems // BLOCK) * 2 * BLOCK
        raise InputError(
            f"`per_task` must be at least {enough} for all {n_systems} systems of a sentence to "
            f"fit into one task twice, as outputs and as controls; got {per_task}. Choose a "
            f"larger multiple of {2 * BLOCK}, fewer `systems`, or "
            'assignment="random".'
        )
    return min(size // n_systems, per_task // n_systems - 1)


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


def n_controls(n_sentences: int, n_systems: int, per_task: int) -> tuple[int, int]:
    """Return how many sentences of a task are copied whole, and how many texts fill it up.

    Three controls for seven outputs, as in Direct Assessment, rounded down to whole sentences;
    at least one is copied. Where outputs fill nine tenths of their room, controls fill up the
    task; what is left to `per_task` texts, fewer than a sentence has systems, are repeats of one
    sentence more.

    Examples
    --------
    >>> [n_controls(n, 2, 100) for n in (35, 34, 32, 31, 24, 1)]
    [(15, 0), (16, 0), (18, 0), (13, 0), (10, 0), (1, 0)]
    >>> n_controls(23, 3, 100), n_controls(17, 4, 100), n_controls(10, 7, 100)
    ((10, 1), (8, 0), (4, 2))
    """
    n_outputs = n_sentences * n_systems
    if 10 * n_outputs >= 9 * ordinary_per_task(per_task):
        return divmod(per_task - n_outputs, n_systems)
    wanted = 3 * max(1, round(n_outputs / ORDINARY))
    return max(1, min(wanted // n_systems, n_sentences)), 0


@dataclass(frozen=True, slots=True)
class _Draft:
    """A task before its controls are made: sentences, and the outputs that are copied."""

    groups: list[list[Shown]]
    copied: list[int]  # sentences of which all systems are copied
    repeated: dict[int, list[Shown]]  # of one sentence more, what fills up the task

    @property
    def runs(self) -> dict[int, list[Shown]]:
        return {index: self.groups[index] for index in self.copied}

    @property
    def originals(self) -> list[Shown]:
        return [one for run in self.runs.values() for one in run]

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
    would be known by that. For every degraded copy a coin of its own says whether it stands in
    the first of the two runs or in the second. Degraded copies are dealt evenly over systems and
    random within.
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
    n_runs, n_more = n_controls(len(groups), n_systems, per_task)
    # One from each stretch of the task, so that controls are spread over it.
    bounds = np.linspace(0, len(groups), n_runs + 1).round().astype(int).tolist()
    copied = [int(rng.integers(first, last)) for first, last in pairwise(bounds)]
    repeated: dict[int, list[Shown]] = {}
    if n_more:
        index = int(rng.choice([i for i in range(len(groups)) if i not in copied]))
        repeated[index] = [groups[index][i] for i in rng.permutation(n_systems)[:n_more]]
    return _Draft(groups, copied, repeated)


def _task(
    draft: _Draft, degraded: Counter[str], controls: ControlMaker, rng: np.random.Generator
) -> Task:
    """Make the controls, and put them into their places.

    What fills up the task stands in a run that is too short, and is known by that: so it is
    repeated and never degraded, and no check depends on it.
    """
    groups = [[group] for group in draft.groups]
    again: dict[int, Task] = {
        index: [[controls.one(output, "repeat") for output in run]]
        for index, run in draft.repeated.items()
    }
    made = controls.spread(draft.runs, degraded, draft.n_references)
    for index, copies in made.items():
        # In the only sentence of a task a copy is farthest from its original in the same order.
        first, second = _two_runs(draft.groups[index], copies, rng, mixed=len(groups) > 1)
        groups[index], again[index] = [first], [second]
    return arrange(groups, again)


def _two_runs(
    outputs: Sequence[Shown],
    copies: Sequence[Shown],
    rng: np.random.Generator,
    *,
    mixed: bool,
) -> tuple[list[Shown], list[Shown]]:
    """Return the runs of a sentence that is copied, in the order in which they stand.

    A coin for each degraded copy says in which of them it stands. Outputs follow the coin of most
    of them, so that a rater sees systems next to each other; only where a sentence has several
    degraded copies with different coins does an output stand in the run of the other copies, at
    its own place.
    """
    tossed = {i: int(rng.integers(2)) for i, one in enumerate(copies) if one.kind == "degraded"}
    either = int(rng.integers(2))
    later = 2 * sum(tossed.values()) + either > len(tossed)  # whether most outputs come second
    apart = {i for i, coin in tossed.items() if coin != later}
    rest = [i for i in range(len(outputs)) if i not in apart]
    order = [rest[i] for i in rng.permutation(len(rest)).tolist()] if mixed else rest
    at = dict(zip(rest, order, strict=True))
    own = [copies[i] if i in apart else one for i, one in enumerate(outputs)]
    other = [one if i in apart else copies[at[i]] for i, one in enumerate(outputs)]
    return (other, own) if later else (own, other)
