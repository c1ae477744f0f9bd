"""The power of the quality check itself."""

import math

import numpy as np
import pytest
from scipy import stats

from detectable.core.choices import CheckTest
from detectable.core.types import FloatArray
from detectable.data.human.judgments import Judgments
from detectable.study.raters.quality_control import quality_control
from detectable.study.raters.rater_check import (
    CarefulRater,
    RaterTest,
    careful_rater,
    check_power,
    check_rater,
)

TESTS: tuple[CheckTest, ...] = ("paired-t", "signed-rank", "mann-whitney")


@pytest.mark.parametrize("n", [2, 5, 10, 40])
def test_power_of_the_t_test_is_the_noncentral_t(n: int) -> None:
    careful = CarefulRater(effect=12.0, sd_difference=30.0, sd_score=25.0)
    expected = stats.nct.sf(stats.t.ppf(0.95, n - 1), n - 1, 0.4 * math.sqrt(n))
    found = check_power(n, careful, "paired-t", 0.05, np.random.default_rng(1))
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_power_is_what_simulated_raters_show(test: CheckTest) -> None:
    n, runs = 10, 3000
    rng = np.random.default_rng(5)
    careful = CarefulRater(effect=20.0, sd_difference=30.0, sd_score=25.0)
    d = rng.normal(20.0, 30.0, (runs, n))
    s = rng.normal(0.0, math.sqrt(4.0 * 25.0**2 - 30.0**2), (runs, n))
    passed = [
        check_rater(a, b, test, 0.05).p_value <= 0.05
        for a, b in zip((s + d) / 2.0, (s - d) / 2.0, strict=True)
    ]
    found = check_power(n, careful, test, 0.05, rng)
    simulated = 0.0 if test == "paired-t" else 1.0 / 2000
    error = math.sqrt(found * (1.0 - found) * (1.0 / runs + simulated))
    assert abs(np.mean(passed) - found) < 3.0 * error


def _judgments(differences: FloatArray) -> Judgments:
    """Return raters who score originals 80 and copies lower by the given differences."""
    raters, n = differences.shape
    rater, item = (index.ravel() for index in np.indices((raters, n)))
    scores = np.concatenate([np.full(raters * n, 80.0), 80.0 - differences.ravel()])
    return Judgments.build(
        {
            "rater": np.tile(rater, 2),
            "item": np.tile(item, 2),
            "system": ["A"] * scores.size,
            "kind": ["system"] * (raters * n) + ["degraded"] * (raters * n),
            "score": scores,
        },
        scale=(-1000.0, 1000.0),
    )


def test_power_with_a_stated_effect_uses_the_raters_own_spread() -> None:
    differences = np.random.default_rng(2).normal(20.0, 25.0, (2, 7))
    found = quality_control(_judgments(differences), effect=15.0)
    shift = 15.0 / differences.std(axis=1, ddof=1) * math.sqrt(7)
    expected = stats.nct.sf(stats.t.ppf(0.95, 6), 6, shift)
    assert [row.power for row in found.raters] == pytest.approx(expected.tolist())
    assert "each rater's own spread" in found.summary()


def test_the_effect_makes_p_values_uniform_among_those_who_passed() -> None:
    differences = np.random.default_rng(3).normal(20.0, 29.0, (40, 9))
    tests = [check_rater(np.zeros(9), -d, "paired-t", 0.05) for d in differences]
    careful = careful_rater(tests, 0.05)
    assert careful is not None
    t = np.array([-one.t for one in tests if one.p_value <= 0.05])
    chance = stats.nct(8, careful.standardised * 3.0)
    given = chance.sf(t) / chance.sf(stats.t.ppf(0.95, 8))
    assert given.mean() == pytest.approx(0.5, abs=1e-6)


@pytest.mark.slow
def test_the_power_found_is_the_share_of_careful_raters_who_pass() -> None:
    # The plain mean of passing raters would give .83 where .60 is true.
    rng = np.random.default_rng(11)
    powers = []
    for _ in range(12):
        differences = rng.normal(20.0, 29.0, (200, 9))
        powers.append(quality_control(_judgments(differences)).raters[0].power)
    truth = stats.nct.sf(stats.t.ppf(0.95, 8), 8, 20.0 / 29.0 * 3.0)
    error = np.std(powers, ddof=1) / math.sqrt(len(powers))
    assert error < 0.03
    assert abs(np.mean(powers) - truth) < 3.0 * error


def test_lucky_raters_are_no_evidence_of_care() -> None:
    just = [RaterTest(n_pairs=9, mean_difference=-6.25, sd_difference=10.0, sd_score=9.0)]
    careful = careful_rater(just, 0.05)
    assert careful is not None
    assert careful.effect == 0.0
    differences = np.array([[10.0, -2.0, 14.0, 3.0, -4.0, 11.0, 2.0, -3.0, 12.0]])
    found = quality_control(_judgments(differences))
    assert found.good == ("0",)
    assert "no better than luck" in found.summary()
    assert found.raters[0].power == pytest.approx(0.05)


def test_nobody_passes_and_nothing_is_known() -> None:
    assert careful_rater([RaterTest(n_pairs=0), RaterTest(n_pairs=1)], 0.05) is None
    rng = np.random.default_rng(1)
    careful = CarefulRater(effect=9.0, sd_difference=0.0, sd_score=0.0)
    assert math.isnan(careful.standardised)
    assert math.isnan(check_power(9, careful, "paired-t", 0.05, rng))
    sharp = CarefulRater(effect=60.0, sd_difference=5.0, sd_score=5.0)
    assert check_power(400, sharp, "signed-rank", 0.05, rng) == 1.0
    assert check_power(400, sharp, "paired-t", 0.05, rng) == 1.0
