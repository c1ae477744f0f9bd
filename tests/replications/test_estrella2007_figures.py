"""Figures of estrella2007: their curves against gold numbers, their titles against the list."""

import json
import math
from typing import Any

import pytest

from replications.estrella2007 import figures, replicate
from replications.estrella2007.campaigns import RU_EN
from replications.listed import listed
from replications.page import Drawing, figure
from tests.helpers import reference_data
from tests.report.charts.drawn import check_readable

pytestmark = pytest.mark.slow  # the studies take seven seconds


@pytest.fixture(scope="module")
def studies() -> replicate.Studies:
    return replicate.studies(reference_data("data", "wmt"), (RU_EN,))


@pytest.fixture(scope="module")
def drawn(studies: replicate.Studies) -> list[Drawing]:
    return list(figures.drawings(studies))


def gold() -> Any:
    return json.loads(reference_data("gold", "reliability_study.json").read_text())[
        "ruen21_15docs"
    ]


@pytest.mark.golden
def test_the_spread_of_bleu_is_that_of_the_delta_method(drawn: list[Drawing]) -> None:
    [bleu, _] = drawn[7].panels
    lines = {one.name: [y for _, y in one.points] for one in bleu.series}
    assert len(lines) == 10
    for system in ("Facebook-AI", "Online-Y"):
        known = gold()["delta_rel_sd"][f"BLEU|{system}"]
        assert lines[system] == pytest.approx(known["rel_sd"], abs=1e-6)


@pytest.mark.golden
def test_what_is_read_off_the_curves(drawn: list[Drawing]) -> None:
    known = gold()["delta_rel_sd"][f"BLEU|{figures.FITTED}"]
    series = {one.name: one.points for one in drawn[8].panels[0].series}
    assert series["tangent"][1] == pytest.approx((known["xmin"], 0.0), abs=1e-4)
    assert series["x_max"][0][0] == pytest.approx(known["xmax_1e4"], abs=1e-3)
    a, b = known["power"]["a"], known["power"]["b"]
    assert series["power"][0] == pytest.approx((1.0, a), abs=1e-6)
    assert series["power"][-1][1] == pytest.approx(a * series["power"][-1][0] ** -b, abs=1e-6)
    said = f"zero at {known['xmin']:.1f} documents"
    assert said in drawn[8].title
    assert f"from {math.ceil(known['xmax_1e4'])} on (x_max)" in drawn[8].title


@pytest.mark.golden
def test_the_ranking_has_the_listed_correlations(drawn: list[Drawing]) -> None:
    rows = {row["name"]: row["expected"] for row in listed(replicate.LIST)}
    names = (
        "bleu, τ on 26",
        "bleu, τ on 26, to the others",
        "human, τ on 26",
        "human, τ on 26, to the others",
    )
    full, rest, human, others = (
        f"{rows[f'wmt21_ruen, 107 documents, {name}']:.2f}".lstrip("0") for name in names
    )
    assert drawn[10].title.startswith("On the segments of five of CESTA's documents (26 here)")
    assert f"τ = {full} to that of all and {rest} to that of the others" in drawn[10].title
    assert drawn[10].title.endswith(f"by people {human} and {others}")


def test_eleven_figures_of_five_systems(
    drawn: list[Drawing], studies: replicate.Studies
) -> None:
    assert [one.number for one in drawn] == [str(i) for i in range(1, 12)]
    result = studies.long[RU_EN.name]
    for metric, drawing in zip(figures.SCORES, drawn, strict=False):
        curves = figures.chosen(result, metric)
        assert [one.name for one in drawing.panels[0].series] == [c.system for c in curves]
        scores = [curve.score for curve in curves]
        higher = result.about(metric)["higher_is_better"]
        assert scores == sorted(scores, reverse=higher)
        own = [c.score for c in result.curves if c.metric == metric]
        assert {scores[0], scores[-1]} == {min(own), max(own)}


def test_intervals_part_where_none_overlaps_any_more(studies: replicate.Studies) -> None:
    result = studies.long[RU_EN.name]
    best, *_, worst = figures.chosen(result, "human")
    k = figures.parted_at(best, worst)
    assert k == 5
    for i, documents in enumerate(best.documents):
        if documents >= k:
            assert best.interval[i].low > worst.interval[i].high
    assert best.interval[k - 2].low <= worst.interval[k - 2].high
    assert figures.parted_at(best, best) is None


def test_titles_name_the_first_and_the_last_interval(
    drawn: list[Drawing], studies: replicate.Studies
) -> None:
    best, *_ = figures.chosen(studies.long[RU_EN.name], "bleu")
    halves = [(i.high - i.low) / 2 for i in best.interval]
    said = f"narrows from ±{halves[0]:.2f} to ±{halves[-1]:.2f}, clear of the worst system's"
    assert (
        drawn[1].title == f"BLEU: the best system's interval {said} from the first document on"
    )
    assert drawn[4].title.startswith("mWER: ")
    assert drawn[0].title.endswith("from 5 documents on")


def test_all_can_be_read(drawn: list[Drawing]) -> None:
    for drawing in drawn:
        check_readable(figure(drawing).chart)
