"""What the demo shows, against a story made by hand."""

from detectable.report.blocks import Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.render.markdown import render_markdown
from detectable.report.render.page import render_page
from detectable.report.render.text import render_text
from tests.report import results
from tests.report.show.shown import block_of, shown


def test_blocks_in_order() -> None:
    assert shown(results.demo_story()) == ["Verdict", "Text", "Text", "Repeat"]


def test_verdict() -> None:
    assert block_of(results.demo_story(), "Verdict") == Verdict(
        status="info",
        headline="1 of 2 steps found what was planted, or said that 40 documents cannot show it.",
        detail=("A campaign of 2 systems.",),
    )


def test_steps() -> None:
    assert blocks_of(results.demo_story())[1:-1] == (
        Text(
            role="story",
            title="1. Look",
            text="detectable look plan.json a.tsv … b.tsv",
            points=(
                ("plain", "Planted: new is 6 points better."),
                ("ok", "Found: new is better at look 2."),
            ),
        ),
        Text(
            role="story",
            title="2. Rank the systems",
            text="detectable rank good.tsv",
            points=(("plain", "Planted: old is second."), ("look", "Found: old is first.")),
        ),
    )


def test_repeat() -> None:
    assert block_of(results.demo_story(), "Repeat") == Repeat("toy|n:3|seed:7|detectable:0.0")


def test_what_was_typed_stands_beside_the_heading_of_a_terminal() -> None:
    assert render_text(blocks_of(results.demo_story())).splitlines()[3:7] == [
        "1. Look: detectable look plan.json a.tsv … b.tsv",
        "· Planted: new is 6 points better.",
        "✓ Found: new is better at look 2.",
        "",
    ]


def test_a_page_and_markdown_have_every_step() -> None:
    blocks = blocks_of(results.demo_story())
    page = render_page(blocks)
    assert (
        '<h2 id="story">1. Look</h2>\n<pre>detectable look plan.json a.tsv … b.tsv</pre>'
        in page
    )
    assert "<h2>2. Rank the systems</h2>" in page
    assert '<a href="#story">Step by step</a>' in page
    assert '<li class="look">Found: old is first.</li>' in page
    assert "<p>detectable look" not in page
    assert "#### 2. Rank the systems\n\ndetectable rank good.tsv\n\n- Planted:" in (
        render_markdown(blocks)
    )
