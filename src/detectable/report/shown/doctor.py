"""What an examination of files shows."""

from collections.abc import Iterable, Iterator

from detectable.report.blocks import (
    Block,
    Column,
    Mark,
    Repeat,
    Table,
    Text,
    Verdict,
    notes,
    table,
)
from detectable.study.doctor.examination import Examination, Question


def show_examination(found: Examination) -> Iterator[Block]:
    """Show what there is and what to type, then questions, suspicions, facts and files."""
    typed = (f"Next: {found.next_command}",) if found.next_command else ()
    yield Verdict("warning" if found.suspicions else "info", found.headline(), typed)
    for question in found.questions:
        if question.possible:
            yield _answerable(question)
    cannot = [question for question in found.questions if not question.possible]
    if cannot:
        said = [f"{one.question} {one.why}" for one in cannot]
        yield Text("limits", "What they cannot answer", points=_points("plain", said))
    if found.suspicions:
        yield Text("checks", "Look twice", points=_points("look", found.suspicions))
    if found.facts:
        yield from _facts(found)
    yield table(
        "files",
        "Files",
        (
            Column("path", "file", "name"),
            Column("kind", "holds", "text"),
            Column("format", "format", "text", keep=2),
            Column("about", "that is", "text", keep=3),
        ),
        found.files,
    )
    yield from notes(found.notes)
    yield Repeat(str(found.signature))


def _facts(found: Examination) -> Iterator[Table]:
    """Show a table for each body of data: their names would push what was found off a phone."""
    bodies = list(dict.fromkeys(fact.data for fact in found.facts))
    columns = (Column("what", "what", "text"), Column("value", "found", "text"))
    for number, data in enumerate(bodies, start=1):
        name = "facts" if number == 1 else f"facts-{number}"
        title = "What is there" if len(bodies) == 1 else f"What is there: {data}"
        yield table(name, title, columns, [fact for fact in found.facts if fact.data == data])


def _answerable(question: Question) -> Text:
    said = (question.why, *(f"It would see {one.sentence()}." for one in question.detects))
    return Text("story", question.question, question.command, _points("plain", said))


def _points(mark: Mark, texts: Iterable[str]) -> tuple[tuple[Mark, str], ...]:
    return tuple((mark, text) for text in texts)
