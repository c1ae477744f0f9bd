"""Scores computed elsewhere, beside metrics of texts."""

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.mean import GivenScore
from detectable.study.comparison.compare import compare

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
