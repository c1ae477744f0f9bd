"""The replication of card2020 runs, and matches where its README says so."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import detectable as dt
from replications.card2020 import figures, labels
from replications.card2020.replicate import main
from replications.card2020.survey import audit_survey
from replications.page import Figure
from tests.helpers import reference_data
from tests.report.charts.drawn import check_readable


def test_every_number_is_as_listed() -> None:
    assert main(reference_data("data", "card")) == []


# --- Figures of card2020: their results against gold numbers, their titles against their results ---


def gold(part: str) -> Any:
    return json.loads(reference_data("gold", "card.json").read_text())[part]


@pytest.fixture(scope="module")
def drawn() -> dict[str, Figure]:
    return {one.chart.id: one for one in figures.figures(reference_data("data", "card"))}


@pytest.mark.golden
def test_power_of_accuracy_is_exact() -> None:
    grid = {
        (row["Pa"], row["n"], row["delta"]): row["power"] for row in gold("mcnemar")["grid"]
    }
    found = figures.accuracy()
    compared = 0
    for agreement, curve in zip(figures.AGREEMENTS, found.curves, strict=True):
        for point in curve.points:
            known = grid.get((agreement, point.n_items, point.effect))
            if known is not None:
                assert point.power == pytest.approx(known, abs=1e-9)
                compared += 1
    assert compared >= 80


@pytest.mark.golden
def test_power_of_bleu_is_that_of_the_closed_form() -> None:
    found = figures.bleu()
    rows = [
        row
        for row in gold("bleu")["grid"]
        if row["n"] in found.n_items and row["delta"] in found.effect
    ]
    assert len(rows) >= 10
    for row in rows:
        ours = found.at(row["n"], row["delta"]).power
        assert ours == pytest.approx(row["power_closed_nct"], abs=1e-4)
    assert found.at(2000, 1.0).power == pytest.approx(0.75, abs=0.005)  # the abstract


@pytest.mark.golden
def test_the_survey_shows_every_comparison_of_known_size() -> None:
    found = audit_survey(reference_data("data", "card"))
    assert found.sizes.size == gold("meta")["kendall"]["n"] == 107
    assert float(np.mean(found.sizes <= 100)) == pytest.approx(0.70, abs=0.01)


@pytest.mark.golden
def test_ratings_have_the_power_of_the_reference() -> None:
    known = {
        (row["setting"], row["workers"], row["items"], round(row["true_difference"], 3)): row
        for row in gold("likert")["grid"]
    }
    found = figures.likert()
    assert len(found.curves) == 4
    for name, curve in zip(found.names, found.curves, strict=True):
        setting, raters = name.removeprefix("card-").removesuffix(" raters").split(", ")
        for point in curve.points:
            row = known[setting, int(raters), point.n_items, round(point.effect, 3)]
            error = (max(point.power * (1 - point.power), 1e-4) / 20_000) ** 0.5
            assert point.power == pytest.approx(row["power_ml_t196_onesided"], abs=4 * error)


@pytest.mark.golden
def test_every_figure_has_its_chart_and_its_numbers(drawn: dict[str, Figure]) -> None:
    assert list(drawn) == [
        "figure-3",
        "figure-4",
        "figure-5",
        "figure-6",
        "figure-9",
        "figure-17",
    ]
    titles = {
        "figure-3": "250 items find 0.05 with 26% to 99% power, by what is assumed",
        "figure-4": "80% power is reached at 2.14 with 500 segments, at 0.674 with 5,000",
        "figure-5": "Of 107 studies, larger ones report neither larger nor smaller effects",
        "figure-6": "500 items find 0.1 with 30% to 95% power, by what is assumed",
        "figure-9": "Development data tell differences on the test set at r = 0.992",
        "figure-17": "segments find",
    }
    for id, one in drawn.items():
        assert titles[id] in one.chart.title
        assert one.chart.twin == one.numbers.id == f"{id}-numbers"
        assert one.numbers.texts()
        check_readable(one.chart)


def test_no_drawing_stands_here() -> None:
    text = Path(figures.__file__).read_text(encoding="utf-8")
    assert "replications.drawing" not in text


# --- Labels for F1 and Matthews' correlation: made from public data, and both metrics by hand ---


@pytest.mark.golden
def test_the_labels_are_made_from_public_data() -> None:
    source = reference_data("data", "choose", "wmt23_mqm_metrics.parquet")
    made = labels.labels(source)
    kept = pl.read_csv(labels.FILE, separator="\t")
    assert made.equals(kept.cast({name: made.schema[name] for name in made.columns}))
    assert (made.height, int(made["ref"].sum())) == (460, 187)


def test_f1_and_mcc_of_the_labels_are_those_of_the_counts() -> None:
    table = pl.read_csv(labels.FILE, separator="\t")
    truth = table["ref"].to_numpy() == 1
    found = dt.compare(
        dt.read_corpus_file(labels.FILE), ("f1", "mcc"), baseline="chrf", rng=1, n_resamples=999
    )
    scores = {(row.system, row.metric): row.score for row in found.systems}
    for metric in labels.METRICS:
        said = table[f"hyp:{metric}"].to_numpy() == 1
        tp, fp = int((said & truth).sum()), int((said & ~truth).sum())
        fn, tn = int((~said & truth).sum()), int((~said & ~truth).sum())
        assert scores[metric, "f1"] == pytest.approx(2 * tp / (2 * tp + fp + fn))
        # Matthews (1975).
        root = ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) ** 0.5
        assert scores[metric, "mcc"] == pytest.approx((tp * tn - fp * fn) / root)
    assert all(row.verdict == "better" for row in found.pairs if row.metric == "f1")
