"""Which questions texts can answer: by their systems, runs, documents and original languages."""

from typing import Any

import pytest

from detectable.data.texts.corpus import Corpus
from detectable.study.doctor.examination import Question
from detectable.study.doctor.of_texts import BETTER, JUDGE, MORE, RUNS, TRANSLATED, of_texts

LINES = [f"line {i} of {i % 5} words" for i in range(12)]
OTHER = [f"line {i} of some {i % 5} words" for i in range(12)]


def _asked(systems: dict[str, Any], **more: Any) -> dict[str, Question]:
    corpus = Corpus.build(systems, LINES, **more)
    found = of_texts("t", corpus, ["--corpus", "t"], lambda *_: None)
    return {one.question: one for one in found.questions}


def test_one_system_cannot_be_compared_nor_have_other_runs() -> None:
    found = _asked({"a": OTHER})
    assert not found[BETTER].possible
    assert found[BETTER].why == "There is one system. Give the output of another."
    assert RUNS not in found
    assert found[JUDGE].command == "detectable tasks --corpus t"


def test_two_systems_are_paired_on_their_segments() -> None:
    found = _asked({"a": OTHER, "b": LINES})
    assert found[BETTER].possible
    assert found[BETTER].why == "Paired on 12 segments."
    assert [one.metric for one in found[BETTER].detects] == ["BLEU", "chrF"]


@pytest.mark.parametrize(
    ("runs", "possible", "why"),
    [
        ((1, 1), False, "There is one run of a, b."),
        ((2, 1), False, "There is one run of b."),
        ((2, 2), True, "Every system has several runs."),
    ],
)
def test_other_runs_take_two_of_every_system(
    runs: tuple[int, int], possible: bool, why: str
) -> None:
    systems = {"a": [OTHER, LINES][: runs[0]], "b": [LINES, OTHER][: runs[1]]}
    found = _asked(systems)[RUNS]
    assert (found.possible, found.why) == (possible, why)
    assert found.command == ("detectable compare --corpus t" if possible else "")


@pytest.mark.parametrize(
    ("documents", "possible", "why"),
    [
        (None, False, "Documents are not named; --documents names them."),
        (2, False, "It takes three documents or more; found: 2."),
        (3, True, "3 documents are named."),
    ],
)
def test_more_documents_take_three(documents: int | None, possible: bool, why: str) -> None:
    named = None if documents is None else [f"d{i % documents}" for i in range(12)]
    found = _asked({"a": OTHER, "b": LINES}, documents=named)[MORE]
    assert (found.possible, found.why) == (possible, why)


def test_original_languages_are_asked_about_where_they_are_named() -> None:
    systems = {"a": OTHER, "b": LINES}
    assert _asked(systems)[TRANSLATED].why == "Original languages are not named."
    named = _asked(systems, original_languages=["de", "en"] * 6)[TRANSLATED]
    assert named.why.startswith("First written in de (6), en (6). The file does not say what")
    told = _asked(systems, original_languages=["de", "en"] * 6, language_pair="de-en")
    assert told[TRANSLATED].possible
    assert "50% reverse-created" in told[TRANSLATED].why
    forward = _asked(systems, original_languages=["de"] * 12, language_pair="de-en")
    assert forward[TRANSLATED].why.endswith("translated de-en: all of it is forward.")
