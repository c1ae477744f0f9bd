"""Markdown for GitHub: nothing is read as markup, what is long is folded."""

import html
import re

import pytest

from detectable.report.blocks import (
    Block,
    Column,
    Examples,
    Mark,
    Matrix,
    Methods,
    Repeat,
    Status,
    Table,
    Text,
    Verdict,
)
from detectable.report.render.markdown import escape, render_markdown, table_markdown

HEAD = Verdict("info", "A.")
LAST = Repeat("sig")


def made(*blocks: Block) -> str:
    return render_markdown((HEAD, *blocks, LAST))


@pytest.mark.parametrize(
    ("status", "alert"),
    [
        ("better", "TIP"),
        ("worse", "WARNING"),
        ("equivalent", "NOTE"),
        ("undecided", "IMPORTANT"),
        ("info", "NOTE"),
        ("warning", "CAUTION"),
    ],
)
def test_the_verdict_is_an_alert(status: Status, alert: str) -> None:
    text = render_markdown((Verdict(status, "B is better.", ("By far.", "Yes.")), LAST))
    assert text.startswith(f"> [!{alert}]\n> **B is better.**\n>\n> By far.\n>\n> Yes.\n\n")


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a|b", "a\\|b"),
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ("&lt;", "&amp;lt;"),
        ("*_`[x]~$#", "\\*\\_\\`\\[x\\]\\~\\$\\#"),
        ("back\\slash", "back\\\\slash"),
        ("two\n\nlines\tand", "two lines and"),
        ("“plain” − ±", "“plain” − ±"),
    ],
)
def test_markup_is_escaped(text: str, escaped: str) -> None:
    assert escape(text) == escaped


COLUMNS = (
    Column("name", "name", "name"),
    Column("size", "size|s"),
    Column("third", "third", keep=3),
    Column("fourth", "fourth", keep=4),
)


def test_a_table_keeps_what_matters_and_escapes_its_cells() -> None:
    table = Table("t", "T", COLUMNS, (("a|b", 1.5, 2.0, 3.0),), note="Mind *this*.")
    assert table_markdown(table).splitlines() == [
        "| name | size\\|s | third |",
        "|:--|--:|--:|",
        "| a\\|b | 1.50 | 2.00 |",
        "",
        "Mind \\*this\\*.",
    ]


def test_an_open_table_has_a_title_and_a_folded_one_a_summary() -> None:
    rows = (("a", 1.0, 2.0, 3.0), ("b", 1.0, 2.0, 3.0))
    opened = made(Table("t", "Sizes_1", COLUMNS, rows))
    assert "\n\n**Sizes\\_1**\n\n| name |" in opened
    folded = made(Table("t", "Sizes_1 <b>", COLUMNS, rows, folded=True))
    assert "\n\n<details><summary>Sizes_1 &lt;b&gt; (2 rows)</summary>\n\n| name |" in folded
    assert "| b | 1.00 | 2.00 |\n\n</details>\n\n" in folded


def test_texts_have_headings_and_points() -> None:
    points: tuple[tuple[Mark, str], ...] = (
        ("ok", "Fine."),
        ("look", "Mind_this."),
        ("plain", "So."),
    )
    text = made(
        Text("checks", "Checks", "Read <this>.", points), Text("note", "Notes", "Only.")
    )
    assert (
        "#### Checks\n\nRead &lt;this&gt;.\n\n- Fine.\n- ⚠️ Mind\\_this.\n- So.\n\n#### Notes\n\nOnly.\n\n"
        in text
    )
    assert "#### Bare\n\n- Fine.\n\n" in made(Text("checks", "Bare", points=points[:1]))


def test_a_matrix_has_numbers_symbols_and_a_legend() -> None:
    verdicts = (
        (None, "better", "undecided"),
        ("worse", None, None),
        ("undecided", "higher", None),
    )
    text = made(Matrix("m", "All_pairs", ("a", "b|c", "d"), verdicts, "As_of today."))
    assert (
        "**All\\_pairs**\n\n"
        "|  |  | 1 | 2 | 3 |\n"
        "|--:|:--|:-:|:-:|:-:|\n"
        "| 1 | a |  | ▲ | · |\n"
        "| 2 | b\\|c | ▼ |  |  |\n"
        "| 3 | d | · | ▲ |  |\n\n"
        "▲ row better than column, ▼ worse, ◆ equivalent, · undecided. As\\_of today.\n\n"
    ) in text
    assert "undecided.\n\n<details>" in made(Matrix("m", "M", ("a",), ((None,),)))


def test_examples_are_folded() -> None:
    items = (
        ("segment 1: +0.5", (("source", "Guten *Tag*."), ("a_b", "<p>"))),
        ("segment 2", ()),
    )
    text = made(Examples("To read & keep", items))
    assert (
        "<details><summary>To read &amp; keep</summary>\n\n"
        "**segment 1: +0.5**\n\n- source: Guten \\*Tag\\*.\n- a\\_b: &lt;p&gt;\n\n"
        "**segment 2**\n\n</details>\n\n"
    ) in text


def test_how_to_repeat_it_is_code() -> None:
    assert render_markdown((HEAD, Repeat("a|b", "detectable it"))).endswith(
        "<details><summary>To repeat this</summary>\n\n"
        "```console\n$ detectable it\n```\n\n```text\na|b\n```\n\n</details>\n"
    )
    assert "console" not in render_markdown((HEAD, Repeat("a|b")))


def test_a_fence_is_longer_than_what_it_holds() -> None:
    text = render_markdown((HEAD, Repeat("``` x ````", "")))
    assert "\n`````text\n``` x ````\n`````\n" in text
    assert "\n```text\n`` x\n```\n" in render_markdown((HEAD, Repeat("`` x", "")))


