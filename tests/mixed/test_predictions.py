"""Predicted effects against Henderson's equations, solved directly."""

from concurrent.futures import ThreadPoolExecutor
from itertools import compress
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.mixed.design import Design
from detectable.mixed.fit import fit_mixed
from detectable.mixed.predictions import component_test, predict_effects
from detectable.mixed.result import MixedFit
from tests.mixed.tables import relative_covariance, table


def regressors(design: Design, factor: str) -> list[FloatArray]:
    """Return one column per intercept and slope of each level."""
    rows = design.fixed_rows()[design.system]
    codes = design.factors[factor].codes
    width = design.p if factor in design.slopes else 1
    return [
        np.where((codes == level)[:, None], rows[:, :width], 0.0)
        for level in range(int(codes.max()) + 1)
    ]


def direct(fit: MixedFit, factor: str) -> tuple[FloatArray, FloatArray]:
    """Return predictions and their error covariances from the whole covariance matrix."""
    design, y = fit.model.design, fit.model.response
    rho = fit.solution.rho
    v = relative_covariance(design, rho)
    x = design.fixed_rows()[design.system]
    inverse = np.linalg.inv(v)
    p = inverse - inverse @ x @ np.linalg.solve(x.T @ inverse @ x, x.T @ inverse)
    variances = dict(zip(design.terms, rho, strict=True))
    own = [value for term, value in variances.items() if term.factor == factor]
    predictions, errors = [], []
    for z in regressors(design, factor):
        d = np.diag([own[0], *own[1:] * (z.shape[1] - 1)])
        predictions.append(d @ z.T @ p @ y)
        errors.append(fit.solution.sigma2 * (d - d @ z.T @ p @ z @ d))
    return np.array(predictions), np.array(errors)


@pytest.mark.parametrize("factor", ["rater", "item", "document"])
@pytest.mark.parametrize("raters", [5, 14])
def test_predictions_and_errors_are_those_of_the_definition(factor: str, raters: int) -> None:
    ratings = table(raters, 10, 3, keep=0.8, documents=3, seed=5)
    fit = fit_mixed(ratings)
    found = predict_effects(fit, factor=factor)
    wanted, errors = direct(fit, factor)
    rows = fit.model.design.coding
    assert len(found.effects) == len(wanted)
    for row, value, spread in zip(found.effects, wanted, errors, strict=True):
        assert row.effect == pytest.approx(value[0], abs=1e-7)
        assert row.standard_error == pytest.approx(np.sqrt(spread[0, 0]), abs=1e-6)
        if value.size > 1:
            slopes = np.sqrt(np.einsum("si,ij,sj->s", rows, spread[1:, 1:], rows))
            assert list(row.by_system.values()) == pytest.approx(rows @ value[1:], abs=1e-7)
            assert list(row.by_system_errors.values()) == pytest.approx(slopes, abs=1e-6)


@pytest.mark.parametrize("raters", [5, 14])
def test_what_a_document_adds_to_a_system(raters: int) -> None:
    ratings = table(raters, 10, 3, keep=0.8, documents=3, by_document=1.0, seed=5)
    unmet = [
        (d, s) != ("d2", "s1")
        for d, s in zip(ratings["document"], ratings["system"], strict=True)
    ]
    fit = fit_mixed({name: list(compress(column, unmet)) for name, column in ratings.items()})
    found = {row.level: row for row in predict_effects(fit, factor="document").effects}
    cells = fit.model.design.factors["document:system"].levels
    wanted, errors = direct(fit, "document:system")
    assert fit.component("document:system").sd > 0.1
    assert len(cells) == 8
    for cell, value, spread in zip(cells, wanted, errors, strict=True):
        document, system = cell.split(":")
        row = found[document]
        assert row.by_system[system] == pytest.approx(value[0], abs=1e-7)
        assert row.by_system_errors[system] == pytest.approx(np.sqrt(spread[0, 0]), abs=1e-6)
    # A document that was never rated for a system may have any effect on it.
    assert found["d2"].by_system["s1"] == 0.0
    assert found["d2"].by_system_errors["s1"] == fit.component("document:system").sd


def test_a_balanced_fit_predicts_the_same() -> None:
    fit = fit_mixed(table(5, 10, seed=5))
    assert fit.method == "closed form"
    wanted, errors = direct(fit, "rater")
    rows = predict_effects(fit, factor="rater").effects
    assert [row.effect for row in rows] == pytest.approx(wanted[:, 0], abs=1e-9)
    assert [row.standard_error for row in rows] == pytest.approx(
        np.sqrt(errors[:, 0, 0]), abs=1e-7
    )


def test_predictions_are_pulled_towards_zero_and_say_how_many_ratings() -> None:
    ratings = table(6, 12, keep=0.8)
    fit = fit_mixed(ratings, slopes="none")
    found = predict_effects(fit, factor="rater")
    counts = {name: ratings["rater"].count(name) for name in set(ratings["rater"])}
    assert {row.level: row.n_ratings for row in found.effects} == counts
    assert all(row.by_system == {} for row in found.effects)
    assert found.summary().startswith("6 raters: lowest r")
    assert all(row.effect in row.interval for row in found.effects)


