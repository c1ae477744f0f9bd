"""mWER and mPER against the definitions in plain Python, jiwer and stored statistics."""

import json
from typing import Any

import jiwer
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import TextMetric
from detectable.metrics.registry import metric
from detectable.metrics.wer import Normalizer, PositionIndependentErrorRate, WordErrorRate
from tests.golden.make_word_errors import bag_errors, edit_distance, error_statistics
from tests.helpers import golden, reference_data
from tests.metrics.texts import corpora, dull_text, multeval, nasty_text, wmt

METRICS = {"mwer": WordErrorRate, "mper": PositionIndependentErrorRate}
NORMALIZERS: tuple[Normalizer, ...] = ("best", "mean", "minerr")

both = pytest.mark.parametrize("name", METRICS)
all_normalizers = pytest.mark.parametrize("normalizer", NORMALIZERS)


def plain_statistics(name: str, corpus: Corpus, normalizer: str) -> list[list[list[float]]]:
    count = edit_distance if name == "mwer" else bag_errors
    table = []
    for output in corpus.outputs:
        rows = []
        for line, texts in zip(
            corpus.output(*output), zip(*corpus.references, strict=True), strict=True
        ):
            references = [text.split() for text in texts if text is not None]
            errors = [count(line.split(), reference) for reference in references]
            lengths = [len(reference) for reference in references]
            rows.append(error_statistics(errors, lengths, normalizer))
        table.append(rows)
    return table


@pytest.mark.golden
@both
@all_normalizers
@pytest.mark.parametrize("case", golden("word_errors"), ids=lambda c: c["name"])
def test_statistics_of_tiny_corpora(
    case: dict[str, Any], name: str, normalizer: Normalizer
) -> None:
    corpus = Corpus.build({"A": case["hyps"]}, case["refs"])
    found = METRICS[name](tokenize="none", normalizer=normalizer).statistics(corpus)
    assert found[0].tolist() == case[f"{name}_{normalizer}"]


@pytest.mark.golden
@both
@all_normalizers
def test_scores_of_the_stored_gold(name: str, normalizer: Normalizer) -> None:
    gold = json.loads(reference_data("gold", "metrics.json").read_text())["corpora"]
    for case in gold.values():
        corpus = Corpus.build({"A": case["hyps"]}, case["refs"])
        rate = METRICS[name](tokenize="none", normalizer=normalizer)
        statistics = rate.statistics(corpus)[0]
        assert statistics.tolist() == case[f"{name}_{normalizer}_stats"]
        score = rate.score(statistics.sum(axis=0)) / 100.0
        assert score == pytest.approx(case[f"{name}_{normalizer}"], rel=1e-14)


@pytest.mark.golden
@both
def test_statistics_of_wmt_outputs_are_those_stored(name: str) -> None:
    corpus = wmt("wmt21_ruen")
    with np.load(reference_data("data", "reliability", "wmt21_ruen_stats.npz")) as stored:
        order = [str(system) for system in stored["systems"]]
        expected = stored["mWER" if name == "mwer" else "mPER"]
    found = METRICS[name]().statistics(corpus)
    rows = [list(corpus.systems).index(system) for system in order]
    assert np.array_equal(found[rows], expected)


@pytest.mark.golden
def test_single_reference_rates_are_those_of_jiwer() -> None:
    corpus = multeval()
    mwer = WordErrorRate(tokenize="none")
    scores = mwer.score(mwer.statistics(corpus).sum(axis=1))
    references = [text or "" for text in corpus.references[0]]
    for (system, run), score in zip(corpus.outputs, scores, strict=True):
        expected = jiwer.wer(references, list(corpus.output(system, run)))
        assert score / 100.0 == pytest.approx(expected, rel=1e-14)


@both
@all_normalizers
@given(corpus=corpora(dull_text))
def test_statistics_follow_the_definition(
    corpus: Corpus, name: str, normalizer: Normalizer
) -> None:
    found = METRICS[name](tokenize="none", normalizer=normalizer).statistics(corpus)
    assert found.tolist() == plain_statistics(name, corpus, normalizer)


