"""What a page shows of a table: closer together where a desk has no room otherwise."""

from detectable.report.blocks import Column, Repeat, Table, Verdict
from detectable.report.render.arrange import arrange
from detectable.report.render.columns import shown_columns
from detectable.report.render.page import render_page

NAME = Column("system", "system", "name")


def tight(name: str, heading: str = "mean") -> bool:
    columns = (NAME, *(Column(f"c{i}", heading) for i in range(8)))
    table = Table("t", "T", columns, ((name, *(float(i) for i in range(8))),))
    return shown_columns(table, arrange(table)).tight


def test_how_many_letters_fit_on_a_desk() -> None:
    # n is .556 of 14.1 pixels wide, «mean» in bold 2.612; all by 1.18, and 12.8 between columns:
    # 9.25 n + 8 (43.46 + 12.8) <= 748.
    assert not tight("n" * 32)
    assert tight("n" * 33)


def test_a_desk_shows_whole_headings() -> None:
    columns = (NAME, *(Column(f"c{i}", "considerably", short="c") for i in range(8)))
    table = Table("t", "T", columns, (("a", *(float(i) for i in range(8))),))
    assert shown_columns(table, arrange(table)).tight
    assert not tight("a", "c")


def test_the_page_says_so_of_the_table_alone() -> None:
    columns = (NAME, *(Column(f"c{i}", "mean") for i in range(8)))
    row = tuple(float(i) for i in range(8))
    wide = Table("wide", "T", columns, (("n" * 33, *row),))
    usual = Table("usual", "T", columns, (("n", *row),))
    page = render_page([Verdict("info", "A."), wide, usual, Repeat("sig")])
    assert '<table id="wide" class="tight">' in page
    assert '<table id="usual">' in page
