"""The replication of estrella2007 runs, and its README says what it finds."""

import json
import re
from typing import Any

import pytest

from replications.estrella2007 import figures, replicate
from replications.estrella2007.campaigns import CAMPAIGNS, JA_EN, RU_EN, merged
from replications.estrella2007.replicate import LIST, main
from replications.listed import listed
from replications.page import Figure
from tests.helpers import reference_data
from tests.report.charts.drawn import check_readable


@pytest.mark.golden
def test_every_number_is_as_listed() -> None:
    assert main(reference_data("data", "wmt")) == []


def test_the_readme_counts_what_is_listed() -> None:
    said = LIST.with_name("README.md").read_text(encoding="utf-8")
    assert f"all {len(listed(LIST))} numbers" in said


def test_the_readme_states_ranges_that_are_listed() -> None:
    """Every range in the README is that of the rows it is about."""
    rows = {row["name"]: row["expected"] for row in listed(LIST)}
    said = " ".join(LIST.with_name("README.md").read_text(encoding="utf-8").split())

    def span(pattern: str, *, human: bool = False) -> list[float]:
        found = [
            value
            for name, value in rows.items()
            if re.search(pattern, name) and ("human" in name) == human
        ]
        return [min(found), max(found)]

    low, high = span(r"documents, \w+, coverage")
    assert f"cover {100 * low:.0f} to {100 * high:.0f} %" in said
    low, high = span(r"τ on \d+$")
    assert f"τ = .{100 * low:.0f} to .{100 * high:.0f} to that" in said
    low, high = span(r"τ on \d+, to the others")
    assert f".{100 * low:.0f} to .{100 * high:.0f} to that of the others" in said
    low, high = span(r"same winner")
    assert f"same in {100 * low:.0f} to {100 * high:.0f} % of orders" in said
    low, high = span(r"documents, \w+, design effect")
    assert f"design effects of {low:.1f} to {high:.1f} for metrics" in said
    low, high = span("no minimum")
    assert f"For {low:.0f} to {high:.0f} of" in said


def test_what_stands_beside_ours_is_table_2_of_the_paper() -> None:
    [path] = reference_data("seeds").glob("001_*.txt")
    table: dict[tuple[str, str], str] = {}
    metric = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = re.sub(r"</?b>|[$\\{}]", "", line).split("\t")
        metric = cells[0] or metric
        if len(cells) == 7 and cells[1] in ("x_min", "x_max"):
            table[metric.lower(), cells[1]] = ", ".join(cells[2:])
    assert len(table) == 14
    for row in listed(LIST):
        found = re.search(r"15 documents, (\w+), (x_\w+)$", row["name"])
        said = row.get("beside")
        if found and found[1] == "human":
            parts = (f"{name} {table[name, found[2]]}" for name in ("adequacy", "fluency"))
            assert said == "; ".join(parts)
        elif found:
            assert said == table.get((found[1], found[2])), row


def test_consecutive_documents_are_merged_until_they_are_long_enough() -> None:
    documents = ["a"] * 30 + ["b"] * 25 + ["c"] * 60 + ["d"] * 10
    assert merged(documents) == ["0"] * 55 + ["1"] * 60 + ["2"] * 10


# --- Figures of estrella2007: their curves against gold numbers, their systems against the study ---


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


@pytest.mark.slow
@pytest.mark.golden
def test_the_spread_of_bleu_is_that_of_the_delta_method(drawn: list[Figure]) -> None:
    """Ten systems, five of them named, on fifteen documents."""
    heights = lines(drawn[9])
    assert len(heights) == 10
    for system in ("Facebook-AI", "Online-Y"):
        known = gold()["delta_rel_sd"][f"BLEU|{system}"]["rel_sd"]
        assert any(found == pytest.approx(known, abs=1e-6) for found in heights)


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_figure_says_what_the_paper_shows_and_has_its_numbers(drawn: list[Figure]) -> None:
    for one in drawn:
        assert one.chart.caption.startswith("The paper shows ")
        assert "Estrella et al. (2007)" in one.chart.caption
        assert one.numbers.rows
        assert len({row[0] for row in one.numbers.rows}) == 1
        check_readable(one.chart)
