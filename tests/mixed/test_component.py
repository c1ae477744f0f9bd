"""Tests of a variance component."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import InputError
from detectable.mixed.fit import fit_mixed
from detectable.mixed.predictions import component_test
from detectable.mixed.result import MixedFit
from tests.mixed.tables import table


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
