"""Likert: the grid of card2020's settings, lattice against simulation, unbalanced designs."""

import json
import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import detectable as dt
from detectable.core.errors import SuspiciousDataWarning
from tests.helpers import reference_data

OWN: dict[str, Any] = {
    "rater_sd": 0.1,
    "rater_slope_sd": 0.08,
    "item_sd": 0.1,
    "item_slope_sd": 0.08,
    "residual_sd": 0.26,
}


def grid() -> list[dict[str, Any]]:
    gold = json.loads(reference_data("gold", "card.json").read_text())["likert"]
    assert gold["grid_reps"] == 20000
    cells: list[dict[str, Any]] = [cell for cell in gold["grid"] if cell["beta"] > 0]
    return cells


def plan(cell: dict[str, Any], test: Any) -> dt.scenarios.Likert:
    return dt.scenarios.Likert(
        n_raters=cell["workers"],
        preset=f"card-{cell['setting']}",  # type: ignore[arg-type]
        test=test,
    )


@pytest.mark.golden
@pytest.mark.parametrize(
    ("test", "key", "sizes"),
    [
        ("satterthwaite", "power_reml_satterthwaite", (50, 100, 200, 500)),
        ("card", "power_ml_t196_onesided", (50, 100)),
        pytest.param(
            "card", "power_ml_t196_onesided", (200, 500), marks=pytest.mark.slow
        ),  # maximum likelihood takes longer
    ],
)
def test_the_whole_grid_is_that_of_the_reference(
    test: str, key: str, sizes: tuple[int, ...]
) -> None:
    cells = [cell for cell in grid() if cell["items"] in sizes]
    assert len(cells) >= 40
    for cell in cells:
        found = dt.power(
            plan(cell, test), n_items=cell["items"], effect=cell["true_difference"], drawn=0
        )
        assert found.method == "closed-form"
        share = min(max(cell[key], 5e-5), 1 - 5e-5)
        error = math.hypot(math.sqrt(share * (1 - share) / 20000), 2e-4)
        assert found.power == pytest.approx(cell[key], abs=4 * error), cell


@pytest.mark.golden
def test_the_authors_simulations_are_reproduced() -> None:
    for cell in grid():
        if cell["authors_csv"] is None or cell["items"] > 100:
            continue
        found = dt.power(
            plan(cell, "card"), n_items=cell["items"], effect=cell["true_difference"], drawn=0
        )
        share = min(max(found.power, 1 / 200), 1 - 1 / 200)
        error = math.sqrt(share * (1 - share) / 200)
        assert found.power == pytest.approx(cell["authors_csv"], abs=4 * error), cell


@pytest.mark.golden
def test_the_authors_test_says_its_real_type_i_error() -> None:
    for n_items, size in ((50, 0.182), (100, 0.214), (500, 0.241)):
        card = dt.scenarios.Likert(n_raters=3, preset="card-high", test="card")
        found = dt.power(card, n_items=n_items, effect=0.4, drawn=0)
        error = math.sqrt(size * (1 - size) / 20000)
        assert found.details["type_i_error"] == pytest.approx(size, abs=4 * error + 5e-4)
        assert any("instead of 5%" in note for note in found.notes)


@pytest.mark.parametrize("test", ["satterthwaite", "card"])
@pytest.mark.parametrize(("raters", "items"), [(3, 100), (2, 12), (10, 8)])
def test_the_lattice_agrees_with_the_simulation(test: Any, raters: int, items: int) -> None:
    scenario = dt.scenarios.Likert(n_raters=raters, test=test, **OWN)
    effect = 2.5 * scenario.typical_effect(items) / 4.0
    closed = dt.power(scenario, n_items=items, effect=effect, drawn=0)
    simulated = dt.power(
        scenario, n_items=items, effect=effect, simulate=True, n_trials=10_000, rng=2
    )
    assert simulated.standard_error is not None
    assert closed.power == pytest.approx(simulated.power, abs=4 * simulated.standard_error)
    assert closed.type_m == pytest.approx(simulated.type_m, rel=0.05)


def test_no_simulated_rating_is_needed() -> None:
    """Mean and mean squares of real ratings are distributed as those that are drawn."""
    from detectable.kernels.crossed import mean_squares
    from detectable.planning.likert import expected_squares, true_error

    scenario = dt.scenarios.Likert(n_raters=4, missing=1e-12, **OWN)  # a hair short of balanced
    data: Any = scenario.draw(9, 0.5, trials=4000, rng=np.random.default_rng(3))
    rater, item = data.design.factors["rater"].codes, data.design.factors["item"].codes
    tables = np.empty((4000, 4, 9, 2))
    tables[:, rater, item, data.design.system] = data.ratings
    means, squares, errors = mean_squares(tables)
    expected, error = expected_squares(scenario.spread, 4, 9)
    assert means.mean() == pytest.approx(0.25, abs=4 * means.std() / 4000**0.5)
    assert means.std() == pytest.approx(true_error(scenario.spread, 4, 9), rel=0.05)
    assert squares.mean(axis=0) == pytest.approx(expected, rel=0.08)
    assert errors.mean() == pytest.approx(error, rel=0.05)


