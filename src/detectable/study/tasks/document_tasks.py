"""Tasks of whole documents, in order, with copies of documents as controls."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from detectable.core.errors import InputError
from detectable.core.wording import count, listing
from detectable.study.tasks.controls import CONTROLS, ControlMaker
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


def document_task(
    pieces: Sequence[Piece],
    pool: Pool,
    controls: ControlMaker,
    rng: np.random.Generator,
    *,
    most_controls: int,
) -> Task:
    """Return a task: documents in order, and second copies of some of them with controls.

    Each line of a copy is at random a repeat, the reference or a degraded copy of the same
    line, in equal numbers over the task. Copies fill three tenths of the task; where the next
    document is too long for that, a part of it is copied. A copy stands half a task away from
    its document, before or after it, with another document between where there is one.
    """
    blocks = [[pool.shown(Output(piece.system, row)) for row in piece.rows] for piece in pieces]
    n = sum(len(block) for block in blocks)
    wanted = min(most_controls, max(1, round(n * _CONTROL_SHARE / (1.0 - _CONTROL_SHARE))))
    copied = _choose(blocks, wanted, rng)
    deck = [CONTROLS[i % len(CONTROLS)] for i in range(sum(len(c) for _, c in copied))]
    deck = [deck[i] for i in rng.permutation(len(deck)).tolist()]
    half = len(blocks) // 2
    before: dict[int, list[list[Shown]]] = {}
    after: dict[int, list[list[Shown]]] = {}
    for index, originals in copied:
        copy = [controls.one(original, deck.pop()) for original in originals]
        if index + half < len(blocks):
            after.setdefault(index + half, []).append(copy)
        else:
            before.setdefault(index - half, []).append(copy)
    made: Task = []
    for index, block in enumerate(blocks):
        made += [*before.get(index, []), block, *after.get(index, [])]
    return made


def _choose(
    blocks: Sequence[list[Shown]], wanted: int, rng: np.random.Generator
) -> list[tuple[int, list[Shown]]]:
    """Return the documents to be copied, whole where they fit, and a part where none does."""
    chosen: list[tuple[int, list[Shown]]] = []
    left = wanted
    order = rng.permutation(len(blocks)).tolist()
    passed = []
    for index in order:
        if len(blocks[index]) <= left:
            chosen.append((index, blocks[index]))
            left -= len(blocks[index])
        else:
            passed.append(index)
    if passed and left > wanted // 5:
        block = blocks[passed[0]]
        start = int(rng.integers(len(block) - left + 1))
        chosen.append((passed[0], block[start : start + left]))
    return chosen
