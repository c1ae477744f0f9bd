"""The pictures of every result that is made by hand can be read."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from detectable import save
from detectable.contrasts.contrast import NO_INTERVAL, Contrast
from detectable.core.result import Result
from detectable.core.verdict import Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.render.markdown import render_markdown
from detectable.report.render.page import render_page
from detectable.report.render.text import render_text
from detectable.report.render.text_table import MOST_ROWS
from detectable.report.saved.receipt import EXIT_CODES
from detectable.report.shown.ordered import each, ranks_of, who_beats_whom, who_is_first
from tests.frozen.variants import VARIANTS
from tests.report import results
from tests.report.charts.drawn import check
from tests.report.many_systems import compared, ranked
from tests.report.results import receipt
from tests.report.shown.shown import shown, table_of

# Pictures that are not yet as they should be. Where one is mended, strict xfail says so.
KNOWN = {
    "comparison-limits-unknown": "the picture of two metrics is wider than its place",
    "comparison-equivalent-at-90": "the picture of differences is wider than a phone",
    "history-not-tested": "the alternative text has no number",
    "look-before-anything-is-tested": "the alternative text has no number",
    "look-goes-on-to-worse": "two texts cover each other on a phone",
    "quality-very-many": "the picture of raters is wider than a phone",
}


@pytest.mark.slow  # every picture is drawn four times
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=KNOWN[name]))
        if name in KNOWN
        else name
        for name in VARIANTS
    ],
)
def test_its_pictures_can_be_read(name: str) -> None:
    check(blocks_of(VARIANTS[name]()))


# --- What alternative texts and titles say of systems in an order ---


@dataclass(frozen=True)
class Row:
    system: str
    rank_low: int
    rank_high: int


def pair(system: str, baseline: str, verdict: Verdict) -> Contrast:
    return Contrast(
        system=system,
        baseline=baseline,
        difference=1.0,
        interval=NO_INTERVAL,
        p_value=0.1,
        p_adjusted=0.1,
        verdict=verdict,
    )


def test_ranks_are_one_number_or_two() -> None:
    assert [ranks_of(Row("a", 2, 2)), ranks_of(Row("a", 1, 3))] == ["2", "1–3"]


def test_the_title_names_who_is_alone_on_top_and_counts_who_is_not() -> None:
    rows = [Row("a", 1, 2), Row("b", 1, 2), Row("c", 3, 3)]
    assert who_is_first(rows, 1) == "2 of 3 systems could be first; 2 clusters"
    assert who_is_first(rows[1:], 0) == "Only b can be first; all in one cluster"


def test_twelve_systems_are_told_and_the_others_counted() -> None:
    rows = [Row(f"s{i}", i, i) for i in range(1, 14)]
    told = each(rows[:12], lambda row: f"{row.rank_low}.5")
    assert told.startswith("s1: 1.5, ranks 1. s2: ")
    assert told.endswith("s12: 12.5, ranks 12.")
    told = each(rows, lambda row: f"{row.rank_low}.5")
    assert told.endswith("s12: 12.5, ranks 12. And 1 more in the table.")


def test_a_system_that_ranks_lower_may_still_win_a_pair() -> None:
    rows = [Row("a", 1, 2), Row("b", 1, 2), Row("c", 3, 3)]
    pairs = [pair("a", "c", "better"), pair("a", "b", "worse"), pair("b", "c", "better")]
    assert who_beats_whom(rows, pairs) == "a beats 1, b beats 2."
    assert who_beats_whom(rows, [pair("a", "c", "undecided")]) == "No system beats another."


# --- What a check of a kept result shows ---


def test_exit_codes_are_those_of_a_gate() -> None:
    assert EXIT_CODES == {"same": 0, "different": 3, "not repeated": 4}
    assert receipt().exit_code == 3


def test_a_kept_receipt_names_no_folder_of_the_machine(tmp_path: Path) -> None:
    save(receipt(file=str(tmp_path / "rank.json")), tmp_path / "receipt.json")
    text = (tmp_path / "receipt.json").read_text()
    assert "rank.json" in text
    assert str(tmp_path) not in text


# --- Scores first: a reader sees what each system got before any difference ---

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
