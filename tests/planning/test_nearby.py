"""Power around an answer: the same numbers as the questions themselves give."""

import math
from dataclasses import dataclass, replace
from typing import Any

import pytest

import detectable as dt
from detectable.planning.accuracy import Accuracy
from detectable.planning.ask import counterpart
from detectable.planning.nearby import NearbyPower
from detectable.planning.rank_sum import RankSum
from detectable.planning.ratings import Ratings
from detectable.planning.scenario import Closed, Scenario
from tests.planning.scenarios import PairedT

ACCURACY = Accuracy(agreement=0.95)


def nearby(answer: Any) -> NearbyPower:
    found = answer.nearby
    assert isinstance(found, NearbyPower)
    return found


def check_cells(scenario: Scenario, found: NearbyPower, alpha: float) -> None:
    """Compare every cell with the answer to the question asked there."""
    for row, n in enumerate(found.n_items):
        for column, effect in enumerate(found.effect):
            alone = dt.power(scenario, n_items=n, effect=effect, alpha=alpha)
            assert found.power[row][column] == alone.power
            for part in ("type_m", "type_s"):
                known = getattr(alone, part)
                shown = getattr(found, part)[row][column]
                assert shown == (None if math.isnan(known) else known)


@pytest.mark.parametrize("scenario", [ACCURACY, RankSum(), dt.scenarios.Bleu()])
def test_every_cell_is_what_the_question_says_there(scenario: Scenario) -> None:
    asked = scenario.null_effect + 0.03
    found = nearby(dt.power(scenario, n_items=700, effect=asked, alpha=0.1))
    assert found.n_items == (350, 700, 1400)
    assert asked in found.effect
    check_cells(scenario, replace(found, effect=found.effect[:3]), 0.1)
    sizes = nearby(dt.sample_size(scenario, effect=asked, alpha=0.1))
    assert len(sizes.effect) == 3
    check_cells(scenario, replace(sizes, n_items=sizes.n_items[:3]), 0.1)


@pytest.mark.parametrize(("n_items", "effect"), [(400, 0.01), (2000, 0.015), (20_000, 0.03)])
def test_the_axis_runs_from_nothing_to_nearly_sure(n_items: int, effect: float) -> None:
    found = nearby(dt.power(ACCURACY, n_items=n_items, effect=effect))
    line = found.power[found.n_items.index(n_items)]
    first, last = line[0], line[-1]
    assert first is not None
    assert last is not None
    assert first < 0.25
    assert last > 0.95
    assert found.effect[0] > 0.0
    assert list(found.effect) == sorted(found.effect)


def test_effects_below_the_null_effect_are_drawn_on_their_side() -> None:
    found = nearby(dt.power(RankSum(), n_items=1500, effect=0.47))
    assert max(found.effect) < 0.5
    assert 0.47 in found.effect
    above = nearby(dt.power(RankSum(), n_items=1500, effect=0.53))
    assert [1 - e for e in reversed(above.effect)] == pytest.approx(list(found.effect))


def test_no_effect_is_drawn_that_cannot_be() -> None:
    found = nearby(dt.power(Accuracy(agreement=0.975), n_items=100, effect=0.02))
    assert max(found.effect) == pytest.approx(0.025)


def test_the_size_found_lies_in_the_middle_of_its_axis() -> None:
    answer = dt.sample_size(RankSum(), effect=0.47)
    found = nearby(answer)
    assert answer.n_items == 1454
    assert answer.n_items in found.n_items
    assert found.n_items[-1] == 2 * answer.n_items
    assert found.effect == pytest.approx((0.4625, 0.47, 0.476))


def test_the_effect_found_is_on_its_line() -> None:
    answer = dt.mde(RankSum(), n_items=1500)
    found = nearby(answer)
    at = found.power[found.n_items.index(1500)][found.effect.index(answer.effect)]
    assert at == answer.power


