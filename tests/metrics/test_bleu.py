import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.data.texts.corpus import Corpus
from detectable.metrics.bleu import Bleu, Smooth
from detectable.metrics.registry import metric
from tests.helpers import golden, reference_data
from tests.metrics.texts import WMT, corpora, dull_text, multeval, nasty_text, wmt

WAYS: tuple[Smooth, ...] = ("exp", "floor", "add-k", "none")

bleus = st.builds(
    Bleu,
    tokenize=st.sampled_from(["13a", "none", "char", "intl", "zh"]),
    lowercase=st.booleans(),
    smooth=st.sampled_from(WAYS),
    max_order=st.integers(1, 6),
    effective_order=st.booleans(),
)


def theirs(bleu: Bleu) -> BLEU:
    return BLEU(
        tokenize=bleu.tokenize,
        lowercase=bleu.lowercase,
        smooth_method=bleu.smooth,
        smooth_value=bleu.smooth_value,
        max_ngram_order=bleu.max_order,
        effective_order=bleu.effective_order,
        force=True,
    )


def assert_equals_sacrebleu(bleu: Bleu, corpus: Corpus) -> None:
    oracle = theirs(bleu)
    ours = bleu.statistics(corpus)
    scores = bleu.score(ours.sum(axis=1))
    references: Any = corpus.references  # sacreBLEU takes None, though its types do not say so
    for row, output in enumerate(corpus.outputs):
        expected = oracle._extract_corpus_statistics(corpus.output(*output), references)
        assert np.array_equal(ours[row], expected)
        score = oracle._aggregate_and_compute(expected).score
        assert scores[row] == pytest.approx(score, rel=0, abs=1e-9)


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("ngram_metrics"), ids=lambda case: case["name"])
def test_published_value(case: dict[str, Any]) -> None:
    bleu = Bleu(tokenize="none")
    table = bleu.statistics(Corpus.build({"A": case["hyps"]}, case["refs"]))
    assert bleu.score(table[0].sum(axis=0)) == pytest.approx(case["bleu"], abs=1e-9)


@pytest.mark.golden
def test_multeval_example() -> None:
    gold = json.loads(reference_data("gold", "multeval.json").read_text())
    runs = gold["full_example_2489_segs_3runs"]
    bleu = Bleu(tokenize="none")
    scores = bleu.score(bleu.statistics(multeval()).sum(axis=1))
    expected = runs["baseline"]["BLEU"]["per_run"] + runs["system 1"]["BLEU"]["per_run"]
    assert scores.tolist() == pytest.approx(expected, abs=5e-7)  # printed with six decimals


@pytest.mark.golden
def test_statistics_stored_with_the_reference_data() -> None:
    stored = np.load(reference_data("data", "reliability", "wmt21_ruen_stats.npz"))
    corpus = wmt("wmt21_ruen")
    ours = dict(zip(corpus.systems, Bleu().statistics(corpus), strict=True))
    for name, table in zip(stored["systems"], stored["BLEU"], strict=True):
        assert np.array_equal(ours[name], table)


@pytest.mark.parametrize("name", WMT)
def test_real_texts_are_counted_as_sacrebleu_does(name: str) -> None:
    assert_equals_sacrebleu(Bleu(), wmt(name, systems=None if name == "wmt21_ruen" else 2))


@pytest.mark.slow
@pytest.mark.parametrize("tokenize", ["13a", "intl"])
@pytest.mark.parametrize("name", WMT)
def test_all_real_texts_are_counted_as_sacrebleu_does(name: str, tokenize: str) -> None:
    assert_equals_sacrebleu(Bleu(tokenize=tokenize), wmt(name))


@settings(deadline=None, max_examples=2 * settings().max_examples)
@given(bleus, corpora(dull_text | nasty_text))
def test_invented_texts_are_counted_as_sacrebleu_does(bleu: Bleu, corpus: Corpus) -> None:
    assert_equals_sacrebleu(bleu, corpus)


