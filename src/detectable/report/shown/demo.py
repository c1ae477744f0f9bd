"""What the demo shows, with its picture: what was planted beside what was found."""

from collections.abc import Iterator, Sequence
from functools import partial

from detectable.core.result import Result
from detectable.core.verdict import differ
from detectable.core.wording import count, number
from detectable.report import blocks
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.forest import Difference, Panel, planted_forest
from detectable.report.charts.marks import said_shapes
from detectable.report.several import Report
from detectable.study.demo.story import Chapter, DemoStory, PlantedDifference


def show_demo_story(story: DemoStory) -> Iterator[blocks.Block]:
    """Show how many steps found what was planted, every step, and the numbers."""
    yield blocks.Verdict("info", _headline(story), (story.campaign,))
    if story.differences:
        yield planted_and_found(story)
    for place, chapter in enumerate(story.chapters, start=1):
        yield _told(place, chapter)
    if story.differences:
        yield differences(story)


def differences(story: DemoStory) -> blocks.Table:
    """Return what was planted beside what the ranking found."""
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("baseline", "against", "name"),
        blocks.Column("planted", "planted", digits=1, sign=True),
        blocks.Column("found", "found", digits=1, sign=True),
        blocks.Column("interval", "interval", "interval", digits=1, sign=True),
        blocks.Column(
            "mde",
            "MDE 80%",
            digits=1,
            keep=3,
            help="Smallest difference that is found with 80% power.",
        ),
        blocks.Column("verdict", "verdict", "verdict"),
    )
    return blocks.table(TABLE, "Planted and found, in points", columns, story.differences)


def _told(number: int, chapter: Chapter) -> blocks.Text:
    first, *others = chapter.commands
    more = f" … {others[-1].split()[-1]}" if others else ""
    return planted_text(f"{number}. {chapter.title}", chapter, typed=f"{first}{more}")


def planted_text(title: str, chapter: Chapter, *, typed: str = "") -> blocks.Text:
    """Return what was planted and what was found in a chapter."""
    mark: blocks.Mark = "ok" if chapter.agrees else "look"
    points: tuple[tuple[blocks.Mark, str], ...] = (
        ("plain", f"Planted: {chapter.planted}"),
        (mark, f"Found: {chapter.found}"),
    )
    return blocks.Text("story", title, typed, points)


# --- The picture of the demo: what was planted beside what was found ---

TABLE = "differences"


def planted_and_found(story: DemoStory) -> blocks.Chart:
    """Return every system against the baseline, with a tick where the truth lies."""
    rows = story.differences
    panel = Panel(
        "points",
        tuple(
            Difference(
                row.system, row.found, row.interval, row.interval_alone, row.verdict, row.mde
            )
            for row in rows
        ),
        digits=1,
    )
    title = _title(rows)
    return blocks.Chart(
        "planted",
        title,
        f"Against {rows[0].baseline}. Black tick: what was planted. "
        f"{said_shapes([row.verdict for row in rows])} Thin line and numbers: "
        f"{rows[0].interval.level:.0%} interval over all pairs, as the verdict; thick: of the pair "
        "alone. Grey bar: too small to be detected.",
        f"{title}. {' '.join(map(_chapters_told, rows))}",
        partial(planted_forest, panel, tuple(row.planted for row in rows)),
        TABLE,
        key=True,
    )


def _title(rows: Sequence[PlantedDifference]) -> str:
    n = sum(row.holds for row in rows)
    which = (
        f"All {n} intervals hold" if n == len(rows) else f"{n} of {len(rows)} intervals hold"
    )
    apart = sum(row.verdict in ("better", "worse") for row in rows)
    return f"{which} what was planted; {differ(apart, len(rows), 'system')}"


def _chapters_told(row: PlantedDifference) -> str:
    planted, found = (number(value, digits=1, sign=True) for value in (row.planted, row.found))
    return f"{row.system}: planted {planted}, found {found}, {row.verdict}."


# --- The demo on one page: what came of it, then every step with its pictures ---

_TITLE = "Demo: a campaign whose truth is known"
_STORY = "What came of it"
_PLANTED = "Planted and found"


def demo_report(story: DemoStory) -> Report:
    """Return the story and the results of its steps, each with what was planted beside it."""
    sections = (blocks.Section(_STORY, tuple(_without_steps(story))), *_steps(story))
    names = tuple(section.name for section in sections)
    return Report(_TITLE, names, (story, *story.results), sections)


def _without_steps(story: DemoStory) -> Iterator[blocks.Block]:
    """Yield what the story shows; the steps have sections of their own."""
    for block in blocks_of(story, command="detectable demo"):
        if not isinstance(block, blocks.Text):
            yield block


def _steps(story: DemoStory) -> Iterator[blocks.Section]:
    told = zip(story.chapters, story.results, strict=True)
    for place, (chapter, result) in enumerate(told, start=1):
        yield blocks.Section(f"{place}. {chapter.title}", _step(chapter, result))


def _step(chapter: Chapter, result: Result) -> tuple[blocks.Block, ...]:
    verdict, *others = blocks_of(result, command=chapter.commands[-1])
    return (verdict, planted_text(_PLANTED, chapter), *others)


def _headline(story: DemoStory) -> str:
    """Say in how many chapters what was planted was found."""
    n, total = story.n_agreeing, count(len(story.chapters), "step")
    which = f"All {total}" if n == len(story.chapters) else f"{n} of {total}"
    return (
        f"{which} found what was planted, or said that {story.n_documents} documents cannot "
        "show it."
    )


def say_demo_story(story: DemoStory) -> str:
    """Say how it went, then every chapter."""
    told = [f"{one.title}. Planted: {one.planted} Found: {one.found}" for one in story.chapters]
    return "\n".join([_headline(story), story.campaign, *told])