def test_equivalence_is_drawn_between_its_margins() -> None:
    scenario = dt.scenarios.AccuracyMargin(ACCURACY, margin=0.02, claim="equivalent")
    found = nearby(dt.power(scenario, n_items=900, effect=0.0))
    assert found.effect[0] < -0.018
    assert found.effect[-1] == 0.02
    middle = found.power[1]
    assert middle[-1] is None  # at the margin the claim is false
    top = max(p for p in middle if p is not None)
    assert middle[found.effect.index(0.0)] == pytest.approx(top, abs=0.001)
    assert nearby(dt.sample_size(scenario, effect=0.0)).effect == (0.0,)


def test_non_inferiority_is_drawn_from_its_margin() -> None:
    scenario = dt.scenarios.AccuracyMargin(ACCURACY, margin=0.02, claim="non-inferior")
    found = nearby(dt.power(scenario, n_items=900, effect=0.0))
    assert -0.02 < found.effect[0] < -0.015
    assert found.effect[-1] > 0.0


def test_a_simulation_is_drawn_by_the_approximation_that_agrees_with_it() -> None:
    scenario = Ratings(mean=75, sd=20)
    found = nearby(dt.power(scenario, n_items=600, effect=3.0, rng=1, n_trials=2000))
    assert found.approximate
    form = replace(scenario, method="closed-form")
    known = form.closed_form(600, 3.0, alpha=0.05)
    assert known is not None
    assert found.power[1][found.effect.index(3.0)] == known.power
    exact = nearby(dt.power(RankSum(), n_items=600, effect=0.47))
    assert not exact.approximate


@dataclass(frozen=True, slots=True)
class WrongForm(PairedT):
    """A scenario whose closed form is far from its simulation."""

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:  # noqa: ARG002 (wrong)
        return Closed(0.5, 1.0, 0.0, "closed-form")


def test_a_form_that_does_not_fit_the_answer_is_not_drawn() -> None:
    ask: dict[str, Any] = {"simulate": True, "rng": 1, "n_trials": 1000}
    assert dt.power(WrongForm(), n_items=40, effect=0.9, **ask).nearby is None
    assert dt.power(WrongForm(), n_items=40, effect=0.325, **ask).nearby is not None
    assert dt.mde(WrongForm(), n_items=40, **ask).nearby is None


def test_without_a_form_there_is_nothing_to_draw() -> None:
    ask: dict[str, Any] = {"rng": 1, "n_trials": 300}
    assert dt.power(PairedT(), n_items=40, effect=0.5, **ask).nearby is None
    assert dt.sample_size(PairedT(), effect=0.8, **ask).nearby is None
    paired = Ratings(mean=75, sd=20, correlation=0.4, test="signed-rank")
    assert dt.power(paired, n_items=100, effect=3.0, **ask).nearby is None


def test_where_no_effect_is_enough_all_of_them_are_drawn() -> None:
    answer = dt.mde(Accuracy(agreement=0.975), n_items=50)
    assert not answer.attainable
    found = nearby(answer)
    assert max(found.effect) == pytest.approx(0.025)
    assert max(p for p in found.power[1] if p is not None) == answer.power


def test_where_no_size_is_enough_many_are_drawn_along_one_line() -> None:
    scenario = dt.scenarios.Likert(n_raters=3, preset="card-low")
    answer = dt.sample_size(scenario, effect=0.1)
    assert not answer.attainable
    found = nearby(answer)
    assert (found.n_items[0], found.n_items[-1]) == (10, 100_000)
    assert found.effect == (0.1,)
    assert max(row[0] for row in found.power if row[0] is not None) < 0.8


def test_a_slow_form_is_asked_at_few_points() -> None:
    found = nearby(
        dt.power(dt.scenarios.Likert(n_raters=5, preset="card-high"), n_items=20, effect=0.2)
    )
    assert found.n_items == (20,)
    assert len(found.effect) <= 10


def test_a_slow_form_is_asked_at_few_sizes() -> None:
    scenario = dt.scenarios.Likert(n_raters=20, preset="card-high")
    answer = dt.sample_size(scenario, effect=0.3)
    found = nearby(answer)
    n = int(answer.n_items or 0)
    assert found.effect == (0.3,)
    assert found.n_items[-1] == 2 * n
    assert n in found.n_items
    assert len(found.n_items) <= 6


