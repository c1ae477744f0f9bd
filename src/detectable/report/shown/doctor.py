"""What an examination of files shows."""

import math
from collections.abc import Iterable, Iterator

from detectable.core.wording import count, listing, significant
from detectable.report import blocks
from detectable.study.doctor.examination import Detectable, Examination, Question
from detectable.study.doctor.installation import Installation


def show_examination(found: Examination) -> Iterator[blocks.Block]:
    """Show what there is and what to type, then questions, suspicions, facts and files."""
    typed = (f"Next: {found.next_command}",) if found.next_command else ()
    yield blocks.Verdict("warning" if found.suspicions else "info", headline(found), typed)
    for question in found.questions:
        if question.possible:
            yield _answerable(question)
    cannot = [question for question in found.questions if not question.possible]
    if cannot:
        said = [f"{one.question} {one.why}" for one in cannot]
        yield blocks.Text("limits", "What they cannot answer", points=_points("plain", said))
    if found.suspicions:
        yield blocks.Text("checks", "Look twice", points=_points("look", found.suspicions))
    if found.facts:
        yield from _facts(found)
    yield blocks.table(
        "files",
        "Files",
        (
            blocks.Column("path", "file", "name"),
            blocks.Column("kind", "holds", "text"),
            blocks.Column("format", "format", "text", keep=2),
            blocks.Column("about", "that is", "text", keep=3),
        ),
        found.files,
    )
    yield from blocks.notes(found.notes)


def _facts(found: Examination) -> Iterator[blocks.Table]:
    """Show a table for each body of data: their names would push what was found off a phone."""
    bodies = list(dict.fromkeys(fact.data for fact in found.facts))
    columns = (blocks.Column("what", "what", "text"), blocks.Column("value", "found", "text"))
    for number, data in enumerate(bodies, start=1):
        name = "facts" if number == 1 else f"facts-{number}"
        title = "What is there" if len(bodies) == 1 else f"What is there: {data}"
        yield blocks.table(
            name, title, columns, [fact for fact in found.facts if fact.data == data]
        )


def _answerable(question: Question) -> blocks.Text:
    said = (question.why, *(f"It could detect {could_see(one)}." for one in question.detects))
    return blocks.Text("story", question.question, question.command, _points("plain", said))


def _points(mark: blocks.Mark, texts: Iterable[str]) -> tuple[tuple[blocks.Mark, str], ...]:
    return tuple((mark, text) for text in texts)


def could_see(seen: Detectable) -> str:
    """Say the difference, and all that it hangs on."""
    corrected = f", corrected for {count(seen.n_pairs, 'pair')}" if seen.n_pairs > 1 else ""
    conditions = (
        f"{seen.test} over {count(seen.n_units, seen.unit)}, α = {seen.alpha:g}{corrected}, "
        f"{seen.power:.0%} power"
    )
    if math.isnan(seen.median):
        return f"no difference of any size in {seen.metric} ({conditions})"
    shown = significant(seen.median)
    if seen.n_pairs > 1 and seen.smallest != seen.largest:
        ends = [significant(end) for end in (seen.smallest, seen.largest)]
        shown = f"{shown} ({ends[0]} to {ends[1]} by pair)"
    return f"{shown} or more in {seen.metric} ({conditions})"


def headline(found: Examination) -> str:
    """Say what there is, in one sentence."""
    kinds = list(dict.fromkeys(file.kind for file in found.files))
    sizes = [sum(file.kind == kind for file in found.files) for kind in kinds]
    said = [
        f"{count(n, 'file')} of {_NAMES[kind]}" for n, kind in zip(sizes, kinds, strict=True)
    ]
    able = sum(question.possible for question in found.questions)
    can = (
        f": {count(able, 'question')} can be answered"
        if able
        else ": no question can be answered yet"
    )
    return f"{listing(said, most=9)}{can}."


def say_examination(found: Examination) -> str:
    """Say what there is, what is suspicious and what to type."""
    lines = [headline(found), *found.suspicions]
    if found.next_command:
        lines.append(f"Next: {found.next_command}")
    return "\n".join(lines)


_NAMES: dict[str, str] = {
    "texts": "texts with references",
    "lines": "plain text",
    "scores": "scores",
    "metrics": "scores by several metrics",
    "archive": "past campaigns",
    "judgments": "human judgments",
    "preferences": "preferences",
    "plan": "a plan",
    "result": "a result",
    "baseline": "a baseline",
    "unknown": "an unknown kind",
}


# --- What is installed ---


def show_installation(found: Installation) -> Iterator[blocks.Block]:
    """Show the versions, the machine, and which optional parts are there."""
    slow = found.kernels == "numpy"
    yield blocks.Verdict("warning" if slow else "info", say_installation(found))
    yield blocks.table(
        "system",
        "Where it runs",
        (
            blocks.Column("what", "what", "name", of=lambda row: row[0]),
            blocks.Column("value", "found", "text", of=lambda row: row[1]),
        ),
        [
            ("Python", found.python),
            ("system", found.platform),
            ("processors", str(found.cores)),
            ("kernels", _KERNELS[found.kernels]),
            ("locale", found.locale),
            ("encoding of output", found.encoding),
            ("encoding of file names", found.file_encoding),
            ("output goes to", found.terminal or "not known"),
        ],
    )
    yield blocks.table(
        "packages",
        "Packages",
        (
            blocks.Column("package", "package", "name"),
            blocks.Column(
                "version", "version", "text", of=lambda one: one.version or "not installed"
            ),
            blocks.Column("extra", "needed by", "text", of=lambda one: one.extra or "always"),
        ),
        found.packages,
    )
    yield from blocks.notes(found.notes)


def say_installation(found: Installation) -> str:
    """Say the version, where it runs, and which optional parts are there."""
    there = [name for name, whole in found.extras.items() if whole]
    parts = f"optional parts: {listing(there, most=20)}" if there else "no optional parts"
    return (
        f"detectable {found.version} on {found.python}, {found.platform}, "
        f"{_KERNELS[found.kernels]}; {parts}."
    )


_KERNELS = {"native": "compiled kernels", "numpy": "kernels on numpy (same answers, slower)"}
