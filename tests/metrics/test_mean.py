"""Means of given scores, and the share of correct answers."""

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.mean import GivenScore, Mean
from detectable.metrics.registry import metric
from detectable.study.comparison.compare import compare

SCORES = {"A": [0.0, 1.0, 0.0, 1.0, np.nan], "B": [1.0, 1.0, 1.0, 0.0, 0.0]}


def test_accuracy_is_a_share_and_ignores_what_is_missing() -> None:
    accuracy = metric("accuracy")
    statistics = accuracy.statistics(Scores.build(SCORES))  # type: ignore[attr-defined]
    assert accuracy.score(statistics.sum(axis=1)) == pytest.approx([0.5, 0.6])
    assert np.isnan(accuracy.score(np.zeros(2)))


def test_accuracy_needs_right_or_wrong() -> None:
    with pytest.raises(
        DataError, match=r"system 'A', item '2' has 0\.5\. Use the metric 'mean'"
    ):
        metric("accuracy").statistics(Scores.build({"A": [0, 0.5]}))  # type: ignore[attr-defined]


def test_margins_and_effects_of_accuracy_are_shares() -> None:
    rng = np.random.default_rng(4)
    answers = rng.random(400) < 0.8
    other = np.where(rng.random(400) < 0.04, ~answers, answers)
    scores = Scores.build({"old": answers.astype(float), "new": other.astype(float)})
    wide, narrow = (
        compare(scores, baseline="old", margin=m, effect=0.02, rng=1, n_resamples=199)
        for m in (0.05, 0.0005)
    )
    assert wide.pairs[0].verdict == "equivalent"
    assert wide.pairs[0].difference == pytest.approx(other.mean() - answers.mean())
    assert "new and old are equivalent within ±0.05:" in wide.summary()
    assert narrow.pairs[0].verdict != "equivalent"
    assert narrow.pairs[0].mde < 0.1


def test_a_unit_weighs_by_its_number_of_scores() -> None:
    mean = Mean()
    table = mean.statistics(Scores.build(SCORES))
    assert mean.sizes(table).tolist() == [[1.0, 1.0, 1.0, 1.0, 0.0], [1.0] * 5]
    assert mean.sizes(table.sum(axis=1)).tolist() == [4.0, 5.0]


# --- Scores computed elsewhere, beside metrics of texts ---

RNG = np.random.default_rng(8)
REFERENCE = [f"the cat {word} on the mat" for word in "abcdefghijkl"]
OUTPUTS = {
    "old": [[line.replace("mat", "hat") for line in REFERENCE]],
    "new": [[line.replace("cat", "dog") for line in REFERENCE]],
}
CORPUS = Corpus.build(OUTPUTS, [REFERENCE])
TABLES = {"old": RNG.random(12), "new": RNG.random(12) + 0.3}


def test_a_column_beside_bleu_is_what_the_scores_alone_would_give() -> None:
    scores = Scores.build(TABLES, metric="comet")
    both = compare(CORPUS, ["bleu", scores], baseline="old", rng=1)
    alone = compare(scores, "mean", baseline="old", rng=1)
    assert [row["metric"] for row in both.metrics] == ["bleu", "comet"]
    mine = next(pair for pair in both.pairs if pair.metric == "comet")
    assert mine.difference == pytest.approx(alone.pairs[0].difference)
    assert mine.p_value == pytest.approx(alone.pairs[0].p_value, abs=0.05)
    assert both.agreement


def test_the_order_of_systems_is_that_of_the_texts() -> None:
    turned = Scores.build({"new": TABLES["new"], "old": TABLES["old"]}, metric="comet")
    statistics = GivenScore("comet", turned).statistics(CORPUS)
    np.testing.assert_equal(statistics[:, :, 0], [TABLES["old"], TABLES["new"]])


def test_lower_is_better_beside_texts() -> None:
    result = compare(CORPUS, ["chrf", Scores.build(TABLES, metric="metricx")], baseline="old")
    pair = next(pair for pair in result.pairs if pair.metric == "metricx")
    assert pair.verdict in ("worse", "undecided")
    assert "metricx: lower is better." in result.notes
    glow = Scores.build(TABLES, metric="glow")
    told = compare(CORPUS, [glow], baseline="old", lower_is_better=["glow"])
    assert told.metrics[0]["higher_is_better"] is False
    with pytest.raises(InputError, match="Given are: glow; got 'bleu'"):
        compare(CORPUS, ["bleu", glow], lower_is_better=["bleu"])


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (
            Scores.build({"old": [1.0] * 12}),
            "there is no system 'new', of which there are texts",
        ),
        (Scores.build({"old": [1.0], "new": [2.0]}), "1 score for 12 segments of the texts"),
        (
            Scores.build({"old": [[1.0] * 12] * 2, "new": [1.0] * 12}),
            "system 'old' has 2 runs, its texts have 1",
        ),
        (
            Scores.build({"old": [1.0] * 12, "new": [*[1.0] * 11, np.nan]}),
            r"system 'new' has no score for item '12' \(1 gap in all\)",
        ),
        (
            Scores.build(TABLES, items=[f"s{i}" for i in range(12)]),
            r"items have names \(first: 's0'\)",
        ),
        (
            Scores.build(TABLES, items=[str(i) for i in range(12, 0, -1)]),
            r"items have names \(first: '12'\)",
        ),
    ],
)
def test_scores_that_do_not_fit_the_texts(scores: Scores, message: str) -> None:
    with pytest.raises(DataError, match=message):
        compare(CORPUS, ["bleu", scores])


def test_given_scores_go_beside_texts_only() -> None:
    scores = Scores.build(TABLES)
    with pytest.raises(InputError, match="may hold given scores only beside texts"):
        compare(scores, [scores])
