"""Figures of estrella2007: their curves against gold numbers, their systems against the study."""

import json
from typing import Any

import pytest

from replications.estrella2007 import figures, replicate
from replications.estrella2007.campaigns import CAMPAIGNS, JA_EN, RU_EN
from replications.page import Figure
from tests.helpers import reference_data
from tests.report.charts.drawn import check_readable

pytestmark = pytest.mark.slow  # the studies take ten seconds


@pytest.fixture(scope="module")
def studies() -> replicate.Studies:
    return replicate.studies(reference_data("data", "wmt"), CAMPAIGNS)


@pytest.fixture(scope="module")
def drawn(studies: replicate.Studies) -> list[Figure]:
    return list(figures.figures(studies))


def gold() -> Any:
    return json.loads(reference_data("gold", "reliability_study.json").read_text())[
        "ruen21_15docs"
    ]


def lines(figure: Figure) -> list[list[float]]:
    """The heights of the lines of a chart that has one panel."""
    made = figure.chart.make(720)["layer"]
    shown = [one["data"]["values"] for one in made if one["mark"]["type"] == "line"]
    return [[row["y"] for row in rows] for rows in shown]


@pytest.mark.golden
def test_the_spread_of_bleu_is_that_of_the_delta_method(drawn: list[Figure]) -> None:
    """Ten systems, five of them named, on fifteen documents."""
    heights = lines(drawn[9])
    assert len(heights) == 10
    for system in ("Facebook-AI", "Online-Y"):
        known = gold()["delta_rel_sd"][f"BLEU|{system}"]["rel_sd"]
        assert any(found == pytest.approx(known, abs=1e-6) for found in heights)


@pytest.mark.golden
def test_tangents_meet_zero_where_they_should(drawn: list[Figure]) -> None:
    made = drawn[10].chart.make(720)["layer"]
    ends = [
        one["data"]["values"][1]["k"]
        for one in made
        if one["mark"]["type"] == "line" and len(one["data"]["values"]) == 2
    ]
    known = [
        gold()["delta_rel_sd"][f"BLEU|{name}"]["xmin"] for name in ("Facebook-AI", "Online-Y")
    ]
    assert ends == pytest.approx(known, abs=1e-4)
    assert drawn[10].chart.title.endswith(
        f"meet zero at {known[0]:.1f} (Facebook-AI) and {known[1]:.1f} (Online-Y)"
    )


def test_eleven_figures_have_the_numbers_of_the_paper(
    drawn: list[Figure], studies: replicate.Studies
) -> None:
    assert [one.chart.id for one in drawn] == [f"figure-{i}" for i in range(1, 12)]
    for i, campaign in ((0, RU_EN), (3, JA_EN), (5, RU_EN)):
        result = (studies.long if i == 0 else studies.random)[campaign.name]
        own = {c.system: c.mean for c in result.curves if c.metric == "human"}
        heights = lines(drawn[i])
        assert len(heights) == 5
        assert all(any(h == pytest.approx(m) for m in own.values()) for h in heights)
        scores = sorted(c.score for c in result.curves if c.metric == "human")
        ends = sorted((heights[0][-1], heights[-1][-1]))
        assert ends == pytest.approx([scores[0], scores[-1]])
    assert "in a random order" in drawn[5].chart.caption
    assert drawn[2].chart.make(720)["layer"][0]["encoding"]["y"]["axis"]["title"] == (
        "mWER (lower is better)"
    )


def test_a_figure_says_what_the_paper_shows_and_has_its_numbers(drawn: list[Figure]) -> None:
    for one in drawn:
        assert one.chart.caption.startswith("The paper shows ")
        assert "Estrella et al. (2007)" in one.chart.caption
        assert one.numbers.rows
        assert len({row[0] for row in one.numbers.rows}) == 1
        check_readable(one.chart)
