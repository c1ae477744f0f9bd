"""The replication of clark2011 runs and matches."""

import itertools
from statistics import mean

import numpy as np
import pytest

from detectable.data.scores.scores import Scores
from detectable.study.comparison.compare import compare
from replications.clark2011 import figures, replicate
from replications.clark2011.replicate import main
from replications.listed import listed
from replications.page import Figure
from tests.helpers import reference_data
from tests.report.charts.drawn import check_readable


def test_multevals_example_is_matched() -> None:
    # METEOR's six runs are checked by the slow test of the metric itself.
    assert main(reference_data("data", "multeval"), with_meteor=False) == []


# --- Figures of clark2011: the runs that MultEval prints, and every choice of them ---


def published(system: str) -> list[float]:
    said = {row["name"]: row["published"] for row in listed(replicate.LIST)}
    return [said[f"{system}, bleu, run {i}"] for i in range(replicate.RUNS)]


@pytest.fixture(scope="module")
def drawn() -> list[Figure]:
    """Figures of runs whose means are those that MultEval prints."""
    rng = np.random.default_rng(5)
    item = rng.normal(0, 3, 200)
    item -= item.mean()
    table = {name: np.array(published(name))[:, None] + item for name in ("baseline", "sys1")}
    found = compare(
        Scores.build(table, metric="bleu"),
        baseline="baseline",
        runs_drawn=(1, 2, 3),
        n_examples=0,
        n_resamples=99,
        rng=1,
    )
    return list(figures.figures(found))


def test_differences_of_one_two_and_three_runs(drawn: list[Figure]) -> None:
    runs, differences = drawn
    one = [a - b for a, b in itertools.product(published("sys1"), published("baseline"))]
    low, high = np.quantile(one, (0.025, 0.975))
    assert f"{high:+.4f}" in differences.chart.title
    panels = differences.chart.make(720)["vconcat"]
    assert len(panels) == 3
    whole = mean(published("sys1")) - mean(published("baseline"))
    for panel in panels:
        assert panel["layer"][2]["encoding"]["x"]["datum"] == pytest.approx(whole)
    assert low < 0.0  # a decline with one run of each
    assert "figure 2 of Clark" in differences.chart.caption
    rings = runs.chart.make(720)["hconcat"][0]["layer"][2]["data"]["values"]
    found = sorted(row["score"] for row in rings)
    assert found == pytest.approx(sorted(published("baseline") + published("sys1")))


def test_both_can_be_read_and_have_their_numbers(drawn: list[Figure]) -> None:
    for one in drawn:
        assert one.numbers.rows
        check_readable(one.chart)
