"""Data of every kind brought into one form, and what is said about it."""

import math
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, InputError
from detectable.core.types import silent
from detectable.study.reliability.measures import Measured, gather
from tests.study.reliability.data import clustered


def _gather(
    data: Any = None,
    metrics: Any = None,
    scores: dict[str, dt.Scores] | None = None,
    judgments: dict[str, dt.Judgments] | None = None,
    **more: Any,
) -> Measured:
    return gather(
        data,
        metrics,
        scores or {},
        judgments or {},
        campaign=None,
        language=None,
        progress=silent,
        **more,
    )


def _corpus(n: int = 12, *, match: float = 0.8, documents: bool = True) -> dt.Corpus:
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(9)]
    lines = [" ".join(rng.choice(words, 10)) for _ in range(n)]
    worse = [" ".join(w if rng.random() < match else "x" for w in x.split()) for x in lines]
    named = [f"d{i // 3}" for i in range(n)] if documents else None
    return dt.Corpus.build({"A": worse}, lines, documents=named)


def _judged(**more: Any) -> dt.Judgments:
    """Return judgments of two systems on six items in three documents, d2 first."""
    rows = [(s, i) for s in "AB" for i in range(6)]
    table: dict[str, Any] = {
        "system": [s for s, _ in rows],
        "item": [i for _, i in rows],
        "document": [f"d{2 - i // 2}" for _, i in rows],
        "score": [50 + 2 * i * i - 10 * (s == "B") for s, i in rows],
    }
    return dt.Judgments.build({**table, **more})


def test_texts_are_measures_of_one_source() -> None:
    found = _gather(_corpus(), ("bleu", "chrf"))
    bleu, chrf = found.measures
    assert (bleu.name, bleu.place, chrf.place) == ("bleu", 0, 1)
    assert bleu.documents is chrf.documents
    assert found.sources == (bleu.documents,)
    assert found.of(bleu.documents) == (bleu, chrf)
    assert (bleu.relative, bleu.higher_is_better, bleu.systems) == (True, True, ("A",))
    assert bleu.signature
    assert bleu.scores() == pytest.approx([bleu.sample.score(0)])
    values = bleu.documents.influence(0, 0)
    assert bleu.document_influence(0) == pytest.approx(values.reshape(4, 3).sum(axis=1))


def test_judgments_are_means_with_their_sizes() -> None:
    found = _gather(None, judgments={"people": _judged()})
    (one,) = found.measures
    assert (one.name, one.label, one.digits) == ("people", "people", 2)
    assert (one.place, one.higher_is_better, one.relative) == (0, True, True)
    assert one.systems == ("A", "B")
    assert one.documents.names == ("d2", "d1", "d0")  # without texts in the order of the file
    assert one.scores() == pytest.approx([50 + 2 * 55 / 6, 40 + 2 * 55 / 6])
    assert one.signature == "aggregation:mean-of-items"


def test_judgments_come_in_the_order_of_the_texts() -> None:
    """Documents that only the judgments know come last."""
    found = _gather(_corpus(), "bleu", judgments={"people": _judged()})
    assert found.measures[1].documents.names == ("d0", "d1", "d2")
    assert len(found.sources) == 2
    other = _judged(document=[f"{'zd'[i // 2 % 2]}{i // 2}" for _ in "AB" for i in range(6)])
    mixed = _gather(_corpus(), "bleu", judgments={"people": other})
    assert mixed.measures[1].documents.names == ("d1", "z0", "z2")


def test_what_was_not_judged_counts_in_neither_sum_nor_size() -> None:
    table = _judged()
    kept = table.take(np.arange(12) != 1)  # A has no score of the second item
    (one,) = _gather(None, judgments={"people": kept}).measures
    statistics = one.sample.statistics[0]
    assert statistics[:, 1].sum() == 5.0
    assert one.scores()[0] == pytest.approx((6 * 50 + 2 * 55 - 52) / 5)


def test_scores_of_both_signs_are_in_points() -> None:
    table = clustered(6, 3)

    def shifted(by: float) -> Measured:
        values = {name: row + by for name, row in table.systems.items()}
        return _gather(dt.Scores.build(values, documents=table.documents))

    told = (
        "Scores of mean have both signs, as standardised scores do, so their mean may be near "
        "zero: its spread is stated in points, not as a share of the score."
    )
    assert told in shifted(-60.0).notes
    assert not shifted(-60.0).measures[0].relative
    for one_sign in (0.0, -600.0):
        assert shifted(one_sign).measures[0].relative
        assert shifted(one_sign).notes == ()