@settings(max_examples=8, deadline=None)
@given(
    raters=st.sampled_from([2, 3, 10]),
    items=st.sampled_from([5, 40]),
    effect=st.floats(0.02, 0.6),
    test=st.sampled_from(["satterthwaite", "card"]),
)
def test_power_rises_with_the_effect_and_mirrors(
    raters: int, items: int, effect: float, test: Any
) -> None:
    scenario = dt.scenarios.Likert(n_raters=raters, test=test, **OWN)
    small = dt.power(scenario, n_items=items, effect=effect, drawn=0)
    assert dt.power(scenario, n_items=items, effect=1.5 * effect, drawn=0).power >= small.power
    assert dt.power(scenario, n_items=items, effect=-effect, drawn=0).power == small.power
    assert small.type_m >= 1.0
    tiny = dt.power(scenario, n_items=items, effect=1e-9, drawn=0)
    assert 2 * tiny.power == pytest.approx(tiny.details["type_i_error"], abs=1e-6)


def test_more_raters_help_where_more_items_do_not() -> None:
    three = dt.scenarios.Likert(n_raters=3, preset="card-high")
    found = dt.sample_size(three, effect=0.4, drawn=0)
    assert not found.attainable
    assert found.power < 0.5
    ten = dt.scenarios.Likert(n_raters=10, preset="card-high")
    assert dt.sample_size(ten, effect=0.3, drawn=0).attainable


@pytest.mark.slow
def test_an_unbalanced_design_with_hardly_a_gap_has_the_balanced_power() -> None:
    nearly = dt.scenarios.Likert(n_raters=6, missing=0.005, **OWN)
    found = dt.power(nearly, n_items=12, effect=0.3, n_trials=320, rng=4, drawn=0)
    whole = dt.power(dt.scenarios.Likert(n_raters=6, **OWN), n_items=12, effect=0.3, drawn=0)
    assert found.method == "simulated"
    assert found.standard_error is not None
    assert found.power == pytest.approx(whole.power, abs=4 * found.standard_error + 0.01)


@pytest.mark.slow
def test_fewer_raters_per_item_see_less() -> None:
    some = dt.scenarios.Likert(n_raters=6, raters_per_item=2, **OWN)
    found = dt.power(some, n_items=12, effect=0.3, n_trials=160, rng=5, drawn=0)
    whole = dt.power(dt.scenarios.Likert(n_raters=6, **OWN), n_items=12, effect=0.3, drawn=0)
    assert found.power < whole.power
    assert found.details["total_judgments"] == 48