def test_it_is_no_part_of_the_json_nor_of_what_makes_two_answers_equal() -> None:
    answer = dt.power(RankSum(), n_items=1500, effect=0.47)
    assert {"nearby", "scale"}.isdisjoint(answer.to_dict())
    assert answer == replace(answer, nearby=None)
    curve = dt.power_curve(RankSum(), n_items=[1500], effect=[0.47])
    assert curve.points[0].nearby is None
    assert (answer.scale, curve.scale) == ("P(A < B)", "P(A < B)")


# --- Pairs against no pairs: the same kind of test on both sides, and one sentence about it ---

S = dt.scenarios
PAIRED = {"two-means": "paired-mean", "rank-sum": "signed-rank"}


def _ratings(**options: object) -> S.Ratings:
    return S.Ratings(mean=80, sd=20, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("test", PAIRED)
def test_means_go_with_means_and_ranks_with_ranks(test: str) -> None:
    alone = _ratings(test=test, second="shift", method="closed-form")
    other = counterpart(alone)
    assert other is not None
    method = "closed-form" if test == "two-means" else "simulated"
    assert other.scenario == _ratings(
        test=PAIRED[test], correlation=0.5, second="shift", method=method
    )
    assert PAIRED[test] in other.words
    back = counterpart(other.scenario)
    assert back is not None
    assert back.scenario == alone
    assert f"items of its own ({test})" in back.words


def test_a_margin_keeps_its_margin() -> None:
    margin = S.RatingsMargin(_ratings(), 3.0)
    other = counterpart(margin)
    assert other is not None
    assert other.scenario == S.RatingsMargin(
        _ratings(test="paired-mean", correlation=0.5, method="closed-form"), 3.0
    )


def test_accuracy_needs_to_know_how_good_the_baseline_is() -> None:
    assert counterpart(S.Accuracy(agreement=0.9)) is None
    other = counterpart(S.Accuracy(agreement=0.9, baseline_accuracy=0.8))
    assert other is not None
    assert other.scenario == S.UnpairedAccuracy(0.8)
    back = counterpart(other.scenario)
    assert back is not None
    assert back.scenario == S.Accuracy(baseline_accuracy=0.8, prior="lachenbruch")


def test_scenarios_without_the_other_way_have_no_sentence() -> None:
    assert counterpart(S.Bleu()) is None
    answer = dt.power(S.RankSum(), n_items=500, effect=0.45)
    assert answer.notes == ()


def test_every_answer_says_what_the_other_way_would_give() -> None:
    alone = _ratings(method="closed-form")
    paired = _ratings(test="paired-mean", correlation=0.5, method="closed-form")
    other = "With both systems judged on the same items (paired-mean, correlation 0.5)"
    power = dt.power(paired, n_items=600, effect=2).power
    assert dt.power(alone, n_items=600, effect=2).notes[-1] == (
        f"{other}, the power would be about {power:.2f}."
    )
    effect = dt.mde(paired, n_items=600).effect
    assert dt.mde(alone, n_items=600).notes[-1] == (
        f"{other}, effects of about {effect:.3g} or more would be shown with that power."
    )
    n_items = dt.sample_size(paired, effect=2).n_items
    assert dt.sample_size(alone, effect=2).notes[-1] == (
        f"{other}, about {n_items} judgments per system would be enough."
    )
    assert dt.mde(paired, n_items=600).notes[-1].startswith("With every system judged on items")


def test_the_defaults_with_and_without_pairs_test_the_same_thing() -> None:
    # Pairs at a correlation of ½ halve the variance: the detectable effect falls by √½.
    alone = dt.mde(_ratings(method="closed-form"), n_items=600).effect
    pairs = _ratings(test="paired-mean", correlation=0.5, method="closed-form")
    assert dt.mde(pairs, n_items=600).effect / alone == pytest.approx(0.5**0.5, rel=0.01)


def test_a_correlation_that_is_impossible_is_passed_over() -> None:
    # So different distributions cannot have a correlation of ½: the sentence is left out.
    apart = S.Ratings(mean=99, sd=5, method="closed-form")
    assert len(dt.power(apart, n_items=9, effect=40).notes) == 2
    assert len(dt.power(apart, n_items=9, effect=1).notes) == 3
