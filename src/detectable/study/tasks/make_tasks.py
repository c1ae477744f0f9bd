"""Annotation tasks with controls, from the outputs of systems."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from detectable.core.choices import Assignment, DegradeUnit, TaskKind
from detectable.core.errors import InputError
from detectable.core.interpreter import many_objects
from detectable.core.options import asked
from detectable.core.result import Signature
from detectable.core.rng import resolve
from detectable.core.types import Seed
from detectable.core.wording import count
from detectable.data.directions import rows_of_direction
from detectable.data.files.table import TableSource
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.read_corpus_file import corpus_of
from detectable.study.origins import reverse_share
from detectable.study.reverse_share import ChangedNumber, ReverseShare
from detectable.study.selection.selection import Selection
from detectable.study.settings import TaskSettings
from detectable.study.tasks.controls import (
    ControlMaker,
    Phrases,
    guess_unit,
    rows_judged_twice,
    sample_items,
    selected_items,
)
from detectable.study.tasks.document_tasks import (
    document_rows,
    document_work,
    longest_part,
    paired_document_slots,
    random_document_slots,
    room,
)
from detectable.study.tasks.result import (
    Pool,
    Task,
    TaskRow,
    Tasks,
    arrivals,
    count_degraded,
    count_kinds,
    count_shared,
    pool_of,
    rows_of,
)
from detectable.study.tasks.segment_tasks import (
    paired_slots,
    paired_work,
    segment_slots,
    segment_work,
)


@many_objects()
def make_tasks(  # noqa: PLR0913 (what is judged, by whom, in which form)
    corpus: Corpus | TableSource,
    *,
    kind: TaskKind = "segment",
    assignment: Assignment = "paired",
    systems: Sequence[str] | None = None,
    n_items: int | None = None,
    selection: Selection | None = None,
    per_task: int = 100,
    raters: int | None = None,
    overlap: float = 0.0,
    unit: DegradeUnit = "auto",
    rng: Seed = None,
) -> Tasks:
    """Make annotation tasks with controls, after Direct Assessment.

    ``kind="segment"``: a task is 70 outputs, 10 degraded copies, 10 repeats and 10 references.
    All systems of a sentence follow each other, and so do their controls, half a task away; at
    random, blocks of 7 outputs and 3 controls are made as in [1]_. ``kind="document"``:
    documents of one system each, their lines in order, and second copies of some of them in
    which each line is a repeat, a reference or a degraded copy [2]_. All versions of a document
    follow each other. Every control has its original in the same task, so that one rater judges
    both. A copy has the form of what it copies, and a coin says which of the two comes first, so
    that the order does not reveal them. Lines of a document share a coin: check their raters
    with ``quality_control(…, against="neighbours")``. Degraded copies are dealt evenly over the
    systems, within every rater.

    In which order a rater sees the systems of an item is random, and balanced: every system
    comes first, second, … equally often with every rater, but for one.

    Parameters
    ----------
    corpus : Corpus
        Outputs and references; sources and documents where known. Documents are needed for
        ``kind="document"``.
    kind : {'segment', 'document'}
        Single sentences, or documents in order.
    assignment : {'paired', 'random'}
        Give all systems of a sentence (or document) to one rater, next to each other in one
        task, so that systems can be compared in pairs and pairs are complete early; or share
        out at random, as the WMT campaigns do.
    systems : sequence of str, optional
        Which systems; all by default.
    n_items : int, optional
        How many lines to draw; all by default. Where documents are known they are drawn whole,
        until `n_items` lines are reached.
    selection : Selection, optional
        From `select`, in place of `n_items`: its last batch is shown, with its weights.
    per_task : int
        Texts in a task, at most; exactly where outputs are shared out at random. A document
        that does not fit into a task in all its versions is cut into parts.
    raters : int, optional
        Slots of raters, one to each task (or to the tasks of a document) by default.
    overlap : float
        Share of the lines that a second rater judges too, in all systems; whole documents,
        where they are known, until the share is reached. Agreement between raters and
        components of variance need some (a tenth, say). For ``assignment="paired"``.
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
    >>> lines = [f"this is line {i} of the text" for i in range(70)]
    >>> corpus = Corpus.build({"A": lines, "B": lines}, lines)
    >>> tasks = make_tasks(corpus, rng=1)
    >>> tasks.n_tasks, tasks.counts["degraded"], tasks.distance_min >= 40
    (2, 20, True)
    >>> [(after.share, after.n_pairs) for after in tasks.arrival]
    [(0.25, 14), (0.5, 34), (0.75, 53), (1.0, 70)]
    """
    corpus = corpus_of(corpus)
    chosen = asked(TaskSettings, locals())
    per_task, raters, n_items = chosen.per_task, chosen.raters, chosen.n_items
    overlap = _checked_overlap(overlap, assignment)
    if kind == "document" and corpus.documents is None:
        raise InputError('`kind` must be "segment" for a corpus without documents.')
    generator, seed = resolve(rng)
    if selection is not None and n_items is not None:
        raise InputError(
            "`n_items` has no effect beside `selection`, which says what is judged."
        )
    pool = pool_of(corpus, systems)
    if selection is None:
        pool = sample_items(pool, n_items, generator)
    else:
        pool = selected_items(pool, selection)
    twice = rows_judged_twice(pool, overlap, generator)
    replaced = guess_unit(pool.references) if unit == "auto" else unit
    controls = ControlMaker(pool, Phrases(pool.references, replaced), generator)
    design = _Design(assignment == "paired", per_task, raters, twice)
    make = _segments if kind == "segment" else _documents
    made, filled, notes = make(pool, controls, generator, design)
    settings: dict[str, str | int | float] = {"kind": kind, "assignment": assignment}
    given = {"items": n_items, "raters": raters, "overlap": overlap or None}
    settings |= {name: value for name, value in given.items() if value is not None}
    if selection is not None:
        settings["selection"] = selection.fingerprint[:12]
    settings |= {"per-task": per_task, "systems": len(pool.systems), "unit": replaced}
    return _result(
        _named_rows(made, pool),
        pool,
        kind,
        assignment,
        n_filled=filled,
        notes=(*pool.notes, *notes, *controls.notes()),
        signature=Signature("tasks", settings, seed),
    )


def _reverse(corpus: Corpus, rows: tuple[TaskRow, ...]) -> ReverseShare | None:
    """Say how many of the outputs to be judged translate reverse-created lines."""
    share = reverse_share(corpus)
    if share is None or not share.is_mixed:
        return share
    forward = rows_of_direction(corpus, "forward")
    outputs = [row for row in rows if row.kind == "system"]
    left = sum(bool(forward[int(row.item) - 1]) for row in outputs)
    number = ChangedNumber(measure="", what="outputs", before=len(outputs), after=left)
    return replace(share, numbers=(number,))


def _checked_overlap(overlap: float, assignment: Assignment) -> float:
    if not 0.0 <= overlap <= 1.0:
        raise InputError(
            f"`overlap` must lie between 0 and 1, a share of the items; got {overlap!r}."
        )
    if overlap and assignment != "paired":
        raise InputError(
            f'`overlap` must be 0 with assignment="{assignment}"; got {overlap!r}. Whole items '
            'are judged twice, which needs assignment="paired".'
        )
    return float(overlap)


@dataclass(frozen=True, slots=True)
class _Design:
    """How the work is shared out; `twice` holds the lines that two raters judge."""

    paired: bool
    per_task: int
    raters: int | None
    twice: frozenset[int]


_Made: TypeAlias = tuple[list[list[Task]], int, tuple[str, ...]]


def _segments(
    pool: Pool, controls: ControlMaker, rng: np.random.Generator, design: _Design
) -> _Made:
    per_task, raters = design.per_task, design.raters
    if design.paired:
        work = paired_slots(pool, design.twice, per_task=per_task, raters=raters, rng=rng)
        made = [paired_work(slot, pool, controls, rng, per_task=per_task) for slot in work]
        alone = sum(len(rows) == 1 for slot in work for rows in slot)
        return made, 0, _lonely(alone, sum(map(len, work)), "sentence")
    slots, filled = segment_slots(pool, per_task=per_task, raters=raters, rng=rng)
    made = [segment_work(slot, pool, controls, rng) for slot in slots]
    note = f"{filled:,} outputs are shown once more, to fill up the last tasks."
    return made, filled, (note,) if filled else ()


def _documents(
    pool: Pool, controls: ControlMaker, rng: np.random.Generator, design: _Design
) -> _Made:
    raters = design.raters
    size, _ = room(design.per_task)
    together = len(pool.systems) if design.paired else 1
    documents, note = document_rows(pool, longest_part(design.per_task, together))
    if note and together > 2:
        note += (
            f" All {together} systems of a part can be copied in one task; a larger `per_task` "
            "keeps documents whole."
        )
    if design.paired:
        slots = paired_document_slots(
            pool, documents, design.twice, size=size, raters=raters, rng=rng
        )
    else:
        slots = random_document_slots(pool, documents, size=size, raters=raters, rng=rng)
    made = [
        document_work(slot, pool, controls, rng, per_task=design.per_task, together=together)
        for slot in slots
    ]
    alone = sum(len({piece.rows for piece in task}) == 1 for slot in slots for task in slot)
    lonely = _lonely(alone, sum(map(len, slots)), "document")
    return made, 0, (*((note,) if note else ()), *lonely)


def _lonely(alone: int, n_tasks: int, what: str) -> tuple[str, ...]:
    """Say that copies are near where a task holds nothing to put between."""
    if not alone:
        return ()
    return (
        f"{alone:,} of {count(n_tasks, 'task')} {'holds' if n_tasks == 1 else 'hold'} a single "
        f"{what}, so that its copies stand near: raters may notice. A larger `per_task` or "
        "fewer raters help.",
    )


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
        n_items=pool.n_rows,
        n_shared=count_shared(rows, len(pool.systems)),
        n_filled=n_filled,
        arrival=arrivals(rows),
        notes=notes,
        reverse=_reverse(pool.corpus, rows),
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
