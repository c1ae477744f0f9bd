"""What the demo shows, against a story made by hand."""

import re

import pytest

from detectable.report.blocks import Chart, Repeat, Text, Verdict
from detectable.report.charts.theme import NARROW, WIDE
from detectable.report.shown.demo import demo_report
from detectable.study.demo.story import DemoStory
from tests.report import results
from tests.report.shown.shown import block_of


def test_the_chart_has_a_tick_where_the_truth_lies() -> None:
    chart = block_of(results.demo_story(), "chart planted")
    assert isinstance(chart, Chart)
    for width in (WIDE, NARROW):
        ticks = chart.make(width)["layer"][-1]
        assert ticks["mark"]["type"] == "tick"
        assert [row["planted"] for row in ticks["data"]["values"]] == [6.0, 1.0]
        assert ticks["encoding"]["x"]["field"] == "planted"


# --- The demo on one page: every step under its name, with what was planted beside it ---

LOOK, RANK = "1. Look", "2. Rank the systems"


@pytest.fixture
def story() -> DemoStory:
    return results.demo_story(results=(results.plan_history(), results.ranking()))


def test_sections(story: DemoStory) -> None:
    made = demo_report(story)
    assert made.title == "Demo: a campaign whose truth is known"
    assert made.names == ("What came of it", LOOK, RANK)
    assert [section.name for section in made.sections()] == list(made.names)
    assert made.results == (story, *story.results)


def test_the_story_leaves_its_steps_to_their_sections(story: DemoStory) -> None:
    first = demo_report(story).sections()[0]
    assert [type(block).__name__ for block in first.blocks] == [
        *("Verdict", "Chart", "Table", "Repeat"),
    ]
    assert first.blocks[-1] == Repeat(str(story.signature), "detectable demo")


def test_every_step_has_what_was_planted_and_its_command(story: DemoStory) -> None:
    _, look, rank = demo_report(story).sections()
    assert isinstance(look.blocks[0], Verdict)
    assert look.blocks[1] == Text(
        "story",
        "Planted and found",
        points=(
            ("plain", "Planted: new is 6 points better."),
            ("ok", "Found: new is better at look 2."),
        ),
    )
    assert isinstance(look.blocks[-1], Repeat)
    assert look.blocks[-1].command == "detectable look plan.json b.tsv"
    assert isinstance(rank.blocks[1], Text)
    assert rank.blocks[1].points[1] == ("look", "Found: old is first.")


def test_the_page(story: DemoStory) -> None:
    page = demo_report(story).page()
    assert re.findall("<h2[^>]*>([^<]+)</h2>", page) == ["What came of it", LOOK, RANK]
    assert '<h3 id="result-2-story">Planted and found</h3>' in page
    assert '<a href="#result-2-story">Planted and found</a>' in page
    assert "<pre></pre>" not in page


def test_the_text_has_no_colon_without_a_command(story: DemoStory) -> None:
    assert (
        "\nPlanted and found\n· Planted: new is 6 points better.\n" in demo_report(story).text()
    )