def test_a_numeric_system_has_a_slope_per_unit() -> None:
    ratings = table(6, 12)
    ratings["system"] = [int(s[1:]) for s in ratings["system"]]
    fit = fit_mixed(ratings, numeric_system=True)
    row = predict_effects(fit, factor="item").effects[0]
    assert row.by_system == {"1 unit": pytest.approx(fit.solution.effects["item"][0, 1])}


def test_documents_have_a_slope_of_numbers() -> None:
    ratings = table(5, 12, 3, keep=0.9, documents=4, seed=2)
    ratings["system"] = [int(s[1:]) for s in ratings["system"]]
    fit = fit_mixed(ratings, numeric_system=True)
    wanted, errors = direct(fit, "document")
    assert wanted.shape == (4, 2)
    for row, value, spread in zip(
        predict_effects(fit, factor="document").effects, wanted, errors, strict=True
    ):
        assert row.effect == pytest.approx(value[0], abs=1e-7)
        assert row.by_system == {"1 unit": pytest.approx(value[1], abs=1e-7)}
        assert row.by_system_errors["1 unit"] == pytest.approx(np.sqrt(spread[1, 1]), abs=1e-6)


def test_a_factor_that_is_not_in_the_model() -> None:
    with pytest.raises(InputError, match="`factor` must be one of rater, item; got 'document'"):
        predict_effects(fit_mixed(table()), factor="document")
    with pytest.raises(InputError, match="one of rater, item, document; got 'document:system'"):
        predict_effects(fit_mixed(table(documents=4)), factor="document:system")


# --- Tests of a variance component ---


def fitted(keep: float = 0.8, seed: int = 1) -> MixedFit:
    return fit_mixed(table(6, 22, keep=keep, seed=seed))


@pytest.mark.parametrize("keep", [0.8, 1.0])
def test_the_statistic_is_the_fall_of_the_criterion(keep: float) -> None:
    ratings = table(6, 15, keep=keep)
    full = fit_mixed(ratings)
    less = fit_mixed(ratings, slopes=("item",))
    found = component_test(full, "rater slope")
    fall = less.criterion - full.criterion
    assert found.statistic == pytest.approx(fall, abs=1e-7)
    assert found.p_value == pytest.approx(stats.chi2.sf(fall, 1) / 2)
    assert found.sd == full.component("rater slope").sd
    assert "likelihood ratio" in found.summary()


def test_a_large_spread_is_found_both_ways() -> None:
    fit = fitted()
    ratio = component_test(fit, "rater intercept")
    drawn = component_test(fit, "rater intercept", method="bootstrap", n_resamples=39, rng=1)
    assert ratio.p_value < 1e-6
    assert drawn.p_value == 0.025
    assert "bootstrap, 39 samples" in drawn.summary()


def test_a_balanced_table_is_drawn_and_fitted_too() -> None:
    drawn = component_test(
        fitted(1.0), "rater intercept", method="bootstrap", n_resamples=19, rng=1
    )
    assert drawn.p_value == 0.05


def test_a_component_at_zero_has_p_one() -> None:
    ratings = table(6, 15, keep=0.9)
    ratings["score"] = np.random.default_rng(3).normal(size=len(ratings["score"])).tolist()
    fit = fit_mixed(ratings)
    zero = next(c.name for c in fit.components if c.variance == 0.0)
    assert component_test(fit, zero).p_value == 1.0
    drawn = component_test(fit, zero, method="bootstrap", n_resamples=19, rng=1)
    assert drawn.p_value == 1.0


@pytest.mark.slow
def test_the_bootstrap_does_not_depend_on_who_runs_it() -> None:
    fit = fitted()
    settings: dict[str, Any] = {"method": "bootstrap", "n_resamples": 60, "rng": 5}
    one = component_test(fit, "item slope", **settings)
    with ThreadPoolExecutor(2) as pool:
        two = component_test(fit, "item slope", executor=pool, **settings)
    assert np.array_equal(one.null, two.null)


@pytest.mark.slow
def test_the_bootstrap_rejects_a_true_null_at_the_nominal_rate() -> None:
    rng = np.random.default_rng(8)
    trials, hits = 400, 0
    for _ in range(trials):
        ratings = table(4, 10, seed=int(rng.integers(1 << 30)))
        rater = np.array([int(r[1:]) for r in ratings["rater"]])
        item = np.array([int(i[1:]) for i in ratings["item"]])
        score = rng.normal(size=4)[rater] + rng.normal(size=10)[item] + rng.normal(size=80)
        fit = fit_mixed(ratings | {"score": score.tolist()})
        test = component_test(fit, "rater slope", method="bootstrap", n_resamples=99, rng=rng)
        hits += test.p_value <= 0.05
    assert hits / trials <= 0.05 + 4 * (0.05 * 0.95 / trials) ** 0.5


def test_messages() -> None:
    fit = fitted()
    with pytest.raises(InputError, match="`component` must be one of rater intercept, item"):
        component_test(fit, "rater")
    with pytest.raises(InputError, match="`method` must be one of likelihood-ratio, bootstrap"):
        component_test(fit, "rater slope", method="wald")  # type: ignore[arg-type]
