"""Do two metrics order the systems alike, and which systems can be told apart."""

from typing import Any

import numpy as np
import pytest

from detectable.data.scores.scores import Scores
from detectable.metrics.mean import Mean, MeanError
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Agreement
from tests.study.comparison.tables import RootMeanSquare, noisy_scores

QUICK: dict[str, Any] = {"n_resamples": 499, "rng": 1, "n_examples": 0}


class Squared(Mean):
    """The mean of squares: it may order systems otherwise than the mean."""

    name = "squared"

    def statistics(self, scores: Scores, **options: Any) -> Any:
        table = super().statistics(scores, **options)
        table[..., 0] **= 2
        return table


def test_two_metrics_that_order_all_pairs_alike() -> None:
    result = compare(noisy_scores(1.0, 2.0, level=5.0), (Mean(), Squared()), **QUICK)
    [found] = result.agreement
    assert found == Agreement(metrics=("mean", "squared"), same_order=3, pairs=3, conflicts=())


def test_two_metrics_that_order_no_pair_alike_conflict() -> None:
    """A mean and the same mean as an error count are opposite by construction."""
    result = compare(noisy_scores(3.0, 6.0, level=5.0), (Mean(), MeanError()), **QUICK)
    [found] = result.agreement
    assert (found.same_order, found.pairs) == (0, 3)
    assert found.conflicts == ("B against A", "C against A", "C against B")
    assert result.disagreements() == [
        "mean and mean-error disagree on B against A, C against A, C against B"
    ]


def test_only_the_pairs_that_turn_are_conflicts() -> None:
    """C lies below A in the mean and above it in squares; B is above A in both."""
    rng = np.random.default_rng(1)
    noise = rng.normal(size=80)
    tables = {"A": 2.0 + noise, "B": 5.0 + noise, "C": -8.0 + 1.1 * noise}
    result = compare(Scores.build(tables), (Mean(), Squared()), **QUICK)
    [found] = result.agreement
    assert (found.same_order, found.pairs) == (1, 3)
    assert found.conflicts == ("C against A", "C against B")


def test_opposite_differences_that_are_not_sure_are_no_conflict() -> None:
    result = compare(noisy_scores(0.01, level=5.0, n=20), (Mean(), MeanError()), **QUICK)
    [found] = result.agreement
    assert (found.same_order, found.conflicts) == (0, ())
    assert result.disagreements() == []


def test_a_tie_is_ordered_alike_only_by_a_tie() -> None:
    scores = Scores.build({"A": [1.0, 3.0], "B": [2.0, 2.0], "C": [3.0, 1.0]})
    [found] = compare(scores, (Mean(), Squared()), **QUICK).agreement
    # The means tie three times, the squares only for A and C.
    assert (found.same_order, found.pairs) == (1, 3)


def test_every_two_metrics_are_compared() -> None:
    metrics = (Mean(), MeanError(), Squared())
    result = compare(noisy_scores(1.0, level=5.0), metrics, **QUICK)
    assert [a.metrics for a in result.agreement] == [
        ("mean", "mean-error"),
        ("mean", "squared"),
        ("mean-error", "squared"),
    ]
    assert [a.same_order for a in result.agreement] == [0, 1, 0]


def test_a_metric_without_direction_agrees_with_nothing() -> None:
    result = compare(noisy_scores(1.0, level=5.0), (Mean(), RootMeanSquare()), **QUICK)
    assert result.agreement == ()


def test_one_metric_has_nothing_to_agree_with() -> None:
    assert compare(noisy_scores(1.0), **QUICK).agreement == ()


def test_all_pairs_of_systems_are_counted_also_where_only_some_were_tested() -> None:
    result = compare(
        noisy_scores(1.0, 2.0, level=5.0), (Mean(), Squared()), baseline="A", **QUICK
    )
    [found] = result.agreement
    assert (found.same_order, found.pairs) == (3, 3)


# Rank groups


@pytest.mark.parametrize("metric", ["mean", "mean-error"])
def test_groups_go_from_best_to_worst(metric: str) -> None:
    result = compare(noisy_scores(2.0, 2.01, 5.0), metric, **QUICK)
    best_first = result.groups[metric]
    flat = [set(group) for group in best_first]
    expected = [{"D"}, {"B", "C"}, {"A"}]
    assert flat == (expected if metric == "mean" else expected[::-1])


def test_systems_within_a_group_stand_in_order_of_their_scores() -> None:
    scores = noisy_scores(0.02, 0.04, n=30, seed=2)
    result = compare(scores, **QUICK)
    means = {name: table.mean() for name, table in scores.systems.items()}
    [group] = result.groups["mean"]
    assert list(group) == sorted(means, key=lambda name: -means[name])


def test_a_loser_named_first_and_a_winner_named_first_make_the_same_groups() -> None:
    up = compare(noisy_scores(3.0), **QUICK).groups["mean"]
    down = compare(noisy_scores(-3.0), **QUICK).groups["mean"]
    assert up == (("B",), ("A",))
    assert down == (("A",), ("B",))


def test_there_are_no_groups_against_a_baseline() -> None:
    assert compare(noisy_scores(3.0), baseline="A", **QUICK).groups == {}


def test_groups_are_made_by_each_metric_on_its_own() -> None:
    result = compare(noisy_scores(3.0, level=9.0), (Mean(), MeanError()), **QUICK)
    assert result.groups == {"mean": (("B",), ("A",)), "mean-error": (("A",), ("B",))}


def test_an_equivalent_pair_is_not_told_apart() -> None:
    scores = noisy_scores(0.5, n=400)
    apart = compare(scores, **QUICK).groups["mean"]
    together = compare(scores, margin=0.9, **QUICK).groups["mean"]
    assert (apart, together) == ((("B",), ("A",)), (("B", "A"),))
