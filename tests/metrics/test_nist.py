import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from detectable.core.errors import InputError
from detectable.data.texts.corpus import Corpus
from detectable.metrics.nist import Nist
from detectable.metrics.registry import metric
from detectable.metrics.sacrebleu import tokenizer
from tests.golden.make_ngram_metrics import nist_statistics
from tests.helpers import golden, reference_data
from tests.metrics.texts import corpora, dull_text, multeval, wmt


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("ngram_metrics"), ids=lambda case: case["name"])
def test_published_value(case: dict[str, Any]) -> None:
    nist = Nist(tokenize="none")
    table = nist.statistics(Corpus.build({"A": case["hyps"]}, case["refs"]))[0]
    assert table == pytest.approx(np.array(case["statistics"]), rel=1e-12)
    score = nist.score(table.sum(axis=0))
    assert score == pytest.approx(case["nist"], rel=1e-12)
    assert score == pytest.approx(case["mteval_nist"], abs=5e-5)  # mteval prints four decimals


@pytest.mark.golden
@pytest.mark.parametrize("n_references", [1, 2])
def test_mteval_on_real_texts(n_references: int) -> None:
    gold = json.loads(reference_data("gold", "metrics.json").read_text())
    block = gold["real_wmt21_ru-en_107docs_1000segs_13a_cased"]
    corpus = wmt("wmt21_ruen", systems=2)
    corpus = Corpus.build(corpus.systems, corpus.references[:n_references])
    tables = {
        quirk: Nist(mteval_zero_quirk=quirk).statistics(corpus) for quirk in (False, True)
    }
    for row, system in enumerate(corpus.systems):
        expected, suffix = block[system], f"nist_{n_references}ref"
        clean, quirk = (Nist().score(tables[q][row].sum(axis=0)) for q in (False, True))
        assert clean == pytest.approx(expected[f"mine_{suffix}"], rel=1e-12)
        assert quirk == pytest.approx(expected[f"mteval_{suffix}"], abs=5e-5)


@pytest.mark.golden
def test_statistics_stored_with_the_reference_data() -> None:
    stored = np.load(reference_data("data", "reliability", "wmt21_ruen_stats.npz"))
    corpus = wmt("wmt21_ruen")
    ours = dict(zip(corpus.systems, Nist().statistics(corpus), strict=True))
    for name, table in zip(stored["systems"], stored["NIST"], strict=True):
        assert ours[name] == pytest.approx(table, rel=1e-6)  # stored in single precision


@pytest.mark.golden
def test_mteval_on_multeval_example() -> None:
    gold = json.loads(reference_data("gold", "multeval.json").read_text())[
        "mteval_v13m_no_norm"
    ]
    corpus = multeval()
    nist = Nist(tokenize="none", mteval_zero_quirk=True)
    whole = nist.score(nist.statistics(corpus)[0].sum(axis=0))
    assert whole == pytest.approx(gold["full example baseline.opt0"]["NIST"], abs=5e-5)
    part = corpus.select(range(200))
    for order, expected in enumerate(
        gold["multeval_200 baseline.opt0"]["NIST_cumulative_1_9"], start=1
    ):
        nist = Nist(tokenize="none", max_order=order, mteval_zero_quirk=True)
        score = nist.score(nist.statistics(part)[0].sum(axis=0))
        assert score == pytest.approx(expected, abs=5e-5)


@pytest.mark.golden
def test_nltk_agrees_for_one_reference() -> None:
    from nltk.translate.nist_score import corpus_nist

    corpus = multeval().select(range(150))
    score = Nist().score(Nist().statistics(corpus)[0].sum(axis=0))
    split = tokenizer("13a")
    references = [[split(line).split()] for line in corpus.references[0] if line is not None]
    outputs = [split(line).split() for line in corpus.output("baseline")]
    assert score == pytest.approx(corpus_nist(references, outputs, n=5), rel=1e-9)


@settings(deadline=None)
@given(corpora(dull_text))
def test_several_references_are_counted_as_a_plain_program_does(corpus: Corpus) -> None:
    ours = Nist(tokenize="none").statistics(corpus)
    for row, output in enumerate(corpus.outputs):
        expected = nist_statistics(corpus.output(*output), corpus.references)
        assert ours[row] == pytest.approx(np.array(expected), rel=1e-12, abs=1e-12)


def test_the_zero_quirk_takes_the_prefix_from_bigrams_that_start_with_0() -> None:
    corpus = Corpus.build({"A": ["0 a b"]}, ["0 a b 0 c"])
    clean = Nist().statistics(corpus)[0, 0]
    quirk = Nist(mteval_zero_quirk=True).statistics(corpus)[0, 0]
    single = np.log2(5 / 2) + 2 * np.log2(5)
    assert clean[:3] == pytest.approx([single, np.log2(2 / 1), 0.0])
    assert quirk[:3] == pytest.approx([single, np.log2(5 / 1), 0.0])


def test_two_thirds_of_the_length_halve_the_score() -> None:
    full, short = np.array([6.0, 6.0, 6.0]), np.array([6.0, 6.0, 9.0])
    assert Nist(max_order=1).score(np.stack([full, short])) == pytest.approx([1.0, 0.5])


def test_longer_outputs_are_not_rewarded() -> None:
    assert Nist(max_order=1).score(np.array([6.0, 6.0, 3.0])) == pytest.approx(1.0)


def test_empty_texts_score_0_without_a_warning() -> None:
    corpus = Corpus.build({"A": ["", ""], "B": ["a", "b"]}, [["", "a"], [" ", None]])
    scores = Nist().score(Nist().statistics(corpus).sum(axis=1))
    assert scores.tolist() == [0.0, 0.0]


def test_scores_keep_leading_axes() -> None:
    sums = np.random.default_rng(0).integers(0, 50, (3, 4, 11)).astype(float)
    each = [[float(Nist().score(row)) for row in block] for block in sums]
    assert Nist().score(sums) == pytest.approx(np.array(each), rel=1e-15)


def test_signature() -> None:
    import sacrebleu

    version = sacrebleu.__version__
    expected = f"case:mixed|tok:13a|order:5|info:all-refs|zero:clean|sacrebleu:{version}"
    assert Nist().signature() == expected
    quirk = Nist(lowercase=True, tokenize="none", max_order=4, mteval_zero_quirk=True)
    expected = f"case:lc|tok:none|order:4|info:all-refs|zero:mteval|sacrebleu:{version}"
    assert quirk.signature() == expected


def test_the_registry_knows_it() -> None:
    assert metric("nist", max_order=4) == Nist(max_order=4)


def test_a_message_names_the_setting_and_the_value() -> None:
    with pytest.raises(InputError, match=r"`max_order` must be a whole number ≥ 1; got 0"):
        Nist(max_order=0)
    with pytest.raises(InputError, match=r"`tokenize` must be one of .*; got 'x'"):
        Nist(tokenize="x")


def test_a_unit_weighs_by_its_mean_reference_length() -> None:
    corpus = Corpus.build({"A": ["a b c", "a"]}, [["a b c d", "a b"], ["a", "c d e f"]])
    own = Nist(max_order=2)
    assert own.sizes(own.statistics(corpus)).tolist() == [[2.5, 3.0]]