def _long(title: str, characters: int, *, folded: bool) -> Table:
    column = Column("t", "t", "text")
    return Table(title.lower(), title, (column,), (("x" * characters,),), folded=folded)


def test_a_comment_holds_sixty_thousand_characters() -> None:
    bare = made(_long("A", 1, folded=True))
    room = 60_000 - len(bare) - 1  # every block counts with the empty line after it
    assert "Left out" not in made(_long("A", 1 + room, folded=True))
    assert "Left out" in made(_long("A", 2 + room, folded=True))


def test_the_longest_folded_table_goes_first_and_open_ones_stay() -> None:
    text = made(
        _long("Open", 30_000, folded=False),
        _long("Shorter", 20_000, folded=True),
        _long("Longest_one", 25_000, folded=True),
    )
    assert "Shorter" in text
    assert "**Open**" in text
    assert text.endswith(
        "Left out, as too long for a comment: Longest\\_one. With --all they are there.\n"
    )
    both = made(
        _long("Open", 50_000, folded=False),
        _long("Shorter", 20_000, folded=True),
        _long("Longest", 25_000, folded=True),
    )
    assert both.endswith(
        "Left out, as too long for a comment: Longest, Shorter. With --all they are there.\n"
    )


def test_what_is_not_folded_is_never_left_out() -> None:
    text = made(_long("Open", 70_000, folded=False))
    assert len(text) > 70_000
    assert "Left out" not in text


def test_every_details_has_an_empty_line_before_its_content_and_is_closed() -> None:
    from detectable.report.blocks_of import blocks_of
    from tests.report.results import RESULTS

    for result in RESULTS.values():
        text = render_markdown(blocks_of(result, command="detectable it"))
        assert text.count("<details>") == text.count("</details>")
        assert not re.search(r"</summary>\n[^\n]", text)
        tags = set(
            re.findall(r"</?(\w+)", html.unescape(re.sub(r"```.*?```", "", text, flags=re.S)))
        )
        assert tags <= {"details", "summary"}


def test_what_is_to_be_read_goes_after_folded_tables_and_matrices_last() -> None:
    examples = Examples("To read", (("one", (("source", "x" * 30_000),)),))
    n = 80
    matrix = Matrix("m", "All pairs", tuple(f"s{i}" for i in range(n)), ((None,) * n,) * n)
    folded = _long("Folded", 20_000, folded=True)
    text = made(matrix, examples, folded)
    assert len(text) <= 60_000
    assert "comment: Folded. With" in text
    longer = made(_long("Open", 20_000, folded=False), matrix, examples, folded)
    assert "comment: Folded, To read. With" in longer
    longest = made(_long("Open", 50_000, folded=False), matrix, examples, folded)
    assert "comment: Folded, To read, All pairs. With" in longest


def test_everything_leaves_nothing_out() -> None:
    items = tuple((f"segment {i}", ()) for i in range(8))
    columns = (Column("a", "first"), Column("b", "fourth", keep=4), Column("c", "data", keep=9))
    table = Table("t", "T", columns, ((1.0, 2.0, 3.0),))
    blocks = (HEAD, table, _long("A", 70_000, folded=True), Examples("To read", items), LAST)
    whole = render_markdown(blocks, everything=True)
    assert len(whole) > 70_000
    assert "Left out" not in whole
    assert "| first | fourth |\n" in whole
    assert "segment 7" in whole
    assert "more with" not in whole
    short = render_markdown((HEAD, table, Examples("To read", items), LAST))
    assert "| first |\n" in short
    assert "segment 5" in short
    assert "segment 6" not in short
    assert "\n\n2 more with --all.\n\n</details>" in short


def test_long_tables_are_folded_unless_they_are_the_answer() -> None:
    def rows(n: int, title: str) -> Table:
        return Table(title.lower(), title, (Column("a", "a"),), tuple((1.0,) for _ in range(n)))

    text = made(rows(20, "Answer"), rows(12, "Short"), rows(13, "Long"))
    assert "**Answer**\n\n| a |" in text
    assert "**Short**\n\n| a |" in text
    assert "<details><summary>Long (13 rows)</summary>\n\n| a |" in text
    large = Matrix("m", "Large", tuple(f"s{i}" for i in range(13)), ((None,) * 13,) * 13)
    assert "<details><summary>Large (13 systems)</summary>\n\n|" in made(large)


def test_a_name_in_all_rows_is_said_in_the_title() -> None:
    columns = (
        Column("a", "against", "name"),
        Column("b", "system", "name"),
        Column("c", "score"),
    )
    table = Table("t", "Differences", columns, (("old", "x", 1.0), ("old", "y", 2.0)))
    text = made(table)
    assert "**Differences (against old)**\n\n| system | score |\n" in text
    grouped = Table("t", "D", columns, (("old", "x", 1.0), ("new", "y", 2.0)), (1,))
    assert "| against | system | score |\n" in made(grouped)


def test_methods_are_folded() -> None:
    text = made(Methods("We compared *it*."))
    assert (
        "<details><summary>For your paper</summary>\n\nWe compared \\*it\\*.\n\n</details>"
        in text
    )


def test_sizes_of_usual_results() -> None:
    from detectable.report.blocks_of import blocks_of
    from tests.report.many_systems import compared, ranked

    comparison = render_markdown(blocks_of(compared(7, ("bleu", "chrf", "ter"))))
    assert len(comparison.encode()) < 6_000
    ranking = render_markdown(blocks_of(ranked(14)))
    assert len(ranking.encode()) < 12_500
    assert ranking.count("\n| ") > 91
    many = compared(40, ("bleu", "chrf", "ter"), every_pair=True)
    text = render_markdown(blocks_of(many))
    assert len(text) <= 60_000
    assert "Left out, as too long for a comment: Differences" in text
