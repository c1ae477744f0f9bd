"""What a plan says before the data: power, detectable effect, judgments, cost."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import DataError, InputError
from detectable.inference.classic_tests import sign_test_p
from detectable.sequential.design import design
from detectable.sequential.look_statistic import paired_mean
from detectable.study.monitoring.frozen_plan import zero_one_sd
from detectable.study.monitoring.plan import plan, read_plan
from tests.helpers import reference_data
from tests.study.monitoring.plan_tables import judged, new_plan


def test_the_detectable_effect_is_the_drift_of_the_design(tmp_path: Path) -> None:
    made = new_plan(tmp_path, 400, sd=15.0, looks=5, futility="none", power=0.8)
    same = design("hsd", looks=5, futility="none", power=0.8)
    found = made.outlook()
    assert found.mde == pytest.approx(same.drift * 15.0 / 20.0)
    assert found.power == pytest.approx(0.8)
    assert found.target_power == 0.8
    expected = found.expected_judgments
    assert expected.most == 800.0
    assert expected.effect == pytest.approx(800 * same.expected_n.full)
    assert expected.no_effect == pytest.approx(800 * same.expected_n.h0)
    assert found.cost is None


def test_futility_costs_power_and_saves_judgments(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with_advice = new_plan(tmp_path / "a").outlook()
    without = new_plan(tmp_path / "b", futility="none").outlook()
    assert with_advice.mde is not None
    assert without.mde is not None
    assert with_advice.mde > without.mde
    few, many = with_advice.expected_judgments, without.expected_judgments
    assert few.no_effect is not None
    assert many.no_effect is not None
    assert few.no_effect < 0.8 * many.no_effect
    advice = "if advice to give up is followed"
    assert advice in new_plan(tmp_path).summary()
    assert advice not in read_plan(tmp_path / "b" / "ship.json").summary()


def test_several_pairs_are_stated_at_the_level_of_the_first_decision(tmp_path: Path) -> None:
    made = plan(tmp_path / "a.json", systems=["A", "B", "C"], n_max=400, sd=15.0)
    level = design("hsd", alpha=0.05 / 3, futility="predictive-power")
    found = made.outlook()
    assert level.with_futility is not None
    ratio = math.sqrt(level.with_futility.inflation / level.inflation)
    assert found.mde == pytest.approx(level.drift * ratio * 15.0 / 20.0, rel=1e-6)
    expected = found.expected_judgments
    assert (expected.most, expected.no_effect, expected.effect) == (1200.0, None, None)
    assert "At most 1,200 judgments." in made.summary()


@pytest.mark.parametrize(
    ("options", "sd"),
    [
        ({}, 20.0),
        ({"scale": (1.0, 6.0)}, 1.0),
        ({"test": "two-means"}, 30.0),
        ({"test": "proportions"}, math.sqrt(0.5)),
        ({"test": "preference"}, 1.0),
        ({"sd": 7.5}, 7.5),
    ],
)
def test_the_spread_that_is_assumed(tmp_path: Path, options: Any, sd: float) -> None:
    made = new_plan(tmp_path, **options)
    assert made.outlook().sd == pytest.approx(sd)
    assert ("(assume" in made.summary()) == (
        "sd" not in options and options.get("test") != "preference"
    )


def test_ranks_need_a_larger_difference_of_normal_scores(tmp_path: Path) -> None:
    found: dict[str, float] = {}
    for test in ("paired-mean", "signed-rank", "sign-flip"):
        made = plan(
            tmp_path / f"{test}.json", systems=["A", "B"], n_max=100, test=test, sd=10.0
        )
        found[test] = made.outlook().mde or math.nan
    assert found["sign-flip"] == found["paired-mean"]
    assert found["signed-rank"] == pytest.approx(found["paired-mean"] * math.sqrt(math.pi / 3))


def test_an_effect_has_a_power(tmp_path: Path) -> None:
    made = new_plan(tmp_path, 400, sd=15.0, effect=-2.0)
    found = made.outlook()
    assert found.effect == 2.0
    assert found.power is not None
    assert found.mde is not None
    assert (found.power < 0.9) == (found.mde > 2.0)
    assert f"a difference of 2 with {found.power:.0%} power, and of" in made.summary()
    content = json.loads(Path(made.path).read_text())
    assert (content["effect"], content["sd"]) == (-2.0, 15.0)
    assert "cost_per_judgment" not in content
    assert read_plan(made.path) == made


@pytest.mark.slow
@pytest.mark.parametrize("claim", ["better", "non-inferior", "equivalent"])
def test_the_power_is_that_of_the_looks(tmp_path: Path, claim: str) -> None:
    """Simulated with the statistic and the boundaries of `look`, normal differences."""
    margin = None if claim == "better" else 3.0
    made = new_plan(tmp_path, 200, sd=10.0, looks=4, claim=claim, margin=margin)
    found = made.outlook()
    effect = found.mde if claim != "equivalent" else 0.0
    assert effect is not None
    assert found.power is not None
    wanted = 0.9 if claim != "equivalent" else found.power
    sided = None if claim == "better" else 1
    futility = None if claim == "better" else "none"
    bounds = made.design_at(0.05, sided=sided, futility=futility)
    runs, hits, used = 2000, 0, 0
    rng = np.random.default_rng(8)
    for _ in range(runs):
        d = rng.normal(effect, 10.0, 200)
        for k, n in enumerate((50, 100, 150, 200)):
            seen = paired_mean(d[:n])
            half = seen.half_width(bounds.z[k])
            shown = {
                "better": seen.z >= bounds.z[k],
                "non-inferior": seen.estimate - half >= -3.0,
                "equivalent": abs(seen.estimate) + half <= 3.0,
            }[claim]
            give_up = claim == "better" and bounds.futility[k] is not None
            if shown or (give_up and abs(seen.z) < (bounds.futility[k] or 0.0)) or n == 200:
                hits += shown
                used += n
                break
    error = math.sqrt(wanted * (1.0 - wanted) / runs)
    assert hits / runs == pytest.approx(wanted, abs=3 * error)
    if claim == "better":
        expected = found.expected_judgments.effect
        assert expected is not None
        assert used / runs == pytest.approx(expected / 2.0, rel=0.03)


def test_non_inferiority_has_a_smallest_difference_and_equivalence_none(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    made = new_plan(tmp_path / "a", 400, sd=10.0, claim="non-inferior", margin=3.0)
    found = made.outlook()
    assert found.mde is not None
    assert found.mde < 0.0  # even somewhat worse, it is shown
    assert "“not worse by more than 3” with 100% power if nothing differs" in made.summary()
    made = new_plan(tmp_path / "b", 400, sd=10.0, claim="equivalent", margin=3.0, effect=1.0)
    assert made.outlook().mde is None
    assert "if the difference is 1." in made.summary()


def test_anytime_plans_state_only_the_most(tmp_path: Path) -> None:
    made = new_plan(tmp_path, 100, test="e-process", cost_per_judgment=0.5)
    found = made.outlook()
    assert (found.power, found.mde, found.sd) == (None, None, None)
    assert found.expected_judgments.most == 200.0
    assert found.cost is not None
    assert found.cost.most == 100.0
    assert "neither power nor detectable effect is stated" in made.summary()
    (tmp_path / "b").mkdir()
    endless = new_plan(tmp_path / "b", None, test="e-process")
    assert endless.outlook().expected_judgments.most is None


def test_a_budget_makes_the_end(tmp_path: Path) -> None:
    made = plan(tmp_path / "a.json", systems=["A", "B"], cost_per_judgment=0.25, budget=300.0)
    assert made.n_max == 600
    assert "Cost: at most 600 items × 2 systems × 0.25 = 300 of a budget of 300; about" in (
        made.summary()
    )
    cost, judgments = made.to_dict()["cost"], made.to_dict()["expected_judgments"]
    assert cost["effect"] == pytest.approx(0.25 * judgments["effect"])
    three = plan(
        tmp_path / "b.json", systems=["A", "B", "C"], cost_per_judgment=0.1, budget=0.3 * 77
    )
    assert three.n_max == 77  # in spite of rounding
    wins = plan(
        tmp_path / "c.json",
        systems=["A", "B"],
        test="preference",
        cost_per_judgment=2.0,
        budget=99.0,
    )
    assert wins.n_max == 49
    assert "49 items × 2 = 98 of a budget of 99" in wins.summary()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": 10.0}, "`budget` needs `cost_per_judgment`"),
        ({"budget": -1.0, "cost_per_judgment": 1.0}, "`budget` must"),
        ({"cost_per_judgment": 0.0}, "`cost_per_judgment` must"),
        (
            {"budget": 100.0, "cost_per_judgment": 1.0},
            "`n_max` must fit the budget of 100: 100 items × 2 systems × 1 = 200. It pays for 50",
        ),
        (
            {"n_max": None, "budget": 3.0, "cost_per_judgment": 1.0},
            "`budget` must pay for two items or more",
        ),
        ({"sd": 0.0}, "`sd` must"),
        ({"effect": 0.0}, "`effect` must not be 0"),
        ({"effect": math.inf}, "`effect` must be a finite number"),
        ({"sd": 3.0, "test": "e-process"}, "`sd` does not apply to 'e-process'"),
        ({"sd": 3.0, "pilot": judged([1.0, 2.0])}, "`sd` and `pilot` both say"),
    ],
)
def test_what_cannot_be_assumed(tmp_path: Path, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        new_plan(tmp_path, **{"n_max": 100, **options})
    assert list(tmp_path.iterdir()) == []


def test_a_pilot_says_how_much_differences_vary(tmp_path: Path) -> None:
    d = np.random.default_rng(1).normal(2.0, 12.0, 60)
    made = new_plan(tmp_path, pilot=judged(d))
    assert made.sd == pytest.approx(float(d.std(ddof=1)))
    assert read_plan(made.path).sd == made.sd
    assert "assumed" not in made.summary()


def test_documents_of_a_pilot_are_counted_in(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    d = (rng.normal(0.0, 10.0, (20, 1)) + rng.normal(0.0, 3.0, (20, 5))).ravel()
    made = new_plan(tmp_path, pilot=judged(d, per_document=5))
    # At the upper 60 % limit of 19 degrees of freedom, as every plan from a pilot with documents.
    seen = paired_mean(d, np.repeat(np.arange(20), 5)).standard_error * 10.0
    assert made.sd == pytest.approx(seen * math.sqrt(19.0 / stats.chi2.ppf(0.4, 19.0)))
    assert made.sd is not None
    assert "documents of 5: design effect" in made.summary()
    assert read_plan(made.path) == made
    assert made.sd > 1.8 * float(d.std(ddof=1))
    with pytest.raises(DataError, match="do not vary"):
        new_plan(tmp_path, pilot=judged([0.0] * 9), question="no file is left behind")


def test_a_pilot_of_ranks_is_measured_by_its_means(tmp_path: Path) -> None:
    d = np.random.default_rng(1).normal(2.0, 12.0, 60)
    made = new_plan(tmp_path, test="signed-rank", pilot=judged(d))
    assert made.sd == pytest.approx(float(d.std(ddof=1)))


# --- Answers that are right or wrong ---


@pytest.mark.golden
def test_gold_spread_of_right_and_wrong_answers() -> None:
    text = reference_data("gold", "repairs.json").read_text(encoding="utf-8")
    cases = json.loads(text)["cases"]
    wanted = {name: value for name, value in cases.items() if name.startswith("zero-one sd/")}
    assert wanted
    for name, value in wanted.items():
        words = name.split()
        agreement, right = (None if w == "None" else float(w) for w in (words[2], words[4]))
        assert zero_one_sd(agreement, right) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("options", "sd", "said"),
    [
        ({}, math.sqrt(0.5), "assumes 0/1 answers that agree only by chance; give --agreement, --sd or --pilot"),
        ({"agreement": 0.85}, math.sqrt(0.15), "0/1 answers that agree in 85% of items"),
        ({"baseline_accuracy": 0.9}, math.sqrt(0.18), "agree only by chance, 90% of them right"),
        ({"test": "proportions", "baseline_accuracy": 0.9}, math.sqrt(0.18), "90% of them right"),
        ({"test": "two-means"}, math.sqrt(0.5), "give --sd or --pilot"),
        ({"test": "preference"}, 1.0, "every comparison is decided"),
    ],
)  # fmt: skip
def test_the_spread_of_right_and_wrong_answers(
    tmp_path: Path, options: dict[str, Any], sd: float, said: str
) -> None:
    made = new_plan(tmp_path, 400, scale=(0.0, 1.0), **options)
    assert made.outlook().sd == pytest.approx(sd, abs=1e-12)
    assert said in made.summary()
    assert read_plan(made.path) == made


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"agreement": 0.8, "scale": (0.0, 100.0)},
            "`agreement` is about answers that are right",
        ),
        ({"agreement": 0.8, "test": "preference"}, "`test` no preference"),
        ({"agreement": 1.0}, "`agreement` must lie between 0 and 1; got 1.0"),
        ({"baseline_accuracy": 0.0}, "`baseline_accuracy` must lie between 0 and 1; got 0.0"),
        ({"agreement": 0.8, "sd": 0.3}, "`agreement` and `sd` both say"),
        (
            {"agreement": 0.8, "test": "two-means"},
            "`agreement` is of answers to the same items",
        ),
        ({"agreement": 0.8, "pilot": 1}, "`agreement` and `pilot` both say"),
        ({"agreement": 0.8, "test": "e-process"}, "`agreement` does not apply"),
    ],
)
def test_what_cannot_be_said_of_answers(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        new_plan(tmp_path, 400, **{"scale": (0.0, 1.0), **options})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("differ", "options"),
    [
        (0.5, {"baseline_accuracy": 0.5}),
        (0.42, {"baseline_accuracy": 0.7}),
        (0.15, {"agreement": 0.85}),
    ],
)
def test_a_plan_finds_the_difference_it_states(
    tmp_path: Path, differ: float, options: dict[str, Any]
) -> None:
    """Effect .05 by McNemar's exact test, at the size where the plan states 80 % power."""
    sd = zero_one_sd(**options)
    n = math.ceil((1.959964 + 0.841621) ** 2 * sd**2 / 0.05**2)
    made = new_plan(
        tmp_path,
        n,
        scale=(0.0, 1.0),
        looks=1,
        futility="none",
        power=0.8,
        effect=0.05,
        **options,
    )
    assert made.outlook().power == pytest.approx(0.8, abs=0.01)
    rng = np.random.default_rng(round(1000 * differ))
    trials = 4000
    shares = [(differ + 0.05) / 2, (differ - 0.05) / 2, 1.0 - differ]
    wins, losses, _ = rng.multinomial(n, shares, trials).T
    found = (sign_test_p(wins, losses) <= 0.05) & (wins > losses)
    assert found.mean() == pytest.approx(0.785, abs=0.025 + 3 * math.sqrt(0.16 / trials))
