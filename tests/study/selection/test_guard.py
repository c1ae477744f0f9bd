"""Size measures, the guard and what was saved: worked examples and whole campaigns of WMT23."""

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.inference.sampling import draw, probabilities
from detectable.study.selection.guard import (
    guard,
    is_flat,
    residual_squares,
    saved_afterwards,
    size_measure,
)
from tests.gold_select import Wmt23, gold, wmt23


@pytest.mark.golden
def test_sizes_are_those_of_the_worked_examples() -> None:
    case = gold()["size_measure"]
    metric, length = np.array(case["metric"]), np.array(case["length"])
    unit, cost = np.array(case["document"]), np.array(case["cost"])
    for found, name in (
        (size_measure(metric, length, unit, cost), "z"),
        (size_measure(metric[:1], length, unit, cost), "z_one_system"),
        (size_measure(metric, None, unit, cost), "z_without_length"),
    ):
        assert found.tolist() == pytest.approx(case[name], abs=1e-10), name


@pytest.mark.golden
def test_tied_items_share_their_rank() -> None:
    case = gold()["size_measure_with_ties"]
    unit, cost = np.array(case["document"]), np.array(case["cost"])
    found = size_measure(np.array(case["metric"]), None, unit, cost)
    assert found.tolist() == pytest.approx(case["z"], abs=1e-10)
    constant = size_measure(np.full((2, 4), 0.7), None, unit, cost)
    assert constant.tolist() == pytest.approx(case["constant_metric"], abs=1e-10)
    assert is_flat(np.full((2, 4), 0.7))
    assert not is_flat(np.array(case["metric"]))


def sizes(data: Wmt23, *, by_document: bool, lengths: bool) -> tuple[np.ndarray, ...]:
    unit = data.unit if by_document else np.arange(len(data.items))
    line = 0.5 + 0.5 * data.length / data.length.mean() if lengths else np.ones(unit.size)
    cost = np.bincount(unit, line).astype(np.float64)
    size = size_measure(data.metric, data.length if lengths else None, unit, cost)
    return unit, cost, size


@pytest.mark.golden
@pytest.mark.parametrize("language", ["zh-en", "en-de", "he-en"])
@pytest.mark.parametrize("metric", ["metricx23qe", "comet", "chrf"])
def test_whole_campaigns_say_which_metric_to_choose_by(language: str, metric: str) -> None:
    data = wmt23(language, metric)
    rows = [
        row
        for row in gold()["guard_whole_campaign"]
        if (row["metric"], row["language"]) == (metric, language)
    ]
    assert rows or metric == "comet"
    for row in rows:
        for expected, lengths in ((row, True), (row["without_lengths"], False)):
            unit, cost, size = sizes(
                data, by_document=row["unit"] == "document", lengths=lengths
            )
            ones = np.ones(cost.size)
            squares = residual_squares(data.human, data.metric, unit, ones)
            found = guard(squares, ones, size, cost, np.arange(cost.size))
            assert found.ratio == pytest.approx(expected["ratio"], abs=1e-8)
            assert found.standard_error == pytest.approx(expected["standard_error"], abs=1e-8)
            assert found.is_shown == expected["choose"]


@pytest.mark.golden
@pytest.mark.parametrize("language", ["en-de", "he-en", "zh-en"])
def test_what_one_draw_saved(language: str) -> None:
    data, case = wmt23(language), gold()["story"][f"{language} metricx23qe"]
    unit, cost, size = sizes(data, by_document=True, lengths=True)
    probability = probabilities(size, cost, 0.3 * cost.sum())
    chosen = draw(probability, np.random.default_rng(1))
    judged = np.isin(unit, chosen)
    place = np.unique(unit[judged], return_inverse=True)[1]
    weights = 1.0 / probability[chosen]
    squares = residual_squares(data.human[:, judged], data.metric[:, judged], place, weights)
    found = saved_afterwards(squares, weights, 0.3)
    assert found.ratio == pytest.approx(case["one_draw_after"]["ratio"], abs=1e-8)
    error = case["one_draw_after"]["standard_error"]
    assert found.standard_error == pytest.approx(error, abs=1e-8)


def test_equal_probabilities_save_nothing() -> None:
    rng = np.random.default_rng(1)
    squares = rng.uniform(size=20)
    found = guard(squares, np.ones(20), np.ones(40), np.ones(40), np.arange(20))
    assert found.ratio == pytest.approx(1.0)
    assert not found.is_shown
    after = saved_afterwards(squares, np.full(20, 4.0), 0.25)
    assert after.ratio == pytest.approx(1.0)
    assert after.standard_error == pytest.approx(0.0, abs=1e-9)


def test_a_standard_error_below_one_is_needed() -> None:
    rng = np.random.default_rng(2)
    size = rng.uniform(0.2, 3.0, 12)
    good = guard(size**2, np.ones(12), size, np.ones(12), np.arange(12))
    assert good.is_shown
    assert good.ratio < 1.0
    bad = guard(1.0 / size**2, np.ones(12), size, np.ones(12), np.arange(12))
    assert bad.ratio > 1.0


def test_one_system_has_residuals_of_its_own() -> None:
    human = np.array([[1.0, 3.0, 2.0, 9.0]])
    metric = np.array([[0.1, 0.3, 0.2, 0.4]])
    found = residual_squares(human, metric, np.array([0, 0, 1, 1]), np.ones(2))
    assert found.min() > 0.0


def test_no_residual_is_refused() -> None:
    with pytest.raises(DataError, match="leave no residual on the metric"):
        guard(np.zeros(5), np.ones(5), np.ones(5), np.ones(5), np.arange(5))


@pytest.mark.golden
def test_what_choosing_saves_on_all_of_wmt23() -> None:
    """Exact ratios over all pairs for 30 % of the lines, of the reading time, or of the words."""
    rows = gold()["variance_ratios"]
    assert len(rows) > 10
    for row in rows:
        data = wmt23(row["language"], row["metric"])
        unit = data.unit if row["unit"] == "document" else np.arange(len(data.items))
        ones = np.ones(int(unit.max()) + 1)
        plain = residual_squares(data.human, np.zeros(data.metric.shape), unit, ones)
        left = residual_squares(data.human, data.metric, unit, ones)
        with_metric = left.sum() / plain.sum()
        assert with_metric == pytest.approx(row["random_with_metric"], abs=1e-6)
        relative = data.length / data.length.mean()
        for name, line in (
            ("items", np.ones(unit.size)),
            ("time", 0.5 + 0.5 * relative),
            ("words", relative),
        ):
            cost = np.bincount(unit, line).astype(np.float64)
            size = size_measure(data.metric, data.length, unit, cost)
            share = probabilities(size, cost, 0.3 * cost.sum()) / 0.3
            found = (left / share).sum() / plain.sum()
            assert found == pytest.approx(row[f"select_{name}"], abs=1e-6), (row, name)
