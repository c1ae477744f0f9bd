"""RankSum: the table of the reference page, ties, and scipy's test."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import detectable as dt
from tests.helpers import reference_data

# First size with power .8 (page of graham2020, section 3).
NEEDED = {
    0.40: 131,
    0.41: 162,
    0.42: 205,
    0.43: 267,
    0.44: 364,
    0.45: 524,
    0.46: 818,
    0.47: 1454,
    0.48: 3271,
    0.49: 13_082,
}


@pytest.mark.golden
def test_the_whole_table() -> None:
    table = json.loads(reference_data("gold", "graham.json").read_text())
    for effect, row in table["power_wilcoxon_ranksum"]["table"].items():
        for n, cell in row.items():
            found = dt.power(dt.scenarios.RankSum(), n_items=int(n), effect=float(effect))
            assert found.power == pytest.approx(cell["noether"], abs=6e-5)
            assert found.power_any_sign == pytest.approx(cell["noether_two_tails"], abs=6e-5)
            wmt = dt.scenarios.RankSum(alternative="observed-order")
            shown = dt.power(wmt, n_items=int(n), effect=float(effect))
            assert shown.power == pytest.approx(cell["one_sided"], abs=6e-5)
            trials = 20_000 if int(n) <= 500 else 4000
            share = min(max(cell["sim_normal"], 1 / trials), 1 - 1 / trials)
            error = 4 * (share * (1 - share) / trials) ** 0.5 + 0.01  # «within ±.01»
            assert found.power_any_sign == pytest.approx(cell["sim_normal"], abs=error)


@pytest.mark.golden
@pytest.mark.parametrize(("effect", "n"), NEEDED.items())
def test_sample_sizes(effect: float, n: int) -> None:
    assert dt.sample_size(dt.scenarios.RankSum(), effect=effect).n_items == n
    assert dt.sample_size(dt.scenarios.RankSum(), effect=1 - effect).n_items == n


@given(st.integers(5, 5000), st.floats(0.501, 0.95), st.sampled_from([None, 2, 5, 100]))
def test_power_rises_and_mirrors(n: int, effect: float, levels: int | None) -> None:
    scenario = dt.scenarios.RankSum(levels=levels)
    here = dt.power(scenario, n_items=n, effect=effect)
    mirrored = dt.power(scenario, n_items=n, effect=1 - effect)
    assert here.power == pytest.approx(mirrored.power, abs=1e-12)
    assert dt.power(scenario, n_items=n, effect=effect + 0.01).power >= here.power
    assert dt.power(scenario, n_items=n + 1, effect=effect).power >= here.power
    assert here.type_m >= 1 - 1e-9


def test_without_an_effect_only_the_level_is_left() -> None:
    found = dt.power(dt.scenarios.RankSum(), n_items=200, effect=0.5 + 1e-9)
    assert found.power_any_sign == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("levels", [None, 4])
def test_the_test_is_scipys(levels: int | None) -> None:
    rng, n = np.random.default_rng(1), 40
    a, b = rng.normal(size=n), rng.normal(0.4, 1, size=n)
    if levels is None:
        order = np.argsort(np.concatenate([a, b]))
        ranks = np.empty(2 * n)
        ranks[order] = np.arange(1, 2 * n + 1)
        below = ranks[n:].sum() - n * (n + 1) / 2
        data = np.array([[below, 0.0]])
    else:
        from detectable.planning.rank_sum import _from_counts

        a, b = (np.digitize(x, [-1, 0, 1]).astype(float) for x in (a, b))
        counts = [np.bincount(x.astype(int), minlength=4).astype(float)[None] for x in (a, b)]
        data = _from_counts(*counts)
    found = dt.scenarios.RankSum(levels=levels).analyse((data, n), alpha=0.05)
    expected = stats.mannwhitneyu(b, a, method="asymptotic")
    assert found.p_values[0] == pytest.approx(expected.pvalue, rel=1e-10)
    assert found.estimates[0] == pytest.approx(expected.statistic / n**2)


@pytest.mark.parametrize("levels", [None, 2, 5])
@pytest.mark.parametrize("effect", [0.44, 0.60])
def test_simulation_agrees(levels: int | None, effect: float) -> None:
    scenario = dt.scenarios.RankSum(levels=levels)
    closed = dt.power(scenario, n_items=200, effect=effect)
    drawn = dt.power(scenario, n_items=200, effect=effect, simulate=True, n_trials=4000, rng=2)
    error = 4 * (drawn.standard_error or 0) + 0.01  # Noether's variance is that of the null
    assert drawn.power == pytest.approx(closed.power, abs=error)
    assert drawn.type_m == pytest.approx(closed.type_m, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("levels", [None, 3])
def test_rejects_a_true_null_at_the_nominal_rate(levels: int | None) -> None:
    scenario = dt.scenarios.RankSum(levels=levels)
    rng, trials = np.random.default_rng(5), 20_000
    found = scenario.analyse(scenario.draw(100, 0.5, trials=trials, rng=rng), alpha=0.05)
    share = float((found.p_values <= 0.05).mean())
    assert share == pytest.approx(0.05, abs=4 * (0.05 * 0.95 / trials) ** 0.5 + 0.001)


def test_the_observed_order_is_warned_of() -> None:
    found = dt.power(
        dt.scenarios.RankSum(alternative="observed-order"), n_items=100, effect=0.6
    )
    assert "with chance 0.1" in found.notes[0]
    assert found.to_dict()["total_judgments"] == 200


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dt.scenarios.RankSum(levels=1), "`levels` must be a whole number ≥ 2; got 1"),
        (lambda: dt.power(dt.scenarios.RankSum(), n_items=9, effect=1.2), "probability P"),
        (
            lambda: dt.power(dt.scenarios.RankSum(), n_items=9, effect=0.5),
            "other than 0.5; got 0.5",
        ),
        (
            lambda: dt.power(dt.scenarios.RankSum(), n_items=9, effect=1.0, simulate=True),
            "strictly between 0 and 1 to be simulated",
        ),
    ],
)
def test_bad_input_is_refused(call: Any, message: str) -> None:
    with pytest.raises(dt.InputError, match=message):
        call()


# --- Preference: the binomial test, ties, and the saw-tooth ---


def binomial_power(n: int, effect: float) -> float:
    wins = np.arange(n + 1)
    p = np.minimum(1, 2 * stats.binom.cdf(np.minimum(wins, n - wins), n, 0.5))
    right = (wins > n / 2) if effect > 0.5 else (wins < n / 2)
    return float(stats.binom.pmf(wins, n, effect)[(p <= 0.05) & right].sum())


@given(st.integers(2, 300), st.floats(0.01, 0.99).filter(lambda x: abs(x - 0.5) > 1e-3))
def test_without_ties_it_is_the_binomial_test(n: int, effect: float) -> None:
    found = dt.power(dt.scenarios.Preference(), n_items=n, effect=effect)
    assert found.power == pytest.approx(binomial_power(n, effect), abs=1e-10)
    assert found.method == "exact"


@pytest.mark.parametrize("effect", [0.65, 0.3])
def test_ties_thin_out_the_comparisons(effect: float) -> None:
    n, ties = 80, 0.35
    sizes = np.arange(2, n + 1)
    weights = stats.binom.pmf(sizes, n, 1 - ties)
    expected = sum(
        w * binomial_power(int(m), effect) for w, m in zip(weights, sizes, strict=True)
    )
    found = dt.power(dt.scenarios.Preference(ties=ties), n_items=n, effect=effect)
    assert found.power == pytest.approx(expected, abs=1e-10)
    assert found.details["expected_decided"] == pytest.approx(52)


@pytest.mark.parametrize("ties", [0.0, 0.4])
def test_simulation_agrees_of_preference(ties: float) -> None:
    scenario = dt.scenarios.Preference(ties=ties)
    for n, effect in ((50, 0.65), (200, 0.42)):
        exact = dt.power(scenario, n_items=n, effect=effect)
        drawn = dt.power(scenario, n_items=n, effect=effect, simulate=True, rng=n)
        assert drawn.power == pytest.approx(exact.power, abs=4 * (drawn.standard_error or 0))
        assert drawn.type_m == pytest.approx(exact.type_m, rel=0.02)


@pytest.mark.parametrize(
    ("effect", "ties"),
    [(0.65, 0.0), (0.6, 0.0), pytest.param(0.55, 0.0, marks=pytest.mark.slow), (0.7, 0.3)],
)
def test_power_stays_above_the_target_from_the_sample_size_on(
    effect: float, ties: float
) -> None:
    scenario = dt.scenarios.Preference(ties=ties)
    n = dt.sample_size(scenario, effect=effect).n_items or 0
    powers = [
        dt.power(scenario, n_items=m, effect=effect, drawn=0).power for m in range(n - 1, 2 * n)
    ]
    assert powers[0] < 0.8 <= min(powers[1:])


def test_the_saw_tooth_is_real() -> None:
    powers = [
        dt.power(dt.scenarios.Preference(), n_items=n, effect=0.65).power
        for n in range(80, 110)
    ]
    first = next(n for n, power in zip(range(80, 110), powers, strict=True) if power >= 0.8)
    assert first < (dt.sample_size(dt.scenarios.Preference(), effect=0.65).n_items or 0)


def test_messages() -> None:
    with pytest.raises(dt.InputError, match=r"`ties` must lie between 0 and 1.*got 1\.0"):
        dt.scenarios.Preference(ties=1.0)
    with pytest.raises(dt.InputError, match="chance to win a decided comparison"):
        dt.power(dt.scenarios.Preference(), n_items=10, effect=-0.2)
