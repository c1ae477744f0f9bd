"""Means from unequal draws: worked examples, WMT23, brute force, and what must not change them."""

from typing import Any

import numpy as np
import pytest

from detectable.inference.control_variate import Adjusted, control_variate
from detectable.inference.sampling import (
    difference_of_means,
    draw,
    probabilities,
    weighted_mean,
)
from tests.gold_select import gold, wmt23


def spread_over(n: list[float], totals: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Return items whose values add up to the totals of their units, and their units."""
    unit = np.repeat(np.arange(len(n)), np.array(n, dtype=int))
    return (np.array(totals) / np.array(n))[unit], unit


@pytest.mark.golden
def test_the_mean_without_a_metric_is_that_of_the_worked_example() -> None:
    case = gold()["weighted_mean"]
    values, unit = spread_over(case["n"], case["total"])
    weights = 1.0 / np.array(case["probability"])[unit]
    nothing = np.zeros(values.size)
    found = weighted_mean(values, nothing, weights, clusters=unit).plain
    assert found.value == pytest.approx(case["estimate"], abs=1e-10)
    assert found.standard_error == pytest.approx(case["standard_error"], abs=1e-10)
    assert found.df == pytest.approx(case["df"], abs=1e-10)
    assert found.interval(0.95).to_json() == pytest.approx(case["interval"], abs=1e-8)

    def of_this_test_set(quality_share: float | None) -> float:
        fit = weighted_mean(
            values,
            nothing,
            weights,
            clusters=unit,
            target="test-set",
            quality_share=quality_share,
        )
        assert fit.adjusted.value == fit.plain.value
        return fit.plain.standard_error

    known = case["standard_error_test_set_no_rater_noise"]
    assert of_this_test_set(1.0) == pytest.approx(known, abs=1e-10)
    # Where nobody knows the noise of raters, nothing is taken off.
    assert of_this_test_set(None) == pytest.approx(case["standard_error"], abs=1e-10)


def two_systems(case: dict[str, Any], **options: Any) -> Adjusted:
    unit = np.array(case["document"])
    judged = np.isin(unit, case["judged"])
    human = np.array(case["human"][0]) - np.array(case["human"][1])
    metric = np.array(case["metric"][0]) - np.array(case["metric"][1])
    weights = 1.0 / np.array(case["probability"])[unit]
    return weighted_mean(
        np.where(judged, human, np.nan), metric, weights, clusters=unit, **options
    )


@pytest.mark.golden
def test_a_difference_with_a_metric_is_that_of_the_worked_example() -> None:
    case = gold()["two_systems_with_metric"]
    found = two_systems(case)
    assert found.slope == pytest.approx(case["slope"], abs=1e-10)
    assert found.adjusted.value == pytest.approx(case["difference"], abs=1e-10)
    assert found.adjusted.standard_error == pytest.approx(case["standard_error"], abs=1e-10)
    assert found.adjusted.df == pytest.approx(case["df"], abs=1e-10)
    plain = case["without_metric"]
    assert found.plain.value == pytest.approx(plain["difference"], abs=1e-10)
    assert found.plain.standard_error == pytest.approx(plain["standard_error"], abs=1e-10)


@pytest.mark.golden
def test_equal_weights_give_the_estimate_without_weights() -> None:
    case, expected = gold()["two_systems_with_metric"], gold()["equal_probabilities"]
    case = {**case, "probability": [0.25] * 6}
    found = two_systems(case)
    assert found.adjusted.value == pytest.approx(expected["control_variates_today"], abs=1e-12)
    assert found.adjusted.standard_error == pytest.approx(
        expected["standard_error_cr2"], abs=1e-10
    )
    assert found.adjusted.df == pytest.approx(expected["df_cr2"], abs=1e-10)


@pytest.mark.golden
@pytest.mark.parametrize("language", ["en-de", "he-en"])
def test_wmt23_estimates(language: str) -> None:
    data, case = wmt23(language), gold()["wmt23"]["rows"][language]
    line_cost = 0.5 + 0.5 * data.length / data.length.mean()
    cost = np.bincount(data.unit, line_cost).astype(np.float64)
    # The size measure has its own test; here it stands in full.
    level = -data.metric.mean(axis=0)
    places = np.array([((level < x).sum() + (level <= x).sum() - 1) / 2 for x in level])
    apart = (data.metric - data.metric.mean(axis=1, keepdims=True)).std(axis=0)
    item = (places / (level.size - 1) + apart / apart.mean()) * np.sqrt(
        data.length / data.length.mean()
    )
    size = np.sqrt(np.bincount(data.unit, item**2) / cost)
    probability = probabilities(size, cost, 0.3 * cost.sum())
    assert probability.min() == pytest.approx(case["probability_min"], abs=1e-10)
    assert probability.max() == pytest.approx(case["probability_max"], abs=1e-10)
    assert probability.sum() == pytest.approx(case["probability_sum"], abs=1e-8)
    chosen = draw(probability, np.random.default_rng(1))
    assert chosen.size == case["chosen_documents"]
    judged = np.isin(data.unit, chosen)
    assert judged.sum() == case["chosen_items"]
    assert cost[chosen].sum() / cost.sum() == pytest.approx(case["cost_share"], abs=1e-10)
    weights = (1.0 / probability)[data.unit]
    names = list(dict.fromkeys(data.documents))
    assert [names[unit] for unit in chosen[:5]] == case["first_chosen"]
    kish = weights[judged].sum() ** 2 / (weights[judged] ** 2).sum()
    assert kish == pytest.approx(case["kish_effective"], abs=1e-8)
    for pair in case["pairs"]:
        a, b = (data.systems.index(pair[side]) for side in "ab")
        human = np.where(judged, data.human[a] - data.human[b], np.nan)
        metric = data.metric[a] - data.metric[b]
        found = weighted_mean(human, metric, weights, clusters=data.unit)
        for name, value in (
            ("slope", found.slope),
            ("difference", found.adjusted.value),
            ("standard_error", found.adjusted.standard_error),
            ("without_metric", found.plain.value),
            ("standard_error_without_metric", found.plain.standard_error),
        ):
            assert value == pytest.approx(pair[name], abs=1e-8), name
        assert found.adjusted.df == pytest.approx(case["df"], abs=1e-8)


@pytest.mark.golden
def test_wmt23_has_all_lines_in_few_documents() -> None:
    data, case = wmt23("en-de"), gold()["wmt23"]["rows"]["en-de"]
    assert data.systems == tuple(case["systems"])
    assert (len(data.items), data.unit.max() + 1) == (case["items"], case["documents"])
    means = dict(zip(data.systems, data.human.mean(axis=1).tolist(), strict=True))
    assert means == pytest.approx(case["pool_means"], abs=1e-8)


def unequal(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    unit = np.repeat(np.arange(12), rng.integers(1, 5, 12))
    metric = rng.normal(size=unit.size)
    human = 3.0 * metric + rng.normal(size=unit.size)
    weights = rng.uniform(0.8, 5.0, 12)[unit]
    human[~np.isin(unit, rng.permutation(12)[:7])] = np.nan
    return human, metric, weights, unit


def test_scaling_all_weights_changes_nothing() -> None:
    human, metric, weights, unit = unequal(np.random.default_rng(6))
    one = weighted_mean(human, metric, weights, clusters=unit)
    two = weighted_mean(human, metric, 1e3 * weights, clusters=unit)
    assert two.adjusted.value == pytest.approx(one.adjusted.value, rel=1e-12)
    assert two.adjusted.standard_error == pytest.approx(one.adjusted.standard_error, rel=1e-12)
    assert two.adjusted.df == pytest.approx(one.adjusted.df, rel=1e-12)


def test_influences_are_the_jackknife_in_the_limit() -> None:
    """What a unit adds is what the estimate moves by as its weight falls a little."""
    human, metric, weights, unit = unequal(np.random.default_rng(7))
    whole = weighted_mean(human, metric, weights, clusters=unit, target="test-set")
    judged = ~np.isnan(human)
    total = weights[judged].sum()
    for document in np.unique(unit[judged]):
        inside = unit == document
        less = np.where(inside, weights * (1.0 - 1e-6), weights)
        moved = weighted_mean(human, metric, less, clusters=unit).adjusted.value
        share = weights[judged & inside].sum() / total
        expected = 1e6 * (whole.adjusted.value - moved) / (1.0 - share) ** 0.5
        assert whole.influence[inside].sum() == pytest.approx(expected, rel=1e-4, abs=1e-7)


def test_a_constant_metric_changes_nothing() -> None:
    human, _, weights, unit = unequal(np.random.default_rng(8))
    found = weighted_mean(human, np.full(human.size, 0.3), weights, clusters=unit)
    assert found.slope == 0.0
    assert found.adjusted.value == found.plain.value
    assert found.adjusted.standard_error == pytest.approx(found.plain.standard_error, rel=1e-12)


def test_one_unit_has_no_standard_error() -> None:
    human = np.array([1.0, 2.0, np.nan])
    unit = np.array([0, 0, 1])
    found = weighted_mean(human, np.zeros(3), np.ones(3), clusters=unit)
    assert np.isnan(found.adjusted.standard_error)


def test_systems_on_other_items_are_compared_by_their_influences() -> None:
    human, metric, weights, unit = unequal(np.random.default_rng(9))
    one = weighted_mean(human, metric, weights, clusters=unit)
    same, _ = difference_of_means(one, one, unit)
    assert (same.value, same.standard_error) == (0.0, 0.0)
    other = weighted_mean(human + 1.0, np.zeros(human.size), weights, clusters=unit)
    found, plain = difference_of_means(other, one, unit)
    assert plain.value == pytest.approx(1.0)
    # What both share cancels: less than the sum of the two variances.
    apart = one.adjusted.standard_error**2 + other.adjusted.standard_error**2
    assert 0.0 < found.standard_error**2 < apart


def test_equal_weights_agree_with_the_control_variate_of_items() -> None:
    rng = np.random.default_rng(10)
    metric = rng.normal(size=200)
    human = metric + rng.normal(size=200)
    human[60:] = np.nan
    today = control_variate(human, metric)
    found = weighted_mean(human, metric, np.full(200, 3.0))
    assert found.adjusted.value == pytest.approx(today.adjusted.value, abs=1e-12)
    assert found.plain.standard_error == pytest.approx(today.plain.standard_error, rel=1e-10)
    assert found.adjusted.standard_error == pytest.approx(
        today.adjusted.standard_error, rel=0.02
    )
