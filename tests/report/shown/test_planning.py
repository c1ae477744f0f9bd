"""What a planning answer shows, against one made by hand."""

from tests.report import results
from tests.report.shown.shown import csv_lines, rows, table_of


def test_csv_keeps_all_digits() -> None:
    third = table_of(results.power_estimate(power=1.0 / 3.0), "details")
    assert rows(third)[0] == "power | 0.333333"
    assert csv_lines(third)[1] == "power,0.3333333333333333"
