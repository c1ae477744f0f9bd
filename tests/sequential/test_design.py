"""`design`: its numbers, its rules, and its boundaries at the looks that took place."""

import math
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import ConvergenceError, InputError
from detectable.sequential.boundaries import symmetric_stops, type_one_error
from detectable.sequential.design import design
from detectable.sequential.equivalence import margin_characteristics
from detectable.sequential.families import Family
from detectable.sequential.futility import Futility
from tests.sequential.gold import equal_looks, gold, setting, spending


@pytest.mark.golden
def test_the_paper() -> None:
    found = design(preset="paper", drifts=(2.0, 2.8016, 3.2415, 4.0), power=0.9)
    assert found.z == pytest.approx([2.289478] * 3, abs=1e-6)
    assert found.nominal_p == pytest.approx([0.0220516] * 3, abs=1e-7)
    assert found.overall_alpha.futility_ignored == pytest.approx(0.05, abs=1e-9)
    assert found.overall_alpha.futility_obeyed == pytest.approx(0.0458, abs=5e-5)
    obeyed = [point.with_futility for point in found.characteristics]
    assert [p.power for p in obeyed if p] == pytest.approx(
        [0.396, 0.673, 0.796, 0.926], abs=1e-3
    )
    assert [p.expected_n for p in obeyed if p] == pytest.approx(
        [0.656, 0.630, 0.594, 0.518], abs=1e-3
    )
    assert [p.power for p in found.characteristics] == pytest.approx(
        [0.442, 0.734, 0.854, 0.964], abs=1e-3
    )
    assert "still 70%" in found.notes[0]
    assert "8.5%" in found.notes[0]
    assert "0.6%" in found.notes[1]


@pytest.mark.golden
def test_the_paper_at_every_drift_of_the_table() -> None:
    found = design(preset="paper", power=0.9)
    for key, case in gold("paper_interim_futility_p_gt_0.5_pocock3").items():
        point = found.at_drift(setting(key))
        obeyed = point.with_futility
        assert obeyed is not None
        assert point.power_any_sign == pytest.approx(case["power_pocock3"], abs=1.1e-5)
        assert point.expected_n == pytest.approx(case["asn_pocock3"], abs=1.1e-5)
        assert obeyed.power_any_sign == pytest.approx(case["power_fut"], abs=1.1e-5)
        assert obeyed.expected_n == pytest.approx(case["asn_fut"], abs=1.1e-5)
        assert obeyed.stop_futility[:2] == pytest.approx(case["p_stop_futility"], abs=1.1e-5)


@pytest.mark.golden
def test_beta_spending() -> None:
    for key, case in gold("beta_spending").items():
        names, bound, alpha, beta, _ = key.split("|")
        upper, lower = (spending(name) for name in names.split("/"))
        found = design(
            upper.name,
            looks=3,
            sided=1,
            alpha=setting(alpha),
            power=1 - setting(beta),
            futility=Futility("beta-spending", spending=lower),
            binding=bound.endswith("True"),
            gamma=upper.parameter,
        )
        assert found.z == pytest.approx(case["upper"], abs=2e-6)
        assert found.futility[:2] == pytest.approx(case["lower"][:2], abs=2e-6)
        assert found.drift == pytest.approx(case["drift"], abs=2e-6)
        assert found.inflation == pytest.approx(case["inflation"], abs=2e-6)
        error = found.overall_alpha
        assert error.futility_obeyed == pytest.approx(
            case["type1_if_futility_obeyed"], abs=1e-6
        )
        assert error.futility_ignored == pytest.approx(case["type1_if_ignored"], abs=1e-6)
        samples = found.expected_n_over_fixed
        assert samples.h0 == pytest.approx(case["asn_over_fixed_H0"], abs=1e-5)
        assert samples.full == pytest.approx(case["asn_over_fixed_H1"], abs=1e-5)
        assert found.at_drift(found.drift).power == pytest.approx(0.9, abs=1e-8)
        again = found.boundaries_for(found.information)
        assert again.z == pytest.approx(found.z, abs=1e-9)
        assert again.futility[:2] == pytest.approx(found.futility[:2], abs=1e-9)


