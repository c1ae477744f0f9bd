"""Tasks of whole documents, in order, with copies of documents as controls."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TypeAlias

import numpy as np

from detectable.core.errors import InputError
from detectable.core.wording import count, listing
from detectable.data.human.judgments import Kind
from detectable.study.tasks.controls import CONTROLS, ControlMaker
from detectable.study.tasks.deal import deal_evenly
from detectable.study.tasks.rows import Output, Pool, Shown, Task

_CONTROL_SHARE = 0.3


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


def document_rows(pool: Pool, longest: int) -> tuple[list[list[tuple[int, ...]]], str]:
    """Return for every document the lines of its parts, and a note where one was cut.

    A long document is cut into parts of nearly equal length.
    """
    lines: dict[str, list[int]] = {}
    for row, name in enumerate(pool.corpus.documents or ()):
        lines.setdefault(name, []).append(row)
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


def document_slots(
    pool: Pool,
    documents: list[list[tuple[int, ...]]],
    *,
    paired: bool,
    size: int,
    raters: int | None,
    rng: np.random.Generator,
) -> list[list[list[Piece]]]:
    """Return for every rater the pieces of each task.

    Paired, a rater gets all systems of a document; the pieces of a rater are shuffled and
    packed into as few tasks as they fit in one after the other. Otherwise all pieces are.
    """
    order = [documents[i] for i in rng.permutation(len(documents)).tolist()]
    if not paired:
        tasks = _pack(_pieces(pool, order), size, rng)
        slots = len(tasks) if raters is None else raters
        _check_slots(slots, len(tasks), "task")
        parts = np.array_split(np.arange(len(tasks)), slots)
        return [[tasks[i] for i in part.tolist()] for part in parts]
    shares = _shares(order, len(pool.systems), size, raters)
    return [_pack(_pieces(pool, share), size, rng) for share in shares]


def _shares(
    documents: list[list[tuple[int, ...]]], n_systems: int, size: int, raters: int | None
) -> list[list[list[tuple[int, ...]]]]:
    """Return the documents of each rater: one task's worth each, or shared out evenly."""
    lengths = [n_systems * sum(len(part) for part in parts) for parts in documents]
    shares: list[list[list[tuple[int, ...]]]]
    if raters is None:
        shares, filled = [], size + 1
        for parts, length in zip(documents, lengths, strict=True):
            if filled + length > size:
                shares.append([])
                filled = 0
            shares[-1].append(parts)
            filled += length
        return shares
    _check_slots(raters, len(documents), "document")
    shares = [[] for _ in range(raters)]
    loads = [0] * raters
    # The longest first, each to the rater with least: nobody gets much more than others.
    for index in sorted(range(len(documents)), key=lambda i: -lengths[i]):
        least = loads.index(min(loads))
        shares[least].append(documents[index])
        loads[least] += lengths[index]
    return shares


def _pieces(pool: Pool, documents: Sequence[list[tuple[int, ...]]]) -> list[Piece]:
    return [Piece(name, rows) for parts in documents for rows in parts for name in pool.systems]


def _pack(pieces: list[Piece], size: int, rng: np.random.Generator) -> list[list[Piece]]:
    """Put shuffled pieces into the first task with room for them."""
    tasks: list[list[Piece]] = []
    free: list[int] = []
    for index in rng.permutation(len(pieces)).tolist():
        length = len(pieces[index].rows)
        fits = next((i for i, left in enumerate(free) if left >= length), None)
        if fits is None:
            tasks.append([])
            free.append(size)
            fits = len(tasks) - 1
        tasks[fits].append(pieces[index])
        free[fits] -= length
    _give_company(tasks, free)
    return tasks


def _give_company(tasks: list[list[Piece]], free: list[int]) -> None:
    """Move a piece to a task that holds only one, so that its copy need not follow at once."""
    for lonely in range(len(tasks)):
        for rich in range(len(tasks)):
            if len(tasks[lonely]) > 1 or len(tasks[rich]) < 3:
                continue
            piece = min(tasks[rich], key=lambda one: len(one.rows))
            if len(piece.rows) <= free[lonely]:
                tasks[rich].remove(piece)
                tasks[lonely].append(piece)
                free[rich] += len(piece.rows)
                free[lonely] -= len(piece.rows)


def _check_slots(slots: int, most: int, what: str) -> None:
    if slots > most:
        raise InputError(
            f"`raters` must be at most {most}: there are {count(most, what)} to share out; "
            f"got {slots}."
        )


