"""What the demo shows."""

from collections.abc import Iterator

from detectable.report.blocks import Block, Column, Mark, Repeat, Table, Text, Verdict, table
from detectable.report.figures.demo_story import TABLE, planted_and_found
from detectable.study.demo.story import Chapter, DemoStory


def show(story: DemoStory) -> Iterator[Block]:
    """Show how many steps found what was planted, every step, and the numbers."""
    yield Verdict("info", story.headline(), (story.campaign,))
    if story.differences:
        yield planted_and_found(story)
    for number, chapter in enumerate(story.chapters, start=1):
        yield _told(number, chapter)
    if story.differences:
        yield differences(story)
    yield Repeat(str(story.signature))


def differences(story: DemoStory) -> Table:
    """Return what was planted beside what the ranking found."""
    columns = (
        Column("system", "system", "name"),
        Column("baseline", "against", "name"),
        Column("planted", "planted", digits=1, sign=True),
        Column("found", "found", digits=1, sign=True),
        Column("interval", "interval", "interval", digits=1, sign=True),
        Column(
            "mde",
            "MDE 80%",
            digits=1,
            keep=3,
            help="Smallest difference that is found with 80% power.",
        ),
        Column("verdict", "verdict", "verdict"),
    )
    return table(TABLE, "Planted and found, in points", columns, story.differences)


def _told(number: int, chapter: Chapter) -> Text:
    first, *others = chapter.commands
    more = f" … {others[-1].split()[-1]}" if others else ""
    return planted_text(f"{number}. {chapter.title}", chapter, typed=f"{first}{more}")


def planted_text(title: str, chapter: Chapter, *, typed: str = "") -> Text:
    """Return what was planted and what was found in a chapter."""
    mark: Mark = "ok" if chapter.agrees else "look"
    points: tuple[tuple[Mark, str], ...] = (
        ("plain", f"Planted: {chapter.planted}"),
        (mark, f"Found: {chapter.found}"),
    )
    return Text("story", title, typed, points)
