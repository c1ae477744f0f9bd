"""TER against sacreBLEU's statistics, segment by segment."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.ter import TER

from detectable.core.errors import SlowWarning
from detectable.core.types import FloatArray
from detectable.data.texts.corpus import Corpus
from detectable.metrics.registry import metric
from detectable.metrics.ter import Ter
from detectable.metrics.wer import PositionIndependentErrorRate, WordErrorRate
from tests.helpers import golden, reference_data
from tests.kernels.engines import engine
from tests.metrics.texts import WMT, corpora, dull_text, multeval, nasty_text, wmt

SETTINGS = st.fixed_dictionaries(
    {
        name: st.booleans()
        for name in ("normalized", "no_punct", "asian_support", "case_sensitive")
    }
)


def sacrebleu_statistics(corpus: Corpus, **settings: Any) -> FloatArray:
    oracle = TER(**settings)
    references: Any = corpus.references  # sacreBLEU takes None for no reference, unannotated
    return np.array(
        [
            oracle._extract_corpus_statistics(corpus.output(*output), references)
            for output in corpus.outputs
        ],
        np.float64,
    )


def part(corpus: Corpus, systems: slice, segments: slice) -> Corpus:
    """Return the first run of a few systems, on a few segments."""
    names = list(corpus.systems)[systems]
    cut = corpus.select(range(corpus.n_segments)[segments])
    return Corpus.build({name: cut.output(name) for name in names}, cut.references)


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("word_errors"), ids=lambda c: c["name"])
def test_statistics_of_tiny_corpora(case: dict[str, Any]) -> None:
    corpus = Corpus.build({"A": case["hyps"]}, case["refs"])
    assert Ter().statistics(corpus)[0].tolist() == case["ter"]


@pytest.mark.golden
def test_multeval_scores_are_those_of_tercom() -> None:
    gold = json.loads(reference_data("gold", "multeval.json").read_text())
    gold = gold["full_example_2489_segs_3runs"]
    sums = Ter().statistics(multeval()).sum(axis=1)
    expected = gold["baseline"]["TER"]["per_run"] + gold["system 1"]["TER"]["per_run"]
    # sacreBLEU and Tercom differ in their beams, by up to 4 of 41,000 edits; the published scores
    # are rounded to 6 decimals.
    differences = sums[:, 0] - np.array(expected) / 100.0 * sums[:, 1]
    assert differences == pytest.approx([1, 0, 3, 0, -1, -4], abs=5e-9 * sums[0, 1])


@pytest.mark.golden
@pytest.mark.parametrize("name", WMT)
def test_statistics_of_wmt_outputs_are_those_of_sacrebleu(name: str) -> None:
    corpus = part(wmt(name), slice(1, 3), slice(0, None, 12))
    assert np.array_equal(Ter().statistics(corpus), sacrebleu_statistics(corpus))


@pytest.mark.golden
def test_statistics_of_multeval_outputs_are_those_of_sacrebleu() -> None:
    corpus = part(multeval(), slice(0, 2), slice(3, None, 50))
    assert np.array_equal(Ter().statistics(corpus), sacrebleu_statistics(corpus))


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.parametrize("name", [*WMT, "multeval"])
def test_statistics_of_all_texts_are_those_of_sacrebleu(name: str) -> None:
    corpus = multeval() if name == "multeval" else wmt(name)
    assert np.array_equal(Ter().statistics(corpus), sacrebleu_statistics(corpus))


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.parametrize("reference", [0, 1])
def test_statistics_with_one_of_two_references_are_those_of_sacrebleu(reference: int) -> None:
    corpus = wmt("wmt21_ruen")
    single = Corpus.build(corpus.systems, [corpus.references[reference]])
    assert np.array_equal(Ter().statistics(single), sacrebleu_statistics(single))


@pytest.mark.slow
@pytest.mark.golden
def test_normalised_statistics_are_those_of_sacrebleu() -> None:
    corpus = part(wmt("wmt21_ruen"), slice(0, 4), slice(0, None))
    expected = sacrebleu_statistics(corpus, normalized=True, case_sensitive=True)
    assert np.array_equal(
        Ter(normalized=True, case_sensitive=True).statistics(corpus), expected
    )


@given(corpora(nasty_text), SETTINGS)
def test_any_text_is_tokenised_as_in_sacrebleu(
    corpus: Corpus, options: dict[str, bool]
) -> None:
    expected = sacrebleu_statistics(corpus, **options)
    assert np.array_equal(Ter(**options).statistics(corpus), expected)


@settings(max_examples=60)
@given(corpora(dull_text))
def test_statistics_of_dull_text_are_those_of_sacrebleu(corpus: Corpus) -> None:
    assert np.array_equal(Ter().statistics(corpus), sacrebleu_statistics(corpus))


@pytest.mark.parametrize(
    ("output", "reference"),
    [
        ("It's John's\tcar", "it 's john 's car"),
        ("x &amp;quot; y", "x &amp;amp;quot; y"),  # a second round changes references again
        ("a,.b 1.,2", "a,.b 1.,2"),
        ("ΟΔΟΣ ΟΔΟΣ. ΟΔΟΣ\u2003Σ", "οδος οδος. οδος σ"),
        ("日本語。テスト", "日本 語 。テスト"),
        (" \x1f ", "a"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"normalized": True}, {"no_punct": True}])
def test_awkward_text(output: str, reference: str, options: dict[str, bool]) -> None:
    corpus = Corpus.build({"A": [output]}, [reference])
    for asian in (True, False):
        setting = {**options, "asian_support": asian}
        expected = sacrebleu_statistics(corpus, **setting)
        assert np.array_equal(Ter(**setting).statistics(corpus), expected)


@pytest.mark.parametrize("sums", [(3.0, 12.0), (3.0, 0.0), (0.0, 0.0), (0.0, 5.0), (7.0, 3.5)])
def test_scores_are_those_of_sacrebleu(sums: tuple[float, float]) -> None:
    expected = TER()._compute_score_from_stats(list(sums)).score
    assert Ter().score(np.array([sums, sums])) == pytest.approx([expected] * 2, rel=1e-15)


@given(corpora(dull_text))
def test_edits_lie_between_those_of_mper_and_mwer(corpus: Corpus) -> None:
    edits = Ter(case_sensitive=True).statistics(corpus)[..., 0]
    few = PositionIndependentErrorRate(tokenize="none", normalizer="minerr")
    many = WordErrorRate(tokenize="none", normalizer="minerr")
    assert (few.statistics(corpus)[..., 0] <= edits).all()
    assert (edits <= many.statistics(corpus)[..., 0]).all()


@given(corpora(dull_text), st.randoms(use_true_random=False))
def test_the_order_of_references_does_not_matter(corpus: Corpus, rng: Any) -> None:
    references = list(corpus.references)
    rng.shuffle(references)
    other = Corpus.build(corpus.systems, references)
    assert np.array_equal(Ter().statistics(corpus), Ter().statistics(other))


@given(st.lists(nasty_text, min_size=1, max_size=3))
def test_a_copy_needs_no_edits(lines: list[str]) -> None:
    statistics = Ter().statistics(Corpus.build({"A": lines}, lines))
    assert not statistics[..., 0].any()
    assert not Ter().score(statistics.sum(axis=1)).any()


def test_an_empty_reference_costs_every_word() -> None:
    corpus = Corpus.build({"A": ["a b c", "", "x"]}, [["", "", "y"]])
    statistics = Ter().statistics(corpus)[0]
    assert statistics.tolist() == [[3.0, 0.0], [0.0, 0.0], [1.0, 1.0]]
    assert Ter().score(statistics).tolist() == [100.0, 0.0, 100.0]


def test_missing_references_are_left_out() -> None:
    corpus = Corpus.build({"A": ["a b", "c d"]}, [["a b x y", None], [None, "c"]])
    assert Ter().statistics(corpus)[0].tolist() == [[2.0, 4.0], [1.0, 1.0]]


def test_the_chunks_of_progress_do_not_change_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = [f"a b {i} c d" for i in range(10)]
    corpus = Corpus.build(
        {"A": [lines, lines[::-1]]}, [lines[3:] + lines[:3], [*lines[:9], None]]
    )
    whole = Ter().statistics(corpus)
    monkeypatch.setattr("detectable.metrics.ter._CHUNK", 4)
    reports: list[tuple[int, int | None]] = []
    cut = Ter().statistics(
        corpus, progress=lambda _, done, total: reports.append((done, total))
    )
    assert np.array_equal(whole, cut)
    assert reports == [(done, 20) for done in (0, 4, 8, 10, 14, 18, 20)]


@given(SETTINGS)
def test_the_signature_says_what_sacrebleu_says(options: dict[str, bool]) -> None:
    oracle = TER(**options, references=[["a"]])
    expected = str(oracle.get_signature()).replace("nrefs:1|", "")
    assert Ter(**options).signature() == expected.replace("version:", "sacrebleu:")


def test_the_registry_knows_it() -> None:
    assert metric("ter", normalized=True) == Ter(normalized=True)
    assert Ter.higher_is_better is False


def test_a_unit_weighs_by_its_mean_reference_length() -> None:
    corpus = Corpus.build({"A": ["a b c", "a"]}, [["a b c d", "a b"], ["a", "c d e f"]])
    own = Ter()
    assert own.sizes(own.statistics(corpus)).tolist() == [[2.5, 3.0]]


def test_without_the_library_the_counts_are_the_same_and_it_says_that_it_is_slow() -> None:
    corpus = Corpus.build({"A": ["d e f a b c", "x y", ""]}, ["a b c d e f", "Y x z", "w"])
    with engine("native"):
        fast = Ter().statistics(corpus)
    with (
        engine("numpy"),
        pytest.warns(SlowWarning, match="sacreBLEU's own code, some thousand"),
    ):
        slow = Ter().statistics(corpus)
    assert np.array_equal(fast, slow)
    assert slow[0].tolist() == [[1.0, 6.0], [2.0, 3.0], [1.0, 1.0]]
