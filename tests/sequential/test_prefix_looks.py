"""Looks at prefixes: boundaries of gold, and what holds after the stop."""

import json
import math

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.sequential.prefix_looks import PrefixLooks, StoppedLooks, predictive_power
from tests.helpers import reference_data


def test_boundaries_of_gold() -> None:
    entries = json.loads(reference_data("gold", "live.json").read_text())["entries"]
    cases = [one for one in entries if one["section"] == "boundaries"]
    for one in cases:
        said = one["settings"]
        made = PrefixLooks.of(
            said["n"], alpha=said["alpha"], looks=said["looks"], first=said["first"]
        )
        assert list(made.at) == one["value"]["at"]
        assert np.allclose(made.z, one["value"]["z"], atol=one["tolerance"], rtol=0)
    assert len(cases) == 5


def test_a_pass_and_a_fail_have_their_own_levels() -> None:
    made = PrefixLooks.of(200, alpha=0.05, alpha_fail=0.0125)
    assert made.z_fail == PrefixLooks.of(200, alpha=0.0125).z
    assert min(np.subtract(made.z_fail, made.z)) > 0.0


def test_fewer_than_thirty_samples_are_looked_at_once() -> None:
    assert PrefixLooks.of(25).at == (25,)
    assert PrefixLooks.of(25).z[0] == pytest.approx(1.644854, abs=1e-5)


def test_a_declared_end_spends_what_is_left() -> None:
    made = PrefixLooks.of(200).ended_at(95)
    assert made.at[-2:] == (90, 95)
    assert made.z[-1] < PrefixLooks.of(200).z[-1]  # few looks came before it
    assert made.z[:-1] == PrefixLooks.of(200).z[: len(made.at) - 1]


def test_classical_families_are_refused() -> None:
    with pytest.raises(InputError, match="`family` must be one that takes looks at any time"):
        PrefixLooks.of(100, family="pocock")


def test_predictive_power_at_the_end_is_whether_it_is_reached() -> None:
    assert (predictive_power(1.8, 1.0, 1.77), predictive_power(1.7, 1.0, 1.77)) == (1.0, 0.0)


# --- After the stop ---


def test_a_stop_at_the_boundary_of_the_first_look_has_its_plain_p() -> None:
    looks = PrefixLooks.of(120)
    stopped = StoppedLooks(looks=looks, stage=1, share=0.25, decided="pass")
    p, drift = stopped.by_stage("pass", 3.2, alpha=0.05)
    assert p == pytest.approx(0.5 * math.erfc(3.2 / math.sqrt(2.0)), rel=1e-9)
    assert drift == pytest.approx(3.2 - 1.644854, abs=1e-4)


def test_the_p_of_a_boundary_is_what_was_spent_so_far() -> None:
    looks = PrefixLooks.of(200)
    stage = 8
    stopped = StoppedLooks(
        looks=looks, stage=stage, share=looks.times[stage - 1], decided="pass"
    )
    t = looks.times[stage - 1]
    spent = 0.05 * math.expm1(4.0 * t) / math.expm1(4.0)  # HSD with γ = −4
    assert stopped.by_stage("pass", looks.z[stage - 1], alpha=0.05)[0] == pytest.approx(
        spent, rel=1e-6
    )


def test_limit_and_p_value_say_the_same() -> None:
    stopped = StoppedLooks(looks=PrefixLooks.of(200), stage=8, share=0.6, decided="fail")
    bound = stopped.bound(0.05)
    assert stopped.any_stop_p(bound) == pytest.approx(0.05, rel=1e-9)
    z = 2.9
    p, drift = stopped.by_stage("fail", z, alpha=0.05)
    assert (p <= 0.05) == (drift >= 0.0)


@pytest.mark.slow
def test_p_values_after_a_stop_hold_their_level() -> None:
    """At the true bound p is at most α as often as α says, with what came in after the stop."""
    rng, runs = np.random.default_rng(11), 4000
    looks = PrefixLooks.of(100)
    at = np.array(looks.at)
    hits, misses = 0, 0
    for _ in range(runs):
        path = np.cumsum(rng.standard_normal(100))
        z = path[at - 1] / np.sqrt(at)
        crossed = np.flatnonzero(z >= looks.z)
        stage = int(crossed[0]) + 1 if crossed.size else at.size
        n = min(100, int(at[stage - 1]) + 4)
        stopped = StoppedLooks(
            looks=looks, stage=stage, share=n / 100, decided="pass" if crossed.size else None
        )
        p, drift = stopped.by_stage("pass", path[n - 1] / math.sqrt(n), alpha=0.05)
        hits += p <= 0.05
        misses += drift > 0.0
    error = math.sqrt(0.05 * 0.95 / runs)
    assert hits / runs == pytest.approx(0.05, abs=3 * error)
    assert misses == hits