def crossed(seed: int, raters: int, items: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    x = np.array([-1.0, 1.0])
    table = (
        3.0
        + rng.normal(0.0, 0.3, (raters, 1, 1))
        + rng.normal(0.0, 0.3, (1, items, 1))
        + x * rng.normal(0.1, 0.2, (raters, 1, 1))
        + x * rng.normal(0.0, 0.2, (1, items, 1))
        + rng.normal(0.0, 0.5, (raters, items, 2))
    )
    rater, item, system = np.indices(table.shape).reshape(3, -1)
    return {
        "score": table.ravel(),
        "rater": rater,
        "item": item,
        "system": np.array(["old", "new"])[system],
    }


def test_pilot_ratings_give_the_spread() -> None:
    scenario = dt.scenarios.Likert.from_ratings(crossed(6, 40, 60), n_raters=10)
    assert scenario.n_raters == 10
    assert scenario.residual_sd == pytest.approx(0.5, rel=0.1)
    assert scenario.rater_slope_sd == pytest.approx(0.2, rel=0.35)
    assert scenario.item_slope_sd == pytest.approx(0.2, rel=0.35)
    assert dt.scenarios.Likert.from_ratings(crossed(6, 5, 8)).n_raters == 5


def test_documents_and_controls_do_not_matter_to_a_plan_of_items() -> None:
    table = {name: list(column) for name, column in crossed(6, 6, 20).items()}
    plain = dt.scenarios.Likert.from_ratings(table)
    more = {name: [*column, *column[:3]] for name, column in table.items()}
    more["score"][-3:] = [-50.0] * 3
    more["kind"] = ["system"] * 240 + ["degraded"] * 3
    more["document"] = [f"d{i // 5}" for i in more["item"]]
    more["stars"] = more.pop("score")
    asked: dict[str, Any] = {"columns": {"score": "stars"}, "unit": "item"}
    assert dt.scenarios.Likert.from_ratings(more, **asked) == plain
    more["language"] = ["de"] * 240 + ["fr"] * 3
    assert dt.scenarios.Likert.from_ratings(more, language="de", **asked) == plain


def test_a_pilot_that_cannot_tell_the_slopes_warns() -> None:
    table = crossed(7, 8, 30)
    one_each = [
        i % 2 == int(s == "new") for i, s in zip(table["item"], table["system"], strict=True)
    ]
    half = {name: np.asarray(column)[one_each] for name, column in table.items()}
    with pytest.warns(SuspiciousDataWarning, match="the spread of the items stands in"):
        found = dt.scenarios.Likert.from_ratings(half)
    # Half of the variance of the items is each of the two: two outputs are as unlike as two items.
    assert found.item_slope_sd == found.item_sd
    fitted = dt.fit_mixed(half).components
    [level] = [one.variance for one in fitted if one.name == "item intercept"]
    assert 2.0 * float(found.item_sd or 0.0) ** 2 == pytest.approx(level, rel=1e-12)


@pytest.mark.golden
def test_a_pilot_of_texts_by_one_system_each_promises_no_more_than_its_texts_can() -> None:
    """1,099 of 1,361 texts of PPLM have ratings of one system only.

    With the slope at 0 five raters had a power of 1.000. Two systems on texts of their own
    are tested by two means of 100: z = .05 / sqrt(2 · .0254 / 100 + 2 · .0220 / 500).
    """
    pilot = reference_data("data", "card", "pplm_ratings_long.csv.gz")
    columns = {"score": "resp", "system": "model", "rater": "worker"}
    with pytest.warns(
        SuspiciousDataWarning, match="stands in for that of the item slope, 0.113"
    ):
        plan = dt.scenarios.Likert.from_ratings(
            pilot, columns=columns, repeated="mark", n_raters=5
        )
    found = dt.power(plan, n_items=100, effect=0.05, drawn=0)
    error = (2 * 0.025374 / 100 + 2 * 0.022036 / 500) ** 0.5
    assert found.power == pytest.approx(0.508, abs=5e-4)
    # By t with about 170 degrees of freedom it is a little less than by the normal.
    assert 0.0 < NormalDist().cdf(0.05 / error - 1.959964) - found.power < 0.03


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, r"`preset` must be one of card-high, card-low, or else all five SDs"),
        ({"rater_sd": 0.1}, r"got no rater_slope_sd, item_sd"),
        ({"preset": "card"}, r"`preset` must be one of card-high, card-low; got 'card'"),
        ({"preset": "card-high", **OWN}, r"`preset` or your own SDs must be given, not both"),
        ({**OWN, "residual_sd": 0}, r"`residual_sd` must be a finite number above 0"),
        ({**OWN, "item_sd": -1}, r"`item_sd` must be a finite number of at least 0; got -1"),
        ({**OWN, "test": "z"}, r"`test` must be one of satterthwaite, card"),
        ({**OWN, "n_raters": 1}, r"`n_raters` must be a whole number ≥ 2; got 1"),
        (
            {**OWN, "raters_per_item": 9},
            r"`raters_per_item` must lie between 2 and n_raters = 3",
        ),
        (
            {**OWN, "raters_per_item": 1},
            r"`raters_per_item` must lie between 2 and n_raters = 3",
        ),
        ({**OWN, "missing": 1.0}, r"`missing` must lie between 0 and 1"),
    ],
)
def test_a_message_names_the_argument(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(dt.InputError, match=message):
        dt.scenarios.Likert(**{"n_raters": 3, **wrong})


def test_a_design_that_loses_nearly_everything_is_refused() -> None:
    thin = dt.scenarios.Likert(n_raters=3, missing=0.9, **OWN)
    with pytest.raises(dt.InputError, match=r"`missing` must leave enough ratings"):
        dt.power(thin, n_items=3, effect=0.5, n_trials=10, rng=1)


@pytest.mark.slow
def test_satterthwaite_simulated_over_the_grid() -> None:
    for cell in grid():
        scenario = plan(cell, "satterthwaite")
        found = dt.power(
            scenario,
            n_items=cell["items"],
            effect=cell["true_difference"],
            simulate=True,
            n_trials=20_000,
            rng=8,
        )
        share = min(max(found.power, 5e-5), 1 - 5e-5)
        error = math.sqrt(share * (1 - share) * 2 / 20000)
        assert found.power == pytest.approx(cell["power_reml_satterthwaite"], abs=4 * error)


@pytest.mark.slow
def test_an_unbalanced_design_holds_its_level() -> None:
    scenario = dt.scenarios.Likert(n_raters=10, raters_per_item=3, missing=0.1, **OWN)
    rejected = []
    for seed in range(40):
        data = scenario.draw(20, 0.0, trials=50, rng=np.random.default_rng(seed))
        rejected.append((scenario.analyse(data, alpha=0.05).p_values <= 0.05).mean())
    assert np.mean(rejected) == pytest.approx(0.05, abs=4 * (0.05 * 0.95 / 2000) ** 0.5)
