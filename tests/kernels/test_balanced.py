"""The balanced mixed model against lmer, and against the general fit."""

import json
from typing import Any

import numpy as np
import pytest

from detectable.core.types import FloatArray
from detectable.kernels.crossed import mean_squares, ml_error, pool, reml_error
from detectable.mixed.general import solve_general
from detectable.mixed.model import prepare
from detectable.planning.likert import crossed_design
from tests.helpers import reference_data


def ratings(seed: int, raters: int, items: int, trials: int = 1) -> FloatArray:
    rng = np.random.default_rng(seed)
    x = np.array([-1.0, 1.0])
    table: FloatArray = (
        rng.normal(0.0, 0.05, (trials, raters, 1, 1))
        + rng.normal(0.0, 0.1, (trials, 1, items, 1))
        + x * rng.normal(0.1, 0.1, (trials, raters, 1, 1))
        + x * rng.normal(0.0, 0.1, (trials, 1, items, 1))
        + rng.normal(0.0, 0.4, (trials, raters, items, 2))
    )
    return table


@pytest.mark.parametrize("reml", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_error_is_that_of_the_general_fit(seed: int, reml: bool) -> None:
    table = ratings(seed, 4, 15)[0]
    rater, item, system = np.indices(table.shape).reshape(3, -1)
    design = crossed_design(rater, item, system)
    fit = solve_general(prepare(design, table.ravel()).blocks, reml=reml)
    mean, squares, error = mean_squares(table)
    assert mean == pytest.approx(fit.coefficients[1], rel=1e-6)
    if reml:
        variance, df = reml_error(squares, error, 4, 15)
        assert df == pytest.approx(fit.satterthwaite(np.array([0.0, 1.0])), rel=1e-3)
    else:
        variance = ml_error(squares, error, 4, 15)
    assert variance == pytest.approx(fit.covariance[1, 1], rel=1e-5)


def test_rows_do_not_depend_on_their_company() -> None:
    tables = ratings(7, 3, 20, trials=50)
    _, squares, error = mean_squares(tables)
    together = ml_error(squares, error, 3, 20)
    alone = [float(ml_error(s, e, 3, 20)) for s, e in zip(squares, error, strict=True)]
    assert together == pytest.approx(alone, rel=1e-9)


def test_mean_squares_below_the_error_are_pooled_smallest_first() -> None:
    squares, df = np.array([[0.5, 3.0, 0.9, 1.05]]), np.array([2.0, 9.0, 2.0, 9.0])
    estimates, error, total = pool(squares, df, np.array([1.0]), 18.0)
    expected = (18.0 + 1.0 + 1.8) / 22.0
    assert error[0] == pytest.approx(expected)
    assert total[0] == 22.0
    assert estimates[0].tolist() == pytest.approx([expected, 3.0, expected, 1.05])


def lmer_fits() -> list[Any]:
    gold = json.loads(reference_data("gold", "card.json").read_text())["lmer"]
    return [
        fit
        for fit in gold
        if fit["data"].startswith("sim_3x100")
        and fit["formula"].endswith("(1 + model || worker) + (1 + model || item)")
    ]


@pytest.mark.golden
def test_lmer_gives_the_same_error() -> None:
    fits = lmer_fits()
    for fit in fits:
        rows = np.genfromtxt(
            reference_data("data", "card", fit["data"]),
            delimiter=",",
            skip_header=1,
            converters={0: _unquoted, 1: _unquoted},
        )
        table = np.full((3, 100, 2), np.nan)
        table[
            rows[:, 0].astype(int) - 1,
            rows[:, 1].astype(int) - 1,
            (rows[:, 2].astype(int) + 1) // 2,
        ] = rows[:, 3]
        mean, squares, error = mean_squares(table)
        expected = fit["coef"]["model"]
        assert mean == pytest.approx(expected["Estimate"], abs=2.5e-7)
        if fit["REML"]:
            variance, df = reml_error(squares, error, 3, 100)
            assert df == pytest.approx(expected["df"], abs=4e-4)
        else:
            variance = ml_error(squares, error, 3, 100)
        assert np.sqrt(variance) == pytest.approx(expected["Std. Error"], abs=8e-6)
    assert len(fits) >= 6


def _unquoted(text: str) -> float:
    return float(text.strip('"'))
