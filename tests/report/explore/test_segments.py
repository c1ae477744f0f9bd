"""The segments behind a result: the numbers of the metric itself, the texts as they were."""

import math
import warnings

import numpy as np
import pytest

import detectable as dt
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.report.explore.segments import (
    Segments,
    compared_segments,
    ranked_segments,
)
from detectable.study.comparison.measure import choose_metrics
from detectable.study.ranking.item_scores import build_segment_scores

OUTPUTS = {
    "old": ["the cat sat", "a dog runs", "one two three", "four five six"],
    "new": ["the cat sat", "the dog ran", "one two three four", "four five"],
}
REFERENCES = ["the cat sat", "the dog ran", "one two three four", "four five six"]


def corpus(**more: object) -> Corpus:
    return Corpus.build(OUTPUTS, REFERENCES, **more)  # type: ignore[arg-type]


def segments(data: Corpus | Scores, *metrics: str, **more: str) -> Segments:
    chosen = choose_metrics(data, metrics or None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dt.DetectableWarning)  # few segments
        found = dt.compare(data, chosen, baseline="old", rng=1, n_examples=0)
    return compared_segments(data, chosen, found, **more)


def test_scores_of_segments_and_documents_are_those_of_sacrebleu() -> None:
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    made = segments(corpus(documents=["x", "x", "y", "y"], sources=list("abcd")), "chrf", "ter")
    for measure, tool in zip(made.measures, (CHRF(), TER()), strict=True):
        for name, lines in OUTPUTS.items():
            single = [
                tool.sentence_score(h, [r]).score
                for h, r in zip(lines, REFERENCES, strict=True)
            ]
            assert measure.scores[name].tolist() == pytest.approx(single, abs=1e-9)
            halves = [
                tool.corpus_score(lines[i : i + 2], [REFERENCES[i : i + 2]]).score
                for i in (0, 2)
            ]
            assert measure.by_document[name].tolist() == pytest.approx(halves, abs=1e-9)
    assert [m.label for m in made.measures] == ["chrF", "TER"]
    assert [m.lower_is_better for m in made.measures] == [False, True]
    assert (made.documents, made.of_document.tolist()) == (("x", "y"), [0, 0, 1, 1])  # type: ignore[union-attr]
    assert (made.names, made.sources) == (("1", "2", "3", "4"), tuple("abcd"))
    assert made.outputs is not None
    assert {name: list(texts) for name, texts in made.outputs.items()} == OUTPUTS
    assert made.has_texts


def test_of_several_references_the_first_there_is() -> None:
    first = [None, *REFERENCES[1:]]
    data = Corpus.build(OUTPUTS, [first, ["b"] * 4])
    assert segments(data, "chrf").references == ("b", *REFERENCES[1:])


def test_of_several_runs_the_median_is_read() -> None:
    runs = [["x y z"] * 4, REFERENCES, ["the cat sat", *["x"] * 3]]
    data = Corpus.build({"old": [["q"] * 4] * 3, "new": runs}, REFERENCES)
    made = segments(data, "chrf")
    assert made.outputs is not None
    assert list(made.outputs["new"]) == runs[2]
    assert made.measures[0].scores["new"][0] == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("said", "tags"), [("en-he", ("en", "he")), ("", ("", "")), ("en", ("", ""))]
)
def test_languages(said: str, tags: tuple[str, str]) -> None:
    assert segments(corpus(), "chrf", languages=said).languages == tags


def test_scores_without_texts() -> None:
    table = Scores.build(
        {"old": [0.0, 1.0, 0.5, math.nan], "new": [1.0, 1.0, 0.0, 1.0]}, items=list("abcd")
    )
    made = segments(table)
    assert (made.names, made.has_texts, made.sources) == (("a", "b", "c"), False, None)
    assert made.measures[0].scores["new"].tolist() == [1.0, 1.0, 0.0]
    assert made.measures[0].by_document == {}


def test_judged_items_and_their_documents() -> None:
    made = ranked_segments(
        build_segment_scores(
            {
                "system": ["A", "A", "A", "B", "B"],
                "item": ["1", "2", "3", "1", "2"],
                "raw": [10.0, 20.0, 60.0, 50.0, 70.0],
                "document": ["x", "x", "y", "x", "x"],
            }
        )
    )
    values = made.to_values()
    assert values["names"] == ["1", "2", "3"]
    assert values["measures"][0]["scores"] == {"A": [10, 20, 60], "B": [50, 70, None]}
    assert values["measures"][0]["byDocument"] == {"A": [15, 60], "B": [60, None]}
    assert (values["documents"], values["ofDocument"]) == (["x", "y"], [0, 0, 1])
    assert values["outputs"] is None


def test_those_that_differ_most_stay_in_their_order_and_the_others_are_counted() -> None:
    whole = segments(corpus(documents=["x", "x", "y", "y"], sources=list("abcd")), "chrf")
    gaps = np.abs(whole.measures[0].scores["new"] - whole.measures[0].scores["old"])
    kept = whole.most_different(2)
    best = sorted(np.argsort(-gaps, kind="stable")[:2].tolist())
    assert kept.names == tuple(str(i + 1) for i in best)
    assert kept.sources == tuple("abcd"[i] for i in best)
    assert kept.outputs is not None
    assert kept.outputs["new"] == tuple(OUTPUTS["new"][i] for i in best)
    assert kept.of_document.tolist() == [[0, 0, 1, 1][i] for i in best]  # type: ignore[union-attr]
    assert (kept.n_left_out, kept.most_different(1).n_left_out) == (2, 3)
    # What is said of whole documents stays about whole documents.
    assert kept.measures[0].by_document is whole.measures[0].by_document
    assert whole.most_different(4) is whole
    assert whole.most_different(0).names == ()