def test_given_scores_have_a_name_of_their_own() -> None:
    found = _gather(clustered(6, 3), None, {"comet": clustered(6, 3, seed=2)})
    assert [one.name for one in found.measures] == ["mean", "comet"]
    assert found.measures[1].label == "comet"
    with pytest.raises(InputError, match="'comet' names two measures"):
        _gather(None, None, {"comet": clustered(6, 3)}, {"comet": _judged()})


def test_documents_of_the_texts_for_scores_line_by_line() -> None:
    values = {"A": np.arange(12.0)}
    bare = dt.Scores.build(values)
    found = _gather(_corpus(), "bleu", {"comet": bare})
    assert "comet names no documents: those of the texts, line by line." in found.notes
    assert found.measures[1].documents.names == ("d0", "d1", "d2", "d3")
    own = dt.Scores.build(values, documents=["a", "b", "c", "e"] * 3)
    kept = _gather(_corpus(), "bleu", {"comet": own})
    assert kept.measures[1].documents.names == ("a", "b", "c", "e")
    assert not any("names no documents" in note for note in kept.notes)
    for odd in (
        dt.Scores.build({"A": np.arange(11.0)}),  # not as many
        dt.Scores.build(values, items=[f"q{i}" for i in range(12)]),  # not by position
    ):
        with pytest.raises(InputError, match="the document of each segment is not known"):
            _gather(_corpus(), "bleu", {"comet": odd})
    with pytest.raises(InputError, match="the document of each segment is not known"):
        _gather(clustered(4, 3), None, {"comet": bare})


def test_a_measure_that_stands_still() -> None:
    documents = [f"d{i // 3}" for i in range(12)]
    still = {"A": np.full(12, 3.0), "B": np.full(12, 5.0)}
    with pytest.raises(DataError, match="mean is the same in all segments of every system"):
        _gather(dt.Scores.build(still, documents=documents))
    zero = {"A": np.zeros(12), "B": np.arange(12.0)}
    named = _gather(dt.Scores.build(zero, documents=documents)).notes
    assert "mean is the same in all segments of A: no curve is fitted." in named
    # What is left of a constant after rounding is not a spread.
    nearly = {"A": 3.0 + 1e-12 * np.arange(12.0), "B": np.arange(12.0)}
    found = _gather(dt.Scores.build(nearly, documents=documents))
    assert "mean is the same in all segments of A: no curve is fitted." in found.notes
    small = {"A": 3.0 + 1e-5 * np.arange(12.0), "B": np.arange(12.0)}
    assert _gather(dt.Scores.build(small, documents=documents)).notes == ()


@pytest.mark.parametrize(("words", "few"), [(7, True), (8, False)])
def test_bleu_with_fewer_than_ten_matches_is_flagged(words: int, few: bool) -> None:
    """Two lines of four are right: 8 or 10 of their 4-grams are those of the reference."""
    references = [" ".join(f"w{i}{k}" for k in range(words)) for i in range(4)]
    wrong = [" ".join(f"v{i}{k}" for k in range(words)) for i in range(4)]
    output = [*references[:2], *wrong[2:]]
    corpus = dt.Corpus.build({"A": output}, references, documents=list("abcd"))
    notes = _gather(corpus, "bleu").notes
    assert any("of A is about zero, made of smoothing" in note for note in notes) is few
    assert not any("smoothing" in note for note in _gather(corpus, "chrf").notes)


def test_one_segment_a_document_is_said() -> None:
    note = "Every document of mean has one segment"
    assert any(said.startswith(note) for said in _gather(clustered(6, 1)).notes)
    assert not any(said.startswith(note) for said in _gather(clustered(6, 2)).notes)


def test_items_without_a_score_of_some_system_are_left_out() -> None:
    table = clustered(6, 3)
    values = {name: row[0].copy() for name, row in table.systems.items()}
    values["s0"][4] = math.nan
    found = _gather(dt.Scores.build(values, documents=table.documents))
    told = "1 item of 18 left out, because some system has no score there."
    assert found.notes == (told,)
    assert found.measures[0].documents.n_segments == 17