@pytest.mark.golden
def test_binding_beta_spending_as_in_rpact() -> None:
    """rpact 3.3.4, asHSD(-4) with bsHSD(-2), one-sided .025, β = .1, bindingFutility = TRUE."""
    rule = Futility("beta-spending", spending=Family("hsd", -2.0))
    found = design(
        at=(0.2, 0.5, 0.8, 1.0), sided=1, alpha=0.025, futility=rule, binding=True, power=0.9
    )
    z = (3.252668488, 2.801694863, 2.343306936, 1.967291392)
    assert found.z == pytest.approx(z, abs=1e-7)
    lower = (-0.9279496884, 0.3497688356, 1.3453278230)
    assert found.futility[:3] == pytest.approx(lower, abs=1e-7)
    assert found.inflation == pytest.approx(1.06351922, abs=1e-7)


@pytest.mark.golden
def test_the_recommended_design() -> None:
    found = design(looks=40, power=0.9)
    assert found.inflation == pytest.approx(1.044, abs=1e-3)
    assert found.expected_n_over_fixed.full == pytest.approx(0.680, abs=1e-3)
    assert found.expected_n_over_fixed.one_and_half == pytest.approx(0.433, abs=1e-3)


def test_the_default() -> None:
    found = design(power=0.9)
    assert found.family == "hsd"
    assert found.parameter == -4.0
    assert len(found.z) == 10
    assert not found.binding
    assert found.with_futility is not None
    assert 0.88 < found.with_futility.power < 0.9
    assert found.with_futility.expected_n.h0 < 0.7 < found.expected_n.h0
    assert found.futility[:3] == (None, None, None)
    assert "10 looks" in found.summary()
    assert "is followed, the power is 89%" in found.summary()


@pytest.mark.parametrize(
    "rule", ["p>.5", "conditional-power", "conditional-power-design", "predictive-power"]
)
@pytest.mark.parametrize("sided", [1, 2])
def test_advice_on_futility_does_not_move_the_boundary(rule: Any, sided: int) -> None:
    plain = design(looks=5, futility="none", sided=sided)
    advised = design(looks=5, futility=rule, sided=sided)
    assert advised.z == plain.z
    assert advised.inflation == pytest.approx(plain.inflation, rel=1e-9)
    assert advised.overall_alpha.futility_obeyed < advised.overall_alpha.futility_ignored
    cost = advised.with_futility
    assert cost is not None
    assert cost.power < 0.9
    assert cost.inflation > plain.inflation
    assert cost.expected_n.h0 < plain.expected_n.h0
    assert plain.with_futility is None


@pytest.mark.parametrize("family", ["hsd", "pocock", "obrien-fleming"])
@pytest.mark.parametrize("rule", ["p>.5", "conditional-power", "conditional-power-design"])
def test_binding_futility_is_counted_and_warned_about(family: Any, rule: Any) -> None:
    free = design(family, looks=4, futility=rule, power=0.9)
    bound = design(family, looks=4, futility=rule, binding=True, power=0.9)
    assert bound.overall_alpha.futility_obeyed == pytest.approx(0.05, abs=1e-8)
    assert bound.overall_alpha.futility_ignored > 0.05 + 1e-6
    assert bound.z[-1] < free.z[-1]
    assert bound.alpha_spent[-1] == pytest.approx(0.05, abs=1e-8)
    assert bound.at_drift(bound.drift).power == pytest.approx(0.9, abs=1e-8)
    assert any("raises the false alarms from 0.05" in note for note in bound.notes)
    assert bound.boundaries_for(bound.information).z == pytest.approx(bound.z, abs=1e-8)


def test_boundaries_follow_the_looks_that_took_place() -> None:
    found = design(looks=5, futility="none")
    actual = (0.13, 0.44, 0.61)
    now = found.boundaries_for(actual)
    assert now.z[:2] == pytest.approx(found.boundaries_for(actual[:2]).z, abs=1e-12)
    assert now.alpha_spent == pytest.approx([found.spend(t) for t in actual], abs=1e-10)
    assert not now.final
    again = found.boundaries_for(found.information)
    assert again.z == pytest.approx(found.z, abs=1e-12)
    assert again.final


