"""The replication of wei2022 runs, and matches where its README says so."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from detectable.data.human.judgments import Judgments
from detectable.study.archive.campaign_pairs import campaign_pairs
from replications.listed import listed
from replications.page import Figure
from replications.wei2022 import table1
from replications.wei2022.archive import load, paired, without_noise
from replications.wei2022.figures import PLANNED, figures, needed, replayed
from replications.wei2022.like_for_like import two_way, unpaired
from replications.wei2022.paired import TESTS, judgments, numbers
from replications.wei2022.replicate import LIST, main
from replications.wei2022.variance import main as main_of_variance
from replications.wei2022.variance import shipdata_numbers
from tests.helpers import reference_data
from tests.report.charts.drawn import check_readable


@pytest.mark.golden
def test_every_number_is_as_listed() -> None:
    # Simulated numbers within four standard errors of this run and of the 1,000 repetitions.
    assert main(reference_data("data", "shipdata"), n_repeats=20) == []


@pytest.mark.golden
def test_forty_of_forty_cells() -> None:
    found = table1.numbers(reference_data("data", "shipdata"))
    published = {
        "significant": (30, 19, 3, 27, 78, 40, 2, 30, 28, 31),
        "comparisons": (153, 151, 140, 130, 127, 94, 81, 78, 74, 73),
        "detectable": (3.8, 3.5, 2.4, 1.9, 2.9, 3.8, 2.8, 2.6, 1.0, 4.4),
        "median": (1.2, 0.7, 0.6, 0.6, 3.2, 1.8, 0.5, 1.5, 0.6, 1.4),
    }
    cells = [
        (round(found[f"table 1, {name}, {column}"].value or 0.0, 1), cell)
        for column, row in published.items()
        for name, cell in zip(table1.LANGUAGES, row, strict=True)
    ]
    assert len(cells) == 40
    assert all(ours == theirs for ours, theirs in cells)


@pytest.mark.golden
@pytest.mark.parametrize("procedure", ["fixed", "interim", "futility"])
@pytest.mark.parametrize("budget", [600, 1200, 3600, 5400])
def test_another_program_draws_the_same_curves(procedure: str, budget: int) -> None:
    # 200 repetitions by an independent program; its standard errors are those of 1,000 times √5.
    gold = json.loads(reference_data("gold", "shipdata.json").read_text())["section7"]
    power, spent = gold["curves"]["all"][procedure][str(budget)]
    rows = {row["name"]: row for row in listed(LIST)}
    name = "interim-futility" if procedure == "futility" else procedure
    for what, theirs in (("power", power), ("spent", spent)):
        row = rows.get(f"section 7, rank, {name}, {budget}, {what}")
        if row is None:
            assert (what, procedure) == ("spent", "fixed")
            continue
        error = math.hypot(row["error"], row["error"] * math.sqrt(5))
        assert theirs == pytest.approx(row["expected"], abs=4.5 * error)


def test_pairs_have_the_differences_of_the_scores() -> None:
    folder = reference_data("data", "shipdata")
    data = load(folder)
    scores, pairs = data.scores(), paired(folder, data)
    assert len(scores) == len(pairs) == 4004
    # Nearly all judgments have a partner, so that the means nearly agree.
    assert pairs.first.sum() / scores.first.sum() == pytest.approx(0.985, abs=0.005)
    assert np.median(np.abs(pairs.differences - scores.differences)) < 0.1
    factors = without_noise(pairs)
    shrunk = pairs.shrunk(factors)
    assert shrunk.differences == pytest.approx(factors * pairs.differences, abs=0.02)
    assert scores.shrunk(factors).differences == pytest.approx(
        factors * scores.differences, abs=0.02
    )


# --- Figures of wei2022: charts of commands, with the paper's counts and gold numbers in them ---

NUMBERS = ("2", "3", "4", "5", "6")


@pytest.fixture(scope="module")
def drawn() -> Sequence[Figure]:
    return tuple(figures(reference_data("data", "shipdata"), n_repeats=20))


def layers(spec: dict[str, Any]) -> list[list[dict[str, Any]]]:
    return [one["data"]["values"] for one in spec["layer"]]


def test_every_figure_has_the_papers_number_and_a_table(drawn: Sequence[Figure]) -> None:
    assert [one.chart.id for one in drawn] == [f"figure-{number}" for number in NUMBERS]
    for number, one in zip(NUMBERS, drawn, strict=True):
        assert one.chart.twin == one.numbers.id
        assert one.chart.caption.startswith(f"Figure {number} has")
        assert one.numbers.rows
        check_readable(one.chart)


@pytest.mark.golden
def test_figure_2_has_the_comparisons_of_table_1(drawn: Sequence[Figure]) -> None:
    dots = layers(drawn[0].chart.make(720))[0]
    assert (len(dots), sum(one["significant"] for one in dots)) == (153, 30)
    line = layers(drawn[0].chart.make(720))[1]
    assert line[0]["size"] == pytest.approx(3.8, abs=0.05)
    assert all(300 < one["n"] < 800 for one in dots)  # judgments per system


@pytest.mark.golden
def test_figure_3_has_a_curve_for_each_language_pair(drawn: Sequence[Figure]) -> None:
    found = needed(reference_data("data", "shipdata", "shipdata_hist.npz"))
    curves = [rows for rows in layers(drawn[1].chart.make(720)) if len(rows) == 13][::2]
    assert len(curves) == len(found.groups) == 10
    for rows, group in zip(curves, found.groups, strict=True):
        sizes = [2 * (one.n_items or 0) for one in group.points if one is not None]
        assert [row["y"] for row in rows] == sizes
        assert sizes == sorted(sizes, reverse=True)


@pytest.mark.golden
def test_figures_4_to_6_are_of_one_replay(drawn: Sequence[Figure]) -> None:
    found = replayed(reference_data("data", "shipdata", "shipdata_hist.npz"), n_repeats=20)
    cost = found.same_cost()
    assert cost is not None
    assert (cost.fixed, cost.budget) == (1200, 2300)
    assert drawn[2].chart.title.startswith(
        "For about 1,200 judgments “interim-futility” has more"
    )
    assert drawn[3].chart.title.startswith("Of 1,200 planned “interim-futility” collects 71")
    panels = drawn[4].chart.make(720)["hconcat"]
    titles = [panel["vconcat"][0]["title"]["text"] for panel in panels]
    assert titles == [
        "All (4,004 comparisons)",
        "3 or more (1,342 comparisons)",
        "Below 3 (2,662 comparisons)",
    ]
    line = panels[0]["vconcat"][0]["layer"][0]["data"]["values"]
    assert [row["x"] for row in line] == list(PLANNED)  # fixed tests spend what is planned
    powers = {row["x"]: row["y"] for row in line}
    # 200 repetitions by another program, 20 here: .0004 and .0012.
    assert powers[1200] == pytest.approx(0.451, abs=0.0005 + 4 * 0.0013)
    assert powers[3600] == pytest.approx(0.593, abs=0.0005 + 4 * 0.0013)


# --- ShipData: what of the gain is pairing, and the headlines that say so ---

ROOT = Path(__file__).parents[2]
RANKS, PAIRED, BY_RATER, MIXED = 1544, 2064, 1769, 1650  # comparisons that are decided
ONE_LOOK, DEFAULT = 445, 337  # judgments, paired, that equal 1,200 with ranks


def _more(decided: float) -> str:
    return f"{100 * (decided / RANKS - 1):.0f} %"


def _text(name: str) -> str:
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


@pytest.mark.golden
def test_the_unpaired_t_test_decides_more_than_ranks_and_needs_fewer() -> None:
    found = unpaired(load(reference_data("data", "shipdata")))
    assert found["unpaired t, significant"].value == 1670
    needs = found["unpaired t, needs for the power of 1200 with ranks"].value
    assert needs is not None
    assert needs == pytest.approx(958.0, abs=0.5)
    for page in ("README.md", "docs/what-would-it-save.md"):
        assert f"{100 * (1 - DEFAULT / needs):.0f} %" in _text(page), page
    steps = (1200 - needs, needs - ONE_LOOK, ONE_LOOK - DEFAULT)
    parts = [f"{step / 12:.0f}" for step in steps]
    told = "{} of the 72 points come from means instead of ranks, {} from pairing and {}"
    assert told.format(*parts) in _text("docs/what-would-it-save.md")
    assert f"{_more(1670)[:-2]} of the 34" in _text("docs/pairing.md")


@pytest.mark.golden
def test_texts_and_raters_both_random() -> None:
    found = two_way(judgments(reference_data("data", "shipdata")).cells().matched())
    assert found["two-way clusters, significant"].value == 1627
    assert found["two-way clusters, never below one way, significant"].value == 1498


def test_the_headline_says_whose_opinion_it_is() -> None:
    for page in ("README.md", "docs/pairing.md"):
        said = _text(page)
        [sentence] = [part for part in said.split(". ") if f"{_more(PAIRED)} more" in part]
        assert "these raters" in sentence, page
        assert _more(BY_RATER) in sentence, page
        assert _more(MIXED) in sentence, page


# --- ShipData: the published count of the rank-sum test, and what pairing makes of the same data ---

# Computed by this package; the rank-sum count is the paper's, cell by cell of its table 1.
EXACT = {
    "paired, paired, significant": 2064,
    "paired, paired, gained": 542,
    "paired, paired, lost": 22,
    "paired, signed-rank, significant": 1983,
    "paired, raters like these, significant": 1769,
    "audit, unpaired, comparisons above": 1425,
    "audit, paired, comparisons above": 1815,
    "audit, unpaired, budget": 2167,
    "audit, paired, budget": 1180,
    "audit, paired, ENU-FRA, significant": 71,
    "audit, paired, ITA-ENU, significant": 12,
}
ROUNDED = {
    "paired, judgments with a partner": 0.993,
    "paired, correlation, median": 0.521,
    "paired, variance ratio, first quartile": 1.380,
    "paired, variance ratio, second quartile": 1.764,
    "paired, variance ratio, third quartile": 2.396,
    "audit, unpaired, observed MDE": 2.700,
    "audit, paired, observed MDE": 1.848,
    "audit, unpaired, detectable": 3.094,
    "audit, paired, detectable": 2.291,
    "audit, unpaired, underpowered at the median": 0.969,
    "audit, paired, underpowered at the median": 0.791,
    "audit, paired, ENU-FRA, observed MDE": 1.706,
}


@pytest.mark.golden
def test_pairing_decides_more_and_keeps_its_level() -> None:
    gold = json.loads(reference_data("gold", "shipdata.json").read_text())["counts"]
    found = numbers(reference_data("data", "shipdata"), n_swaps=5)
    assert found["paired, comparisons"].value == gold["pairs"]
    assert found["paired, campaigns"].value == gold["campaigns_with_pairs"]
    assert found["paired, rank-sum, significant"].value == gold["significant_at_05"]
    for name, expected in EXACT.items():
        assert found[name].value == expected, name
    for name, rounded in ROUNDED.items():
        assert found[name].near(rounded, 0.0006), name
    for test in ("paired", "signed-rank"):
        assert found[f"paired, {test}, false alarms"].near(0.05, 0.0), test
    assert found["paired, rank-sum, false alarms"].near(0.012, 0.001)
    level = found["paired, raters like these, false alarms"].value
    assert level is not None
    assert level < 0.05


@pytest.mark.golden
def test_segments_alone_give_the_numbers_of_the_first_800_files() -> None:
    # Computed elsewhere (reference/sequential.md, 2.4): segment means of the first 800 files,
    # whoever judged them.
    frame = pl.read_parquet(reference_data("data", "shipdata", "shipdata_judgments.parquet"))
    files = frame.select("campaign", "system").unique(maintain_order=True).head(800)
    frame = frame.join(files, on=["campaign", "system"], how="semi")
    pairs = campaign_pairs(
        Judgments.build(
            {
                "campaign": frame["campaign"],
                "system": frame["system"],
                "item": frame["segment"],
                "score": frame["score"].to_numpy(),
            }
        ),
        tests=TESTS,
    )
    assert pairs.n_pairs == 706
    assert [f"{test.share:.3f}" for test in pairs.tests] == ["0.347", "0.487", "0.450"]
    assert (pairs.tests[2].gained, pairs.tests[2].lost) == (77, 4)
    np.testing.assert_allclose(pairs.variance_ratio, [1.43, 1.81, 2.41], atol=0.005)
    assert pairs.correlation == pytest.approx(0.53, abs=0.005)


# --- The variance part of wei2022 runs, and matches where its README says so ---


@pytest.mark.golden
def test_tables_2_and_3_and_shipdata_are_as_listed() -> None:
    assert (
        main_of_variance(reference_data("data", "shipdata"), reference_data("data", "wmt"))
        == []
    )


@pytest.mark.golden
@pytest.mark.slow  # the other test reads the same files
def test_shipdata_is_as_computed_elsewhere() -> None:
    gold = json.loads(reference_data("gold", "shipdata.json").read_text())
    want = gold["table2"]["shipdata_repeats"]
    with pytest.warns(UserWarning, match="not a random subset"):
        found = shipdata_numbers(reference_data("data", "shipdata"))
    name = "ShipData, mean of systems, "
    assert found[name + "total"] == pytest.approx(want["total_within_system"], abs=0.005)
    assert found[name + "noise"] == pytest.approx(want["noise"], abs=0.005)
    repeated = found[name + "translations by several raters"]
    assert repeated == want["items_with_2plus_annotators"]
    by_difference = want["reducible_1_minus_noise_over_total"]
    assert found[name + "quality, difference"] == pytest.approx(by_difference, abs=0.005)
    by_covariance = want["reducible_by_covariance"]
    assert found[name + "quality, covariance"] == pytest.approx(by_covariance, abs=0.005)
    for metric, rho in gold["metric_within_system_pearson"].items():
        assert found[f"ShipData, {metric}, correlation"] == pytest.approx(rho, abs=5e-5)
    assert found["ShipData, COMET, data efficiency"] == pytest.approx(1.157, abs=5e-4)
