import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF

from detectable.core.errors import InputError
from detectable.data.texts.corpus import Corpus
from detectable.metrics.chrf import Chrf, ChrfPlusPlus
from detectable.metrics.registry import metric
from tests.helpers import golden, reference_data
from tests.metrics.texts import WMT, corpora, dull_text, multeval, nasty_text, wmt

chrfs = st.builds(
    Chrf,
    char_order=st.integers(1, 8),
    word_order=st.integers(0, 3),
    beta=st.integers(1, 3),
    lowercase=st.booleans(),
    whitespace=st.booleans(),
    eps_smoothing=st.booleans(),
)


def theirs(chrf: Chrf) -> CHRF:
    return CHRF(
        char_order=chrf.char_order,
        word_order=chrf.word_order,
        beta=chrf.beta,
        lowercase=chrf.lowercase,
        whitespace=chrf.whitespace,
        eps_smoothing=chrf.eps_smoothing,
    )


def assert_equals_sacrebleu(chrf: Chrf, corpus: Corpus) -> None:
    oracle = theirs(chrf)
    ours = chrf.statistics(corpus)
    scores = chrf.score(ours.sum(axis=1))
    streams: Any = corpus.references  # sacreBLEU takes None, though its types do not say so
    references = oracle._cache_references(streams)
    for row, output in enumerate(corpus.outputs):
        oracle._ref_cache = references  # otherwise sacreBLEU counts them for every output
        expected = oracle._extract_corpus_statistics(corpus.output(*output), None)
        assert np.array_equal(ours[row], expected)
        assert scores[row] == oracle._aggregate_and_compute(expected).score


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("ngram_metrics"), ids=lambda case: case["name"])
def test_published_value(case: dict[str, Any]) -> None:
    table = Chrf().statistics(Corpus.build({"A": case["hyps"]}, case["refs"]))
    assert Chrf().score(table[0].sum(axis=0)) == pytest.approx(case["chrf"], abs=1e-9)


@pytest.mark.golden
def test_multeval_example() -> None:
    gold = json.loads(reference_data("gold", "multeval.json").read_text())
    example = gold["sacrebleu_example_single_run_vs_baseline.opt0_tokenize_none"]
    corpus = multeval()
    scores = Chrf().score(Chrf().statistics(corpus).sum(axis=1))
    ours = {
        f"{system}.opt{run}": x for (system, run), x in zip(corpus.outputs, scores, strict=True)
    }
    for output, expected in example.items():
        assert ours[output] == pytest.approx(expected["chrF2"], abs=5e-5)  # four decimals


@pytest.mark.golden
def test_statistics_stored_with_the_reference_data() -> None:
    stored = np.load(reference_data("data", "reliability", "wmt21_ruen_stats.npz"))
    corpus = wmt("wmt21_ruen")
    ours = dict(zip(corpus.systems, Chrf().statistics(corpus), strict=True))
    for name, table in zip(stored["systems"], stored["chrF"], strict=True):
        assert np.array_equal(ours[name], table)


@pytest.mark.parametrize("name", WMT)
def test_real_texts_are_counted_as_sacrebleu_does(name: str) -> None:
    corpus = wmt(name, systems=None if name == "wmt21_isen" else 1)
    assert_equals_sacrebleu(Chrf(), corpus)


@pytest.mark.parametrize("name", ["wmt21_isen", "wmt21_ruen"])
def test_real_texts_are_counted_with_words_as_sacrebleu_does(name: str) -> None:
    assert_equals_sacrebleu(ChrfPlusPlus(), wmt(name, systems=1))


@pytest.mark.slow
@pytest.mark.parametrize("name", WMT)
def test_all_real_texts_are_counted_as_sacrebleu_does(name: str) -> None:
    assert_equals_sacrebleu(ChrfPlusPlus(), wmt(name))


