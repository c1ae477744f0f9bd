"""What to read: the segments and documents in which two systems differ most."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.data.example.bundled import example_corpus
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.bleu import Bleu
from detectable.metrics.mean import Mean
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison, TellingUnit
from detectable.study.comparison.segments import swap_contributions
from tests.study.comparison.tables import RootMeanSquare

QUICK: dict[str, Any] = {"n_resamples": 9, "rng": 1}


def _parts(result: Comparison, unit: str = "segment") -> list[tuple[str, float]]:
    return [(c.name, c.contribution) for c in result.contrasts if c.unit == unit]


def _compared(ours: list[float], **options: Any) -> Comparison:
    """Compare a system with a baseline of zeros: the parts are then its scores over n."""
    names = {key: options.pop(key) for key in ("items", "documents") if key in options}
    scores = Scores.build({"A": [0.0] * len(ours), "B": ours}, **names)
    return compare(scores, "mean", baseline="A", **{**QUICK, **options})


# How much each unit is responsible for


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=2, max_size=20))
def test_the_parts_of_a_mean_add_up_to_the_difference(pairs: list[tuple[float, float]]) -> None:
    ours, theirs = np.array(pairs).T
    tables = [np.stack([x, np.ones_like(x)], axis=-1) for x in (ours, theirs)]
    parts = swap_contributions(Mean(), *tables)
    assert parts == pytest.approx((ours - theirs) / len(pairs), abs=1e-12)


def test_the_part_of_a_segment_is_half_of_what_its_swap_changes() -> None:
    """Against scoring the swapped texts from scratch."""
    ours = ["the cat sat on the mat", "a dog barks at me", "rain falls down hard"]
    theirs = ["the cat sat on a mat", "the dog barks at him", "rain fell down"]
    refs = ["the cat sat on the mat", "a dog barks at him", "the rain falls down hard"]

    def difference(first: list[str], second: list[str]) -> float:
        table = Bleu().statistics(Corpus.build({"A": first, "B": second}, refs))
        scores = Bleu().score(table.sum(axis=1))
        return float(scores[0] - scores[1])

    table = Bleu().statistics(Corpus.build({"A": ours, "B": theirs}, refs))
    parts = swap_contributions(Bleu(), table[0], table[1])
    for i in range(3):
        first, second = list(ours), list(theirs)
        first[i], second[i] = theirs[i], ours[i]
        change = difference(ours, theirs) - difference(first, second)
        assert parts[i] == pytest.approx(change / 2.0, rel=1e-9)


# Which units are shown


def test_the_largest_parts_of_either_sign_from_most_positive_down() -> None:
    result = _compared([5.0, -5.0, 1.0, -1.0, 3.0, -3.0], n_examples=2)
    assert _parts(result) == [
        ("1", 5 / 6),
        ("5", 3 / 6),
        ("6", -3 / 6),
        ("2", -5 / 6),
    ]


def test_segments_that_say_nothing_are_not_shown() -> None:
    result = _compared([2.0, 0.0, 0.0, 0.0, -1.0], n_examples=3)
    names, parts = zip(*_parts(result), strict=True)
    assert names == ("1", "5")
    assert parts == pytest.approx((0.4, -0.2))


def test_a_segment_is_shown_once_where_there_are_few() -> None:
    result = _compared([1.0, 2.0, 3.0], n_examples=3)
    assert [name for name, _ in _parts(result)] == ["3", "2", "1"]


def test_equal_parts_come_in_order() -> None:
    result = _compared([1.0, 1.0, 1.0, -2.0], n_examples=2)
    assert [name for name, _ in _parts(result)] == ["1", "2", "4"]


@pytest.mark.parametrize("n_examples", [1, 2, 3])
def test_as_many_examples_as_asked_for(n_examples: int) -> None:
    result = _compared([4.0, 3.0, 2.0, 1.0, -1.0, -2.0, -3.0, -4.0], n_examples=n_examples)
    assert len(result.contrasts) == 2 * n_examples


def test_no_examples_at_all() -> None:
    assert _compared([1.0, -1.0, 2.0], n_examples=0).contrasts == ()


def test_every_pair_has_its_examples() -> None:
    scores = Scores.build({"A": [0.0, 0.0], "B": [1.0, 0.0], "C": [0.0, 4.0]})
    result = compare(scores, "mean", n_examples=1, **QUICK)
    assert [(c.system, c.baseline, c.name, c.contribution) for c in result.contrasts] == [
        ("B", "A", "1", 0.5),
        ("C", "A", "2", 2.0),
        ("C", "B", "2", 2.0),
        ("C", "B", "1", -0.5),
    ]


def test_examples_are_chosen_by_the_first_metric() -> None:
    scores = Scores.build({"A": [0.0, 0.0], "B": [1.0, -2.0]})
    result = compare(scores, ("mean-error", "mean"), n_examples=1, baseline="A", **QUICK)
    assert _parts(result) == [("1", 0.5), ("2", -1.0)]


# What is shown


def test_scores_are_shown_by_item_and_number() -> None:
    scores = Scores.build(
        {"A": [0.25, 1.0], "B": [1.0, 1.0 / 3.0]}, items=["first", "second"], metric="COMET"
    )
    first, second = compare(scores, baseline="A", **QUICK).contrasts
    assert first == TellingUnit(
        system="B",
        baseline="A",
        unit="segment",
        name="first",
        contribution=first.contribution,
        source=None,
        reference=None,
        system_output="1",
        baseline_output="0.25",
    )
    assert (second.name, second.system_output, second.baseline_output) == (
        "second",
        "0.333333",
        "1",
    )


def test_documents_come_before_segments() -> None:
    result = _compared([2.0, 2.0, -1.0, -3.0], documents=["p", "p", "q", "q"], n_examples=1)
    assert [(c.unit, c.name) for c in result.contrasts] == [
        ("document", "p"),
        ("document", "q"),
        ("segment", "1"),
        ("segment", "4"),
    ]
    assert _parts(result, "document") == [("p", 1.0), ("q", -1.0)]
    for contrast in result.contrasts[:2]:
        texts = contrast.source, contrast.reference, contrast.system_output
        assert (*texts, contrast.baseline_output) == (None,) * 4


def test_documents_are_shown_also_where_segments_are_the_unit() -> None:
    options: dict[str, Any] = {"documents": ["p", "p", "q", "q"], "n_examples": 1}
    result = _compared([2.0, 2.0, -1.0, -3.0], unit="segment", **options)
    assert [c.name for c in result.contrasts if c.unit == "document"] == ["p", "q"]


def test_texts_are_shown_with_source_and_reference() -> None:
    corpus = Corpus.build(
        {"A": ["a b c d e", "wrong words all along"], "B": ["x y z", "the right words here"]},
        [["a b c d e f", None], ["a b c d", "these are the right words"]],
        sources=["s1", "s2"],
    )
    up, down = compare(corpus, "chrf", baseline="A", **QUICK).contrasts
    assert (up.name, up.source, up.reference) == ("2", "s2", "these are the right words")
    assert (up.system_output, up.baseline_output) == (
        "the right words here",
        "wrong words all along",
    )
    assert (down.name, down.source, down.reference) == ("1", "s1", "a b c d e f")
    assert up.contribution > 0 > down.contribution


def test_texts_without_sources_have_none_to_show() -> None:
    result = compare(example_corpus(), "chrf", n_examples=1, **QUICK)
    assert {c.source for c in result.contrasts} == {None}


def test_the_outputs_are_those_of_the_median_runs() -> None:
    ours = np.array([[9.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, 0.0, 6.0]])  # means 3, 1, 2
    theirs = np.array([[0.0, 0.0, 0.0], [0.0, -3.0, 0.0], [5.0, 5.0, 5.0]])  # means 0, −1, 5
    scores = Scores.build({"A": theirs, "B": ours})
    result = compare(scores, "mean", baseline="A", n_examples=1, **QUICK)
    assert [(r.system, r.median_run) for r in result.systems] == [("A", 0), ("B", 2)]
    assert _parts(result) == [("3", 2.0)]
    [shown] = result.contrasts
    assert (shown.system_output, shown.baseline_output) == ("6", "0")


def test_median_runs_are_those_of_the_first_metric() -> None:
    """With two metrics the rows of a system follow each other; the second must not count."""
    ours = np.array([[1.0, 1.0], [3.0, 3.0], [0.0, 4.5]])  # by mean the third, by rms not
    theirs = [[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]]
    scores = Scores.build({"A": theirs, "B": ours})
    result = compare(scores, ("mean", RootMeanSquare()), baseline="A", n_examples=1, **QUICK)
    [shown] = result.contrasts[:1]
    assert shown.system_output == "4.5"
    assert shown.baseline_output == "0.2"