@both
@all_normalizers
@given(corpus=corpora(dull_text), rng=st.randoms(use_true_random=False))
def test_the_order_of_references_does_not_matter(
    corpus: Corpus, name: str, normalizer: Normalizer, rng: Any
) -> None:
    references = list(corpus.references)
    rng.shuffle(references)
    rate = METRICS[name](normalizer=normalizer)
    other = Corpus.build(corpus.systems, references)
    assert np.array_equal(rate.statistics(corpus), rate.statistics(other))


@given(st.lists(st.sampled_from("abc"), max_size=20), st.randoms(use_true_random=False))
def test_order_counts_in_mwer_only(words: list[str], rng: Any) -> None:
    mixed = rng.sample(words, len(words))
    corpus = Corpus.build({"A": [" ".join(mixed)]}, [" ".join(words)])
    assert PositionIndependentErrorRate().statistics(corpus)[0, 0, 0] == 0.0
    assert (WordErrorRate().statistics(corpus)[0, 0, 0] == 0.0) == (mixed == words)


@both
@given(lines=st.lists(nasty_text, min_size=1, max_size=3))
def test_a_copy_has_no_errors(name: str, lines: list[str]) -> None:
    statistics = METRICS[name]().statistics(Corpus.build({"A": lines}, lines))
    assert not statistics[..., 0].any()


@both
def test_an_empty_side_costs_every_word(name: str) -> None:
    rate = METRICS[name]()
    corpus = Corpus.build({"A": ["a b c", "", "", "x"]}, [["", "a b", "", "y"]])
    statistics = rate.statistics(corpus)[0]
    assert statistics.tolist() == [[3.0, 0.0], [2.0, 2.0], [0.0, 0.0], [1.0, 1.0]]
    assert rate.score(statistics).tolist() == [100.0, 100.0, 0.0, 100.0]


@both
def test_outputs_without_a_word_are_scored(name: str) -> None:
    corpus = Corpus.build({"A": ["", ""]}, [["a", "b c"], ["", None]])
    found = METRICS[name](normalizer="mean").statistics(corpus)
    assert found[0].tolist() == [[0.0, 0.5], [2.0, 2.0]]


def test_settings_change_the_words() -> None:
    corpus = Corpus.build({"A": ["The cat."]}, ["the cat ."])
    edits = [
        WordErrorRate(tokenize=tokenize, lowercase=lowercase).statistics(corpus)[0, 0].tolist()
        for tokenize in ("13a", "none")
        for lowercase in (False, True)
    ]
    assert edits == [[1.0, 3.0], [0.0, 3.0], [3.0, 3.0], [2.0, 3.0]]


@both
def test_progress_is_reported_for_every_output(name: str) -> None:
    reports: list[tuple[str, int, int | None]] = []
    corpus = Corpus.build({"A": [["a"], ["b"]], "B": ["c"]}, ["a"])
    METRICS[name]().statistics(corpus, progress=lambda *report: reports.append(report))
    assert reports == [(name, done, 3) for done in range(4)]


@both
def test_the_signature_names_the_normaliser(name: str) -> None:
    rate = metric(name, lowercase=True, normalizer="mean")
    assert rate == METRICS[name](lowercase=True, normalizer="mean")
    assert rate.signature().startswith("case:lc|tok:13a|normalizer:mean|sacrebleu:2.6")
    assert rate.higher_is_better is False


def test_an_unknown_normaliser_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"`normalizer` must be one of best, mean, minerr; got"
    ):
        WordErrorRate(normalizer="median")  # type: ignore[arg-type]


@pytest.mark.parametrize("own", [WordErrorRate(), PositionIndependentErrorRate()])
def test_a_unit_weighs_by_the_length_of_its_best_reference(own: TextMetric) -> None:
    corpus = Corpus.build({"A": ["a b c", "a"]}, [["a b c d", "a b"], ["a", "c d e f"]])
    assert own.sizes(own.statistics(corpus)).tolist() == [[4.0, 2.0]]
