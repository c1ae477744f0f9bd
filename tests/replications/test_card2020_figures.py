"""Figures of card2020: their lines against gold numbers, their titles against their lines."""

import csv
import json
import re
from typing import Any

import numpy as np
import pytest

import detectable as dt
from replications.card2020 import figures
from replications.card2020.likert import cells
from replications.page import figure
from tests.helpers import reference_data
from tests.report.charts.drawn import check_readable


def gold(part: str) -> Any:
    return json.loads(reference_data("gold", "card.json").read_text())[part]


@pytest.mark.golden
def test_power_of_accuracy_is_exact() -> None:
    drawing = figures.accuracy()
    grid = {
        (row["Pa"], row["n"], row["delta"]): row["power"] for row in gold("mcnemar")["grid"]
    }
    compared = 0
    for agreement, panel in zip(figures.AGREEMENTS, drawing.panels, strict=True):
        for n, series in zip(figures.SIZES, panel.series, strict=True):
            for gain, power in series.points:
                known = grid.get((agreement, n, gain))
                if known is not None:
                    assert power == pytest.approx(known, abs=1e-9)
                    compared += 1
    assert compared >= 80


@pytest.mark.slow
def test_the_title_says_what_a_thousand_items_find() -> None:
    drawing = figures.accuracy()
    high, low = (
        float(x) / 100 for x in re.findall(r"(\d\.\d)(?= points| where on 70)", drawing.title)
    )
    for effect, agreement in ((high, 0.95), (low, 0.7)):
        plan = dt.scenarios.Accuracy(agreement=agreement)
        assert dt.power(plan, n_items=1000, effect=effect).power == pytest.approx(0.8, abs=0.02)
    check_readable(figure(drawing).chart)


@pytest.mark.golden
def test_power_of_bleu_is_that_of_the_closed_form() -> None:
    drawing = figures.bleu()
    [panel] = drawing.panels
    lines = {int(one.name.replace(",", "")): dict(one.points) for one in panel.series}
    rows = [r for r in gold("bleu")["grid"] if r["n"] in lines and r["delta"] in lines[r["n"]]]
    assert len(rows) >= 10
    for row in rows:
        ours = lines[row["n"]][row["delta"]]
        assert ours == pytest.approx(row["power_closed_nct"], abs=1e-4)
    assert "1 BLEU in 75 % of" in drawing.title
    check_readable(figure(drawing).chart)


@pytest.mark.golden
def test_the_survey_shows_every_comparison_of_known_size() -> None:
    drawing = figures.survey(reference_data("data", "card"))
    [series] = drawing.panels[0].series
    meta = gold("meta")
    assert len(series.points) == meta["kendall"]["n"] == 107
    small = np.mean([n <= 100 for n, _ in series.points])
    assert drawing.title.startswith(f"{100 * small:.0f} % of 107")
    assert "−.070 (p = .32)" in drawing.data
    (low, high), (least, most) = drawing.panels[0].x.domain, drawing.panels[0].y.domain
    assert all(low < n < high and least < effect < most for n, effect in series.points)
    check_readable(figure(drawing).chart)


@pytest.mark.slow
@pytest.mark.golden
def test_ratings_show_the_stored_numbers_over_our_lines() -> None:
    folder = reference_data("data", "card")
    drawing = figures.likert(cells(folder))
    with (folder / "highvar_lowmer_lmer.csv").open(newline="") as lines:
        stored = sorted(float(row["power"]) for row in csv.DictReader(lines))
    dots = [one for panel in drawing.panels for one in panel.series if one.dots]
    assert sorted(y for one in dots for _, y in one.points) == stored
    assert len(stored) == 48
    known = {
        (row["setting"], row["workers"], row["items"], round(row["true_difference"], 3)): row
        for row in gold("likert")["grid"]
    }
    for panel in drawing.panels:
        setting, raters = re.fullmatch(
            r"(High|Low) variance, (\d+) raters", panel.title
        ).groups()  # type: ignore[union-attr]
        for one in panel.series:
            if one.dots:
                continue
            valid = one.name == "valid test"
            items = 100 if valid else int(one.name.split()[0])
            for difference, power in one.points:
                row = known[setting.lower(), int(raters), items, round(difference, 3)]
                name = "power_reml_satterthwaite" if valid else "power_ml_t196_onesided"
                # 20,000 simulations; the valid test is ours in closed form.
                error = (max(power * (1 - power), 1e-4) / 20_000) ** 0.5
                assert power == pytest.approx(
                    row[name], abs=4 * error + (0.005 if valid else 0.0)
                )
    assert drawing.title.startswith("48 of 48 stored powers are within two standard errors")
    check_readable(figure(drawing).chart)
