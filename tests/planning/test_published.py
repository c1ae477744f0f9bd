"""Published numbers, whatever the scenario."""

from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.planning.search import Work, simulate
from tests.helpers import golden

KINDS: dict[str, Any] = {
    "accuracy": dt.scenarios.Accuracy,
    "bleu": dt.scenarios.Bleu,
    "rank-sum": dt.scenarios.RankSum,
    "preference": dt.scenarios.Preference,
}


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("power"), ids=lambda c: c["name"])
def test_published_value(case: dict[str, Any]) -> None:
    scenario = KINDS[case["scenario"]](**case["settings"])
    found = dt.power(scenario, n_items=case["n_items"], effect=case["effect"])
    assert found.power == pytest.approx(case["power"], abs=case["tolerance"])


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("power"), ids=lambda c: c["name"])
def test_the_simulation_agrees(case: dict[str, Any]) -> None:
    scenario = KINDS[case["scenario"]](**case["settings"])
    found = dt.power(
        scenario,
        n_items=case["n_items"],
        effect=case["effect"],
        simulate=True,
        n_trials=1500,
        rng=20,
    )
    assert found.method == "simulated"
    assert found.standard_error is not None
    error = 4 * max(found.standard_error, 1e-3) + case["tolerance"]
    assert found.power == pytest.approx(case["power"], abs=error)


def grid() -> list[tuple[dt.scenarios.Scenario, int, float]]:
    """Return scenarios with an exact answer, at small and large power."""
    return [
        (scenario, n, scenario.null_effect + sign * share)
        for scenario in (
            dt.scenarios.Accuracy(agreement=0.85),
            dt.scenarios.Preference(),
            dt.scenarios.Preference(ties=0.5),
        )
        for n in (30, 150, 800)
        for sign, share in ((1, 0.03), (-1, 0.08), (1, 0.13))
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "n", "effect"), grid())
def test_exact_and_simulated_agree_within_four_standard_errors(
    scenario: dt.scenarios.Scenario, n: int, effect: float
) -> None:
    exact = dt.power(scenario, n_items=n, effect=effect)
    drawn = dt.power(scenario, n_items=n, effect=effect, simulate=True, n_trials=40_000, rng=n)
    error = 4 * (drawn.standard_error or 0)
    assert drawn.power == pytest.approx(exact.power, abs=error)
    if exact.power > 0.02:
        assert drawn.type_m == pytest.approx(exact.type_m, rel=0.03)
        significant = exact.power_any_sign * 40_000
        wrong = 4 * max(exact.type_s / significant, 1 / significant**2) ** 0.5
        assert drawn.type_s == pytest.approx(exact.type_s, abs=wrong)


@pytest.mark.slow
@pytest.mark.parametrize(
    "scenario",
    [
        dt.scenarios.Accuracy(agreement=0.8),
        dt.scenarios.Preference(ties=0.2),
        dt.scenarios.Bleu(),
        dt.scenarios.RankSum(),
    ],
)
def test_no_test_rejects_a_true_null_too_often(scenario: dt.scenarios.Scenario) -> None:
    work, rng = Work(n_trials=10_000), np.random.default_rng(9)
    found = simulate(scenario, 300, scenario.null_effect, alpha=0.05, rng=rng, work=work)
    share = (found.right + found.wrong) / found.trials
    assert share <= 0.05 + 4 * (0.05 * 0.95 / found.trials) ** 0.5
    assert share >= 0.03
