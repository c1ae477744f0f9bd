"""The cheapest design: against a full search, and its limits."""

import functools
from typing import Any

import pytest

from detectable.core.errors import InputError
from detectable.planning.ask import power, sample_size
from detectable.planning.cheapest import Costs, cheapest
from detectable.planning.likert import Likert
from detectable.planning.ratings import Ratings

PLAN = Likert(n_raters=2, preset="card-low")


@functools.cache
def _items(raters: int, effect: float) -> int | None:
    plan = Likert(n_raters=raters, preset="card-low")
    return sample_size(plan, effect=effect, drawn=0).n_items


def _by_hand(costs: Costs, effect: float, max_raters: int) -> float:
    """Return the lowest cost of all numbers of raters, without any short cut."""
    found = []
    for raters in range(2, max_raters + 1):
        items = _items(raters, effect)
        if items is not None:
            found.append(costs.of(items=items, judgments=2 * raters * items, raters=raters))
    return min(found)


@pytest.mark.parametrize(
    "costs",
    [
        pytest.param(Costs(judgment=1.0), marks=pytest.mark.slow),
        pytest.param(Costs(item=2.0, judgment=0.1), marks=pytest.mark.slow),
        Costs(judgment=0.1, rater=50.0),
    ],
)
def test_the_short_cut_misses_nothing(costs: Costs) -> None:
    found = cheapest(PLAN, effect=0.25, costs=costs, max_raters=6)
    assert found.best is not None
    assert found.best.cost == pytest.approx(_by_hand(costs, 0.25, 6))


@pytest.mark.slow
def test_the_best_design_has_the_power_and_one_item_fewer_has_not() -> None:
    best = cheapest(PLAN, effect=0.2, costs=Costs(judgment=1.0, rater=10.0), max_raters=6).best
    assert best is not None
    plan = Likert(n_raters=best.n_raters, preset="card-low")
    assert power(plan, n_items=best.n_items, effect=0.2, drawn=0).power >= 0.8
    assert power(plan, n_items=best.n_items - 1, effect=0.2, drawn=0).power < 0.8


@pytest.mark.slow
def test_dear_raters_make_fewer_raters_and_more_items() -> None:
    cheap = cheapest(PLAN, effect=0.2, costs=Costs(judgment=1.0), max_raters=6).best
    dear = cheapest(PLAN, effect=0.2, costs=Costs(judgment=1.0, rater=500.0), max_raters=6).best
    assert cheap is not None
    assert dear is not None
    assert dear.n_raters < cheap.n_raters
    assert dear.n_items > cheap.n_items


@pytest.mark.slow
def test_three_raters_never_get_there_and_the_note_says_so() -> None:
    plan = Likert(n_raters=3, preset="card-high")
    found = cheapest(plan, effect=0.4, costs=Costs(judgment=1.0), max_raters=7)
    assert found.best is not None
    assert found.best.n_raters > 3
    assert "no number of items is enough" in found.notes[0]


@pytest.mark.slow
def test_where_two_raters_are_enough_no_note_says_otherwise() -> None:
    found = cheapest(PLAN, effect=0.5, costs=Costs(judgment=1.0), max_raters=3)
    assert [option.n_raters for option in found.options] == [2, 3]
    assert found.notes == ()
    some = cheapest(PLAN, effect=0.3, costs=Costs(judgment=1.0), max_raters=3)
    assert some.notes[0].startswith("with fewer than 3 of at most 3 raters")


def test_what_nothing_reaches_is_said() -> None:
    plan = Likert(n_raters=3, preset="card-high")
    found = cheapest(plan, effect=0.02, costs=Costs(judgment=1.0), max_raters=3)
    assert found.best is None
    assert "no design reaches 80% power" in found.summary()


def test_pairing_is_priced_against_separate_items() -> None:
    plan = Ratings(mean=80, sd=20, test="paired-mean", correlation=0.6, method="closed-form")
    found = cheapest(plan, effect=2.0, costs=Costs(item=1.0, judgment=1.0, rater=10.0),
                     judgments_per_rater=100)  # fmt: skip
    assert found.best is not None
    assert found.best.test == "paired-mean"
    assert {option.test for option in found.options} == {"paired-mean", "two-means"}
    judgments = found.best.n_judgments
    assert found.best.n_items == judgments // 2
    raters = -(-judgments // 100)
    assert found.best.cost == pytest.approx(judgments / 2 + judgments + 10 * raters)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_raters": 1}, "`max_raters` must be a whole number ≥ 2; got 1"),
        ({"power": 1.0}, "`power` must lie strictly between 0 and 1"),
    ],
)
def test_messages(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cheapest(PLAN, effect=0.2, costs=Costs(judgment=1.0), **options)


def test_costs_and_designs_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match="at least one cost must be above 0"):
        Costs()
    with pytest.raises(InputError, match="`item` must be a cost of 0 or more; got -1"):
        Costs(item=-1)
    unbalanced = Likert(n_raters=4, preset="card-low", raters_per_item=2)
    with pytest.raises(InputError, match="must be balanced"):
        cheapest(unbalanced, effect=0.2, costs=Costs(judgment=1.0))
    with pytest.raises(InputError, match="`judgments_per_rater` must be given"):
        cheapest(Ratings(mean=80, sd=20), effect=2.0, costs=Costs(rater=1.0))
