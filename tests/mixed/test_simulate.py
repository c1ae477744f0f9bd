"""Power by simulation on the design at hand, and the error rates of the tests."""

import numpy as np
import pytest

from detectable.core.errors import ConvergenceError, InputError
from detectable.core.types import IntArray
from detectable.mixed.design import Design, contrast_coding
from detectable.mixed.equations import Solution
from detectable.mixed.fit import fit_mixed
from detectable.mixed.model import prepare, solve
from detectable.mixed.result import MixedFit
from detectable.mixed.simulate import draw_ratings, simulate
from tests.mixed.tables import relative_covariance, table


def fitted(keep: float = 0.8, systems: int = 2) -> MixedFit:
    return fit_mixed(table(5, 12, systems, keep=keep))


@pytest.mark.parametrize("documents", [0, 2])
def test_drawn_ratings_have_the_moments_of_the_model(documents: int) -> None:
    fit = fit_mixed(table(3, 6, 3, keep=0.9, documents=documents, by_document=2.0 * documents))
    assert not documents or fit.component("document:system").sd > 1.0
    drawn = draw_ratings(
        fit.model, fit.solution, np.array([1.0, 0.5, -0.5]), 20_000, np.random.default_rng(1)
    )
    design = fit.model.design
    mean = design.fixed_rows()[design.system] @ [1.0, 0.5, -0.5]
    covariance = fit.solution.sigma2 * relative_covariance(design, fit.solution.rho)
    error = np.sqrt(np.diagonal(covariance) / 20_000)
    assert np.abs((drawn.mean(axis=0) - mean) / error).max() < 5.0
    sd = np.sqrt(np.diagonal(covariance))
    scaled = (np.cov(drawn.T) - covariance) / np.outer(sd, sd)
    assert np.abs(scaled).max() < 5.0 * np.sqrt(2.0 / 20_000)


@pytest.mark.parametrize("keep", [0.8, 1.0])
def test_fits_of_a_simulation_are_ordinary_fits(keep: float) -> None:
    fit = fitted(keep)
    found = simulate(fit, n_simulations=3, effect=1.0, rng=4)
    assert found.truth == pytest.approx((1.0,))
    assert found.estimates.shape == (3, 1)
    # The first block holds all three sets; its generator is the first child of the seed's.
    child = np.random.default_rng(np.random.SeedSequence(4).entropy).spawn(1)[0]
    coefficients = np.array([fit.solution.coefficients[0], 0.5])
    drawn = draw_ratings(fit.model, fit.solution, coefficients, 3, child)
    again = solve(fit.model, drawn[2], reml=True)
    assert found.estimates[2, 0] == pytest.approx(2.0 * again.coefficients[1])
    assert found.df[2, 0] == pytest.approx(again.satterthwaite(np.array([0.0, 2.0])))


def test_power_grows_with_the_effect_and_repeats() -> None:
    fit = fitted(1.0)
    none = simulate(fit, n_simulations=200, effect=0.0, rng=1)
    large = simulate(fit, n_simulations=200, effect=4.0, rng=1)
    assert none.power[0] < 0.15 < 0.9 < large.power[0]
    assert large == simulate(fit, n_simulations=200, effect=4.0, rng=1)
    assert "s1 − s0 = +4 is significant in" in large.summary()


@pytest.mark.slow
def test_the_answer_does_not_depend_on_processes() -> None:
    fit = fitted()
    one = simulate(fit, n_simulations=60, rng=3)
    two = simulate(fit, n_simulations=60, rng=3, n_jobs=2)
    assert np.array_equal(one.p_values, two.p_values)


def test_several_systems_by_their_means() -> None:
    fit = fitted(systems=3)
    means = {"s0": 0.0, "s1": 1.0, "s2": 3.0}
    found = simulate(fit, n_simulations=5, means=means, baseline="s0", rng=1)
    truth = {
        system: value for (system, _), value in zip(found.contrasts, found.truth, strict=True)
    }
    assert truth == pytest.approx({"s1": 1.0, "s2": 3.0})


def test_failed_fits_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = fitted()

    def fail(*_: object, **__: object) -> Solution:
        raise ConvergenceError("no")

    monkeypatch.setattr("detectable.mixed.simulate.solve", fail)
    found = simulate(fit, n_simulations=4, effect=5.0, rng=1)
    assert (found.n_failed, found.power) == (4, (0.0,))
    assert "4 fits failed" in found.summary()


# Card et al. (2020), high and low variance: SDs of rater, item, rater slope, item slope, residual.
SPREADS = {"high": (0.01, 0.04, 0.11, 0.14, 0.26), "low": (0.01, 0.01, 0.04, 0.13, 0.16)}


def null_rate(raters: int, items: int, spread: str, *, reml: bool, seed: int) -> float:
    """Return how often p ≤ .05 when the systems do not differ, over 4,000 sets of ratings."""
    sds = np.array(SPREADS[spread])
    rng, trials = np.random.default_rng(seed), 4000
    shape = np.indices((raters, items, 2), dtype=np.int64).reshape(3, -1)
    design = _design(shape)
    model = prepare(design, np.zeros(design.n))
    truth = Solution(
        rho=(sds[:4] / sds[4]) ** 2,
        sigma2=float(sds[4] ** 2),
        criterion=0.0,
        coefficients=np.zeros(2),
        covariance=np.eye(2),
        gradients=np.zeros((0, 2, 2)),
        uncertainty=np.zeros((0, 0)),
        effects={},
        method="given",
    )
    from scipy.special import stdtr

    hits = 0
    for _ in range(trials // 200):
        for y in draw_ratings(model, truth, np.array([0.5, 0.0]), 200, rng):
            found = solve(model, y, reml=reml)
            t = abs(found.coefficients[1]) / np.sqrt(found.covariance[1, 1])
            df = found.satterthwaite(np.array([0.0, 1.0]))
            hits += 2.0 * float(stdtr(df, -t)) <= 0.05
    return hits / trials


def _design(shape: IntArray) -> Design:
    from detectable.data.factor import Factor

    rater, item, system = shape
    factors = {
        name: Factor(name=name, levels=tuple(map(str, range(codes.max() + 1))), codes=codes)
        for name, codes in (("rater", rater), ("item", item))
    }
    return Design(
        systems=("a", "b"),
        coding=contrast_coding(2),
        numeric=False,
        system=system,
        factors=factors,
        slopes=("rater", "item"),
    )


# What was measured with 20,000 sets each: the table of docs/mixed.md. Here 4,000 repeat it.
RATES = {
    ("high", 3): 0.072,
    ("high", 5): 0.057,
    ("high", 10): 0.052,
    ("low", 3): 0.062,
    ("low", 5): 0.051,
    ("low", 10): 0.051,
}


@pytest.mark.slow
@pytest.mark.parametrize(("spread", "raters"), RATES)
def test_the_error_rate_is_the_one_in_the_documents(spread: str, raters: int) -> None:
    rate = null_rate(raters, 50, spread, reml=True, seed=raters)
    error = (RATES[spread, raters] * (1 - RATES[spread, raters]) / 4000) ** 0.5
    assert rate == pytest.approx(RATES[spread, raters], abs=4 * error)


def test_messages() -> None:
    with pytest.raises(InputError, match="give `effect` or `means`, not both"):
        simulate(fitted(), effect=1.0, means={"s0": 1.0, "s1": 2.0})
    with pytest.raises(InputError, match="`means` must name every system: s0, s1; got s0"):
        simulate(fitted(), means={"s0": 1.0})
    with pytest.raises(InputError, match="`effect` is for two systems; there are 3"):
        simulate(fitted(systems=3), effect=1.0)
