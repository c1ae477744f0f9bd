"""What the demo shows, against a story made by hand."""

from detectable.report.blocks import Chart, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.theme import NARROW, WIDE
from detectable.report.render.markdown import render_markdown
from detectable.report.render.page import render_page
from detectable.report.render.text import render_text
from tests.report import results
from tests.report.shown.shown import block_of, columns, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.demo_story()) == [
        *("Verdict", "chart planted", "Text", "Text", "differences", "Repeat"),
    ]
    assert shown(results.demo_story(differences=())) == ["Verdict", "Text", "Text", "Repeat"]


def test_verdict() -> None:
    assert block_of(results.demo_story(), "Verdict") == Verdict(
        status="info",
        headline="1 of 2 steps found what was planted, or said that 40 documents cannot show it.",
        detail=("A campaign of 2 systems.",),
    )


def test_steps() -> None:
    assert blocks_of(results.demo_story())[2:-2] == (
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


def test_the_table_of_differences() -> None:
    table = table_of(results.demo_story(), "differences")
    assert (table.title, table.folded) == ("Planted and found, in points", False)
    assert columns(table) == [
        "system: system, name",
        "baseline: against, name",
        "planted: planted, signed number",
        "found: found, signed number",
        "interval: interval, signed interval",
        "mde: MDE 80%, number, keep 3 (Smallest difference that is found with 80% power.)",
        "verdict: verdict, verdict",
    ]
    assert rows(table) == [
        "new | old | +6.0 | +5.0 | [+2.0, +8.0] | 3.8 | ▲ better",
        "newer | old | +1.0 | −2.5 | [−5.5, +0.5] | 3.8 | ○ undecided",
    ]


def test_the_chart_says_how_many_intervals_hold_what_was_planted() -> None:
    chart = block_of(results.demo_story(), "chart planted")
    assert isinstance(chart, Chart)
    assert (
        chart.title == "1 of 2 intervals hold what was planted; 1 of 2 systems are told apart"
    )
    assert chart.alt == (
        f"{chart.title}. new: planted +6.0, found +5.0, better. "
        "newer: planted +1.0, found −2.5, undecided."
    )
    assert chart.caption.startswith(
        "Against old. Black tick: what was planted. ▲ better, ● undecided. Thin line and numbers: "
        "95% interval"
    )
    assert (chart.twin, chart.key) == ("differences", True)
    first = results.demo_story().differences[:1]
    right = block_of(results.demo_story(differences=first), "chart planted")
    assert isinstance(right, Chart)
    assert right.title == "All 1 intervals hold what was planted; 1 of 1 systems are told apart"


def test_the_chart_has_a_tick_where_the_truth_lies() -> None:
    chart = block_of(results.demo_story(), "chart planted")
    assert isinstance(chart, Chart)
    for width in (WIDE, NARROW):
        ticks = chart.make(width)["layer"][-1]
        assert ticks["mark"]["type"] == "tick"
        assert [row["planted"] for row in ticks["data"]["values"]] == [6.0, 1.0]
        assert ticks["encoding"]["x"]["field"] == "planted"


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