@settings(deadline=None, max_examples=2 * settings().max_examples)
@given(chrfs, corpora(dull_text | nasty_text))
def test_invented_texts_are_counted_as_sacrebleu_does(chrf: Chrf, corpus: Corpus) -> None:
    assert_equals_sacrebleu(chrf, corpus)


@settings(deadline=None)
@given(chrfs, st.lists(st.integers(0, 9), min_size=33, max_size=33))
def test_any_sums_are_scored_as_sacrebleu_does(chrf: Chrf, numbers: list[int]) -> None:
    sums = numbers[: 3 * (chrf.char_order + chrf.word_order)]
    assert chrf.score(np.array(sums, float)) == theirs(chrf)._compute_f_score(sums)


def test_more_characters_than_ten_bits_can_number() -> None:
    letters = [chr(0x4E00 + i) for i in range(3000)]
    rng = np.random.default_rng(4)
    corpus = Corpus.build(
        {"A": ["".join(rng.choice(letters, 4000))], "B": ["".join(letters[1000:2500])]},
        [["".join(letters)], ["".join(rng.choice(letters, 5000))]],
    )
    assert_equals_sacrebleu(ChrfPlusPlus(char_order=9), corpus)


@pytest.mark.parametrize(
    "references",
    [["ab", "cd"], ["cd", "ab"], ["", "ab"], ["a", "xa"], ["ab c", "a bc"]],
    ids=" / ".join,
)
def test_the_first_of_equally_good_references_counts(references: list[str]) -> None:
    corpus = Corpus.build({"A": ["ab cd"], "B": [""], "C": ["a"]}, [[x] for x in references])
    assert_equals_sacrebleu(Chrf(), corpus)
    assert_equals_sacrebleu(Chrf(char_order=2, eps_smoothing=True), corpus)


def test_nothing_counts_for_an_order_that_the_reference_lacks() -> None:
    table = Chrf(char_order=3).statistics(Corpus.build({"A": ["abcd"]}, ["ab"]))
    assert table.tolist() == [[[4, 2, 2, 3, 1, 1, 0, 0, 0]]]


def test_scores_keep_leading_axes() -> None:
    sums = np.random.default_rng(0).integers(0, 50, (3, 4, 18)).astype(float)
    each = [[float(Chrf().score(row)) for row in block] for block in sums]
    assert np.array_equal(Chrf().score(sums), each)


@pytest.mark.parametrize(
    ("chrf", "expected"),
    [
        (Chrf(), "case:mixed|eff:yes|nc:6|nw:0|space:no|sacrebleu:"),
        (ChrfPlusPlus(lowercase=True), "case:lc|eff:yes|nc:6|nw:2|space:no|sacrebleu:"),
        (
            Chrf(beta=3, whitespace=True, eps_smoothing=True),
            "case:mixed|eff:no|nc:6|nw:0|space:yes|beta:3|sacrebleu:",
        ),
    ],
)
def test_signature(chrf: Chrf, expected: str) -> None:
    import sacrebleu

    assert chrf.signature() == expected + sacrebleu.__version__


def test_the_registry_knows_both() -> None:
    assert metric("chrf") == Chrf()
    assert metric("chrf++") == ChrfPlusPlus()
    assert metric("chrf++").name == "chrf++"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"char_order": 0}, r"`char_order` must be a whole number ≥ 1; got 0"),
        ({"word_order": -1}, r"`word_order` must be a whole number ≥ 0; got -1"),
        ({"beta": 0.5}, r"`beta` must be a whole number ≥ 1; got 0\.5"),
    ],
)
def test_a_message_names_the_setting_and_the_value(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Chrf(**settings)


def test_a_unit_weighs_by_the_characters_of_its_best_reference() -> None:
    corpus = Corpus.build({"A": ["a b c", "a"]}, [["a b c d", "a b"], ["a", "c d e f"]])
    own = Chrf(char_order=2, word_order=1)
    assert own.sizes(own.statistics(corpus)).tolist() == [[4.0, 2.0]]
