"""What is said beside the numbers, word by word."""

from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, InputError
from detectable.core.execute import Engine
from detectable.core.types import silent
from detectable.metrics.registry import metric
from detectable.study.ranking.settings import RankSettings
from detectable.study.translationese.conclusions import TextScores, text_scores
from detectable.study.translationese.halves import HumanScores, human_scores
from detectable.study.translationese.translationese import all_parts, remarks
from tests.study.translationese.planted import ZH_EN

LANGUAGES = ("zh", "zh", "zh", "en", "en", "en")


def people(
    languages: tuple[str, ...] = LANGUAGES,
    *,
    documents: bool = True,
    raters: list[str] | None = None,
    settings: RankSettings | None = None,
) -> HumanScores:
    """Return two systems, each judged once on every segment; every segment is a document."""
    n = len(languages)
    table: dict[str, Any] = {
        "system": ["A"] * n + ["B"] * n,
        "item": [*range(n)] * 2,
        "score": [40 + 7 * i % 31 + 3 * i for i in range(n)] * 2,
        "original_language": [*languages] * 2,
    }
    if documents:
        table["document"] = [f"d{i}" for i in range(n)] * 2
    if raters is not None:
        table["rater"] = raters * 2
    return human_scores(dt.Judgments.build(table), ZH_EN, settings or RankSettings())


def texts(languages: tuple[str, ...] = LANGUAGES, *, documents: bool = True) -> TextScores:
    n = len(languages)
    lines = [f"a b c d e{i} f" for i in range(n)]
    corpus = dt.Corpus.build(
        {"A": lines, "B": [f"{line} g" for line in lines]},
        lines,
        documents=[f"d{i}" for i in range(n)] if documents else None,
        original_languages=list(languages),
    )
    engine = Engine.start(1, n_jobs=1, executor=None, progress=silent)
    return text_scores(corpus, (metric("chrf"),), ZH_EN, unit="auto", engine=engine)


def test_nothing_odd_has_no_remark() -> None:
    assert remarks(people(), texts(), ()) == ()
    assert remarks(None, None, ("more",)) == ("more",)


def test_what_belongs_to_neither_half() -> None:
    some = (*LANGUAGES, "de", "fr", "unknown")
    assert remarks(people(some), None, ("more",)) == (
        "2 judged segments in 2 documents were first written in neither language (de, fr): they "
        "count in neither half.",
        "1 judged segment in 1 document does not say its original language: it counts in neither "
        "half.",
        "more",
    )
    others = (*LANGUAGES, "de", "unknown", "unknown")
    assert remarks(None, texts(others), ()) == (
        "1 segment in 1 document was first written in neither language (de): it counts in "
        "neither half.",
        "2 segments in 2 documents do not say their original language: they count in neither "
        "half.",
    )


def test_documents_that_are_not_known() -> None:
    unknown = (*LANGUAGES, "de")
    found = remarks(
        people(unknown, documents=False), texts(unknown, documents=False), ("more",)
    )
    assert found == (
        "1 judged segment was first written in neither language (de): it counts in neither half.",
        "1 segment was first written in neither language (de): it counts in neither half.",
        "Documents of the judgments are not known: segments count as independent, which they "
        "rarely are. Intervals are too narrow then.",
        "Documents of the texts are not known: segments count as independent, which they rarely "
        "are. Intervals are too narrow then.",
        "more",
    )


def test_judgments_come_before_texts() -> None:
    found = all_parts(people(), texts())
    assert [(part.data, part.direction, part.n_judgments) for part in found] == [
        ("judgments", "forward", 6),
        ("judgments", "reverse", 6),
        ("texts", "forward", None),
        ("texts", "reverse", None),
    ]
    assert all_parts(None, None) == ()


TEN = ("zh",) * 5 + ("en",) * 5


@pytest.mark.parametrize(
    ("raters", "share"),
    [
        (["ann"] * 10, 1.0),
        (["ann"] * 4 + ["bob"] + ["ann"] * 4 + ["cid"], 0.8),
        (["ann"] * 4 + ["bob"] + ["ann"] * 3 + ["cid"] * 2, 0.7),
        (["ann"] * 5 + ["bob"] * 5, 0.0),
    ],
)
def test_raters_who_saw_one_half(raters: list[str], share: float) -> None:
    found = people(TEN, raters=raters)
    assert found.share_of_raters_in_both() == pytest.approx(share)
    said = remarks(found, None, ())
    if share >= 0.8:
        assert said == ()
    else:
        assert said == (
            f"Only {share:.0%} of the judgments are by raters who judged in both halves. z takes "
            "out the level of the others, and with it their part of the difference between the "
            "halves: effects in z are too small. Go by raw scores.",
        )


def test_other_languages_do_not_make_a_rater_one_of_both_halves() -> None:
    some = (*LANGUAGES, "de", "unknown")
    raters = ["ann"] * 3 + ["bob"] * 3 + ["ann", "bob"]
    assert people(some, raters=raters).share_of_raters_in_both() == 0.0
    assert np.isnan(people(some).share_of_raters_in_both())


def test_the_measures_of_judgments() -> None:
    plain = people(TEN).measures()
    assert [(m.name, m.scale, m.digits, m.unit) for m in plain] == [
        ("raw", "points", 2, "document")
    ]
    assert plain[0].halves["forward"].n_units == 5
    bare = people(TEN, documents=False).measures()
    assert [m.unit for m in bare] == ["segment"]
    raters = ["ann", "bob"] * 5
    for word, names in (("z", ["z", "raw"]), ("none", ["raw", "z"])):
        settings = RankSettings(standardise=word)  # type: ignore[arg-type]
        found = people(TEN, raters=raters, settings=settings)
        assert found.scale == names[0]
        assert [m.name for m in found.measures()] == names
        by_name = {m.name: m for m in found.measures()}
        assert (by_name["z"].scale, by_name["z"].digits) == ("z", 3)


def test_a_half_of_one_document_is_refused() -> None:
    languages = ("zh", "zh", "en")
    with pytest.raises(DataError, match="the reverse half has one document, and one document"):
        people(languages)
    with pytest.raises(DataError, match=r"one document .*Use `unit='segment'` if its"):
        people(languages)


def test_languages_are_needed() -> None:
    table = {"system": ["A", "B"], "item": [1, 1], "score": [50, 60]}
    with pytest.raises(
        InputError, match="the judgments: the original language of the items is not known"
    ):
        human_scores(dt.Judgments.build(table), ZH_EN, RankSettings())
    engine = Engine.start(1, n_jobs=1, executor=None, progress=silent)
    corpus = dt.Corpus.build({"A": ["a b", "c d"]}, ["a b", "c d"])
    with pytest.raises(InputError, match="does not say in which language its segments"):
        text_scores(corpus, (metric("chrf"),), ZH_EN, unit="segment", engine=engine)
