"""What a rater agreement shows, against one made by hand."""

from dataclasses import replace
from typing import Any

import pytest

from detectable.report.blocks import Chart
from detectable.study.precision.rater_agreement import RaterPair
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check_readable
from tests.report.shown.shown import block_of


def _pair(name: str, n: int, pearson: float) -> RaterPair:
    return replace(
        results.rater_agreement().pairs[0], other=name, n_translations=n, pearson=pearson
    )


def _chart(**changes: Any) -> Chart:
    made = block_of(results.rater_agreement(**changes), "chart agreement")
    assert isinstance(made, Chart)
    return made


def test_few_pairs_have_names_and_many_are_a_cloud() -> None:
    few = _chart(pairs=(_pair(LONG, 20, 0.1), _pair(JAPANESE, 103, 0.9)))
    drawn = few.make(720)["vconcat"][1]["layer"]
    # The pair that agrees best stands first.
    assert [row["value"] for row in drawn[3]["data"]["values"]] == [0.9, 0.1]
    many = tuple(_pair(f"r{i}", 10 + i, 0.03 * i - 0.3) for i in range(25))
    cloud = _chart(pairs=many)
    assert cloud.caption.endswith("A dot is a pair of raters.")
    points = cloud.make(720)["vconcat"][1]["layer"][2]["data"]["values"]
    assert points[3] == {"n": 13, "value": pytest.approx(-0.21)}
    for chart in (few, cloud):
        check_readable(chart)
