"""The four questions as a whole: names, seeds, processes, messages."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import detectable as dt
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
