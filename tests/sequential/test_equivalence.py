"""Equivalence and non-inferiority with looks."""

import math

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.sequential.design import design
from detectable.sequential.equivalence import margin_characteristics
from detectable.sequential.families import Family
from tests.sequential.gold import equal_looks, gold, setting

# The table calls the spending functions by the designs they resemble.
DESIGNS = {
    "OBF3": (Family("ld-obf"), 3),
    "POC3": (Family("ld-pocock"), 3),
    "HSD-4 10": (Family("hsd", -4.0), 10),
}


@pytest.mark.golden
def test_published_characteristics() -> None:
    for key, case in gold("equivalence_group_sequential").items():
        if key.count("|") != 2:
            continue
        alpha, power, name = key.split("|")
        level, wanted = setting(alpha), setting(power)
        if name == "fixed DsI":
            found = margin_characteristics(Family("fixed"), (1.0,), alpha=level, power=wanted)
            assert found.margin_drift == pytest.approx(case, abs=5.1e-5)
            assert found.inflation == pytest.approx(1.0, abs=1e-9)
            continue
        family, looks = DESIGNS[name]
        found = margin_characteristics(family, equal_looks(looks), alpha=level, power=wanted)
        assert found.margin_drift == pytest.approx(case["DsI"], abs=5.1e-5), key
        assert found.inflation == pytest.approx(case["R"], abs=5.1e-5), key
        assert found.expected_n_over_fixed == pytest.approx(case["asn_over_fixed"], abs=5.1e-5)
        assert found.type_one_error == pytest.approx(case["type1_at_margin"], abs=5.1e-6)


@pytest.mark.golden
def test_what_parity_costs() -> None:
    """Ratings with a spread of 27 points, no looks: judgments per system, unpaired."""
    for (alpha, power), needed in {
        (0.05, 0.8): {1: 12487, 2: 3122, 3: 1388, 5: 500},
        (0.05, 0.9): {1: 15779, 2: 3945, 3: 1754, 5: 632},
        (0.025, 0.9): {1: 18947, 2: 4737, 3: 2106, 5: 758},
    }.items():
        found = margin_characteristics(Family("fixed"), (1.0,), alpha=alpha, power=power)
        for margin, n in needed.items():
            assert math.ceil(2 * (27 * found.margin_drift / margin) ** 2) == n


def test_simulated_claims() -> None:
    family, times, n = Family("hsd", -4.0), np.array(equal_looks(4)), 400_000
    found = margin_characteristics(family, tuple(times), alpha=0.05, power=0.8)
    rng, reach = np.random.default_rng(6), found.margin_drift * np.sqrt(times) - found.z
    for drift, chance in ((0.0, found.power), (found.margin_drift, found.type_one_error)):
        walk = np.cumsum(rng.normal(drift / 4, 0.5, (n, 4)), axis=1)
        claimed = (np.abs(walk / np.sqrt(times)) < reach).any(axis=1).mean()
        assert claimed == pytest.approx(chance, abs=4 * (chance * (1 - chance) / n) ** 0.5)


def test_no_early_claim_while_the_margin_is_below_the_boundary() -> None:
    found = margin_characteristics(Family("ld-obf"), equal_looks(3), power=0.9)
    assert found.stop[0] == 0.0
    assert sum(found.stop) == pytest.approx(0.9, abs=1e-8)


def test_non_inferiority_is_a_shifted_one_sided_test() -> None:
    times = equal_looks(5)
    found = margin_characteristics(Family("hsd", -4.0), times, claim="non-inferior", power=0.9)
    plan = design("hsd", looks=5, sided=1, futility="none", power=0.9)
    assert found.margin_drift == pytest.approx(plan.drift, abs=1e-7)
    assert found.inflation == pytest.approx(plan.inflation, abs=1e-7)
    assert found.expected_n == pytest.approx(plan.expected_n.full, abs=1e-7)
    assert found.type_one_error == pytest.approx(0.05, abs=1e-8)


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="`information` must end with 1"):
        margin_characteristics(Family("hsd"), (0.5, 0.9))
    with pytest.raises(InputError, match="`claim` must be one of"):
        margin_characteristics(Family("hsd"), (1.0,), claim="parity")  # type: ignore[arg-type]
