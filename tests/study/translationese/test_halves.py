"""Splits of a test set."""

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.texts.languages import read_original_languages
from detectable.study.translationese.halves import Part, split
from tests.helpers import reference_data
from tests.study.translationese.planted import ZH_EN


def test_the_test_set_of_2017() -> None:
    path = reference_data("data", "wmt", "newstest2017_zhen_origlang.parquet")
    known = read_original_languages(path)
    found = split("texts", known.languages, known.documents, ZH_EN)
    assert found.parts() == (
        Part(
            data="texts",
            direction="forward",
            languages=("zh",),
            n_documents=123,
            n_segments=1000,
        ),
        Part(
            data="texts",
            direction="reverse",
            languages=("en",),
            n_documents=46,
            n_segments=1001,
        ),
    )


def test_all_directions_are_counted() -> None:
    languages = ["zh", "zh", "en", "de", "un", "unknown"]
    found = split("judgments", languages, list("aabcde"), ZH_EN)
    parts = found.parts(np.array([4, 5, 6, 7, 8, 9]))
    assert [
        (p.direction, p.languages, p.n_documents, p.n_segments, p.n_judgments) for p in parts
    ] == [
        ("forward", ("zh",), 1, 2, 9),
        ("reverse", ("en",), 1, 1, 6),
        ("other", ("de", "un"), 2, 2, 15),
        ("missing", ("unknown",), 1, 1, 9),
    ]
    assert found.rows("forward").tolist() == [True, True, False, False, False, False]
    assert found.rows("reverse").tolist() == [False, False, True, False, False, False]
    assert found.rows("both").tolist() == [True, True, True, False, False, False]


def test_documents_may_be_unknown() -> None:
    found = split("texts", ["zh", "en"], None, ZH_EN)
    assert [part.n_documents for part in found.parts()] == [None, None]


def test_two_codes_of_one_language_do_not_split_a_document() -> None:
    found = split("texts", ["zh", "zho", "en"], list("aab"), ZH_EN)
    assert [part.n_segments for part in found.parts()] == [2, 1]


@pytest.mark.parametrize(
    ("languages", "documents", "message"),
    [
        (
            ["zh", "en", "en"],
            list("aab"),
            "the test set: document 'a' has segments first written in zh and in en; a document was "
            "written in one language. Correct it, or name its parts differently.",
        ),
        (
            ["zh", "de", "en"],
            list("aab"),
            "document 'a' has segments first written in zh and in de",
        ),
        (
            ["zh", "zh"],
            None,
            "no segment was first written in en, the target language (found: zh): there is no "
            "reverse half to compare. Nothing needs to be left out.",
        ),
        (
            ["en", "en", "de"],
            None,
            "no segment was first written in zh, the source language (found: de, en): 2 segments in "
            "en are reverse, and there is no forward half.",
        ),
        (
            ["de", "fr"],
            None,
            "of 2 segments none was first written in zh or en (found: de, fr). Is `language_pair` "
            "right?",
        ),
        (
            ["unknown", "unknown"],
            None,
            "none of the 2 segments says in which language it was first written. Give "
            "`original_languages`.",
        ),
    ],
)
def test_what_cannot_be_split(
    languages: list[str], documents: list[str] | None, message: str
) -> None:
    with pytest.raises(DataError) as failure:
        split("texts", languages, documents, ZH_EN)
    assert message in str(failure.value)


def test_judged_segments_are_called_so() -> None:
    with pytest.raises(DataError, match="no judged segment was first written in en"):
        split("judgments", ["zh"], None, ZH_EN)
    with pytest.raises(DataError, match="the judgments: document 'a' has segments"):
        split("judgments", ["zh", "en"], ["a", "a"], ZH_EN)
