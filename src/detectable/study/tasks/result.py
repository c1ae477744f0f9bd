"""Annotation tasks that are ready to be handed out, row by row."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from detectable.core.choices import Assignment, TaskKind
from detectable.core.errors import InputError
from detectable.core.result import ADDED_IF_KNOWN, Result
from detectable.core.wording import count, listing
from detectable.data.human.columns import Kind
from detectable.data.texts.corpus import Corpus
from detectable.study.reverse_share import ReverseShare


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """One text to be judged.

    Attributes
    ----------
    task, rater : str
        The task (HIT) and the slot of the rater who does it.
    position, block : int
        Place in the task, and the run of texts within it that belongs together: a document,
        the systems of a sentence, or a block of ten; both from 1.
    kind : {'system', 'repeat', 'degraded', 'reference'}
        An ordinary output or a control.
    system, item, document, domain : str
        What was made by whom; item is the line in the corpus, from 1. A control has the system
        of its original, also if the reference is shown.
    source, reference, text : str
        What was translated, a translation by a person, and the text to judge.
    of_position : int or None
        Where the original of a control stands in the same task.
    sampling_weight : float or None
        How many items of its pool the line stands for, where a selection chose it.
    """

    task: str
    rater: str
    position: int
    block: int
    kind: Kind
    system: str
    item: str
    document: str | None
    domain: str | None
    source: str | None
    reference: str
    text: str
    of_position: int | None
    sampling_weight: float | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """One line of one system."""

    system: str
    row: int


@dataclass(eq=False, slots=True)
class Shown:
    """A text on its way into a task; a control points at its original."""

    kind: Kind
    output: Output
    text: str
    of: "Shown | None" = None


Task = list[list[Shown]]  # blocks of texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The texts that are to be judged: the lines `rows` of the corpus, of some systems.

    References are those of all lines: phrases for degraded copies are drawn from them.
    """

    systems: Mapping[str, Sequence[str]]
    references: tuple[str, ...]
    corpus: Corpus
    rows: tuple[int, ...]
    notes: tuple[str, ...]
    weights: Mapping[int, float] | None = None  # of each line, where a selection chose it

    @property
    def n_rows(self) -> int:
        """The number of lines to be judged."""
        return len(self.rows)

    def text(self, output: Output) -> str:
        """Return what a system wrote."""
        return self.systems[output.system][output.row]

    def shown(self, output: Output) -> Shown:
        """Return an ordinary output, to be put into a task."""
        return Shown("system", output, self.text(output))


def pool_of(corpus: Corpus, systems: Sequence[str] | None) -> Pool:
    """Return the outputs of the chosen systems, the first run of each, and one reference."""
    chosen = list(corpus.systems) if systems is None else list(systems)
    unknown = [name for name in chosen if name not in corpus.systems]
    if unknown or not chosen:
        raise InputError(
            f"`systems` must be among {listing(list(corpus.systems), most=10)}; "
            f"got {unknown[0] if unknown else 'none'!r}."
        )
    notes = []
    several = [name for name in chosen if corpus.n_runs(name) > 1]
    if several:
        notes.append(f"The first run was taken of {listing(several)}, which have several.")
    if len(corpus.references) > 1:
        notes.append(
            f"Of {count(len(corpus.references), 'reference')} the first that has the line is "
            "shown."
        )
    references = [
        next(text for text in texts if text is not None)
        for texts in zip(*corpus.references, strict=True)
    ]
    return Pool(
        systems={name: corpus.output(name) for name in chosen},
        references=tuple(references),
        corpus=corpus,
        rows=tuple(range(corpus.n_segments)),
        notes=tuple(notes),
    )


def rows_of(task: Task, pool: Pool, *, name: str, rater: str) -> list[TaskRow]:
    """Give the texts of a task their places, and find the place of every original."""
    flat = [(block, shown) for block, texts in enumerate(task, start=1) for shown in texts]
    places = {id(shown): place for place, (_, shown) in enumerate(flat, start=1)}
    corpus = pool.corpus
    made = []
    for position, (block, shown) in enumerate(flat, start=1):
        row = shown.output.row
        made.append(
            TaskRow(
                task=name,
                rater=rater,
                position=position,
                block=block,
                kind=shown.kind,
                system=shown.output.system,
                item=str(row + 1),
                document=None if corpus.documents is None else corpus.documents[row],
                domain=None if corpus.domains is None else corpus.domains[row],
                source=None if corpus.sources is None else corpus.sources[row],
                reference=pool.references[row],
                text=shown.text,
                of_position=None if shown.of is None else places[id(shown.of)],
                sampling_weight=None if pool.weights is None else pool.weights[row],
            )
        )
    return made


