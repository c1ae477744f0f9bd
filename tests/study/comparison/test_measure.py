"""From data to samples: which metrics, which units, in which order."""

from typing import Any

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.core.types import silent
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.bleu import Bleu
from detectable.metrics.chrf import ChrfPlusPlus
from detectable.metrics.length import Length
from detectable.metrics.mean import Mean, MeanError
from detectable.metrics.ter import Ter
from detectable.study.comparison.measure import (
    Measured,
    choose_metrics,
    describe_metrics,
    measure,
)
from tests.study.comparison.tables import RootMeanSquare, noisy_scores

TEXTS = Corpus.build({"A": ["a b", "c"], "B": ["a", "c d"]}, ["a b", "c d"])


def _names(data: Corpus | Scores, metrics: Any) -> list[str]:
    return [metric.name for metric in choose_metrics(data, metrics)]


# Which metrics


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([0, 1, 1], "accuracy"),
        ([1, 1, 1], "accuracy"),
        ([0, np.nan, 1], "accuracy"),
        ([0, 1, 0.5], "mean"),
        ([0, 1, 2], "mean"),
        ([0, -1, 1], "mean"),
        ([1.5, np.nan, 1], "mean"),
    ],
    ids=str,
)
def test_zeros_and_ones_are_an_accuracy_by_default(values: list[float], name: str) -> None:
    assert _names(Scores.build({"A": [1, 0, 1], "B": values}), None) == [name]


def test_texts_have_two_metrics_by_default() -> None:
    assert _names(TEXTS, None) == ["bleu", "chrf"]


@pytest.mark.parametrize(
    ("metrics", "names"),
    [
        ("ter", ["ter"]),
        (Bleu(tokenize="char"), ["bleu"]),
        (["chrf", "bleu"], ["chrf", "bleu"]),
        (("length", Bleu()), ["length", "bleu"]),
    ],
    ids=["a name", "a metric", "names in order", "both"],
)
def test_metrics_by_name_and_by_object(metrics: Any, names: list[str]) -> None:
    assert _names(TEXTS, metrics) == names


def test_a_metric_object_keeps_its_settings() -> None:
    [chosen] = choose_metrics(TEXTS, Bleu(tokenize="char"))
    assert chosen == Bleu(tokenize="char")


@pytest.mark.parametrize(
    ("data", "metrics", "message"),
    [
        (TEXTS, "mean", "metric 'mean' needs segment scores, but the data hold texts"),
        (
            noisy_scores(0.1, n=4),
            ("mean", "chrf"),
            "metric 'chrf' needs texts, but the data hold segment scores",
        ),
        (TEXTS, [], "`metrics` must name at least one metric; got none"),
        (TEXTS, ("bleu", "chrf", Bleu()), "metric 'bleu' is given twice. Compare its settings"),
        (TEXTS, "chr", "no metric named 'chr'. Did you mean 'chrf'"),
    ],
    ids=["scores for texts", "texts for scores", "none", "twice", "unknown"],
)
def test_metrics_that_do_not_fit(data: Any, metrics: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        choose_metrics(data, metrics)


def test_metrics_are_described_by_what_the_scores_are() -> None:
    [known] = describe_metrics(noisy_scores(0.1, n=4, metric="COMET"), (MeanError(),))
    assert known == {
        "metric": "mean-error",
        "higher_is_better": False,
        "digits": 4,
        "signature": "aggregation:mean",
        "label": "COMET",
    }
    [unnamed] = describe_metrics(noisy_scores(0.1, n=4), (Mean(),))
    assert unnamed["label"] == "mean"
    texts = describe_metrics(TEXTS, (Bleu(), ChrfPlusPlus(), Ter(), Length()))
    assert [one["label"] for one in texts] == ["BLEU", "chrF++", "TER", "length"]


# Which units


def _measured(documents: list[str] | None, unit: Any = "auto", n: int = 6) -> Measured:
    scores = noisy_scores(0.1, 0.2, n=n, documents=documents)
    return measure(scores, (Mean(), RootMeanSquare()), unit=unit, progress=silent)


def test_segments_are_units_where_no_document_is_known() -> None:
    found = _measured(None)
    assert (found.unit, found.documents) == ("segment", None)
    assert found.units is found.segments
    assert [sample.n_units for sample in found.units] == [6, 6]
    assert found.systems == ("A", "B", "C")


def test_documents_are_numbered_as_they_first_appear() -> None:
    found = _measured(["z", "z", "a", "z", "m", "a"])
    assert found.unit == "document"
    assert found.documents is not None
    index, labels = found.documents
    assert labels == ("z", "a", "m")
    assert index.tolist() == [0, 0, 1, 0, 2, 1]


def test_the_statistics_of_a_document_are_the_sums_of_its_segments() -> None:
    found = _measured(["z", "z", "a", "z", "m", "a"])
    for by_segment, by_document in zip(found.segments, found.units, strict=True):
        rows = by_segment.statistics
        expected = np.stack(
            [rows[:, [0, 1, 3]].sum(axis=1), rows[:, [2, 5]].sum(axis=1), rows[:, 4]], axis=1
        )
        assert by_document.statistics == pytest.approx(expected)
        assert by_document.metric is by_segment.metric


def test_segments_can_be_asked_for_and_documents_stay_known() -> None:
    found = _measured(["z", "z", "a", "z", "m", "a"], unit="segment")
    assert (found.unit, found.units[0].n_units) == ("segment", 6)
    assert found.documents is not None  # for reading


def test_documents_can_be_asked_for() -> None:
    assert _measured(["z", "a"] * 3, unit="document").units[0].n_units == 2


def test_asking_for_unknown_documents_is_an_error() -> None:
    with pytest.raises(InputError, match="`unit='document'` needs the document of each item"):
        _measured(None, unit="document")


@pytest.mark.parametrize("unit", ["auto", "document"])
def test_one_document_cannot_be_resampled_but_its_segments_can(unit: Any) -> None:
    with pytest.raises(InputError, match="at least two documents; all items belong to 'd'"):
        _measured(["d"] * 6, unit=unit)
    assert _measured(["d"] * 6, unit="segment").unit == "segment"


def test_two_documents_are_enough() -> None:
    assert _measured(["d", "d", "d", "e", "e", "e"]).units[0].n_units == 2


def test_runs_are_counted_for_each_system() -> None:
    rng = np.random.default_rng(1)
    scores = Scores.build({"A": rng.normal(size=(3, 5)), "B": rng.normal(size=(1, 5))})
    found = measure(scores, (Mean(),), unit="auto", progress=silent)
    assert found.segments[0].runs == (3, 1)
    assert found.segments[0].statistics.shape == (4, 5, 2)


def test_texts_are_measured_by_every_metric() -> None:
    found = measure(
        TEXTS, choose_metrics(TEXTS, ("bleu", "length")), unit="auto", progress=silent
    )
    assert [sample.metric.name for sample in found.segments] == ["bleu", "length"]
    assert found.segments[1].statistics[0].tolist() == [[2.0, 2.0], [1.0, 2.0]]
