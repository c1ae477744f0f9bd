"""What a rater is shown, one row per text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from detectable.core.errors import InputError
from detectable.core.wording import count, listing
from detectable.data.human.judgment_names import Kind
from detectable.data.texts.corpus import Corpus


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
            )
        )
    return made
