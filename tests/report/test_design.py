"""Designs as tables."""

from detectable.report.design import looks_table, samples_table
from detectable.sequential.design import design


def test_one_sided_tests_have_other_headings() -> None:
    table = looks_table(design(looks=3, sided=1, n_max=90))
    titles = [column.title for column in table.columns]
    assert titles == [
        "look",
        "share",
        "judgments",
        "z ≥",
        "nominal p",
        "α spent",
        "futile: z <",
    ]
    assert all(len(row) == len(titles) for row in table.rows)
    assert table.rows[0][2] == "30"


def test_expected_samples_are_in_judgments_where_they_can_be() -> None:
    plan = design("pocock", looks=3, n_max=1000)
    table = samples_table(plan)
    assert [column.title for column in table.columns].count("judgments") == 2
    assert table.rows[2][:4] == ("1.00", "3.477", ".900", f"{1000 * plan.expected_n.full:.0f}")
    share = samples_table(design("pocock", looks=3, futility="none"))
    assert share.rows[0] == ("0.00", "0.000", ".050", "98.0%")
