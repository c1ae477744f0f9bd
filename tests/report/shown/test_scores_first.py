"""Scores first: a reader sees what each system got before any difference."""

import pytest

from detectable.core.result import Result
from detectable.report.blocks_of import blocks_of
from detectable.report.render.markdown import render_markdown
from detectable.report.render.page import render_page
from detectable.report.render.text import render_text
from detectable.report.render.text_table import MOST_ROWS
from tests.report import results
from tests.report.many_systems import compared, ranked
from tests.report.shown.shown import shown, table_of

# What has the scores, and the tables and charts of differences that come after it.
CASES = {
    "comparison": (results.comparison(), "systems", ("chart differences", "Text", "pairs")),
    "all pairs": (
        compared(5, ("bleu", "chrf"), every_pair=True),
        "systems",
        ("Text", "pairs", "matrix-bleu"),
    ),
    "ranking": (ranked(5), "systems", ("Text", "matrix", "pairs")),
    "arena": (results.arena(), "systems", ("Text", "pairs")),
    "meta": (results.meta(), "metrics", ("Text", "pairs")),
    "mixed": (results.mixed_fit(), "means", ("chart differences", "Text", "contrasts")),
    "gate": (results.gate(), "rows", ("Text", "tests")),
}


@pytest.mark.parametrize("name", CASES)
def test_scores_come_right_after_the_verdict(name: str) -> None:
    result, scores, others = CASES[name]
    names = shown(result)
    assert names[0] == "Verdict"
    found = [names.index(other) for other in others if other in names]
    assert found
    assert names.index(scores) < min(found)


@pytest.mark.parametrize("name", ["comparison", "mixed"])
def test_a_page_has_the_scores_between_the_verdict_and_the_picture(name: str) -> None:
    result, scores, _ = CASES[name]
    page = render_page(blocks_of(result))
    assert page.count(f'<table id="{scores}"') == 1
    places = [page.index(text) for text in ('class="headline"', f'<table id="{scores}"')]
    assert [*places, page.index("<figure")] == sorted([*places, page.index("<figure")])


def long() -> Result:
    return compared(15, ("bleu", "chrf"))


def test_a_terminal_shows_the_first_of_many_scores() -> None:
    result = long()
    assert table_of(result, "systems").folded
    text = render_text(blocks_of(result))
    head, _, rest = text.partition("\nScores")
    assert "system-14" in rest.partition("\n\n")[0]
    assert "difference" not in head
    assert len(rest.partition("\n\n")[0].splitlines()) < MOST_ROWS + 6


def test_many_scores_are_closed_on_a_page_and_in_a_comment_where_differences_are_not() -> None:
    page = render_page(blocks_of(long()))
    assert "<summary>Scores (30 rows)</summary>" in page
    assert page.index("<summary>Scores") < page.index("<figure")
    said = render_markdown(blocks_of(compared(14)))
    assert "<summary>Scores (metric BLEU) (14 rows)</summary>" in said
    assert "<summary>Differences" not in said
