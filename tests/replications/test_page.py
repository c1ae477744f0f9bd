"""A page of a paper: counts, tables and figures as blocks."""

from dataclasses import replace

from detectable.report.blocks import Table, Text, Verdict
from detectable.report.blocks_of import blocks_of
from replications.listed import KINDS, Compared, Number
from tests.replications.pages import ROWS, page, power
from tests.report.charts.drawn import check


def tables() -> dict[str, Table]:
    return {block.id: block for block in page().blocks() if isinstance(block, Table)}


def test_what_is_matched_is_counted_with_what_could_not_be_run() -> None:
    made = page()
    assert [str(made.total(kind)) for kind in KINDS] == ["1 of 2", "1 of 1", "1 of 2"]
    assert made.not_run == 1
    verdict = made.blocks()[0]
    assert isinstance(verdict, Verdict)
    assert verdict.status == "info"
    assert verdict.headline == (
        "1 of 2 numbers printed in the paper come out; 1 of 1 of its authors' code and data; "
        "1 of 2 of other published results."
    )
    assert "1 could not be run here; the table says why." in verdict.detail
    assert "One more runs elsewhere." in verdict.detail


def test_a_paper_without_public_data_says_so() -> None:
    made = replace(page(), rows=ROWS[5:])
    verdict = made.blocks()[0]
    assert isinstance(verdict, Verdict)
    assert verdict.headline == "No number printed in the paper can be computed again."
    assert {b.id for b in made.blocks() if isinstance(b, Table)} == {
        "beside",
        "ours",
        "figure-3-numbers",
    }
    others = replace(page(), rows=ROWS[3:])
    verdict = others.blocks()[0]
    assert isinstance(verdict, Verdict)
    assert verdict.headline == (
        "No number printed in the paper can be computed again; 1 of 2 of other published results."
    )


def test_a_number_that_is_not_as_listed_is_a_warning() -> None:
    made = page(problem="moved: 1, expected 2")
    assert made.problems == ["moved: 1, expected 2"]
    verdict = made.blocks()[0]
    assert isinstance(verdict, Verdict)
    assert verdict.status == "warning"
    assert "Not as listed: moved: 1, expected 2." in verdict.detail


def test_a_table_for_each_kind_has_the_published_number_ours_the_tolerance_and_why() -> None:
    numbers = tables()["numbers-paper"]
    keys = [column.key for column in numbers.columns]
    assert keys == ["name", "source", "published", "ours", "tolerance", "state", "why"]
    # What did not match comes first.
    assert numbers.texts() == [
        ("far | off", "section 2", "0.9", "0.1", "0.05", "differs", "its data are not public"),
        ("matched", "Table 1", "0.5", "0.501", "0.005", "matched", ""),
    ]
    assert tables()["numbers-authors"].texts() == [
        ("simulated", "BLEU.ipynb", "0.3", "0.29 ± 0.004", "0", "matched"),
    ]
    assert tables()["numbers-others"].texts() == [
        ("no Java", "MultEval", "2", "", "0.1", "not run", "METEOR left out"),
        ("a cluster", "WMT", "ranks 1 to 2", "ranks 1 to 2", "0", "matched", ""),
    ]
    assert tables()["beside"].texts() == [("a range", "3–4", "3.5")]
    assert tables()["ours"].texts() == [("ours only", "7")]


def test_a_figure_says_what_the_papers_was_and_has_its_numbers_beside() -> None:
    made = page()
    check(made.blocks())
    chart = made.figures[0].chart
    assert chart.caption.startswith("The paper's Figure 3 showed power. Lines: comparisons.")
    numbers = tables()[chart.twin]
    assert (numbers.id, numbers.title) == ("figure-3-numbers", "Numbers of figure 3")
    own = blocks_of(power())
    [twin] = [block for block in own if isinstance(block, Table) and block.id == "power"]
    assert numbers.texts() == twin.texts()
    [about] = [block for block in made.blocks() if isinstance(block, Text)]
    assert about.points == (("plain", "Not drawn, Figure 1: there are no data in it."),)


def test_a_row_says_how_it_compares() -> None:
    assert [row.state for row in ROWS] == [
        *("matched", "differs", "matched", "matched", "not run", "", ""),
    ]
    lines = [row.line() for row in ROWS]
    assert lines[0].endswith("published 0.5  matches")
    assert lines[1].endswith("DIFFERS")
    assert lines[4].endswith("not run")
    assert "0.29 ± 0.004" in lines[2]
    assert Compared("x", None, Number(None)).line().endswith("none")
