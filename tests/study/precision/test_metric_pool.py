"""Human scores beside a metric: which items and systems meet, and what is said of the others."""

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.data.scores.scores import Scores
from detectable.study.precision.judge_agreement import (
    MetricPool,
    as_scores,
    joined_pools,
    metric_pool,
)

NAN = float("nan")


def judged(*rows: tuple[str, str, float], **columns: list[str]) -> Judgments:
    system, item, score = map(list, zip(*rows, strict=True))
    return Judgments.build({"system": system, "item": item, "score": score, **columns})


PEOPLE = judged(("A", "x", 60), ("A", "x", 80), ("A", "y", 50), ("B", "z", 40))
METRIC = {"A": {"w": 0.1, "x": 0.2, "y": 0.3, "z": 0.4}, "B": {"x": 0.5, "z": 0.6, "w": 0.7}}


def test_the_pool_is_that_of_the_metric() -> None:
    found = metric_pool(PEOPLE, METRIC)
    assert (found.systems, found.items) == (("A", "B"), ("w", "x", "y", "z"))
    np.testing.assert_equal(found.human, [[NAN, 70, 50, NAN], [NAN, NAN, NAN, 40]])
    np.testing.assert_equal(found.metric, [[0.1, 0.2, 0.3, 0.4], [0.7, 0.5, NAN, 0.6]])
    assert (found.documents, found.whole_documents, found.name) == (None, True, "the metric")
    named = Scores.build({"A": [1, 2], "B": [3, 4]}, items=["x", "z"], metric="chrF")
    assert metric_pool(PEOPLE, named).name == "chrF"


def test_what_has_no_score_is_named() -> None:
    people = judged(("A", "x", 60), ("B", "y", 40), ("B", "q", 40), ("C", "x", 10))
    found = metric_pool(people, METRIC)
    assert found.systems == ("A", "B")
    assert found.notes == (
        "Left out, without metric scores: C.",
        "2 judged translations left out, without a metric score: B y, B q.",
    )
    with pytest.raises(
        DataError, match=r"no judged system has metric scores\. Judged: C; with"
    ):
        metric_pool(judged(("C", "x", 10)), METRIC)
    with pytest.raises(DataError, match=r"Judged items are called q; scored ones w, x, y"):
        metric_pool(judged(("A", "q", 10)), METRIC)


def test_runs_are_averaged() -> None:
    runs = Scores.build({"A": [[1.0, 2.0], [3.0, 6.0]], "B": [[5.0, 5.0]]}, items=["x", "z"])
    assert metric_pool(PEOPLE, runs).metric.tolist() == [[2, 4], [5, 5]]


def test_items_are_matched_by_document_and_name_where_that_fits_more() -> None:
    scores = Scores.build(
        {"A": [1, 2, 3, 4]}, items=["1", "2", "1", "2"], documents=["d", "d", "e", "e"]
    )
    people = judged(("A", "1", 10), ("A", "1", 30), ("A", "2", 40), document=["e", "d", "e"])
    found = metric_pool(people, scores)
    np.testing.assert_equal(found.human, [[30, NAN, 10, 40]])
    assert found.documents is not None
    assert found.documents.tolist() == [0, 0, 1, 1]


def test_documents_of_judgments_serve_where_the_metric_has_none() -> None:
    people = judged(("A", "x", 60), ("A", "y", 50), ("A", "z", 50), document=["d", "e", "d"])
    found = metric_pool(people, METRIC)
    assert found.documents is not None
    w, x, y, z = found.documents.tolist()
    assert x == z
    assert len({w, x, y}) == 3
    assert not found.whole_documents
    assert found.notes == (
        "The document of 1 item of the pool without a judgment is not known; each counts as a "
        "document of its own.",
    )
    part = {"A": {item: METRIC["A"][item] for item in "xyz"}}
    whole = metric_pool(people, part)
    assert whole.documents is not None
    assert (whole.documents.tolist(), whole.notes) == ([0, 1, 0], ())
    assert whole.whole_documents


def test_scores_come_in_many_forms() -> None:
    scores = Scores.build({"A": [1, 2]})
    assert as_scores(scores) == (scores, ())
    mapping, notes = as_scores({"A": {1: 0.5, 2: 0.25}, "B": {2: 1}})
    assert (mapping.items, notes) == (("1", "2"), ())
    np.testing.assert_equal(mapping.systems["B"], [[NAN, 1.0]])
    with pytest.raises(InputError, match="must map every system to a mapping of items"):
        as_scores({"A": {"x": 1.0}, "B": [1.0, 2.0]})


def pool(scores: dict[str, dict[str, float]], name: str) -> MetricPool:
    items = list(dict.fromkeys(i for values in scores.values() for i in values))
    table = {s: [v.get(i, NAN) for i in items] for s, v in scores.items()}
    return metric_pool(PEOPLE, Scores.build(table, items=items, metric=name))


def test_several_metrics_share_items_and_systems() -> None:
    first = pool(METRIC, "chrF")
    other = {"B": {"z": 6.0, "x": 5.0}, "A": {"z": 4.0, "x": 2.0}}
    found = joined_pools([first, pool(other, "BLEU")])
    assert (found.systems, found.items) == (("A", "B"), ("x", "z"))
    np.testing.assert_equal(found.metric, [[[0.2, 2], [0.4, 4]], [[0.5, 5], [0.6, 6]]])
    np.testing.assert_equal(found.human, [[70, NAN], [NAN, 40]])
    assert found.name == "chrF and BLEU"
    assert found.notes[-1] == "2 items left out, not scored by all metrics."
    alike = joined_pools([first, pool(METRIC, "BLEU")])
    assert not any("not scored by all metrics" in note for note in alike.notes)
    only = joined_pools([first, pool({"A": {"y": 1.0}}, "BLEU")])
    assert (only.systems, only.items) == (("A",), ("y",))
    with pytest.raises(DataError, match="the metrics share no system and item"):
        joined_pools([pool({"A": {"x": 1.0}}, "chrF"), pool({"A": {"y": 1.0}}, "BLEU")])


def test_a_score_that_one_metric_lacks_takes_the_label_away() -> None:
    other = {"A": {"x": NAN, "y": 3.0, "w": 1.0, "z": 1.0}, "B": {"z": 6.0}}
    found = joined_pools([pool(METRIC, "chrF"), pool(other, "BLEU")])
    assert found.items == ("w", "x", "y", "z")
    np.testing.assert_equal(found.human, [[NAN, NAN, 50, NAN], [NAN, NAN, NAN, 40]])


def test_documents_follow_the_items_that_are_shared() -> None:
    scores = Scores.build(
        {"A": [1, 2, 3], "B": [1, 2, 3]}, items=["w", "x", "z"], documents=["d", "d", "e"]
    )
    first = metric_pool(PEOPLE, scores)
    found = joined_pools([first, pool({"A": {"x": 1.0, "z": 2.0}, "B": {"z": 1.0}}, "BLEU")])
    assert found.documents is not None
    assert found.documents.tolist() == [0, 1]
