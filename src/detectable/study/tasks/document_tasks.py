"""Tasks of whole documents, in order, with copies of documents as controls."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count as counting
from itertools import cycle
from typing import TypeAlias

import numpy as np

from detectable.core.errors import InputError
from detectable.core.wording import count, listing
from detectable.data.human.columns import Kind
from detectable.study.tasks.controls import CONTROLS, ControlMaker, check_raters, deal_evenly
from detectable.study.tasks.result import Output, Pool, Task
from detectable.study.tasks.segment_tasks import SystemOrder, arrange


class FirstFit:
    """The room left in a growing row of boxes, as a tree of maxima.

    Looking at every box for every piece makes packing quadratic; this asks about log n.

    Examples
    --------
    >>> boxes = FirstFit()
    >>> for room in (3, 10, 10):
    ...     boxes.add(room)
    >>> boxes.first(5), boxes.first(5, start=2), boxes.first(11)
    (1, 2, None)
    >>> boxes.take(1, 7)
    >>> boxes.first(5)
    2
    """

    def __init__(self) -> None:
        self._n = 0
        self._width = 1  # leaves, a power of two
        self._most = [-1, -1]  # node i holds the most room below it; leaves from `_width` on

    def __len__(self) -> int:
        return self._n

    def add(self, room: int) -> None:
        """Add a box at the end."""
        if self._n == self._width:
            leaves = self._most[self._width :] + [-1] * self._width
            self._width *= 2
            self._most = [-1] * self._width + leaves
            for node in range(self._width - 1, 0, -1):
                self._most[node] = max(self._most[2 * node], self._most[2 * node + 1])
        self._n += 1
        self._set(self._n - 1, room)

    def room(self, box: int) -> int:
        """Return the room left in a box."""
        return self._most[self._width + box]

    def take(self, box: int, length: int) -> None:
        """Use some of the room of a box; a negative length gives room back."""
        self._set(box, self.room(box) - length)

    def first(self, length: int, *, start: int = 0) -> int | None:
        """Return the first box from `start` on with room for `length`."""
        if start >= self._n:
            return None
        node = self._width + start
        while self._most[node] < length:
            # To the next subtree on the right; above the last there is none.
            while node % 2:
                node //= 2
                if node <= 1:
                    return None
            node += 1
        while node < self._width:
            node = 2 * node if self._most[2 * node] >= length else 2 * node + 1
        return node - self._width

    def _set(self, box: int, room: int) -> None:
        node = self._width + box
        self._most[node] = room
        while node > 1:
            node //= 2
            self._most[node] = max(self._most[2 * node], self._most[2 * node + 1])


# --- Tasks of whole documents, in order, with copies of documents as controls ---

_CONTROL_SHARE = 0.3
_Parts: TypeAlias = list[tuple[int, ...]]  # the lines of a document, part by part


@dataclass(frozen=True, slots=True)
class Piece:
    """A document of one system, or a part of a long one."""

    system: str
    rows: tuple[int, ...]


def room(per_task: int) -> tuple[int, int]:
    """Return how many outputs and how many controls a task can hold."""
    if per_task < 10:
        raise InputError(f"`per_task` must be at least 10 for documents; got {per_task}.")
    controls = round(_CONTROL_SHARE * per_task)
    return per_task - controls, controls


def longest_part(per_task: int, n_systems: int) -> int:
    """Return how long a document can be for all `n_systems` versions to be copied in one task.

    Every document may then be copied whole; a copy that is shorter than what it copies would be
    known by that.
    """
    _, controls = room(per_task)
    if controls < n_systems:
        enough = next(n for n in counting(per_task) if room(n)[1] >= n_systems)
        raise InputError(
            f"`per_task` must be at least {enough} for controls of all {n_systems} systems of a "
            f"line to fit into one task; got {per_task}. Choose a larger one, fewer `systems`, "
            'or assignment="random".'
        )
    return controls // n_systems


def document_rows(pool: Pool, longest: int) -> tuple[list[_Parts], str]:
    """Return for every document the lines of its parts, and a note where one was cut.

    A long document is cut into parts of nearly equal length.
    """
    lines: dict[str, list[int]] = {}
    names = pool.corpus.documents or ()
    for row in pool.rows:
        lines.setdefault(names[row], []).append(row)
    parts = []
    for rows in lines.values():
        n = -(-len(rows) // longest)
        parts.append([tuple(part.tolist()) for part in np.array_split(rows, n)])
    cut = [name for name, of in zip(lines, parts, strict=True) if len(of) > 1]
    note = (
        f"{count(len(cut), 'document')} longer than {longest} lines cut into parts "
        f"({listing(cut, most=3)})."
        if cut
        else ""
    )
    return parts, note


def random_document_slots(
    pool: Pool,
    documents: list[_Parts],
    *,
    size: int,
    raters: int | None,
    rng: np.random.Generator,
) -> list[list[list[Piece]]]:
    """Return for every rater the pieces of each task: all are shuffled and packed."""
    tasks = _pack(_pieces(pool, documents), size, rng)
    slots = len(tasks) if raters is None else raters
    check_raters(slots, len(tasks), "task", overlap=False)
    parts = np.array_split(np.arange(len(tasks)), slots)
    return [[tasks[i] for i in part.tolist()] for part in parts]


def paired_document_slots(
    pool: Pool,
    documents: list[_Parts],
    twice: Collection[int],
    *,
    size: int,
    raters: int | None,
    rng: np.random.Generator,
) -> list[list[list[Piece]]]:
    """Return for every rater the pieces of each task, versions of a document side by side.

    A rater gets all systems of a document; documents with lines in `twice` go to two raters.
    The documents of a rater are shuffled, and each goes into the first task with room for all
    its versions; the parts of a long one follow each other, part by part.
    """
    check_raters(raters, len(documents), "document", overlap=bool(twice))
    shares = _shares(documents, twice, len(pool.systems), size, raters, rng)
    if len(pool.systems) == 1:
        return [_pack(_pieces(pool, share), size, rng) for share in shares]
    slots = []
    for share in shares:
        orders = SystemOrder(list(pool.systems), rng)
        slots.append(
            [
                [Piece(name, rows) for rows in parts for name in orders.next()]
                for parts in _pack_versions(share, len(pool.systems), size, rng)
            ]
        )
    return slots


def _shares(
    documents: list[_Parts],
    twice: Collection[int],
    n_systems: int,
    size: int,
    raters: int | None,
    rng: np.random.Generator,
) -> list[list[_Parts]]:
    """Return the documents of each rater: one task's worth each, or shared out evenly."""
    again = [i for i, parts in enumerate(documents) if parts[0][0] in twice]
    both = [*range(len(documents)), *again]
    order = [both[i] for i in rng.permutation(len(both)).tolist()]
    lengths = [n_systems * sum(len(part) for part in parts) for parts in documents]
    shares = _filled(order, lengths, size) if raters is None else _even(order, lengths, raters)
    return [[documents[index] for index in own] for own in shares]


