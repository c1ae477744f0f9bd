"""F1 and Matthews' correlation: definitions, influence values, swaps, and what is no label."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import detectable as dt
from detectable.core.errors import DataError
from detectable.data.texts.corpus import Corpus
from detectable.metrics.labels import F1, Mcc
from detectable.metrics.registry import metric

answers = st.lists(st.tuples(*[st.sampled_from("012")] * 2), min_size=4, max_size=60)


def corpus(said: list[str], true: list[str]) -> Corpus:
    return Corpus.build({"A": said}, true)


def score(which: Any, said: list[str], true: list[str]) -> float:
    return float(which.score(which.statistics(corpus(said, true))[0].sum(axis=0)))


def test_published_values() -> None:
    """Powers (2011): 20 true positives, 180 wrong alarms, 10 missed, 1,820 others.

    F1 = 40 / (40 + 190) and MCC = (20 · 1820 − 180 · 10) / √(200 · 30 · 2000 · 1830), by hand.
    """
    said = ["1"] * 200 + ["0"] * 1830
    true = ["1"] * 20 + ["0"] * 180 + ["1"] * 10 + ["0"] * 1820
    assert score(F1(), said, true) == pytest.approx(40 / 230)
    assert score(Mcc(), said, true) == pytest.approx(34600 / math.sqrt(200 * 30 * 2000 * 1830))


def test_three_labels_as_in_gorodkin() -> None:
    """The formula of R_K as the correlation of one-hot tables, which is its definition."""
    rng = np.random.default_rng(4)
    true, said = rng.integers(0, 3, 90), rng.integers(0, 3, 90)
    said[:50] = true[:50]
    x, y = np.eye(3)[said], np.eye(3)[true]
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    expected = (x * y).sum() / math.sqrt((x * x).sum() * (y * y).sum())
    lines = [list(map(str, labels)) for labels in (said, true)]
    assert score(Mcc(), *lines) == pytest.approx(expected)
    by_label = [
        2 * ((said == k) & (true == k)).sum() / ((said == k).sum() + (true == k).sum())
        for k in range(3)
    ]
    assert score(F1(average="macro"), *lines) == pytest.approx(np.mean(by_label))
    assert score(F1(positive="2"), *lines) == pytest.approx(by_label[2])


@given(answers)
def test_two_labels_of_mcc_are_the_correlation_of_numbers(pairs: list[tuple[str, str]]) -> None:
    said = [str(int(a != "0")) for a, _ in pairs] + ["0", "1"]
    true = [str(int(b != "0")) for _, b in pairs] + ["0", "1"]
    first, second = (np.array(list(map(float, labels))) for labels in (said, true))
    correlation = np.corrcoef(first, second)[0, 1]
    assert score(Mcc(), said, true) == pytest.approx(correlation, abs=1e-12)


@given(answers)
def test_influence_values_are_the_change_by_a_little_more_of_an_item(
    pairs: list[tuple[str, str]],
) -> None:
    said, true = (
        [a for a, _ in pairs] + ["0", "1", "2"],
        [b for _, b in pairs] + ["0", "1", "1"],
    )
    for which in (Mcc(), F1(average="macro"), F1(positive="1")):
        table = which.statistics(corpus(said, true))[0]
        sums, step = table.sum(axis=0), 1e-6
        found = which.influence(table)
        more = which.score(sums + step * table) - which.score(sums)
        slope = more / step
        assert np.allclose(found, slope - slope.mean(), atol=1e-4)


def test_what_is_constant() -> None:
    assert score(Mcc(), ["0"] * 4, ["0", "1", "0", "1"]) == 0.0
    assert math.isnan(score(Mcc(), ["0", "1"], ["1", "1"]))
    empty = F1(positive="1")
    table = empty.statistics(corpus(["0", "1"], ["0", "0"]))[0]
    assert math.isnan(float(empty.score(table[:1].sum(axis=0))))


@pytest.mark.parametrize(
    ("which", "said", "true", "message"),
    [
        (
            F1(),
            ["a", "b"],
            ["a", "b"],
            "f1 needs the label that is looked for; found a, b. Say",
        ),
        (F1(positive="c"), ["a", "b"], ["a", "b"], "no line holds the positive label 'c'"),
        (Mcc(), [str(i) for i in range(300)], ["1"] * 300, "300 different lines"),
    ],
)
def test_what_are_no_labels_is_refused(
    which: Any, said: list[str], true: list[str], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        which.statistics(corpus(said, true))


def test_several_references_are_refused() -> None:
    with pytest.raises(DataError, match="one right label of each item; got 2 references"):
        Mcc().statistics(Corpus.build({"A": ["1"]}, [["1"], ["0"]]))
    with pytest.raises(DataError, match="no label is the positive one"):
        metric("f1", average="macro", positive="1")


def test_usual_positive_labels_are_known() -> None:
    for negative, positive in (("no", "yes"), ("False", "True"), ("0", "1")):
        said, true = [positive, positive, negative], [positive, negative, negative]
        assert score(F1(), said, true) == pytest.approx(2 / 3)


def test_swaps_test_the_difference() -> None:
    """All 2⁶ swaps of six items that differ: the share that is as far from zero, with + 1."""
    true = ["1", "1", "1", "1", "0", "0", "0", "0"]
    better = list(true)
    worse = ["0", "0", "0", "1", "1", "1", "1", "0"]
    made = Corpus.build({"better": better, "worse": worse}, true)
    found = dt.compare(made, metrics=["mcc"], n_resamples=20_000, rng=3)
    [pair] = found.pairs
    assert abs(pair.difference) == pytest.approx(1.5)
    # Only no swap at all and all of them are as far apart.
    assert pair.p_value == pytest.approx(2 / 64, abs=4 * math.sqrt(2 / 64 / 20_000))
    assert not [note for note in found.notes if "look like lines" in note]