@settings(deadline=None)
@given(
    st.builds(
        Bleu,
        smooth=st.sampled_from(["floor", "add-k"]),
        smooth_value=st.floats(0.01, 5),
        effective_order=st.booleans(),
    )
    | bleus,
    st.lists(st.integers(0, 9), min_size=14, max_size=14),
)
def test_any_sums_are_scored_as_sacrebleu_does(bleu: Bleu, numbers: list[int]) -> None:
    sums = numbers[: 2 + 2 * bleu.max_order]
    expected = theirs(bleu)._compute_score_from_stats(sums).score
    assert bleu.score(np.array(sums, float)) == pytest.approx(expected, rel=1e-12, abs=1e-9)


@settings(deadline=None)
@given(corpora(dull_text))
def test_the_reference_itself_scores_100(corpus: Corpus) -> None:
    lines = [
        next(x for x in row if x is not None) for row in zip(*corpus.references, strict=True)
    ]
    bleu = Bleu(effective_order=True)
    sums = bleu.statistics(Corpus.build({"A": lines}, corpus.references)).sum(axis=1)
    assert bleu.score(sums)[0] == pytest.approx(100 if sums[0, 0] else 0)


def test_scores_keep_leading_axes() -> None:
    bleu = Bleu()
    sums: FloatArray = np.random.default_rng(0).integers(1, 50, (3, 4, 10)).astype(float)
    each = [[float(bleu.score(row)) for row in block] for block in sums]
    assert np.array_equal(bleu.score(sums), each)


def test_no_warning_and_no_surprise_without_any_text() -> None:
    corpus = Corpus.build({"A": ["", " "]}, [["", ""], ["\t", None]])
    table = Bleu().statistics(corpus)
    assert not table.any()
    assert Bleu().score(table.sum(axis=1)).tolist() == [0.0]


def test_progress_runs_over_the_outputs() -> None:
    calls: list[tuple[str, int, int | None]] = []
    corpus = Corpus.build({"A": ["a"], "B": ["b"]}, ["a"])
    Bleu().statistics(corpus, progress=lambda *call: calls.append(call))
    assert calls[-2:] == [("bleu", 0, 2), ("bleu", 2, 2)]


@pytest.mark.parametrize(
    ("bleu", "expected"),
    [
        (Bleu(), "case:mixed|eff:no|tok:13a|smooth:exp|sacrebleu:"),
        (
            Bleu(tokenize="intl", lowercase=True, smooth="floor", effective_order=True),
            "case:lc|eff:yes|tok:intl|smooth:floor[0.10]|sacrebleu:",
        ),
        (
            Bleu(smooth="add-k", smooth_value=2, max_order=2),
            "case:mixed|eff:no|tok:13a|smooth:add-k[2.00]|order:2|sacrebleu:",
        ),
    ],
)
def test_signature(bleu: Bleu, expected: str) -> None:
    import sacrebleu

    assert bleu.signature() == expected + sacrebleu.__version__


def test_the_registry_knows_it() -> None:
    assert metric("bleu", tokenize="zh") == Bleu(tokenize="zh")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tokenize": "15a"}, r"`tokenize` must be one of .*; got '15a'"),
        ({"smooth": "more"}, r"`smooth` must be one of exp, floor, add-k, none; got 'more'"),
        ({"smooth_value": 0.5}, r"`smooth_value` must be left out with smooth='exp'; got 0\.5"),
        (
            {"smooth": "floor", "smooth_value": 0},
            r"`smooth_value` must be a finite number above",
        ),
        ({"max_order": 0}, r"`max_order` must be a whole number ≥ 1; got 0"),
    ],
)
def test_a_message_names_the_setting_and_the_value(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Bleu(**settings)


def test_a_unit_weighs_by_its_closest_reference_length() -> None:
    corpus = Corpus.build({"A": ["a b c", "a"]}, [["a b c d", "a b"], ["a", "c d e f"]])
    own = Bleu(max_order=2)
    assert own.sizes(own.statistics(corpus)).tolist() == [[4.0, 2.0]]