def _filled(order: Sequence[int], lengths: Sequence[int], size: int) -> list[list[int]]:
    """Put each document to the first rater who has room for it in a task, and not itself."""
    shares: list[list[int]] = []
    free = FirstFit()
    for index in order:
        taker = free.first(lengths[index])
        while taker is not None and index in shares[taker]:  # a task's worth is short
            taker = free.first(lengths[index], start=taker + 1)
        if taker is None:
            taker = len(shares)
            shares.append([])
            free.add(size)
        shares[taker].append(index)
        free.take(taker, lengths[index])
    return shares


def _even(order: Sequence[int], lengths: Sequence[int], raters: int) -> list[list[int]]:
    """Put the longest first, each to who has least and not itself: loads end nearly equal."""
    shares: list[list[int]] = [[] for _ in range(raters)]
    loads = [(0, rater) for rater in range(raters)]  # a heap: who has least comes first
    taken: dict[int, int] = {}  # who has a document already
    for index in sorted(order, key=lambda i: -lengths[i]):
        load, taker = heappop(loads)
        if taken.get(index) == taker:
            other, load, taker = (load, taker), *heappop(loads)
            heappush(loads, other)
        shares[taker].append(index)
        taken[index] = taker
        heappush(loads, (load + lengths[index], taker))
    return shares


def _pieces(pool: Pool, documents: Sequence[_Parts]) -> list[Piece]:
    return [Piece(name, rows) for parts in documents for rows in parts for name in pool.systems]


def _pack_versions(
    documents: Sequence[_Parts], n_systems: int, size: int, rng: np.random.Generator
) -> list[_Parts]:
    """Put shuffled documents into the first task with room for all their versions.

    A part of a document never comes before the part that precedes it.
    """
    tasks: list[_Parts] = []
    free = FirstFit()
    for index in rng.permutation(len(documents)).tolist():
        earliest = 0
        for rows in documents[index]:
            length = n_systems * len(rows)
            fits = free.first(length, start=earliest)
            if fits is None:
                tasks.append([])
                free.add(size)
            earliest = len(tasks) - 1 if fits is None else fits
            tasks[earliest].append(rows)
            free.take(earliest, length)
    return tasks


def _pack(pieces: list[Piece], size: int, rng: np.random.Generator) -> list[list[Piece]]:
    """Put shuffled pieces into the first task with room for them."""
    tasks: list[list[Piece]] = []
    free = FirstFit()
    for index in rng.permutation(len(pieces)).tolist():
        length = len(pieces[index].rows)
        fits = free.first(length)
        if fits is None:
            tasks.append([])
            free.add(size)
            fits = len(tasks) - 1
        tasks[fits].append(pieces[index])
        free.take(fits, length)
    _give_company(tasks, free)
    return tasks


def _give_company(tasks: list[list[Piece]], free: FirstFit) -> None:
    """Move a piece to a task that holds only one, so that its copy need not follow at once."""
    for lonely in [task for task, own in enumerate(tasks) if len(own) <= 1]:
        for rich in range(len(tasks)):
            if len(tasks[lonely]) > 1 or len(tasks[rich]) < 3:
                continue
            piece = min(tasks[rich], key=lambda one: len(one.rows))
            if len(piece.rows) <= free.room(lonely):
                tasks[rich].remove(piece)
                tasks[lonely].append(piece)
                free.take(rich, -len(piece.rows))
                free.take(lonely, len(piece.rows))


