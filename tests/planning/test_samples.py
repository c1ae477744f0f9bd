"""Questions and samples: Miller's formula, its floor, and what a simulation says of it."""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import InputError
from detectable.data.scores.scores import Scores
from detectable.planning.samples import Samples
from tests.gold_evals import epochs, evals


def plan(**changes: Any) -> Samples:
    return Samples(**{"question_variance": 0.02, "sample_variance": 0.16, **changes})


@pytest.mark.golden
@pytest.mark.parametrize(
    ("key", "noise", "k"),
    [
        ("power.miller_969", 0.0, 1),
        ("power.miller_k1", 1 / 6, 1),
        ("power.miller_k10", 1 / 6, 10),
    ],
)
def test_the_example_of_the_paper(key: str, noise: float, k: int) -> None:
    scenario = Samples(question_variance=1 / 9, sample_variance=noise, n_samples=k)
    wanted = evals(key)
    z = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)
    assert z**2 * scenario.variance / 0.03**2 == pytest.approx(wanted, rel=1e-6)
    assert dt.sample_size(scenario, effect=0.03).n_items == math.ceil(wanted)
    power = dt.power(scenario, n_items=math.ceil(wanted), effect=0.03).power
    assert power == pytest.approx(0.8, abs=2e-4)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("k", "key"),
    [(1, "paired.mde_k1"), (2, "paired.mde_k2"), (4, "paired.mde_k4"), (8, "paired.mde_k8")],
)
def test_what_130_questions_detect(k: int, key: str) -> None:
    # The published numbers take questions as independent.
    scenario = Samples.from_scores(epochs(), "B", "A", n_samples=k, unit="item")
    found = dt.mde(scenario, n_items=130)
    assert found.effect == pytest.approx(evals(key), rel=1e-6)
    floor = found.details["effect_with_endless_samples"]
    assert floor == pytest.approx(evals("paired.mde_kinf"), rel=1e-6)
    assert f"would show {floor:.3g}" in found.notes[0]
    assert "only more questions help" in found.notes[0]


@pytest.mark.golden
def test_the_best_number_of_samples() -> None:
    pilot = Samples.from_scores(epochs(), "B", "A", question_cost=1, sample_cost=1)
    assert pilot.best_samples() == pytest.approx(3.9, abs=0.05)
    assert pilot.n_samples == 4
    assert pilot.question_variance == pytest.approx(evals("paired.omega2"), rel=1e-6)


@pytest.mark.parametrize("costs", [(1.0, 1.0), (8.0, 0.5), (0.3, 2.0)])
def test_no_other_number_of_samples_is_cheaper(costs: tuple[float, float]) -> None:
    best = plan(question_cost=costs[0], sample_cost=costs[1]).best_samples()

    def cost(k: float) -> float:  # for a standard error of 1
        return (0.02 + 0.32 / k) * (costs[0] + k * costs[1])

    for k in np.linspace(1.0, 20.0, 96):
        assert cost(best) <= cost(k) + 1e-12


def test_free_questions_need_one_sample() -> None:
    assert plan(question_cost=0, sample_cost=1).best_samples() == 1.0
    assert plan(sample_variance=0.0, question_cost=1, sample_cost=1).best_samples() == 1.0
    equal = plan(question_variance=0.0, question_cost=1, sample_cost=1)
    assert math.isinf(equal.best_samples())
    notes = dt.mde(equal, n_items=50).notes
    assert "a sample is worth as much as a question" in notes[0]
    assert "no number of samples is too large" in notes[1]
    assert "best_samples" not in dt.mde(equal, n_items=50).details
    one = dt.mde(plan(question_cost=0, sample_cost=1), n_items=50)
    assert "more questions beat more samples" in one.notes[1]
    assert math.isnan(plan().best_samples())
    assert len(dt.mde(plan(), n_items=50).notes) == 1


def test_systems_may_have_their_own_noise_and_samples() -> None:
    scenario = plan(n_samples=2, baseline_n_samples=8, baseline_sample_variance=0.4)
    assert scenario.variance == pytest.approx(0.02 + 0.16 / 2 + 0.4 / 8)
    assert plan(n_samples=2).variance == pytest.approx(0.02 + 0.32 / 2)
    assert dt.mde(scenario, n_items=50).details["total_samples"] == 500
    assert dt.mde(plan(n_samples=3), n_items=50).details["total_samples"] == 300


