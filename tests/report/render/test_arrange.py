"""Names that all rows share, and names of blocks, are said once."""

from detectable.report.blocks import DATA_ONLY, Column, Table
from detectable.report.render.text_table import arrange, constant

METRIC, SYSTEM = Column("metric", "metric", "name"), Column("system", "system", "name")
SCORE = Column("score", "score")


def made(rows: tuple[tuple[object, ...], ...], breaks: tuple[int, ...] = ()) -> Table:
    return Table("t", "Scores", (METRIC, SYSTEM, SCORE), rows, breaks)


def test_a_name_that_all_rows_share_goes_into_the_title() -> None:
    found = arrange(made((("BLEU", "a", 1.0), ("BLEU", "b", 2.0))))
    assert found.title == "Scores (metric BLEU)"
    assert found.columns == [SYSTEM, SCORE]
    assert found.group is None
    assert found.said == [SYSTEM, SCORE]


def test_several_names_go_together() -> None:
    found = arrange(made((("BLEU", "a", 1.0), ("BLEU", "a", 2.0))))
    assert found.title == "Scores (metric BLEU, system a)"
    assert found.columns == [SCORE]


def test_a_single_row_keeps_its_names() -> None:
    found = arrange(made((("BLEU", "a", 1.0),)))
    assert found.title == "Scores"
    assert found.columns == [METRIC, SYSTEM, SCORE]


def test_a_table_of_nothing_but_shared_names_stays_as_it_is() -> None:
    table = Table("t", "Names", (METRIC, SYSTEM), (("BLEU", "a"),) * 2)
    assert arrange(table).columns == [METRIC, SYSTEM]
    assert arrange(table).title == "Names"


def test_only_names_move_not_numbers_that_happen_to_agree() -> None:
    table = made((("BLEU", "a", 1.0), ("TER", "b", 1.0)))
    assert arrange(table).columns == [METRIC, SYSTEM, SCORE]
    assert not constant(table, SCORE)


def test_the_names_of_blocks_become_headings() -> None:
    rows = (("BLEU", "a", 1.0), ("BLEU", "b", 2.0), ("TER", "a", 3.0))
    found = arrange(made(rows, (2,)))
    assert found.group == METRIC
    assert found.columns == [SYSTEM, SCORE]
    assert found.said == [METRIC, SYSTEM, SCORE]


def test_names_that_change_within_a_block_stay_a_column() -> None:
    rows = (("BLEU", "a", 1.0), ("TER", "b", 2.0), ("TER", "a", 3.0))
    assert arrange(made(rows, (2,))).group is None
    assert arrange(made(rows, (1,))).group == METRIC


def test_without_blocks_there_are_no_headings() -> None:
    rows = (("BLEU", "a", 1.0), ("TER", "b", 2.0))
    assert arrange(made(rows)).group is None


def test_numbers_of_blocks_are_no_headings() -> None:
    table = Table("t", "T", (SCORE, SYSTEM), ((1, "a"), (2, "b")), (1,))
    assert arrange(table).group is None


def test_a_heading_leaves_a_column_below_it() -> None:
    table = Table("t", "T", (SYSTEM,), (("a",), ("b",)), (1,))
    assert arrange(table).group is None
    two = Table("t", "T", (SYSTEM, SCORE), (("a", 1), ("b", 2)), (1,))
    assert arrange(two).group == SYSTEM


def test_columns_for_spreadsheets_are_left_out() -> None:
    data = Column("se", "SE", keep=DATA_ONLY)
    shown = Column("p", "p", keep=DATA_ONLY - 1)
    table = Table("t", "T", (SYSTEM, data, shown), (("a", 1.0, 2.0), ("b", 1.0, 2.0)))
    assert arrange(table).columns == [SYSTEM, shown]