@pytest.mark.parametrize(("alone", "said"), [(3, True), (2, True), (1, False), (0, False)])
def test_one_rater_for_most_documents_of_a_system(alone: int, said: bool) -> None:
    """Of three documents of each system, `alone` were judged by one rater."""
    raters = [
        "ann" if i // 2 < alone else ("ann", "bob")[i % 2] for _ in "AB" for i in range(6)
    ]
    notes = _gather(None, judgments={"people": _judged(rater=raters)}).notes
    assert any("judged by one rater under people" in note for note in notes) is said


def test_half_of_the_documents_is_not_most() -> None:
    raters = ["ann" if i < 2 else ("ann", "bob")[i % 2] for _ in "AB" for i in range(4)]
    kept = np.array([i < 4 for _ in "AB" for i in range(6)])
    judged = _judged().take(kept)
    columns = {
        "system": judged.system.labels(),
        "item": judged.item.labels(),
        "document": judged.column("document").labels(),
        "score": judged.score.tolist(),
        "rater": raters,
    }
    notes = _gather(None, judgments={"people": dt.Judgments.build(columns)}).notes
    assert not any("one rater" in note for note in notes)


def test_what_cannot_be_measured() -> None:
    with pytest.raises(InputError, match="there is nothing to measure"):
        _gather()
    with pytest.raises(InputError, match="`metrics` must be left out"):
        _gather(None, "bleu", {"comet": clustered(6, 3)})
    with pytest.raises(InputError, match="the outputs: the document of each segment"):
        _gather(_corpus(documents=False), "bleu")
    bare = dt.Judgments.build({"system": ["A", "A"], "item": [1, 2], "score": [50, 60]})
    with pytest.raises(InputError, match="the judgments 'p': the document of each segment"):
        _gather(None, judgments={"p": bare})
    one = _judged(document=["all"] * 12)
    with pytest.raises(InputError, match="the judgments 'p': there is one document, 'all'"):
        _gather(None, judgments={"p": one})


def _three_raters(scores: list[float]) -> dt.Judgments:
    """Three raters of one output, of another one, and two of a third."""
    columns: dict[str, Any] = {
        "system": [],
        "item": [],
        "document": [],
        "rater": [],
        "score": [],
    }
    for item, values in (("i1", scores), ("i2", [40.0, 44.0, 48.0]), ("i3", [10.0, 90.0])):
        for rater, score in enumerate(values):
            columns["system"].append("A")
            columns["item"].append(item)
            columns["document"].append("d1" if item == "i3" else "d0")
            columns["rater"].append(f"r{rater}")
            columns["score"].append(score)
    return dt.Judgments.build(columns)


def test_a_judgment_unlike_the_others_counts_less() -> None:
    table = _three_raters([60.0, 62.0, 20.0])
    (one,) = _gather(None, judgments={"people": table}, rater_weights="agreement").measures
    # Differences of two judgments: 2, 40, 42 and 4, 4, 8; their median is 6.
    scale = 6.0 / (math.sqrt(2.0) * 0.6744897501960817)
    weight = 1.345 * scale / 40.0
    first = (60.0 + 62.0 + weight * 20.0) / (2.0 + weight)
    assert one.sample.statistics[0, :, 0] == pytest.approx([first, 44.0, 50.0])
    assert first > 142.0 / 3.0
    assert one.signature == "aggregation:mean-of-items|raters:agreement"


def test_judgments_that_agree_keep_their_mean() -> None:
    table = _three_raters([50.0, 52.0, 54.0])
    alike, weighed = (
        _gather(None, judgments={"people": table}, rater_weights=how).measures[0].scores()
        for how in ("equal", "agreement")
    )
    assert weighed == pytest.approx(alike)
    found = _gather(None, judgments={"people": table}, rater_weights="agreement")
    assert any("people: 0 of 6 judgments" in note for note in found.notes)


def test_weights_of_raters_need_judgments() -> None:
    with pytest.raises(InputError, match="is about judgments, and there are none"):
        _gather(_corpus(), "bleu", rater_weights="agreement")


def test_two_raters_have_no_odd_one_out() -> None:
    with pytest.raises(
        InputError, match="needs 3 raters of an output, and no output of people"
    ):
        _gather(None, judgments={"people": _judged()}, rater_weights="agreement")
