"""GTM against the definition in plain Python and stored statistics."""

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.data.texts.corpus import Corpus
from detectable.metrics.gtm import Gtm
from detectable.metrics.registry import metric
from tests.golden.make_word_errors import gtm_statistics
from tests.helpers import golden, reference_data
from tests.metrics.texts import corpora, dull_text, wmt

exponents = pytest.mark.parametrize("exponent", [1, 2])


@pytest.mark.golden
@exponents
@pytest.mark.parametrize("case", golden("word_errors"), ids=lambda c: c["name"])
def test_statistics_of_tiny_corpora(case: dict[str, Any], exponent: int) -> None:
    corpus = Corpus.build({"A": case["hyps"]}, case["refs"])
    found = Gtm(exponent=exponent, tokenize="none").statistics(corpus)[0]
    assert found == pytest.approx(np.array(case[f"gtm_e{exponent}"]), rel=1e-14)


@pytest.mark.golden
@exponents
def test_scores_of_the_stored_gold(exponent: int) -> None:
    gold = json.loads(reference_data("gold", "metrics.json").read_text())["corpora"]
    for case in gold.values():
        gtm = Gtm(exponent=exponent, tokenize="none")
        statistics = gtm.statistics(Corpus.build({"A": case["hyps"]}, case["refs"]))[0]
        # The stored statistics are rounded to 6 decimals, the stored score is not.
        assert statistics == pytest.approx(np.array(case[f"gtm_e{exponent}_stats"]), abs=5e-7)
        score = gtm.score(statistics.sum(axis=0)) / 100.0
        assert score == pytest.approx(case[f"gtm_e{exponent}"], rel=1e-14)


@pytest.mark.golden
def test_statistics_of_wmt_outputs_are_those_stored() -> None:
    corpus = wmt("wmt21_ruen")
    with np.load(reference_data("data", "reliability", "wmt21_ruen_stats.npz")) as stored:
        rows = [list(corpus.systems).index(str(system)) for system in stored["systems"]]
        assert np.array_equal(Gtm().statistics(corpus)[rows], stored["GTM"])


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0])
@given(corpus=corpora(dull_text))
def test_statistics_follow_the_definition(corpus: Corpus, exponent: float) -> None:
    found = Gtm(exponent=exponent, tokenize="none").statistics(corpus)
    expected = [
        [
            gtm_statistics(line.split(), [t.split() for t in texts if t is not None], exponent)
            for line, texts in zip(
                corpus.output(*output), zip(*corpus.references, strict=True), strict=True
            )
        ]
        for output in corpus.outputs
    ]
    assert found == pytest.approx(np.array(expected), rel=1e-13)


@given(corpora(dull_text), st.randoms(use_true_random=False))
def test_the_order_of_references_does_not_change_a_segment(corpus: Corpus, rng: Any) -> None:
    # Equally good references may differ in length, so the statistics may change, and nan for
    # two empty lines may become 0 for one.
    references = list(corpus.references)
    rng.shuffle(references)
    pair = (corpus, Corpus.build(corpus.systems, references))
    scores = [np.nan_to_num(Gtm().score(Gtm().statistics(each))) for each in pair]
    assert np.array_equal(scores[0], scores[1])


@given(corpora(dull_text))
def test_broken_runs_only_cost(corpus: Corpus) -> None:
    scores = [
        Gtm(exponent=e).score(Gtm(exponent=e).statistics(corpus)) for e in (1.0, 1.5, 3.0)
    ]
    known = ~np.isnan(scores[0])
    for better, worse in pairwise(scores):
        assert (better[known] >= worse[known] - 1e-9).all()
    assert (scores[0][known] <= 100.0).all()


@pytest.mark.parametrize("exponent", [1.0, 2.0])
def test_a_copy_scores_100(exponent: float) -> None:
    lines = ["a b c", "d d d d e"]
    gtm = Gtm(exponent=exponent)
    statistics = gtm.statistics(Corpus.build({"A": lines}, lines))
    assert gtm.score(statistics.sum(axis=1)).tolist() == [100.0]


@pytest.mark.parametrize("exponent", [1.0, 2.0])
def test_empty_lines(exponent: float) -> None:
    corpus = Corpus.build({"A": ["", "a b", ""]}, [["a", "", ""], [None, "", None]])
    gtm = Gtm(exponent=exponent)
    statistics = gtm.statistics(corpus)[0]
    assert statistics.tolist() == [[0.0, 0.0, 1.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]]
    scores = gtm.score(statistics)
    assert scores[:2].tolist() == [0.0, 0.0]
    assert np.isnan(scores[2])


def test_settings_change_the_words() -> None:
    corpus = Corpus.build({"A": ["The cat."]}, ["the cat ."])
    assert Gtm().statistics(corpus)[0, 0].tolist() == [2.0, 3.0, 3.0]
    assert Gtm(lowercase=True).statistics(corpus)[0, 0].tolist() == [3.0, 3.0, 3.0]
    assert Gtm(tokenize="none").statistics(corpus)[0, 0].tolist() == [0.0, 2.0, 3.0]


def test_progress_is_reported_for_every_output() -> None:
    reports: list[tuple[str, int, int | None]] = []
    corpus = Corpus.build({"A": [["a"], ["b"]]}, ["a"])
    Gtm().statistics(corpus, progress=lambda *report: reports.append(report))
    assert reports == [("gtm", done, 2) for done in range(3)]


def test_the_signature_names_the_exponent() -> None:
    gtm = metric("gtm", exponent=1.5, tokenize="intl")
    assert gtm == Gtm(exponent=1.5, tokenize="intl")
    assert gtm.signature().startswith("case:mixed|tok:intl|exponent:1.5|sacrebleu:2.6")
    assert gtm.higher_is_better is True


@pytest.mark.parametrize("exponent", [0.5, 0.0, -1.0, float("inf"), float("nan")])
def test_an_exponent_below_one_is_refused(exponent: float) -> None:
    with pytest.raises(InputError, match=r"`exponent` must be a finite number ≥ 1; got"):
        Gtm(exponent=exponent)


def test_a_unit_weighs_by_the_length_of_its_best_reference() -> None:
    corpus = Corpus.build({"A": ["a b c", "a"]}, [["a b c d", "a b"], ["a", "c d e f"]])
    own = Gtm()
    assert own.sizes(own.statistics(corpus)).tolist() == [[4.0, 2.0]]
