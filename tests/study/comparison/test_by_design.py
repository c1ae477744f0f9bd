"""What only some comparisons have, asked of comparisons that do not have it."""

from typing import Any

import pytest

from detectable.core.errors import InputError
from detectable.data.texts.corpus import Corpus
from detectable.study.comparison.measure import choose_metrics, measure
from detectable.study.comparison.settings import CompareSettings
from detectable.study.comparison.ways_to_test import (
    agreement_of,
    by_pair,
    directions_of,
    groups_of,
    strata_of,
)
from tests.study.comparison.tables import noisy_scores

TEXTS = Corpus.build({"A": ["a b", "c d"], "B": ["a b", "c e"]}, ["a b", "c d"])


@pytest.mark.parametrize(
    "given", [{"tasks": "random"}, {"tasks": "pooled"}, {"weights": "items"}]
)
def test_texts_have_no_tasks(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="`tasks` and `weights` are for scores"):
        strata_of(TEXTS, CompareSettings(**given))
    assert strata_of(TEXTS, CompareSettings()) is None


def test_a_correction_over_tasks_needs_several() -> None:
    scores = noisy_scores(0.1)
    assert strata_of(scores, CompareSettings()) is None
    with pytest.raises(InputError, match="`task_correction='none'` needs several tasks"):
        strata_of(scores, CompareSettings(task_correction="none"))


def test_a_direction_is_said_of_given_scores_alone() -> None:
    texts = choose_metrics(TEXTS, "bleu")
    assert directions_of(TEXTS, texts, asked=False) == ()
    beside = choose_metrics(
        TEXTS, ["bleu", noisy_scores(0.1, n=2, metric="ter")], lower_is_better=["ter"]
    )
    assert directions_of(TEXTS, beside, asked=True) == ("ter: lower is better.",)
    scores = noisy_scores(0.1)
    assert directions_of(scores, choose_metrics(scores, "mean"), asked=True) == ()
    assert len(directions_of(scores, choose_metrics(scores, "mean"), asked=False)) == 1


def test_one_metric_agrees_with_no_other_and_a_baseline_makes_no_groups() -> None:
    one, two = (
        measure(TEXTS, choose_metrics(TEXTS, names), unit="segment", progress=lambda *_: None)
        for names in ("bleu", ["bleu", "chrf"])
    )
    assert agreement_of(one, ()) == ()
    assert [found.metrics for found in agreement_of(two, ())] == [("bleu", "chrf")]
    assert groups_of(one, (), ranked=False) == {}
    assert groups_of(one, (), ranked=True) == {"bleu": (("A", "B"),)}


def test_metrics_of_pairs_become_pairs_of_metrics() -> None:
    assert by_pair([["a1", "a2", "a3"], ["b1", "b2", "b3"]]) == [
        *(["a1", "b1"], ["a2", "b2"], ["a3", "b3"])
    ]
