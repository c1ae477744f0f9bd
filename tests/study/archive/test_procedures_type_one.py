"""How often procedures find a difference where there is none, on real and made-up scores."""

import functools
import math

import numpy as np
import pytest

from detectable.sequential.design import design
from detectable.study.archive.comparison_archive import ComparisonArchive
from detectable.study.archive.procedures import Procedure, simulate_procedures
from replications.wei2022.archive import load, paired
from tests.helpers import reference_data

ALPHA = 0.05
REPEATS = 1000
FAMILIES = ("pocock", "obrien-fleming", "hsd")


def procedures(looks: int) -> list[Procedure]:
    designs = [design(family, looks=looks, futility="none") for family in FAMILIES]
    return [
        *(Procedure.from_design(one, name=one.family) for one in designs),
        Procedure.uncorrected(looks),
    ]


def rates(tables: ComparisonArchive, looks: int, n: int, repeats: int) -> dict[str, float]:
    """Return the error rate of every procedure with `n` judgments per system and look."""
    found = simulate_procedures(
        tables.null(),
        procedures(looks),
        [2 * n * looks],
        n_repeats=repeats,
        step=2 * n,
        rng=1000 * looks + n,
    )
    return {row.procedure: row.power for row in found.rows}


def error(rate: float, paths: int) -> float:
    return math.sqrt(rate * (1.0 - rate) / paths)


def made_up(kind: str) -> ComparisonArchive:
    """Return ratings with a spike at 100, or skewed differences of which a third are zero."""
    rng = np.random.default_rng(3)
    scores = np.clip(100.0 - rng.gamma(0.5, 30.0, (4, 500)), 0, 100).round()
    if kind == "rank":
        return ComparisonArchive.from_samples([(row, row) for row in scores])
    return ComparisonArchive.from_differences(
        [np.where(rng.random(500) < 0.3, 0.0, row - 85.0) for row in scores]
    )


@pytest.mark.parametrize("kind", ["rank", "paired"])
@pytest.mark.parametrize("looks", [3, 10])
def test_made_up_scores_without_a_difference(kind: str, looks: int) -> None:
    paths = 4 * 3000
    found = rates(made_up(kind), looks, 100, 3000)
    for family in FAMILIES:
        assert found[family] == pytest.approx(ALPHA, abs=4 * error(ALPHA, paths))
    naive = Procedure.uncorrected(looks)
    expected = naive.type_one_error()
    assert found[naive.name] == pytest.approx(expected, abs=4 * error(expected, paths))


@functools.cache
def ship_data(kind: str) -> ComparisonArchive:
    """Return every hundredth comparison of ShipData."""
    folder = reference_data("data", "shipdata")
    data = load(folder)
    archive = data.scores() if kind == "rank" else paired(folder, data)
    second = None if archive.second is None else archive.second[::100]
    return ComparisonArchive(values=archive.values, first=archive.first[::100], second=second)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rank", "paired"])
@pytest.mark.parametrize("looks", [3, 5, 10, 20, 40])
@pytest.mark.parametrize("n", [10, 25, 50, 100, 200, 600])
def test_real_scores_without_a_difference(kind: str, looks: int, n: int) -> None:
    tables = ship_data(kind)
    paths = len(tables) * REPEATS
    found = rates(tables, looks, n, REPEATS)
    for family in FAMILIES:
        assert found[family] <= ALPHA + 4 * error(ALPHA, paths)
        if n == 600:  # Small samples of scores with many ties and zeros err less often.
            assert found[family] >= ALPHA - 4 * error(ALPHA, paths)
    naive = Procedure.uncorrected(looks)
    assert found[naive.name] > 1.3 * ALPHA
    if n == 600:
        expected = naive.type_one_error()
        assert found[naive.name] == pytest.approx(expected, abs=4 * error(expected, paths))
