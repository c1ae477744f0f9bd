"""Which columns a phone shows: as many as fit, the least important left out first."""

from detectable.report.blocks import Column, Repeat, Table, Verdict
from detectable.report.render.page import render_page
from detectable.report.render.text_table import arrange, phone_columns, shown_columns

NAME = Column("system", "system", "name")
COLUMNS = (
    NAME,
    Column("a", "mean", keep=3),
    Column("b", "mean", keep=2),
    Column("c", "mean", keep=2),
    Column("d", "mean"),
)


def kept(name: str, *, broken: set[str] | None = None) -> str:
    table = Table("t", "T", COLUMNS, ((name, 1.0, 2.0, 3.0, 4.0),))
    found = phone_columns(table, list(COLUMNS), broken=broken or set())
    return "".join(column.key for column in found.columns)


def test_all_are_kept_where_there_is_room() -> None:
    assert kept("short") == "systemabcd"


def test_the_largest_keep_goes_first_and_of_equal_ones_the_last() -> None:
    lengths = {kept("n" * letters) for letters in range(1, 60)}
    assert lengths == {"systemabcd", "systembcd", "systembd", "systemd"}


def test_how_many_letters_fit() -> None:
    # n is .556 of 12.8 pixels wide, «mean» in bold 2.612; all by 1.18, and 7 between columns:
    # 8.40 n + 4 (39.45 + 7) <= 354.
    assert kept("n" * 20) == "systemabcd"
    assert kept("n" * 21) == "systembcd"


def test_what_matters_most_stays_however_wide() -> None:
    assert kept("n" * 200) == "systemd"


def test_sentences_may_be_broken_and_take_little_room() -> None:
    assert kept("n" * 200, broken={"system"}) == "systemabcd"


def test_a_heading_is_as_wide_as_its_widest_word() -> None:
    def of(title: str) -> int:
        columns = [NAME, *(Column(f"c{i}", title, keep=2) for i in range(6))]
        table = Table("t", "T", tuple(columns), (("a", *range(6)),))
        return len(phone_columns(table, columns, broken=set()).columns)

    assert of("one two three four") == 7
    assert of("one-two-three-four") < 5


def verdicts(name: str) -> tuple[str, ...]:
    columns = [NAME, Column("more", "more", keep=2), Column("verdict", "verdict", "verdict")]
    rows = ((name, 1.0, "better"), (name, 2.0, "undecided"), (name, 3.0, "better"))
    found = phone_columns(Table("t", "T", tuple(columns), rows), columns, broken=set())
    assert (
        columns[1] in found.columns or len(name) > 20
    )  # what is left out goes before words do
    return found.signs


def test_verdicts_are_signs_where_nothing_else_can_be_left_out() -> None:
    assert verdicts("n" * 10) == verdicts("n" * 29) == ()
    assert verdicts("n" * 40) == ("▲ better", "○ undecided")


# --- What a page shows of a table: closer together where a desk has no room otherwise ---


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
