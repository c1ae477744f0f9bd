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
    assert text.endswith("Left out, as too long for a comment: Longest\\_one.\n")
    both = made(
        _long("Open", 50_000, folded=False),
        _long("Shorter", 20_000, folded=True),
        _long("Longest", 25_000, folded=True),
    )
    assert both.endswith("Left out, as too long for a comment: Longest, Shorter.\n")


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