def document_work(
    slot: Sequence[Sequence[Piece]],
    pool: Pool,
    controls: ControlMaker,
    rng: np.random.Generator,
    *,
    per_task: int,
    together: int,
) -> list[Task]:
    """Return the tasks of a rater: documents in order, and second copies of some of them.

    A copy has the form of what it copies: all versions of a document, side by side and whole, or
    one version where they are shared out at random. Each line of it is at random a repeat, the
    reference or a degraded copy of the same line, in equal numbers over the task. A coin for each
    copied document says which of its two places holds the originals; they are half a task apart,
    with another document between where there is one. Systems take turns in the documents that are
    copied and in the lines that are degraded.

    Parameters
    ----------
    together : int
        How many pieces in a row are versions of one document: all systems, or one.
    """
    work = [
        [pieces[start : start + together] for start in range(0, len(pieces), together)]
        for pieces in slot
    ]
    lines: Counter[str] = Counter()  # copied, of each system
    chosen = [_choose(groups, pool, per_task, lines, rng) for groups in work]
    copied = [
        [piece for index in copies for piece in groups[index]]
        for groups, copies in zip(work, chosen, strict=True)
    ]
    available = [_lines_by_system(pieces) for pieces in copied]
    wanted = [-(-sum(task.values()) // len(CONTROLS)) for task in available]
    dealt = deal_evenly(available, wanted, controls.degraded, rng)
    return [
        _task(groups, copies, _kinds(pieces, degraded, rng), pool, controls, rng)
        for groups, copies, pieces, degraded in zip(work, chosen, copied, dealt, strict=True)
    ]


_Kinds: TypeAlias = dict[Piece, list[Kind]]  # of every line of every piece that is copied


def _lines_by_system(pieces: Sequence[Piece]) -> Counter[str]:
    found: Counter[str] = Counter()
    for piece in pieces:
        found[piece.system] += len(piece.rows)
    return found


def _kinds(pieces: Sequence[Piece], degraded: Counter[str], rng: np.random.Generator) -> _Kinds:
    """Return the kind of every line that is copied: so many degraded, the rest half and half."""
    places = [(piece, line) for piece in pieces for line in range(len(piece.rows))]
    places = [places[i] for i in rng.permutation(len(places)).tolist()]
    left = Counter(degraded)
    others = cycle([kind for kind in CONTROLS if kind != "degraded"])
    kinds: _Kinds = {piece: ["degraded"] * len(piece.rows) for piece in pieces}
    for piece, line in places:
        if left[piece.system]:
            left[piece.system] -= 1
        else:
            kinds[piece][line] = next(others)
    return kinds


def _task(
    groups: Sequence[Sequence[Piece]],
    copies: Sequence[int],
    kinds: _Kinds,
    pool: Pool,
    controls: ControlMaker,
    rng: np.random.Generator,
) -> Task:
    """Put documents and copies into their order, versions of one document side by side."""
    made: list[Task] = [
        [[pool.shown(Output(piece.system, row)) for row in piece.rows] for piece in group]
        for group in groups
    ]
    again: dict[int, Task] = {}
    for index in copies:
        second = [
            [controls.one(o, kind) for o, kind in zip(lines, kinds[piece], strict=True)]
            for piece, lines in zip(groups[index], made[index], strict=True)
        ]
        if len(groups) > 1:  # in the only document a copy is farthest in the same order
            second = [second[i] for i in rng.permutation(len(second)).tolist()]
        if rng.integers(2):
            made[index], second = second, made[index]
        again[index] = second
    return arrange(made, again)


def _choose(
    groups: Sequence[Sequence[Piece]],
    pool: Pool,
    per_task: int,
    lines: Counter[str],
    rng: np.random.Generator,
) -> list[int]:
    """Return what is copied: of the system with the fewest lines so far, and so on.

    One at least, and as many as bring the controls nearest to three tenths. Of a document in
    several parts one is copied in a task: a check must know which lines stood in one copy.
    `lines` counts over all tasks of the rater.
    """
    size = [sum(len(piece.rows) for piece in group) for group in groups]
    free = per_task - sum(size)
    left = round(sum(size) * _CONTROL_SHARE / (1.0 - _CONTROL_SHARE))
    names = pool.corpus.documents or ()
    chosen: list[int] = []
    taken: set[tuple[str, str]] = set()
    waiting = rng.permutation(len(groups)).tolist()
    while waiting:
        index = min(waiting, key=lambda i: lines[groups[i][0].system])
        waiting.remove(index)
        own = {(piece.system, names[piece.rows[0]]) for piece in groups[index]}
        if chosen and (size[index] > min(free, 2 * left) or own & taken):
            continue
        chosen.append(index)
        taken |= own
        lines.update(_lines_by_system(groups[index]))
        free -= size[index]
        left -= size[index]
    return chosen