@pytest.mark.parametrize("last", [0.7, 1.0, 1.25])
def test_a_declared_last_look_spends_the_rest(last: float) -> None:
    found = design(looks=5)
    ended = found.boundaries_for((0.2, 0.5, last), final=True)
    assert ended.alpha_spent[-1] == pytest.approx(0.05, abs=1e-10)
    stops = symmetric_stops(ended.information, ended.z, sided=2)
    assert type_one_error(stops) == pytest.approx(0.05, abs=1e-10)
    assert ended.futility[-1] is None
    before = found.boundaries_for((0.2, 0.5))
    assert ended.z[:2] == pytest.approx(before.z, abs=1e-12)


def test_classical_families_stay_with_the_plan() -> None:
    found = design("pocock", looks=3)
    assert found.boundaries_for((1 / 3, 2 / 3)).z == found.z[:2]
    assert found.boundaries_for(found.information).final
    with pytest.raises(InputError, match=r"hsd, ld-obf, ld-pocock or kim-demets before"):
        found.boundaries_for((0.3, 2 / 3))
    with pytest.raises(InputError, match="must be the planned"):
        found.boundaries_for((1 / 3, 2 / 3), final=True)
    with pytest.raises(InputError, match="spending family"):
        found.spend(0.5)


def test_beta_bounds_follow_the_looks() -> None:
    rule = Futility("beta-spending", spending=Family("hsd", -2.0))
    found = design("hsd", looks=4, sided=1, futility=rule)
    now = found.boundaries_for((0.2, 0.55))
    later = found.boundaries_for((0.2, 0.55, 0.8))
    assert now.futility == pytest.approx(later.futility[:2], abs=1e-10)
    assert all(bound is not None for bound in now.futility)
    assert found.boundaries_for((0.2, 0.55), final=True).futility[-1] is None


def test_binding_futility_that_stops_everything_is_refused() -> None:
    with pytest.raises(ConvergenceError, match="Choose weaker stops for futility"):
        design(futility=Futility("conditional-power", 0.99), binding=True)


def test_advice_without_room_is_left_out_and_named() -> None:
    found = design("ld-pocock", looks=4, futility=Futility("predictive-power", 0.9))
    assert found.futility == (None,) * 4
    assert found.notes[0].startswith("No stop for futility at 0.5, 0.75 of the information")
    assert found.boundaries_for((0.3, 0.6)).futility == (None, None)
    assert found.with_futility is None


@pytest.mark.parametrize("binding", [False, True])
def test_beta_spending_with_many_looks(binding: bool) -> None:
    found = design(looks=20, sided=1, futility="beta-spending", binding=binding, power=0.9)
    assert found.at_drift(found.drift).power == pytest.approx(0.9, abs=1e-8)
    kept = found.overall_alpha
    error = kept.futility_obeyed if binding else kept.futility_ignored
    assert error == pytest.approx(0.05, abs=1e-9)


def test_items() -> None:
    found = design("pocock", looks=3, n_max=1000)
    assert found.items == (334, 667, 1000)
    assert found.expected_items is not None
    assert found.expected_items.full == pytest.approx(1000 * found.expected_n.full)


def test_the_answer_is_plain_json() -> None:
    plain = design("ld-obf", at=(0.05, 0.95, 1.0)).to_dict()
    assert plain["z"][0] is None
    assert {"z", "nominal_p", "alpha_spent", "inflation", "expected_n"} <= plain.keys()
    assert "rule" not in plain
    assert plain["characteristics"][0]["drift"] == 0.0


