"""The detectable difference of two shares, by the exact test."""

import math

import numpy as np
import pytest

from detectable.inference.share_mde import detectable_share
from detectable.inference.sign_test import sign_test_p
from detectable.planning.sign_power import sign_power


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
