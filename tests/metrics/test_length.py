import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from sacrebleu.metrics.bleu import BLEU

from detectable.core.errors import InputError
from detectable.data.texts.corpus import Corpus
from detectable.metrics.length import Length
from detectable.metrics.registry import metric
from tests.helpers import reference_data
from tests.metrics.texts import corpora, dull_text, multeval, nasty_text, wmt


@pytest.mark.golden
def test_multeval_example() -> None:
    gold = json.loads(reference_data("gold", "multeval.json").read_text())
    runs = gold["full_example_2489_segs_3runs"]
    length = Length(tokenize="none")
    scores = length.score(length.statistics(multeval()).sum(axis=1))
    expected = runs["baseline"]["Length"]["per_run"] + runs["system 1"]["Length"]["per_run"]
    assert scores.tolist() == pytest.approx(expected, abs=5e-7)  # printed with six decimals


@pytest.mark.golden
def test_statistics_stored_with_the_reference_data() -> None:
    stored = np.load(reference_data("data", "reliability", "wmt21_ruen_stats.npz"))
    corpus = wmt("wmt21_ruen")
    ours = dict(zip(corpus.systems, Length().statistics(corpus), strict=True))
    for name, table in zip(stored["systems"], stored["BLEU"], strict=True):
        assert np.array_equal(ours[name], table[:, :2])


@settings(deadline=None)
@given(corpora(dull_text | nasty_text))
def test_lengths_are_those_of_sacrebleu(corpus: Corpus) -> None:
    ours = Length().statistics(corpus)
    references: Any = corpus.references  # sacreBLEU takes None, though its types do not say so
    for row, output in enumerate(corpus.outputs):
        lines = corpus.output(*output)
        expected = BLEU(force=True)._extract_corpus_statistics(lines, references)
        assert np.array_equal(ours[row], np.array(expected)[:, :2])


def test_it_describes_and_does_not_judge() -> None:
    assert Length().higher_is_better is None
    assert Length().score(np.array([[4.0, 5.0], [5.0, 4.0]])).tolist() == [80.0, 125.0]


def test_there_is_no_ratio_to_nothing() -> None:
    assert np.isnan(Length().score(np.array([3.0, 0.0])))


def test_signature() -> None:
    import sacrebleu

    assert Length().signature() == f"tok:13a|ref:closest|sacrebleu:{sacrebleu.__version__}"


def test_the_registry_knows_it() -> None:
    assert metric("length", tokenize="none") == Length(tokenize="none")


def test_a_message_names_the_setting_and_the_value() -> None:
    with pytest.raises(InputError, match=r"`tokenize` must be one of .*; got 'x'"):
        Length(tokenize="x")


def test_a_unit_weighs_by_its_closest_reference_length() -> None:
    corpus = Corpus.build({"A": ["a b c", "a"]}, [["a b c d", "a b"], ["a", "c d e f"]])
    own = Length()
    assert own.sizes(own.statistics(corpus)).tolist() == [[4.0, 2.0]]
