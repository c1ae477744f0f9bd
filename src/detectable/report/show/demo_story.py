"""What the demo shows."""

from collections.abc import Iterator

from detectable.report.blocks import Block, Repeat, Text, Verdict
from detectable.study.demo.story import Chapter, DemoStory


def show(story: DemoStory) -> Iterator[Block]:
    """Show how many steps found what was planted, and then every step."""
    yield Verdict("info", story.headline(), (story.campaign,))
    for number, chapter in enumerate(story.chapters, start=1):
        yield _told(number, chapter)
    yield Repeat(str(story.signature))


def _told(number: int, chapter: Chapter) -> Text:
    first, *others = chapter.commands
    more = f" … {others[-1].split()[-1]}" if others else ""
    return Text(
        "story",
        f"{number}. {chapter.title}",
        f"{first}{more}",
        points=(
            ("plain", f"Planted: {chapter.planted}"),
            ("ok" if chapter.agrees else "look", f"Found: {chapter.found}"),
        ),
    )