def document_work(
    slot: Sequence[Sequence[Piece]],
    pool: Pool,
    controls: ControlMaker,
    rng: np.random.Generator,
    *,
    most_controls: int,
) -> list[Task]:
    """Return the tasks of a rater: documents in order, and second copies of some of them.

    Each line of a copy is at random a repeat, the reference or a degraded copy of the same
    line, in equal numbers over the task. Copies fill three tenths of the task. Systems take
    turns, in the documents that are copied and in the lines that are degraded. A copy stands
    half a task away from its document, before or after it, with another document between where
    there is one.
    """
    lines: Counter[str] = Counter()  # copied, of each system
    chosen = [_choose(pieces, most_controls, lines, rng) for pieces in slot]
    available = [
        _lines_by_system(pieces, copies) for pieces, copies in zip(slot, chosen, strict=True)
    ]
    wanted = [-(-sum(task.values()) // len(CONTROLS)) for task in available]
    dealt = deal_evenly(available, wanted, controls.degraded, rng)
    return [
        _task(pieces, copies, _kinds(pieces, copies, degraded, rng), pool, controls)
        for pieces, copies, degraded in zip(slot, chosen, dealt, strict=True)
    ]


_Copies: TypeAlias = dict[int, range]  # which lines of which pieces are copied


def _lines_by_system(pieces: Sequence[Piece], copies: _Copies) -> Counter[str]:
    found: Counter[str] = Counter()
    for index, lines in copies.items():
        found[pieces[index].system] += len(lines)
    return found


def _kinds(
    pieces: Sequence[Piece],
    copies: _Copies,
    degraded: Counter[str],
    rng: np.random.Generator,
) -> dict[int, list[Kind]]:
    """Return the kind of every line that is copied: so many degraded, the rest half and half."""
    places = [(index, line) for index, lines in copies.items() for line in range(len(lines))]
    places = [places[i] for i in rng.permutation(len(places)).tolist()]
    left = Counter(degraded)
    others = cycle([kind for kind in CONTROLS if kind != "degraded"])
    kinds: dict[int, list[Kind]] = {i: ["degraded"] * len(of) for i, of in copies.items()}
    for index, line in places:
        system = pieces[index].system
        if left[system]:
            left[system] -= 1
        else:
            kinds[index][line] = next(others)
    return kinds


def _task(
    pieces: Sequence[Piece],
    copies: _Copies,
    kinds: dict[int, list[Kind]],
    pool: Pool,
    controls: ControlMaker,
) -> Task:
    """Put documents and copies into their order."""
    blocks = [[pool.shown(Output(piece.system, row)) for row in piece.rows] for piece in pieces]
    half = len(blocks) // 2
    before: dict[int, list[list[Shown]]] = {}
    after: dict[int, list[list[Shown]]] = {}
    for index, lines in copies.items():
        originals = blocks[index][lines.start : lines.stop]
        copy = [controls.one(o, kind) for o, kind in zip(originals, kinds[index], strict=True)]
        if index + half < len(blocks):
            after.setdefault(index + half, []).append(copy)
        else:
            before.setdefault(index - half, []).append(copy)
    made: Task = []
    for index, block in enumerate(blocks):
        made += [*before.get(index, []), block, *after.get(index, [])]
    return made


def _choose(
    pieces: Sequence[Piece], most: int, lines: Counter[str], rng: np.random.Generator
) -> _Copies:
    """Return what is copied: of the system with the fewest lines so far, and so on.

    A copy takes a third of the lines at most, or half where there are two systems; only a part
    of a longer document is copied. So no task has copies of one system alone. `lines` counts
    over all tasks of the rater.
    """
    n = sum(len(piece.rows) for piece in pieces)
    wanted = min(most, max(1, round(n * _CONTROL_SHARE / (1.0 - _CONTROL_SHARE))))
    systems = {piece.system for piece in pieces}
    share = -(-wanted // min(len(systems), 3))
    size: dict[int, int] = {}
    passed: list[int] = []
    waiting = rng.permutation(len(pieces)).tolist()
    left = wanted
    while waiting:
        index = min(waiting, key=lambda i: lines[pieces[i].system])
        waiting.remove(index)
        length = min(len(pieces[index].rows), share)
        if length > left:
            passed.append(index)
            continue
        size[index] = length
        lines[pieces[index].system] += length
        left -= length
    # Too little to be worth a part of a document is left out.
    while left > wanted // 5:
        index = min(
            (i for i in (*passed, *size) if size.get(i, 0) < len(pieces[i].rows)),
            key=lambda i: lines[pieces[i].system],
        )
        more = min(left, len(pieces[index].rows) - size.get(index, 0))
        size[index] = size.get(index, 0) + more
        lines[pieces[index].system] += more
        left -= more
    return {i: _part(len(pieces[i].rows), length, rng) for i, length in size.items()}


def _part(n: int, length: int, rng: np.random.Generator) -> range:
    """Return successive lines of a document of n, beginning anywhere."""
    start = int(rng.integers(n - length + 1))
    return range(start, start + length)