@pytest.mark.parametrize("n_items", [12, 200])
def test_the_simulation_agrees_with_the_noncentral_t(n_items: int) -> None:
    scenario = plan(n_samples=3, method="t")
    effect = dt.mde(scenario, n_items=n_items, power=0.7).effect
    drawn = dt.power(
        scenario, n_items=n_items, effect=effect, simulate=True, n_trials=4000, rng=1
    )
    exact = dt.power(scenario, n_items=n_items, effect=effect)
    assert exact.power == pytest.approx(0.7, abs=1e-6)
    assert drawn.standard_error is not None
    assert drawn.power == pytest.approx(exact.power, abs=4 * drawn.standard_error)
    assert drawn.type_m == pytest.approx(exact.type_m, abs=0.03)


def test_the_normal_formula_promises_too_much_for_few_questions() -> None:
    few: dict[str, Any] = {"n_items": 12, "effect": 0.3}
    assert dt.power(plan(), **few).power > dt.power(plan(method="t"), **few).power + 0.03
    assert "promises too much" in dt.power(plan(), **few).notes[-1]
    assert len(dt.power(plan(method="t"), **few).notes) == 1
    many: dict[str, Any] = {"n_items": 2000, "effect": 0.03}
    close = dt.power(plan(method="t"), **many).power
    assert dt.power(plan(), **many).power == pytest.approx(close, abs=2e-3)


@pytest.mark.slow
def test_the_promised_power_is_had_with_sampled_answers() -> None:
    """0/1 answers with chances that vary over questions, by the comparison itself."""
    from detectable.study.comparison.compare import compare

    rng, n, k, trials = np.random.default_rng(2), 80, 4, 500
    chance = rng.beta(3, 3, size=(200_000, 1)) * 0.8 + 0.05
    other = chance + 0.08 + rng.uniform(-0.05, 0.05, chance.shape)
    noise = [(p * (1 - p)).mean() for p in (other, chance)]
    scenario = Samples(
        question_variance=float((other - chance).var()),
        sample_variance=float(noise[0]),
        baseline_sample_variance=float(noise[1]),
        n_samples=k,
        method="t",
    )
    promised = dt.power(scenario, n_items=n, effect=0.08).power
    hits = 0
    for _ in range(trials):
        chosen = rng.integers(0, len(chance), n)
        tables = {
            name: (rng.random((k, n)) < p[chosen, 0]).astype(float)
            for name, p in (("A", chance), ("B", other))
        }
        scores = Scores.build(tables, repeats="samples")
        hits += (
            compare(scores, baseline="A", test="t", n_examples=0).pairs[0].verdict == "better"
        )
    error = math.sqrt(promised * (1 - promised) / trials)
    assert hits / trials == pytest.approx(promised, abs=4 * error)


def test_a_pilot_needs_several_samples() -> None:
    once = Scores.build({"A": [1, 0, 1], "B": [1, 1, 1]})
    with pytest.raises(InputError, match=r"one sample of every question.*at most p\(1 − p\)"):
        Samples.from_scores(once, "B", "A")
    with pytest.raises(InputError, match=r"there is no system 'C' in the scores. Found: A, B"):
        Samples.from_scores(once, "C", "A")
    one_sided = Scores.build({"A": [[1, 0, 1]], "B": [[1, 1, 1], [0, 1, 0]]}, repeats="samples")
    with pytest.raises(InputError, match="no question has two samples of 'B' and two of 'A'"):
        Samples.from_scores(one_sided, "B", "A")


def test_questions_that_do_not_differ_are_cut_at_zero() -> None:
    table = np.array([[0.0, 1.0] * 10, [1.0, 0.0] * 10])
    scores = Scores.build({"A": table, "B": 1 - table}, repeats="samples")
    assert Samples.from_scores(scores, "B", "A").question_variance == 0.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"question_variance": -0.1}, r"`question_variance` must be a variance, 0 or more"),
        ({"sample_variance": float("nan")}, r"`sample_variance` must be a variance"),
        ({"question_variance": 0.0, "sample_variance": 0.0}, r"are both 0"),
        ({"n_samples": 0}, r"`n_samples` must be"),
        ({"baseline_n_samples": 0}, r"`baseline_n_samples` must be"),
        ({"question_cost": 1.0}, r"`question_cost` and `sample_cost` go together"),
        ({"question_cost": -1.0, "sample_cost": 1.0}, r"`question_cost` must be 0 or more"),
        ({"question_cost": 1.0, "sample_cost": 0.0}, r"`sample_cost` must be"),
        ({"method": "z"}, r"`method` must be one of normal, t"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(**settings)
