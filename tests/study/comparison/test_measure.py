"""From data to samples: which metrics, which units, in which order."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.core.types import silent
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.bleu import Bleu
from detectable.metrics.chrf import ChrfPlusPlus
from detectable.metrics.length import Length
from detectable.metrics.mean import Mean, MeanError
from detectable.metrics.ter import Ter
from detectable.study.comparison.compare import compare
from detectable.study.comparison.measure import (
    Measured,
    choose_metrics,
    describe_metrics,
    measure,
)
from detectable.study.comparison.result import Comparison
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


# --- Given scores where lower is better, in a comparison ---

LOW = [1.0, 2.0, 1.5, 2.5, 1.0, 0.5, 2.0, 1.0, 1.5, 0.5]
HIGH = [value + 3.0 + i / 10 for i, value in enumerate(LOW)]


def _compare(metric: str | None, sign: float = 1.0, **options: object) -> Comparison:
    tables = {"low": [sign * x for x in LOW], "high": [sign * x for x in HIGH]}
    scores = Scores.build(tables, metric=metric)
    return compare(scores, baseline="low", rng=1, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("metric", "sign", "verdict", "note"),
    [
        ("metricx", 1, "worse", "metricx: lower is better."),
        ("ter", 1, "worse", "ter: lower is better."),
        ("mqm", -1, "worse", "mqm: written with a minus, so higher is better."),
        ("comet", 1, "better", None),
        (None, 1, "better", "score: higher is taken to be better, as the scores have no name. If lower "
         "is better, say so (--lower-is-better score, lower_is_better=['score'])."),
        ("glow", 1, "better", "glow: higher is taken to be better, as the name does not tell. If "
         "lower is better, say so (--lower-is-better glow, lower_is_better=['glow'])."),
    ],
)  # fmt: skip
def test_the_name_tells_who_is_better(
    metric: str | None, sign: float, verdict: str, note: str | None
) -> None:
    result = _compare(metric, sign)
    assert [pair.verdict for pair in result.pairs] == [verdict]
    assert [said for said in result.notes if "higher is" in said or "lower is" in said] == (
        [] if note is None else [note]
    )


def test_the_direction_can_be_set() -> None:
    assert _compare("glow", lower_is_better=["Glow"]).pairs[0].verdict == "worse"
    assert _compare(None, lower_is_better=["score"]).notes[0] == "score: lower is better."
    told = _compare("ter", metrics="mean")
    assert told.pairs[0].verdict == "better"
    assert not any("better" in note for note in told.notes)


def test_a_direction_that_contradicts_or_is_about_nothing() -> None:
    with pytest.raises(InputError, match="must name the scores, 'glow'; got 'glitter'"):
        _compare("glow", lower_is_better=["glitter"])
    with pytest.raises(InputError, match="both say the direction of given scores"):
        _compare("glow", metrics="mean", lower_is_better=["glow"])
    corpus = Corpus.build({"A": [["a b"]], "B": [["a c"]]}, [["a b"]])
    with pytest.raises(InputError, match="metrics of texts know their direction"):
        compare(corpus, lower_is_better=["bleu"])


def test_files_without_a_name_get_one_note(tmp_path: Path) -> None:
    for name, values in (("low", LOW), ("high", HIGH)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{value}\n" for value in values))
    rows = [f"{i},{low},{high}\n" for i, (low, high) in enumerate(zip(LOW, HIGH, strict=True))]
    (tmp_path / "table.csv").write_text("".join(["item,low,high\n", *rows]))
    lines = {name: tmp_path / f"{name}.txt" for name in ("low", "high")}
    for source in (lines, tmp_path / "table.csv"):
        scores = read_scores(source)
        found = compare(scores, baseline="low", rng=1, n_resamples=9)
        said = [note for note in found.notes if note.startswith("score: higher is taken to be")]
        assert len(said) == 1
        named = compare(scores, baseline="low", rng=1, n_resamples=9, metrics="mean")
        assert not any("higher is taken" in note for note in named.notes)


def test_right_and_wrong_need_no_name() -> None:
    scores = Scores.build({"A": [0.0, 1.0, 1.0, 0.0], "B": [1.0, 1.0, 1.0, 0.0]})
    assert not any("better" in note for note in compare(scores, rng=1, n_resamples=9).notes)


def test_labels_say_the_metric_and_the_scores() -> None:
    rng = np.random.default_rng(1)
    answers = {name: rng.integers(0, 2, (4, 30)) for name in ("old", "new")}
    scores = Scores.build(answers, metric="includes", repeats="samples")
    several = compare(scores, ["pass@2", "pass^3", "accuracy"], n_resamples=99, rng=1)
    assert [several.label(one["metric"]) for one in several.metrics] == [
        "pass@2 (includes)",
        "pass^3 (includes)",
        "accuracy (includes)",
    ]
    assert "pass^3 (includes)" in several.summary()
    alone = compare(scores, "pass@2", n_resamples=99, rng=1)
    assert alone.label("pass@2") == "pass@2 (includes)"
    assert compare(scores, n_resamples=99, rng=1).label("accuracy") == "includes"
    named = Scores.build(answers, metric="accuracy", repeats="samples")
    both = compare(named, ["accuracy", "pass@2"], n_resamples=99, rng=1)
    assert [both.label(one["metric"]) for one in both.metrics] == [
        "accuracy",
        "pass@2 (accuracy)",
    ]
