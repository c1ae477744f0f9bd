"""The replication of wei2022 runs, and matches where its README says so."""

import json
import math

import numpy as np
import pytest

from replications.listed import listed
from replications.wei2022 import table1
from replications.wei2022.archive import load, paired, without_noise
from replications.wei2022.replicate import LIST, main
from tests.helpers import reference_data


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
