"""The answers in words: units, errors and shares."""

import math
from dataclasses import replace
from typing import Any

import pytest

import detectable as dt
from detectable.core.choices import MarginClaim
from detectable.core.errors import InputError
from detectable.core.result import Signature
from detectable.planning.result import (
    DetectableEffect,
    PowerCurve,
    PowerEstimate,
    SampleSize,
)

COMMON: dict[str, Any] = {
    "power": 0.8123,
    "type_m": 1.234,
    "type_s": 0.0456,
    "method": "exact",
    "standard_error": None,
    "alpha": 0.05,
    "signature": Signature("x", {}),
}
POWER = PowerEstimate(effect=0.47, n_items=1500, unit="judgment per system", **COMMON)
EFFECT = DetectableEffect(
    effect=0.123456, n_items=1, target_power=0.9, effect_error=None, **COMMON
)
SIZE = SampleSize(n_items=1454, effect=0.47, target_power=0.8, n_items_error=None, **COMMON)


def test_a_power_in_words() -> None:
    assert POWER.summary() == (
        "power 0.812 to see an effect of 0.47 with 1,500 judgments per system (α = 0.05, exact). "
        "A significant result exaggerates the effect 1.23 times on average and has the wrong "
        "sign in 4.6% of cases."
    )
    drawn = replace(POWER, standard_error=0.0042, method="simulated")
    assert drawn.summary().startswith("power 0.812 ± 0.004 to see")


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0, "0.0%"), (0.0009, "under 0.1%"), (0.001, "0.1%"), (0.25, "25.0%")],
)
def test_small_shares_are_not_called_zero(share: float, words: str) -> None:
    assert f"wrong sign in {words} of cases" in replace(POWER, type_s=share).summary()


def test_an_effect_in_words() -> None:
    assert EFFECT.summary() == (
        "1 item can detect an effect of 0.1235 or more (90% power, α = 0.05, exact)."
    )
    assert "0.1235 ± 0.0012 or more" in replace(EFFECT, effect_error=0.00123).summary()
    nothing = replace(EFFECT, attainable=False, limit="power is 0.5 there.")
    assert nothing.summary() == "not attainable: power is 0.5 there."


def test_a_size_in_words() -> None:
    assert SIZE.summary() == (
        "1,454 items to show an effect of 0.47 (80% power, α = 0.05, exact)."
    )
    assert replace(SIZE, n_items_error=12.3).summary().startswith("1,454 items ± 12 to show")
    assert replace(SIZE, n_items=None, limit="no.").summary() == "not attainable: no."


@pytest.mark.parametrize("answer", [POWER, EFFECT, SIZE], ids=["power", "effect", "size"])
def test_details_stand_beside_the_numbers(answer: Any) -> None:
    plain = replace(answer, details={"agreement": 0.9}).to_dict()
    assert plain["agreement"] == 0.9
    assert "details" not in plain
    assert plain["kind"] == type(answer).__name__


def test_only_power_knows_the_chance_of_either_sign() -> None:
    assert POWER.to_dict()["power_any_sign"] == pytest.approx(0.8123 / (1 - 0.0456))
    assert replace(POWER, type_s=float("nan")).power_any_sign == 0.0
    # Few trials may find nothing but wrong signs.
    assert math.isnan(replace(POWER, power=0.0, type_s=1.0).power_any_sign)


def _curve(null: float, powers: dict[float, float]) -> PowerCurve:
    effects = tuple(powers)
    return PowerCurve(
        n_items=(10,),
        effect=effects,
        null_effect=null,
        alpha=0.05,
        points=tuple(replace(POWER, n_items=10, effect=e, power=p) for e, p in powers.items()),
        signature=Signature("x", {}),
    )


@pytest.mark.parametrize(
    ("null", "powers", "words"),
    [
        (0.0, {0.1: 0.2, 0.2: 0.8, 0.3: 0.9}, "effects from 0.2"),
        (0.0, {0.1: 0.2, 0.2: 0.79}, "none of the effects"),
        (0.5, {0.1: 0.99, 0.3: 0.85, 0.45: 0.1}, "effects from 0.3"),
    ],
    ids=["above", "none", "below the null"],
)
def test_a_curve_names_the_nearest_effect_that_is_seen(
    null: float, powers: dict[float, float], words: str
) -> None:
    assert _curve(null, powers).summary() == f"10 items: {words} with at least 80% power"


def test_a_curve_finds_its_points() -> None:
    curve = dt.power_curve(dt.scenarios.RankSum(), n_items=[20, 40], effect=[0.6, 0.7, 0.8])
    for n in (20, 40):
        for effect in (0.6, 0.7, 0.8):
            found = curve.at(n, effect)
            assert (found.n_items, found.effect) == (n, effect)
    with pytest.raises(
        InputError, match=r"`effect` must be one of the grid, 0.6, 0.7, 0.8; got 0.65"
    ):
        curve.at(20, 0.65)
    with pytest.raises(InputError, match="`n_items` must be one of the grid, 20, 40; got 30"):
        curve.at(30, 0.6)


def _margin(claim: MarginClaim) -> dt.scenarios.AccuracyMargin:
    return dt.scenarios.AccuracyMargin(
        dt.scenarios.Accuracy(agreement=0.95), margin=0.02, claim=claim
    )


@pytest.mark.parametrize(
    ("claim", "aim"),
    [
        ("equivalent", "equivalence within 0.02"),
        ("non-inferior", "that the first system is not worse by 0.02 or more"),
    ],
)
def test_a_margin_is_what_is_shown_and_not_an_effect_of_0(claim: MarginClaim, aim: str) -> None:
    size = dt.sample_size(_margin(claim), effect=0.0)
    assert f" items to show {aim} if nothing differs (80% power" in size.summary()
    assert size.to_dict()["aim"] == aim
    chance = dt.power(_margin(claim), n_items=1000, effect=0.01)
    assert f"with 1,000 items to show {aim} if the difference is 0.01 (α" in chance.summary()
    assert "wrong sign" not in chance.summary()


def test_the_difference_from_which_on_a_system_is_shown_not_to_be_worse() -> None:
    found = dt.mde(_margin("non-inferior"), n_items=3000)
    assert found.summary().startswith(
        "3,000 items can show that the first system is not worse by 0.02 or more if the "
        "difference is -0.009665 or more (80% power"
    )


def test_an_effect_needs_no_claim() -> None:
    found = dt.sample_size(dt.scenarios.Accuracy(agreement=0.95), effect=0.01)
    assert "aim" not in found.to_dict()
    assert "items to show an effect of 0.01 (" in found.summary()