# --- How early pairs are complete: the share of the work after which they can be compared ---

SHARES = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Arrival:
    """What is complete after a share of the work.

    Attributes
    ----------
    share : float
        Texts judged among all texts, controls included. All raters work at the same pace.
    n_pairs : int
        Pairs of systems on one item, of which one rater has judged both.
    """

    share: float
    n_pairs: int


def arrivals(rows: Sequence[TaskRow], shares: Iterable[float] = SHARES) -> tuple[Arrival, ...]:
    """Return how many pairs are complete after these shares of the work.

    Two raters who judge the same two texts make two pairs.
    """
    at: dict[str, int] = {}
    turns: list[tuple[int, TaskRow]] = []
    for row in rows:
        turns.append((at.setdefault(row.rater, 0), row))
        at[row.rater] += 1
    turns.sort(key=lambda turn: turn[0])
    seen: dict[tuple[str, str], set[str]] = {}
    complete = [0]
    for _, row in turns:
        new = 0
        if row.kind == "system":
            systems = seen.setdefault((row.rater, row.item), set())
            if row.system not in systems:
                new = len(systems)
                systems.add(row.system)
        complete.append(complete[-1] + new)
    return tuple(Arrival(share, complete[round(share * len(turns))]) for share in shares)


# --- Annotation tasks that are ready to be handed out ---

# Judgments saved by judging both systems of a sentence with one rater: the median over 706
# pairs of systems of the human evaluations published by Kocmi et al. (2021), and quartiles.
PAIRING_GAIN = (1.43, 1.81, 2.41)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks(Result):
    """Annotation tasks.

    Attributes
    ----------
    rows : tuple of TaskRow
        What is shown, in order, task by task.
    n_tasks, n_raters : int
        Tasks, and the slots of raters that they are shared out to.
    counts : mapping of kind to int
        Outputs, repeats, degraded copies and references.
    degraded_by_system : mapping of system to int
        Degraded copies of each system, over all raters.
    control_share : float
        Controls among all texts.
    distance_min, distance_mean : float
        Texts from a control to its original in the same task; NaN without controls.
    n_units, n_whole : int
        Sentences or documents, and those of which one rater sees all systems.
    n_items, n_shared : int
        Lines that are judged, and those of which two raters see all systems.
    n_filled : int
        Outputs that are shown a second time to fill up a task.
    arrival : tuple of Arrival
        Pairs of systems on an item, judged by one rater, that are complete after a quarter,
        half, three quarters and all of the work.
    reverse : ReverseShare or None
        How much of the data was created in reverse, and what changes without it; None where the
        original languages are not known.
    """

    rows: tuple[TaskRow, ...] = field(repr=False, metadata={"bulk": "rows"})
    task_kind: TaskKind
    assignment: Assignment
    n_tasks: int
    n_raters: int
    n_systems: int
    counts: Mapping[str, int]
    degraded_by_system: Mapping[str, int]
    control_share: float
    distance_min: float
    distance_mean: float
    n_units: int
    n_whole: int
    n_items: int
    n_shared: int
    n_filled: int
    arrival: tuple[Arrival, ...]
    notes: tuple[str, ...] = ()
    reverse: ReverseShare | None = field(default=None, metadata=ADDED_IF_KNOWN)

    @property
    def n_pairs(self) -> int:
        """Pairs of systems on an item that one rater judges both of, over all raters."""
        return self.arrival[-1].n_pairs

    def by_task(self) -> dict[str, list[TaskRow]]:
        """Return the rows of each task."""
        found: dict[str, list[TaskRow]] = {}
        for row in self.rows:
            found.setdefault(row.task, []).append(row)
        return found


def count_kinds(rows: tuple[TaskRow, ...]) -> dict[str, int]:
    """Return how many texts there are of each kind."""
    found = Counter(row.kind for row in rows)
    return {kind: found[kind] for kind in ("system", "repeat", "degraded", "reference")}


def count_degraded(rows: tuple[TaskRow, ...], systems: Iterable[str]) -> dict[str, int]:
    """Return how many degraded copies there are of each system."""
    found = Counter(row.system for row in rows if row.kind == "degraded")
    return {name: found[name] for name in systems}


def count_shared(rows: tuple[TaskRow, ...], n_systems: int) -> int:
    """Return how many lines two raters or more see in all systems."""
    seen: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        if row.kind == "system":
            seen.setdefault((row.item, row.rater), set()).add(row.system)
    raters = Counter(item for (item, _), systems in seen.items() if len(systems) == n_systems)
    return sum(n > 1 for n in raters.values())
