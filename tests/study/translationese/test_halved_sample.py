"""Scores cut into halves, and added up by unit."""

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.inference.standard_errors import cluster_mean
from detectable.study.translationese.halves import mean_sample, refuse_one_unit, score_estimate
from tests.study.translationese.planted import halved
from tests.study.translationese.test_remarks import texts

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
