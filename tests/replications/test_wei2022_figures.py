"""Figures of wei2022: counts of the paper, gold numbers, and titles that follow from the curves."""

import json
from typing import Any

import numpy as np
import pytest

from detectable.study.archive.comparison_archive import ComparisonArchive
from detectable.study.archive.procedure_savings import ProcedureSavings
from detectable.study.archive.procedures import simulate_procedures
from replications.page import figure
from replications.wei2022 import figures, section7, table1
from replications.wei2022.archive import load
from tests.helpers import reference_data
from tests.report.charts.drawn import check_readable

PUBLISHED = (30, 19, 3, 27, 78, 40, 2, 30, 28, 31)  # significant, by language pair (Table 1)
DETECTABLE = (3.8, 3.5, 2.4, 1.9, 2.9, 3.8, 2.8, 2.6, 1.0, 4.4)


def gold(part: str) -> Any:
    return json.loads(reference_data("gold", "shipdata.json").read_text())[part]


@pytest.mark.golden
def test_every_comparison_stands_in_the_row_of_its_language_pair() -> None:
    drawing = figures.observed(table1.audited(reference_data("data", "shipdata")))
    significant, others, *ticks = drawing.panels[0].series
    rows = [round(y - 0.16) for _, y in significant.points]
    counted = [rows.count(len(PUBLISHED) - place) for place in range(len(PUBLISHED))]
    assert counted == list(PUBLISHED)
    assert len(significant.points) + len(others.points) == 1101
    assert drawing.title.startswith("288 of 1,101 comparisons are significant")
    assert "in 3 of ten" in drawing.title
    drawn = {one.name.split(",")[0]: one.points[0][0] for one in ticks}
    for name, published in zip(table1.LANGUAGES, DETECTABLE, strict=True):
        assert drawn[name] == pytest.approx(published, abs=0.0501)
    check_readable(figure(drawing).chart)


@pytest.mark.golden
def test_the_gamma_model_asks_for_as_many_judgments() -> None:
    folder = reference_data("data", "shipdata")
    moments = figures.score_moments(folder)
    for row in gold("gamma")["lp_stats"]:
        assert moments[row["lp"]] == pytest.approx((row["mean"], row["sd"]), rel=1e-6)
    known = gold("gamma")["n_required"]
    assert len(known) == 40
    for row in known:
        ours = figures.judgments(*moments[row["lp"]], row["diff"])
        assert ours == pytest.approx(row["noether_total"], abs=1.5)
    drawing = figures.needed(folder)
    assert drawing.title == (
        "One point with 95 % power takes 1,559 to 16,251 judgments; 1,200 suffice for none of ten "
        "language pairs"
    )
    assert [one.name for one in drawing.panels[0].series] == list(table1.LANGUAGES)
    check_readable(figure(drawing).chart)


def simulated(archive: ComparisonArchive, n_repeats: int) -> ProcedureSavings:
    return simulate_procedures(
        archive,
        section7.ALL,
        section7.BUDGETS,
        n_repeats=n_repeats,
        step=section7.STEP,
        rng=section7.SEED,
    )


@pytest.fixture(scope="module")
def few() -> ProcedureSavings:
    """A fiftieth of the comparisons: enough to say whether the figures follow."""
    archive = load(reference_data("data", "shipdata")).scores()
    chosen = np.arange(0, len(archive), 50)
    part = ComparisonArchive(
        values=archive.values,
        first=archive.first[chosen],
        second=np.asarray(archive.second)[chosen],
    )
    return simulated(part, 20)


def test_the_curves_are_those_of_the_simulation(few: ProcedureSavings) -> None:
    spent = figures.spent(few)
    lines = {one.name: dict(one.points) for one in spent.panels[0].series}
    assert list(lines) == ["fixed", "interim", "with futility"]
    assert lines["fixed"][1200.0] == 1200.0
    interim, futility = (
        few.row(name, 1200).judgments for name in ("interim", "interim-futility")
    )
    assert lines["interim"][1200.0] == interim
    assert lines["with futility"][1200.0] == futility
    assert f"spend {interim:,.0f} on average, with futility {futility:,.0f}" in spent.title
    power = figures.power(few)
    every, large, small = power.panels
    row = few.row("interim", 1200)
    assert (row.judgments, row.power) in every.series[1].points
    parts = (few.subset(at_least=3.0), few.subset(below=3.0))
    for panel, part in zip((large, small), parts, strict=True):
        row = part.row("interim-futility", 1200)
        assert (row.judgments, row.power) in panel.series[2].points
    saved = [100 * (part.saving("interim", 1200).saving or 0.0) for part in parts]
    assert (
        f"plain interim tests save {saved[0]:.0f} % where differences are large" in power.title
    )
    word = "save" if saved[1] > 0 else "cost"
    assert f"and {word} {abs(saved[1]):.0f} % where they are small" in power.title
    whole = 100 * (few.saving("interim-futility", 1200).saving or 0.0)
    assert f"futility saves {whole:.0f} %;" in power.title
    for drawing in (spent, power):
        check_readable(figure(drawing).chart)


@pytest.mark.slow
@pytest.mark.golden
def test_the_whole_archive_draws_the_curves_of_another_program() -> None:
    found = simulated(load(reference_data("data", "shipdata")).scores(), 20)
    drawing = figures.power(found)
    curves = gold("section7")["curves"]
    names = {"fixed": "fixed", "interim": "interim", "with futility": "futility"}
    for series in drawing.panels[0].series:
        known = curves["all"][names[series.name]]
        for budget, (spent, power) in zip(section7.BUDGETS, series.points, strict=False):
            if str(budget) in known:
                theirs, used = known[str(budget)]
                # 200 repetitions there, 20 here: .0004 and about .0012 of power, 4 and 12 judgments.
                assert power == pytest.approx(theirs, abs=4 * 0.0013)
                assert spent == pytest.approx(used, abs=4 * 12.7)
