"""The demo on one page: what came of it, then every step with its pictures."""

from collections.abc import Iterator

from detectable.core.result import Result
from detectable.report.blocks import Block, Section, Text
from detectable.report.blocks_of import blocks_of
from detectable.report.several import Report
from detectable.report.shown.demo import planted_text
from detectable.study.demo.story import Chapter, DemoStory

_TITLE = "Demo: a campaign whose truth is known"
_STORY = "What came of it"
_PLANTED = "Planted and found"


def demo_report(story: DemoStory) -> Report:
    """Return the story and the results of its steps, each with what was planted beside it."""
    sections = (Section(_STORY, tuple(_without_steps(story))), *_steps(story))
    names = tuple(section.name for section in sections)
    return Report(_TITLE, names, (story, *story.results), sections)


def _without_steps(story: DemoStory) -> Iterator[Block]:
    """Yield what the story shows; the steps have sections of their own."""
    for block in blocks_of(story, command="detectable demo"):
        if not isinstance(block, Text):
            yield block


def _steps(story: DemoStory) -> Iterator[Section]:
    told = zip(story.chapters, story.results, strict=True)
    for number, (chapter, result) in enumerate(told, start=1):
        yield Section(f"{number}. {chapter.title}", _step(chapter, result))


def _step(chapter: Chapter, result: Result) -> tuple[Block, ...]:
    verdict, *others = blocks_of(result, command=chapter.commands[-1])
    return (verdict, planted_text(_PLANTED, chapter), *others)