def test_one_look() -> None:
    found = design("fixed")
    assert found.inflation == pytest.approx(1.0, abs=1e-9)
    assert found.futility_rule == "none"
    assert found.summary().startswith("One look at the end")
    assert found.z == pytest.approx(design("pocock", looks=1).z, abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"at": (0.5, 0.4, 1)}, "`at` must increase from look to look; got 0.4 after 0.5"),
        ({"at": (0.5, 0.5 + 1e-8, 1)}, "`at` must lie 0.00001 apart"),
        ({"at": (0.5, 1.2)}, "`at` must hold shares of the maximum, at most 1; got 1.2"),
        ({"at": (0.5, 0.9)}, "`at` must end with 1"),
        ({"at": ()}, "`at` must hold at least one look"),
        ({"at": (0.0, 1.0)}, "`at` must hold shares above 0; got 0"),
        ({"at": (math.nan, 1.0)}, "`at` must hold shares above 0; got nan"),
        ({"looks": 3, "at": (1,)}, "must not both be given"),
        ({"looks": 0}, "`looks` must be a whole number ≥ 1; got 0"),
        ({"looks": 2000}, "`looks` must be at most 1000"),
        ({"alpha": 1.5}, "`alpha` must lie strictly between 0 and 1; got 1.5"),
        ({"alpha": 0.0}, "`alpha` must lie strictly between 0 and 1"),
        ({"sided": 3}, "`sided` must be 1 or 2; got 3"),
        ({"power": 0.03}, "`power` must be above alpha"),
        ({"family": "obf"}, "`family` must be one of"),
        ({"family": "fixed", "looks": 3}, "`family` fixed must have one look"),
        ({"futility": "beta-spending"}, "must not be beta-spending in a two-sided test"),
        (
            {"futility": "beta-spending", "sided": 1, "binding": True, "family": "pocock"},
            "needs a spending family",
        ),
        ({"futility": "p>.9"}, "`futility` must be one of"),
        ({"drifts": (math.nan,)}, "`drifts` must be finite"),
        ({"preset": "paper", "looks": 3}, "`looks` must not be given with a preset"),
        ({"preset": "mine"}, "`preset` must be one of paper"),
        ({"n_max": 5}, "`n_max` must be a whole number ≥ 10"),
    ],
)
def test_bad_input_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        design(**arguments)


@pytest.mark.parametrize(
    ("times", "final", "message"),
    [
        ((0.4, 0.3), False, "must increase"),
        ((0.4, 1.2), False, "Declare the look final"),
        ((0.4, 1.0, 1.2), True, "below 1 at all but the last look"),
    ],
)
def test_bad_looks_are_named(times: tuple[float, ...], final: bool, message: str) -> None:
    with pytest.raises(InputError, match=message):
        design().boundaries_for(times, final=final)


def test_futility_settings_are_checked() -> None:
    with pytest.raises(InputError, match="`futility_threshold` must lie strictly"):
        Futility("conditional-power", 0.0)
    with pytest.raises(InputError, match="`futility_from` must be at least 0"):
        Futility("conditional-power", earliest=1.0)


# --- What a design says of itself ---


@pytest.mark.parametrize("family", ["ld-obf", "pocock"])
def test_expected_samples_stand_at_their_multiples_of_the_planned_effect(family: Any) -> None:
    found = design(family, looks=3)
    for name, multiple in {"h0": 0.0, "half": 0.5, "full": 1.0, "one_and_half": 1.5}.items():
        expected = found.at_drift(multiple * found.drift).expected_n
        assert getattr(found.expected_n, name) == pytest.approx(expected, rel=1e-9)
        over_fixed = getattr(found.expected_n_over_fixed, name)
        assert over_fixed == pytest.approx(found.inflation * expected, rel=1e-9)
    # The smaller the effect, the later the stop.
    sizes = found.expected_n
    assert sizes.one_and_half < sizes.full < sizes.half < sizes.h0 < 1.0


# --- Equivalence and non-inferiority with looks ---

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


def test_bad_input_is_named_of_equivalence() -> None:
    with pytest.raises(InputError, match="`information` must end with 1"):
        margin_characteristics(Family("hsd"), (0.5, 0.9))
    with pytest.raises(InputError, match="`claim` must be one of"):
        margin_characteristics(Family("hsd"), (1.0,), claim="parity")  # type: ignore[arg-type]
