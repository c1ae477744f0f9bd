"""Published numbers, whatever the scenario."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.planning.scenario import Scenario
from detectable.planning.search import Work, simulate
from tests.helpers import golden
from tests.planning.scenarios import PairedT

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


# --- Published powers for human ratings ---

KINDS_OF_PUBLISHED_HUMAN: dict[str, Any] = {
    "ratings": dt.scenarios.Ratings,
    "likert": dt.scenarios.Likert,
}


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("power_human"), ids=lambda c: c["name"])
def test_published_value_of_published_human(case: dict[str, Any]) -> None:
    scenario = KINDS_OF_PUBLISHED_HUMAN[case["scenario"]](**case["settings"])
    found = dt.power(
        scenario, n_items=case["n_items"], effect=case["effect"], n_trials=4000, rng=1
    )
    assert found.power == pytest.approx(case["power"], abs=case["tolerance"])


# --- Every scenario at a few sizes and effects: numbers that may not change unnoticed ---
#
# The published values are elsewhere; these hold what lies between them: both signs, small and large
# sizes, every option, exact forms and simulations by seed.

S = dt.scenarios
_PILOT = np.random.default_rng(11).integers(0, 101, size=(2, 40)).astype(float)
_DOCUMENTS = [f"d{i // 4}" for i in range(40)]
_OWN: dict[str, Any] = {
    "rater_sd": 0.8,
    "rater_slope_sd": 0.1,
    "item_sd": 1.0,
    "item_slope_sd": 0.3,
    "residual_sd": 1.2,
}
_WELCH = S.Ratings(mean=80.0, sd=20.0, test="two-means", method="closed-form")

# Scenario and the points (n_items, effect) at which it is asked.
Point = tuple[int, float]
EXACT: dict[str, tuple[Scenario, tuple[Point, ...]]] = {
    "accuracy, exact": (S.Accuracy(agreement=0.9), ((100, 0.04), (100, -0.04), (999, 0.02))),
    "accuracy, normal": (
        S.Accuracy(agreement=0.9, method="normal"),
        ((100, 0.04), (999, -0.02)),
    ),
    "accuracy, glue": (
        S.Accuracy(baseline_accuracy=0.8, prior="glue"),
        ((300, 0.03), (300, -0.03)),
    ),
    "accuracy, squad": (
        S.Accuracy(baseline_accuracy=0.8, prior="squad"),
        ((300, 0.03), (300, -0.03)),
    ),
    "accuracy, lachenbruch": (
        S.Accuracy(baseline_accuracy=0.7, prior="lachenbruch"),
        ((300, 0.05), (300, -0.05)),
    ),
    "accuracy, not inferior": (
        S.AccuracyMargin(S.Accuracy(agreement=0.95), margin=0.02),
        ((500, 0.0), (500, 0.01), (500, -0.01)),
    ),
    "accuracy, equivalent": (
        S.AccuracyMargin(S.Accuracy(agreement=0.95), 0.02, "equivalent"),
        ((900, 0.0), (900, 0.01)),
    ),
    "accuracy, unpaired": (
        S.UnpairedAccuracy(baseline_accuracy=0.7),
        ((200, 0.1), (200, -0.1), (20, 0.29)),
    ),
    "bleu": (S.Bleu(), ((50, 2.0), (2000, 1.0), (2000, -0.5))),
    "bleu, own": (S.Bleu(p0=0.4, b0=10.0), ((500, 0.4), (10, 3.0))),
    "preference": (S.Preference(), ((30, 0.7), (100, 0.4))),
    "preference, ties": (S.Preference(ties=0.3), ((30, 0.7), (100, 0.4))),
    "rank-sum": (S.RankSum(), ((40, 0.6), (1500, 0.47))),
    "rank-sum, levels": (
        S.RankSum(levels=5, alternative="observed-order"),
        ((40, 0.6), (40, 0.4)),
    ),
    "ratings, welch": (_WELCH, ((150, 5.0), (150, -5.0))),
    "ratings, ranks": (
        S.Ratings(
            mean=80.0, sd=20.0, test="rank-sum", method="closed-form", second="same-shape"
        ),
        ((150, 5.0), (60, 8.0)),
    ),
    "ratings, shifted": (
        S.Ratings(
            mean=85.0,
            sd=12.0,
            test="rank-sum",
            method="closed-form",
            second="shift",
            continuous=True,
        ),
        ((150, 3.0),),
    ),
    "ratings, same scale": (
        S.Ratings(
            mean=70.0, sd=15.0, test="rank-sum", method="closed-form", second="same-scale"
        ),
        ((100, 4.0),),
    ),
    "ratings, paired": (
        S.Ratings(
            mean=80.0, sd=20.0, test="paired-mean", correlation=0.4, method="closed-form"
        ),
        ((100, 4.0), (100, -4.0)),
    ),
    "ratings, not inferior": (S.RatingsMargin(_WELCH, 4.0), ((200, 0.0), (200, 2.0))),
    "ratings, equivalent": (
        S.RatingsMargin(_WELCH, 6.0, "equivalent"),
        ((400, 0.0), (400, 2.0)),
    ),
    "likert, high": (S.Likert(n_raters=3, preset="card-high"), ((50, 0.4), (50, -0.4))),
    "likert, low": (S.Likert(n_raters=5, preset="card-low"), ((60, 0.2),)),
    "likert, card's test": (
        S.Likert(n_raters=3, preset="card-high", test="card"),
        ((50, 0.4),),
    ),
    "likert, own": (S.Likert(n_raters=10, **_OWN), ((100, 0.3), (20, 0.5))),
}
SIMULATED: dict[str, tuple[Scenario, tuple[Point, ...]]] = {
    "accuracy": (S.Accuracy(agreement=0.9), ((200, 0.05), (200, -0.05))),
    "accuracy, normal": (S.Accuracy(agreement=0.9, method="normal"), ((200, 0.05),)),
    "accuracy, not inferior": (
        S.AccuracyMargin(S.Accuracy(agreement=0.95), margin=0.02),
        ((500, 0.0),),
    ),
    "accuracy, equivalent": (
        S.AccuracyMargin(S.Accuracy(agreement=0.95), 0.02, "equivalent"),
        ((900, 0.0),),
    ),
    "accuracy, unpaired": (S.UnpairedAccuracy(baseline_accuracy=0.7), ((200, 0.1),)),
    "bleu": (S.Bleu(n_resamples=99), ((200, 2.5), (200, -2.5))),
    "preference": (S.Preference(ties=0.3), ((60, 0.7),)),
    "rank-sum": (S.RankSum(), ((60, 0.62), (60, 0.4))),
    "rank-sum, levels": (S.RankSum(levels=4), ((60, 0.62),)),
    "ratings, ranks": (S.Ratings(mean=80.0, sd=20.0, test="rank-sum"), ((80, 8.0), (80, -8.0))),
    "ratings, welch": (S.Ratings(mean=80.0, sd=20.0, test="two-means"), ((80, 8.0),)),
    "ratings, continuous": (
        S.Ratings(mean=80.0, sd=20.0, continuous=True, test="rank-sum"),
        ((80, 8.0),),
    ),
    "ratings, paired": (
        S.Ratings(mean=80.0, sd=20.0, test="paired-mean", correlation=0.4),
        ((60, 6.0),),
    ),
    "ratings, signed rank": (
        S.Ratings(mean=80.0, sd=20.0, test="signed-rank", correlation=0.4),
        ((60, 6.0),),
    ),
    "ratings, not inferior": (
        S.RatingsMargin(S.Ratings(mean=80.0, sd=20.0, test="two-means"), 4.0),
        ((200, 0.0),),
    ),
    "likert": (S.Likert(n_raters=4, **_OWN), ((40, 0.5), (40, -0.5))),
    "pilot, paired": (S.Pilot.paired(*_PILOT), ((60, 12.0), (60, -12.0))),
    "pilot, tilted": (S.Pilot.paired(*_PILOT, plant="tilt"), ((60, 12.0),)),
    "pilot, documents": (
        S.Pilot.paired(*_PILOT, documents=_DOCUMENTS),
        ((20, 12.0),),
    ),
    "pilot, unpaired": (S.Pilot.unpaired(*_PILOT, test="rank-sum"), ((60, 12.0),)),
    "pilot, welch": (S.Pilot.unpaired(*_PILOT, test="two-means"), ((60, 12.0),)),
    "paired t": (PairedT(), ((20, 0.6),)),
}


def _numbers(
    scenario: Scenario, points: tuple[Point, ...], **options: Any
) -> list[list[float]]:
    found = [dt.power(scenario, n_items=n, effect=e, **options) for n, e in points]
    return [[round(x, 10) for x in (f.power, f.type_m, f.type_s)] for f in found]


def _searched() -> dict[str, Callable[[], list[list[float]]]]:
    """Return both searches, exact and noisy: the answer, the power there, and its error."""
    few: dict[str, Any] = {"n_trials": 1500, "rng": 5}

    def effect(scenario: Scenario, n: int, **options: Any) -> list[list[float]]:
        found = dt.mde(scenario, n_items=n, **options)
        return [[found.effect, found.power, found.effect_error or 0.0]]

    def size(scenario: Scenario, at: float, **options: Any) -> list[list[float]]:
        found = dt.sample_size(scenario, effect=at, **options)
        return [[float(found.n_items or -1), found.power, found.n_items_error or 0.0]]

    return {
        "effect, accuracy": lambda: effect(S.Accuracy(agreement=0.9), 300, power=0.9),
        "effect, likert": lambda: effect(S.Likert(n_raters=4, preset="card-low"), 60),
        "effect, simulated": lambda: effect(PairedT(), 40, **few),
        "size, accuracy": lambda: size(S.Accuracy(agreement=0.9), 0.04),
        "size, preference": lambda: size(S.Preference(), 0.62, power=0.9),
        "size, rank-sum": lambda: size(S.RankSum(levels=5), 0.45, alpha=0.01),
        "size, simulated": lambda: size(PairedT(), 0.3, **few),
        "size, simulated and small": lambda: size(PairedT(), 1.2, **few),
    }


HELD: dict[str, Callable[[], list[list[float]]]] = {
    **{f"exact: {n}": lambda a=a: _numbers(*a) for n, a in EXACT.items()},  # type: ignore[misc]
    **{
        f"simulated: {n}": lambda a=a: _numbers(  # type: ignore[misc]
            *a, simulate=True, n_trials=700, rng=3
        )
        for n, a in SIMULATED.items()
    },
    **{f"search: {name}": made for name, made in _searched().items()},
}


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("planning_numbers"), ids=lambda case: case["name"])
def test_numbers_stay_what_they_are(case: dict[str, Any]) -> None:
    found = HELD[case["name"]]()
    # The searches for an effect stop at a relative precision of their own.
    assert np.array(found) == pytest.approx(
        np.array(case["numbers"]), rel=1e-6, abs=1e-9, nan_ok=True
    )


@pytest.mark.golden
def test_every_number_is_stored() -> None:
    assert {case["name"] for case in golden("planning_numbers")} == set(HELD)


_SAME = sorted(n for n in EXACT.keys() & SIMULATED.keys() if EXACT[n][0] == SIMULATED[n][0])


@pytest.mark.parametrize("name", _SAME)
def test_the_held_simulations_are_near_the_held_forms(name: str) -> None:
    """A number that is held must also be right: 700 trials, four standard errors, two points."""
    scenario, points = SIMULATED[name]
    for n, effect in points:
        drawn = dt.power(scenario, n_items=n, effect=effect, simulate=True, n_trials=700, rng=3)
        form = dt.power(scenario, n_items=n, effect=effect)
        error = 4.0 * math.sqrt(form.power * (1.0 - form.power) / 700) + 0.02
        assert drawn.power == pytest.approx(form.power, abs=error)
