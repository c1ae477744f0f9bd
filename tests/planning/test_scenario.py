"""What a scenario is without being told: the defaults that third parties rely on."""

import math
from dataclasses import dataclass, field
from typing import Any

import pytest

import detectable as dt
from detectable.planning.scenario import EffectRange
from detectable.planning.search import Evaluator, Work
from tests.planning.scenarios import PairedT


def test_the_defaults_of_a_scenario() -> None:
    plain = PairedT()
    assert (plain.null_effect, plain.smallest_n, plain.unit) == (0.0, 2, "item")
    assert plain.closed_form(10, 0.5, alpha=0.05) is None
    assert plain.effect_range(10) == EffectRange(-math.inf, math.inf, "")
    assert (plain.typical_effect(10), plain.first_n(0.5), plain.largest_n()) == (
        0.1,
        100,
        10_000_000,
    )
    assert plain.saw_tooth(10, 0.5) == 0
    assert plain.details(10, 0.5, alpha=0.05) == {}
    assert plain.notes(10, 0.5, alpha=0.05) == ()


def test_the_first_size_is_not_below_the_smallest() -> None:
    class Large(PairedT):
        smallest_n = 500

    assert Large().first_n(0.1) == 500


def test_settings_are_the_plain_fields() -> None:
    @dataclass(frozen=True)
    class Rich(PairedT):
        word: str = "x"
        whole: int = 3
        table: Any = field(default_factory=list)
        absent: float | None = None

    assert Rich().settings() == {"sd": 1.0, "word": "x", "whole": 3}


def test_every_scenario_has_its_name() -> None:
    for name in dir(dt.scenarios):
        assert getattr(dt.scenarios, name).__name__ == name
    assert dir(dt.scenarios) == [
        *(
            "Accuracy",
            "AccuracyMargin",
            "Arena",
            "AssumedDocuments",
            "Bleu",
            "Closed",
            "DocumentSpread",
            "EffectRange",
            "Likert",
            "Pilot",
        ),
        *(
            "Preference",
            "RankSum",
            "Ratings",
            "RatingsMargin",
            "Samples",
            "Scenario",
            "SwapFit",
        ),
        *("Trials", "UnpairedAccuracy"),
    ]
    with pytest.raises(AttributeError, match="has no attribute 'Blue'"):
        dt.scenarios.Blue  # noqa: B018 (asking is the test)


@pytest.mark.parametrize(
    ("scenario", "n_items", "low", "high"),
    [
        (dt.scenarios.RankSum(), 9, 0.0, 1.0),
        (dt.scenarios.Preference(), 9, 0.0, 1.0),
        (dt.scenarios.UnpairedAccuracy(0.7), 9, -0.7, 0.3),
        (dt.scenarios.Accuracy(agreement=0.9), 9, -0.1, 0.1),
        (dt.scenarios.Accuracy(agreement=0.95, baseline_accuracy=0.97), 9, -0.05, 0.01),
        (
            dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.9), 0.02),
            9,
            -0.02,
            0.1,
        ),
        (dt.scenarios.Bleu(), 9, -math.inf, math.inf),
    ],
    ids=lambda x: str(x)[:40],
)
def test_the_range_of_effects(scenario: Any, n_items: int, low: float, high: float) -> None:
    found = scenario.effect_range(n_items)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_an_evaluator_repeats_its_numbers_unless_another_stream_is_asked_for() -> None:
    evaluate = Evaluator(PairedT(), 0.05, 99, Work(n_trials=400))
    first, again = evaluate(20, 0.4), evaluate(20, 0.4)
    assert first == again
    assert evaluate(20, 0.4, stream=1) != first
    assert evaluate(20, 0.4, n_trials=100).n_trials == 100
    assert (first.method, first.n_trials) == ("simulated", 400)


def test_an_evaluator_takes_the_closed_form_unless_told_otherwise() -> None:
    scenario = dt.scenarios.RankSum()
    closed = Evaluator(scenario, 0.05, 1, Work(n_trials=100))(50, 0.6)
    drawn = Evaluator(scenario, 0.05, 1, Work(n_trials=100), always_simulate=True)(50, 0.6)
    assert (closed.method, closed.standard_error, closed.n_trials) == (
        "closed-form",
        None,
        None,
    )
    assert (drawn.method, drawn.n_trials) == ("simulated", 100)
