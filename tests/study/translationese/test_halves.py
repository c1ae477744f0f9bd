"""Splits of a test set."""

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.texts.languages import read_original_languages
from detectable.inference.standard_errors import cluster_mean
from detectable.study.translationese.halves import (
    Part,
    mean_sample,
    refuse_one_unit,
    score_estimate,
    split,
)
from tests.helpers import reference_data
from tests.study.translationese.planted import ZH_EN, halved
from tests.study.translationese.test_translationese import texts_of_remarks as texts


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


# --- From original languages to directions ---

# --- Scores cut into halves, and added up by unit ---

NAN = np.nan
TABLE = np.array([[1.0, 5], [3, NAN], [4, 7], [10, 9], [NAN, 5], [12, 1], [2, 2]])
LANGUAGES = ["zh", "zh", "zh", "en", "en", "en", "de"]


def test_halves_by_document_and_by_segment() -> None:
    found = halved(TABLE, list("aabcdef"), LANGUAGES)
    assert (found.name, found.scale, found.digits, found.unit) == (
        "raw",
        "points",
        2,
        "document",
    )
    assert found.systems == ("S0", "S1")
    assert found.higher_is_better is True
    assert [found.halves[half].n_units for half in ("forward", "reverse", "both")] == [2, 3, 5]
    by_segment = halved(TABLE, list("aabcdef"), LANGUAGES, unit="segment")
    assert [by_segment.halves[h].n_units for h in ("forward", "reverse", "both")] == [3, 3, 6]
    for measure in (found, by_segment):
        assert measure.halves["both"].score(0) == pytest.approx(30 / 5)
        assert measure.halves["both"].score(1) == pytest.approx(27 / 5)


def test_segments_on_which_systems_have_a_score() -> None:
    found = halved(TABLE, list("aabcdef"), LANGUAGES)
    assert [found.n_segments("forward", s) for s in (0, 1)] == [3, 2]
    assert [found.n_segments("reverse", s) for s in (0, 1)] == [2, 3]
    assert [found.n_segments(half, 0, 1) for half in ("forward", "reverse", "both")] == [
        2,
        2,
        4,
    ]


def test_texts_have_a_score_everywhere() -> None:
    (chrf,) = texts().measures
    assert chrf.n_segments("both", 0, 1) == 6
    assert chrf.known["forward"].shape == (3, 2)


def test_the_error_is_that_of_a_mean_over_documents() -> None:
    found = halved(TABLE, list("aabcdef"), LANGUAGES)
    values, codes = TABLE[:3, 0], np.array([0, 0, 1])
    want = cluster_mean(values, codes)
    got = found.estimate("forward", 0)
    assert (got.value, got.standard_error, got.df) == pytest.approx(
        (want.value, want.standard_error, want.df)
    )
    assert score_estimate(found.halves["forward"], 0) == got


def test_means_count_what_is_known() -> None:
    sample = mean_sample(("A", "B"), TABLE)
    assert sample.statistics.shape == (2, 7, 2)
    assert sample.statistics[0, 4].tolist() == [0.0, 0.0]
    assert sample.statistics[1, 2].tolist() == [7.0, 1.0]
    assert sample.runs == (1, 1)


def test_one_unit_is_refused() -> None:
    refuse_one_unit("forward", 2, "document")
    with pytest.raises(DataError) as failure:
        refuse_one_unit("forward", 1, "document")
    assert str(failure.value) == (
        "the forward half has one document, and one document says nothing about the next. Use "
        "`unit='segment'` if its segments are independent, which they rarely are."
    )
    with pytest.raises(DataError) as failure:
        refuse_one_unit("reverse", 1, "segment")
    assert str(failure.value) == (
        "the reverse half has one segment, and one segment says nothing about the next. Give more "
        "segments."
    )
