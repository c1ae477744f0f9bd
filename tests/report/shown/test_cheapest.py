"""The picture of designs by cost says what the result says."""

from dataclasses import replace

import pytest

import detectable as dt
from detectable.report.blocks_of import blocks_of
from detectable.report.shown.cheapest import design_lines
from tests.report import results
from tests.report.charts.drawn import LONG, check


def test_a_line_per_number_of_raters_with_the_best_marked() -> None:
    lines = design_lines(results.cheapest_design())
    assert [line.name for line in lines] == ["2 raters", "5 raters", "8 raters"]
    assert [line.own for line in lines] == [False, True, False]
    assert lines[1].points == ((475.0, 0.55), (925.0, 0.805), (1825.0, 0.95))
    assert lines[1].marks == ((925.0, 0.805, "925"),)
    assert lines[0].marks == ()


def test_long_names_are_readable() -> None:
    found = results.cheapest_design()
    nearby = tuple(
        replace(one, test=LONG if one.n_raters == 8 else "two-means") for one in found.nearby
    )
    assert found.best is not None
    best = replace(found.best, test="two-means")
    check(blocks_of(replace(found, best=best, options=(best,), nearby=nearby)))


def test_a_real_search_is_readable_and_its_designs_cost_what_they_say() -> None:
    costs = dt.Costs(judgment=1.0, item=0.5)
    scenario = dt.scenarios.Ratings(mean=75, sd=20, correlation=0.5, test="paired-mean")
    found = dt.cheapest(scenario, effect=3, costs=costs, rng=1)
    check(blocks_of(found))
    assert {one.test for one in found.nearby} == {"paired-mean", "two-means"}
    for one in found.nearby:
        assert one.cost == one.n_judgments + 0.5 * one.n_items
    paired = [one for one in found.nearby if one.test == "paired-mean"]
    assert [one.power for one in paired] == pytest.approx(
        [
            dt.power(
                replace(scenario, method="closed-form"), n_items=one.n_items, effect=3
            ).power
            for one in paired
        ]
    )


@pytest.mark.slow
def test_likert_designs_around_the_best_have_their_own_power() -> None:
    plan = dt.scenarios.Likert(n_raters=3, preset="card-low")
    found = dt.cheapest(plan, effect=0.2, costs=dt.Costs(judgment=0.1, rater=5.0), max_raters=6)
    assert found.best is not None
    assert sorted({one.n_raters for one in found.nearby}) == [2, 4, 6]
    assert found.best in found.nearby
    for one in found.nearby[::5]:
        assert one.cost == pytest.approx(5.0 * one.n_raters + 0.1 * one.n_judgments)
        alone = replace(plan, n_raters=one.n_raters).closed_form(one.n_items, 0.2, alpha=0.05)
        assert alone is not None
        assert one.power == alone.power
    free = dt.cheapest(plan, effect=0.2, costs=dt.Costs(rater=5.0), max_raters=6)
    assert free.nearby == ()
