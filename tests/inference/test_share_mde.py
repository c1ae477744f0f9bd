"""The detectable difference of two shares: by the exact test, and in clusters."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from detectable.core.types import IntArray
from detectable.inference import swap_power as share_mde
from detectable.inference.classic_tests import sign_test_p
from detectable.inference.swap_power import detectable_in_clusters, detectable_share, swap_shift
from detectable.planning.closed_forms import sign_power


@pytest.mark.parametrize(("n", "discordant"), [(100, 20), (400, 20), (400, 80), (5000, 100)])
def test_planning_gives_it_the_asked_power(n: int, discordant: int) -> None:
    found = detectable_share(n, discordant, level=0.05, power=0.8)
    share = discordant / n
    assert found < share
    exact = sign_power(n, 0.5 * (share + found), 0.5 * (share - found), alpha=0.05)
    assert exact.right == pytest.approx(0.8, abs=1e-3)


@pytest.mark.parametrize(("n", "discordant"), [(100, 0), (100, 5), (50, 2)])
def test_few_discordant_items_must_become_more(n: int, discordant: int) -> None:
    # All discordant items won: six of them are significant at .05, five are not.
    found = detectable_share(n, discordant, level=0.05, power=0.8)
    assert found > discordant / n
    five = sum(math.comb(n, m) * found**m * (1.0 - found) ** (n - m) for m in range(6))
    assert five == pytest.approx(0.2, abs=1e-3)


def test_max_t_rejects_by_its_own_statistic() -> None:
    critical, n, discordant = 3.0, 200, 40
    found = detectable_share(n, discordant, critical=critical, power=0.8)
    rng = np.random.default_rng(3)
    win, loss = 0.5 * (discordant / n + found), 0.5 * (discordant / n - found)
    b, c, _ = rng.multinomial(n, [win, loss, 1.0 - win - loss], size=100_000).T
    hits = (b - c) / np.sqrt(np.maximum(b + c, 1)) >= critical
    assert hits.mean() == pytest.approx(0.8, abs=3 * 0.4 / 100_000**0.5)


def test_half_a_million_items_are_no_matter() -> None:
    # z_{.975} + z_{.8} standard errors √(q/n), as for any large sample.
    found = detectable_share(500_000, 50_000, level=0.05, power=0.8)
    assert found == pytest.approx(2.8016 * math.sqrt(0.1 / 500_000), rel=2e-3)


def test_simulated_data_find_it_four_times_in_five() -> None:
    rng = np.random.default_rng(5)
    found = detectable_share(100, 5, level=0.05, power=0.8)
    b, c, _ = rng.multinomial(100, [found, 0.0, 1.0 - found], size=50_000).T
    hits = (sign_test_p(b, c) <= 0.05) & (b > c)
    assert hits.mean() == pytest.approx(0.8, abs=3 * 0.4 / 50_000**0.5)


def test_it_grows_with_power_and_strictness() -> None:
    plain = detectable_share(300, 30, level=0.05, power=0.8)
    assert detectable_share(300, 30, level=0.005, power=0.8) > plain
    assert detectable_share(300, 30, level=0.05, power=0.9) > plain
    assert detectable_share(300, 60, level=0.05, power=0.8) > plain


@pytest.mark.parametrize("discordant", [0, 2, 5])
def test_too_few_items_find_nothing(discordant: int) -> None:
    assert math.isnan(detectable_share(5, discordant, level=0.05, power=0.8))
    assert math.isfinite(detectable_share(6, discordant, level=0.05, power=0.8))


def clustered(by_error: float = 0.1, discordance: float = 0.2, **changed: Any) -> float:
    given: dict[str, Any] = {
        "difference": 0.0,
        "n_units": 40,
        "differing": 30,
        "least": 6,
        "power": 0.8,
    }
    return detectable_in_clusters(by_error, discordance, **{**given, **changed})


def test_the_spread_of_answers_falls_with_the_difference() -> None:
    found = clustered(0.1)
    assert found**2 == pytest.approx(0.1**2 * (0.2 - found**2) / 0.2)
    apart = clustered(0.1, difference=0.15)  # the error was that of systems that differ
    assert apart**2 == pytest.approx(0.1**2 * (0.2 - apart**2) / (0.2 - 0.15**2))
    assert clustered(1e-4) == pytest.approx(1e-4, rel=1e-6)


def test_all_discordant_answers_won_are_found_if_enough_clusters_differ() -> None:
    assert clustered(0.5) == 0.2
    chance = clustered(0.5, differing=4) / 0.2 * 4 / 40
    assert binom.sf(5, 40, chance) == pytest.approx(0.8, abs=1e-9)
    assert clustered(0.01, differing=4) == clustered(0.5, differing=4)
    assert clustered(0.5, differing=4, power=0.9) > clustered(0.5, differing=4)
    assert clustered(0.5, differing=4, least=9) > clustered(0.5, differing=4)
    assert clustered(0.5, 0.9, n_units=6, differing=4) <= 1.0


@pytest.mark.parametrize(
    "changed",
    [
        {"n_units": 5},
        {"differing": 0},
        {"by_error": math.nan},
        {"discordance": 1.0, "difference": 1.0},
    ],
)
def test_clusters_that_cannot_tell_promise_nothing(changed: dict[str, Any]) -> None:
    assert math.isnan(clustered(**changed))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clusters", "answers", "discordance", "together"),
    [
        (20, 5, 0.2, 0.5),
        (50, 4, 0.05, 0.5),
        (50, 4, 0.2, 0.5),
        (20, 5, 0.2, 1.0),
    ],
)
def test_the_power_of_swapped_clusters_at_the_stated_difference(
    clusters: int, answers: int, discordance: float, together: float
) -> None:
    """From the true spread: what is found of differences as large as stated."""
    rng, trials = np.random.default_rng(3), 2000

    def sums(effect: float, n: int) -> IntArray:
        gains = max(0.5 * (discordance + effect), effect)
        losses = max(0.5 * (discordance - effect), 0.0)
        kinds = rng.choice(
            [1, -1, 0], p=[gains, losses, 1 - gains - losses], size=(n, clusters, answers)
        )
        alike = rng.random(kinds.shape) < together
        found: IntArray = np.where(alike, kinds[:, :, :1], kinds).sum(axis=2)
        return found

    null = sums(0.0, 4 * trials)
    error = float(np.sqrt((null / answers).var() / clusters))
    differing = round(float((null != 0).sum(axis=1).mean()))
    by_error = error * swap_shift(clusters, level=0.05, power=0.8)
    stated = detectable_in_clusters(
        by_error, discordance, 0.0, n_units=clusters, differing=differing, least=6, power=0.8
    )
    drawn = sums(stated, trials)
    signs = 1 - 2 * rng.integers(2, size=(1999, clusters))
    null_sums = np.abs(drawn @ signs.T)
    p = (1 + (null_sums >= np.abs(drawn.sum(axis=1))[:, None]).sum(axis=1)) / 2000
    found = float(((p <= 0.05) & (drawn.sum(axis=1) > 0)).mean())
    room = 3.0 * (0.16 / trials) ** 0.5
    assert 0.77 - room <= found <= 0.87 + room


@pytest.mark.parametrize(
    ("n", "share"), [(30, 0.02), (30, 0.5), (2_000, 0.1), (50, 1.0), (8, 0.0)]
)
def test_discordant_items_are_binomial(n: int, share: float) -> None:
    counts, weights = share_mde._discordant(n, share)
    wanted = np.zeros(n + 1)
    wanted[counts] = weights
    assert wanted == pytest.approx(binom.pmf(np.arange(n + 1), n, share), abs=1e-12)
