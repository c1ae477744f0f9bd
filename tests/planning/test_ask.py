"""The four questions as a whole: names, seeds, processes, messages."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import InputError
from tests.planning.scenarios import PairedT, t_power

TWO_AND_A_HALF: Any = [9, 2.5]


def test_a_scenario_needs_two_methods_only() -> None:
    found = dt.power(PairedT(), n_items=40, effect=0.5, n_trials=4000, rng=1)
    assert found.power == pytest.approx(t_power(40, 0.5), abs=4 * (found.standard_error or 0))
    assert (found.method, found.n_trials) == ("simulated", 4000)
    assert "sd:1.0" in str(found.signature)


def test_the_number_of_processes_does_not_change_the_answer() -> None:
    ask: dict[str, Any] = {"n_items": 20, "effect": 0.5, "n_trials": 3000, "rng": 5}
    alone = dt.power(PairedT(), **ask)
    assert dt.power(PairedT(), n_jobs=2, **ask) == alone
    with ThreadPoolExecutor(2) as pool:
        assert dt.power(PairedT(), executor=pool, **ask) == alone


def test_an_unseeded_run_can_be_repeated_from_its_signature() -> None:
    first = dt.power(PairedT(), n_items=20, effect=0.5, n_trials=500)
    seed = int(first.signature.seed or 0)
    assert first == dt.power(PairedT(), n_items=20, effect=0.5, n_trials=500, rng=seed)


def test_a_generator_of_the_caller_moves_on() -> None:
    rng = np.random.default_rng(1)
    first = dt.power(PairedT(), n_items=20, effect=0.3, n_trials=500, rng=rng)
    second = dt.power(PairedT(), n_items=20, effect=0.3, n_trials=500, rng=rng)
    assert first.power != second.power
    assert first.signature.seed == "caller"


def test_exact_answers_carry_no_seed() -> None:
    found = dt.power(dt.scenarios.Preference(), n_items=100, effect=0.65)
    assert found.signature.seed is None
    assert found.standard_error is None
    assert "trials" not in str(found.signature)


def test_every_answer_becomes_json() -> None:
    answers = (
        dt.power(dt.scenarios.Bleu(), n_items=2000, effect=1.0),
        dt.mde(dt.scenarios.Bleu(), n_items=2000),
        dt.sample_size(dt.scenarios.Bleu(), effect=1.0),
    )
    for answer in answers:
        plain = json.loads(json.dumps(answer.to_dict()))
        keys = {"power", "type_m", "type_s", "method", "standard_error", "effect", "n_items"}
        assert keys <= plain.keys()
        assert plain["unit"] == "segment"
        assert "details" not in plain
        assert "segment" in answer.summary()


def test_a_curve_holds_every_pair() -> None:
    curve = dt.power_curve(
        dt.scenarios.RankSum(), n_items=[100, 1500], effect=[0.44, 0.47, 0.51]
    )
    assert [p.n_items for p in curve.points] == [100] * 3 + [1500] * 3
    alone = dt.power(dt.scenarios.RankSum(), n_items=1500, effect=0.47)
    assert curve.at(1500, 0.47) == alone
    assert len(curve.to_dict()["points"]) == 6
    assert curve.summary().splitlines()[1] == (
        "1,500 judgments per system: effects from 0.47 with at least 80% power"
    )


@pytest.mark.parametrize(
    "scenario",
    [dt.scenarios.Accuracy(agreement=0.9), dt.scenarios.Bleu(), dt.scenarios.RankSum()],
)
def test_a_surface_takes_a_moment(scenario: Any) -> None:
    low = scenario.null_effect
    sizes = np.unique(np.geomspace(50, 5000, 20).astype(int)).tolist()
    scale = 3.0 if isinstance(scenario, dt.scenarios.Bleu) else 0.09
    effects = (low + np.linspace(0.05, 1, 20) * scale).tolist()
    curve = dt.power_curve(scenario, n_items=sizes, effect=effects)
    for effect in effects[:: len(effects) - 1]:
        powers = [curve.at(n, effect).power for n in sizes]
        assert powers[-1] > powers[0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: dt.power(s, n_items=1, effect=1), r"`n_items` must be a whole number ≥ 2"),
        (lambda s: dt.power_curve(s, n_items=TWO_AND_A_HALF, effect=[1]), r"≥ 2; got 2\.5"),
        (
            lambda s: dt.power(s, n_items=9, effect=0),
            r"`effect` must be .* other than 0; got 0",
        ),
        (lambda s: dt.power(s, n_items=9, effect=np.nan), "`effect` must be a finite number"),
        (lambda s: dt.power(s, n_items=9, effect=1, alpha=1.5), "`alpha` must lie strictly"),
        (lambda s: dt.power(s, n_items=9, effect=1, n_trials=0), "`n_trials` must be a whole"),
        (
            lambda s: dt.mde(s, n_items=9, power=1.0),
            "`power` must lie strictly between 0 and 1",
        ),
        (lambda s: dt.mde(s, n_items=9, power=0.04), "between alpha = 0.05 and 1; got 0.04"),
        (lambda s: dt.power_curve(s, n_items=[], effect=[1]), "at least one number; got none"),
    ],
)
def test_bad_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(dt.InputError, match=message):
        call(PairedT())


# What belongs to an answer besides its numbers


OBSERVED = dt.scenarios.RankSum(alternative="observed-order")
GLUE = dt.scenarios.Accuracy(baseline_accuracy=0.8, prior="glue", method="normal")


def _own(answer: Any) -> tuple[str, ...]:
    """Return the notes without the sentence on pairs, which test_counterpart checks."""
    return tuple(note for note in answer.notes if not note.startswith("With every system"))


@pytest.mark.parametrize("scenario", [OBSERVED, GLUE], ids=["notes", "details"])
def test_every_question_hands_on_notes_and_details(scenario: Any) -> None:
    found = dt.mde(scenario, n_items=300, alpha=0.04)
    assert _own(found) == scenario.notes(300, found.effect, alpha=0.04)
    assert found.details == scenario.details(300, found.effect, alpha=0.04)
    size = dt.sample_size(scenario, effect=found.effect, alpha=0.04)
    assert _own(size) == scenario.notes(size.n_items, found.effect, alpha=0.04)
    assert size.details == scenario.details(size.n_items, found.effect, alpha=0.04)
    power = dt.power(scenario, n_items=300, effect=found.effect, alpha=0.04)
    assert (_own(power), power.details) == (_own(found), found.details)
    assert power.notes or power.details


def test_details_stand_beside_the_numbers() -> None:
    found = dt.mde(OBSERVED, n_items=300)
    assert found.to_dict()["total_judgments"] == 600
    assert dt.sample_size(OBSERVED, effect=0.45).to_dict()["total_judgments"] > 600


def test_what_cannot_be_reached_has_a_unit_and_no_details() -> None:
    scenario = dt.scenarios.Accuracy(baseline_accuracy=0.945, prior="glue")
    found = dt.mde(scenario, n_items=147)
    assert (found.attainable, found.notes, found.details) == (False, (), {})
    assert found.unit == "item"
    none = dt.sample_size(dt.scenarios.RankSum(), effect=0.5 + 1e-6)
    assert (none.attainable, none.notes, none.details) == (False, (), {})
    assert none.unit == "judgment per system"


@pytest.mark.parametrize(
    ("ask", "beginning"),
    [
        (lambda: dt.power(OBSERVED, n_items=9, effect=0.8), "power|"),
        (lambda: dt.mde(OBSERVED, n_items=9), "mde|"),
        (lambda: dt.sample_size(OBSERVED, effect=0.8), "sample-size|"),
        (lambda: dt.power_curve(OBSERVED, n_items=[9], effect=[0.8]), "power-curve|"),
    ],
    ids=["power", "mde", "size", "curve"],
)
def test_the_signature_names_question_scenario_and_level(ask: Any, beginning: str) -> None:
    text = str(ask().signature)
    assert text.startswith(
        f"{beginning}scenario:RankSum|alternative:observed-order|alpha:0.05|"
    )


def test_a_simulated_answer_names_trials_and_seed() -> None:
    found = dt.mde(PairedT(), n_items=20, n_trials=600, rng=4, alpha=0.1)
    text = str(found.signature)
    assert text.startswith("mde|scenario:PairedT|sd:1.0|alpha:0.1|trials:600|seed:4|")
    assert found.alpha == 0.1


def test_a_simulation_can_be_asked_for_where_a_form_exists() -> None:
    scenario = dt.scenarios.Accuracy(agreement=0.9)
    for ask, options in (
        (dt.power, {"n_items": 100, "effect": 0.05}),
        (dt.mde, {"n_items": 100}),
        (dt.sample_size, {"effect": 0.08}),
    ):
        exact = ask(scenario, **options)
        drawn = ask(scenario, simulate=True, n_trials=200, rng=1, **options)
        assert (exact.method, drawn.method) == ("exact", "simulated")
        assert (exact.standard_error, drawn.standard_error is None) == (None, False)


def test_a_curve_knows_its_grid_its_null_and_its_unit() -> None:
    curve = dt.power_curve(OBSERVED, n_items=[9, 90], effect=[0.4, 0.6], alpha=0.1)
    assert (curve.n_items, curve.effect) == ((9, 90), (0.4, 0.6))
    assert (curve.null_effect, curve.alpha, curve.unit) == (0.5, 0.1, "judgment per system")
    assert (
        curve.summary().splitlines()[0].endswith("none of the effects with at least 80% power")
    )


def test_points_of_a_simulated_curve_share_their_random_numbers() -> None:
    curve = dt.power_curve(PairedT(), n_items=[20], effect=[0.3, 0.5], n_trials=300, rng=6)
    alone = dt.power(PairedT(), n_items=20, effect=0.5, n_trials=300, rng=6)
    assert curve.at(20, 0.5).power == alone.power


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_smallest_effect_is_the_smallest(power: float) -> None:
    scenario = dt.scenarios.RankSum()
    found = dt.mde(scenario, n_items=200, power=power)
    assert found.power >= power
    below = 0.5 + (found.effect - 0.5) * (1 - 1e-6)
    assert dt.power(scenario, n_items=200, effect=below).power < power


@pytest.mark.parametrize("effect", [0.7, pytest.param(0.6, marks=pytest.mark.slow)])
def test_the_size_is_the_smallest_from_which_on_power_stays(effect: float) -> None:
    scenario = dt.scenarios.Preference()
    found = dt.sample_size(scenario, effect=effect)
    assert found.n_items is not None
    powers = [
        dt.power(scenario, n_items=n, effect=effect).power
        for n in range(found.n_items - 1, found.n_items + 60)
    ]
    assert powers[0] < 0.8
    assert min(powers[1:]) >= 0.8
    assert found.power == powers[1]


def test_a_power_of_either_sign_counts_the_wrong_one() -> None:
    found = dt.power(OBSERVED, n_items=9, effect=0.55)
    assert found.power_any_sign == pytest.approx(found.power / (1 - found.type_s))
    assert found.power_any_sign > found.power


def test_a_power_of_nothing_has_no_signs() -> None:
    found = dt.power(dt.scenarios.Preference(), n_items=3, effect=0.9)
    assert (found.power, found.power_any_sign) == (0.0, 0.0)
    assert found.to_dict()["type_m"] is None


def test_curves_under_several_assumptions_are_those_of_each() -> None:
    alike = {f"agreement {a}": dt.scenarios.Accuracy(agreement=a) for a in (0.7, 0.95)}
    found = dt.power_curves(alike, n_items=[500, 1000], effect=[0.02, 0.2])
    assert found.names == ("agreement 0.7", "agreement 0.95")
    # A difference of .2 needs more disagreement than .05: it is left out there.
    assert [curve.effect for curve in found.curves] == [(0.02, 0.2), (0.02,)]
    alone = dt.power_curve(alike["agreement 0.95"], n_items=[500, 1000], effect=[0.02])
    assert found["agreement 0.95"].points == alone.points
    assert found.to_dict()["curves"][1] == alone.to_dict()
    with pytest.raises(
        InputError, match=r"must be one of agreement 0\.7, agreement 0\.95; got 'x'"
    ):
        found["x"]


def test_curves_under_several_assumptions_share_a_seed() -> None:
    plans = {"mean": PairedT(), "again": PairedT()}
    first, second = (
        dt.power_curves(plans, n_items=[20], effect=[0.3], n_trials=200, rng=rng)
        for rng in (4, 4)
    )
    assert first == second
    assert first["mean"].points == first["again"].points
    assert first.signature.seed == "4"


@pytest.mark.parametrize(
    ("plans", "effect", "message"),
    [
        ({"one": OBSERVED}, 0.6, "`scenarios` must hold two or more; got 1"),
        (
            {a: dt.scenarios.Accuracy(agreement=float(a)) for a in (".7", ".99")},
            0.2,
            r"no difference that is possible with \.99; got 0\.2",
        ),
    ],
)
def test_assumptions_that_allow_no_curves_are_refused(
    plans: dict[str, Any], effect: float, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        dt.power_curves(plans, n_items=[50], effect=[effect])
