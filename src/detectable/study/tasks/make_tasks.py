"""Annotation tasks with controls, from the outputs of systems."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.choices import Assignment, DegradeUnit, TaskKind
from detectable.core.errors import InputError
from detectable.core.result import Signature
from detectable.core.rng import resolve
from detectable.core.types import Seed
from detectable.data.texts.corpus import Corpus
from detectable.study.tasks.controls import ControlMaker
from detectable.study.tasks.degrade import Phrases, guess_unit
from detectable.study.tasks.document_tasks import (
    document_rows,
    document_slots,
    document_work,
    room,
)
from detectable.study.tasks.result import Tasks, count_degraded, count_kinds
from detectable.study.tasks.rows import Pool, Task, TaskRow, pool_of, rows_of
from detectable.study.tasks.segment_tasks import segment_slots, segment_work


def make_tasks(
    corpus: Corpus,
    *,
    kind: TaskKind = "segment",
    assignment: Assignment = "paired",
    systems: Sequence[str] | None = None,
    per_task: int = 100,
    raters: int | None = None,
    unit: DegradeUnit = "auto",
    rng: Seed = None,
) -> Tasks:
    """Make annotation tasks with controls, after Direct Assessment.

    ``kind="segment"``: a task is 70 outputs, 10 degraded copies, 10 repeats and 10 references,
    in blocks of 7 outputs and 3 controls; the controls of a block are made from the block half
    a task away [1]_. ``kind="document"``: documents of one system each, their lines in order,
    and second copies of some of them in which each line is a repeat, a reference or a degraded
    copy [2]_. Every control has its original in the same task, so that one rater judges both.
    Degraded copies are dealt evenly over the systems, within every rater.

    Parameters
    ----------
    corpus : Corpus
        Outputs and references; sources and documents where known. Documents are needed for
        ``kind="document"``.
    assignment : {'paired', 'random'}
        Give all systems of a sentence (or document) to one rater, so that systems can be
        compared in pairs, or share out at random, as the WMT campaigns do.
    systems : sequence of str, optional
        Which systems; all by default.
    per_task : int
        Texts in a task: exactly (sentences), or at most (documents).
    raters : int, optional
        Slots of raters, one to each task (or to the tasks of a document) by default.
    unit : {'auto', 'word', 'character'}
        What is replaced in degraded copies. ``auto`` takes characters where most letters of
        the references belong to a script without spaces.
    rng : Generator, int or None
        None draws a fresh seed and records it in the signature.

    References
    ----------
    .. [1] Graham, Baldwin, Moffat and Zobel (2017), "Can machine translation systems be
       evaluated by the crowd alone", Natural Language Engineering 23(1), 3–30.
    .. [2] Barrault et al. (2020), "Findings of the 2020 conference on machine translation".

    Examples
    --------
    >>> lines = [f"this is line {i} of the text" for i in range(40)]
    >>> corpus = Corpus.build({"A": lines, "B": lines}, lines)
    >>> tasks = make_tasks(corpus, rng=1)
    >>> tasks.n_tasks, tasks.counts["degraded"], tasks.distance_min >= 40
    (2, 20, True)
    """
    check.literal(kind, TaskKind, "kind")
    check.literal(assignment, Assignment, "assignment")
    check.literal(unit, DegradeUnit, "unit")
    per_task = check.positive_int(per_task, "per_task")
    if raters is not None:
        raters = check.positive_int(raters, "raters")
    if kind == "document" and corpus.documents is None:
        raise InputError('`kind` must be "segment" for a corpus without documents.')
    generator, seed = resolve(rng)
    pool = pool_of(corpus, systems)
    chosen = guess_unit(pool.references) if unit == "auto" else unit
    controls = ControlMaker(pool, Phrases(pool.references, chosen), generator)
    paired = assignment == "paired"
    make = _segments if kind == "segment" else _documents
    made, filled, notes = make(pool, controls, generator, (paired, per_task, raters))
    rows = _named_rows(made, pool)
    settings: dict[str, str | int | float] = {"kind": kind, "assignment": assignment}
    settings |= {"per-task": per_task, "systems": len(pool.systems), "unit": chosen}
    return _result(
        rows,
        pool,
        kind,
        assignment,
        n_filled=filled,
        notes=(*pool.notes, *notes, *controls.notes()),
        signature=Signature("tasks", settings, seed),
    )


_Design: TypeAlias = tuple[bool, int, int | None]
_Made: TypeAlias = tuple[list[list[Task]], int, tuple[str, ...]]


def _segments(
    pool: Pool, controls: ControlMaker, rng: np.random.Generator, design: _Design
) -> _Made:
    paired, per_task, raters = design
    slots, filled = segment_slots(
        pool, paired=paired, per_task=per_task, raters=raters, rng=rng
    )
    made = [segment_work(slot, pool, controls, rng) for slot in slots]
    note = f"{filled:,} outputs are shown once more, to fill up the last tasks."
    return made, filled, (note,) if filled else ()


def _documents(
    pool: Pool, controls: ControlMaker, rng: np.random.Generator, design: _Design
) -> _Made:
    paired, per_task, raters = design
    size, most = room(per_task)
    # Two pieces to a task at least: a copy should not follow its document at once.
    documents, note = document_rows(pool, size // 2)
    slots = document_slots(pool, documents, paired=paired, size=size, raters=raters, rng=rng)
    made = [document_work(slot, pool, controls, rng, most_controls=most) for slot in slots]
    alone = sum(len(pieces) == 1 for slot in slots for pieces in slot)
    notes = [note] if note else []
    if alone:
        notes.append(
            f"{alone:,} of {sum(map(len, slots)):,} tasks hold a single document, so that its "
            "copy follows at once: raters may notice. A larger `per_task` or fewer raters help."
        )
    return made, 0, tuple(notes)


def _named_rows(made: list[list[Task]], pool: Pool) -> tuple[TaskRow, ...]:
    """Name tasks and raters so that names sort in order."""
    n_tasks = sum(map(len, made))
    wide_task, wide_rater = len(str(n_tasks)), len(str(len(made)))
    rows: list[TaskRow] = []
    number = 0
    for slot, tasks in enumerate(made, start=1):
        for task in tasks:
            number += 1
            name = f"task-{number:0{wide_task}d}"
            rows += rows_of(task, pool, name=name, rater=f"rater-{slot:0{wide_rater}d}")
    return tuple(rows)


def _result(
    rows: tuple[TaskRow, ...],
    pool: Pool,
    kind: TaskKind,
    assignment: Assignment,
    *,
    n_filled: int,
    notes: tuple[str, ...],
    signature: Signature,
) -> Tasks:
    distances = [abs(r.position - r.of_position) for r in rows if r.of_position is not None]
    counts = count_kinds(rows)
    n_units, n_whole = _whole(rows, pool, kind)
    return Tasks(
        rows=rows,
        task_kind=kind,
        assignment=assignment,
        n_tasks=len({row.task for row in rows}),
        n_raters=len({row.rater for row in rows}),
        n_systems=len(pool.systems),
        counts=counts,
        degraded_by_system=count_degraded(rows, pool.systems),
        control_share=1.0 - counts["system"] / len(rows),
        distance_min=float(min(distances, default=np.nan)),
        distance_mean=float(np.mean(distances)) if distances else float("nan"),
        n_units=n_units,
        n_whole=n_whole,
        n_filled=n_filled,
        notes=notes,
        signature=signature,
    )


def _whole(rows: tuple[TaskRow, ...], pool: Pool, kind: TaskKind) -> tuple[int, int]:
    """Return the number of sentences or documents, and of those one rater sees wholly."""
    by_document = kind == "document"
    seen: dict[tuple[str, str], set[tuple[str, str]]] = {}
    lines: dict[str, set[str]] = {}
    for row in rows:
        if row.kind == "system":
            name = str(row.document) if by_document else row.item
            seen.setdefault((name, row.rater), set()).add((row.system, row.item))
            lines.setdefault(name, set()).add(row.item)
    whole = {
        name
        for (name, _), outputs in seen.items()
        if len(outputs) == len(lines[name]) * len(pool.systems)
    }
    return len(lines), len(whole)
