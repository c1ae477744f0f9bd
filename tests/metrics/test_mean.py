""""""

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from detectable.core.errors import DataError, InputError
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.length import Length
from detectable.metrics.mean import GivenScore, Mean
from detectable.metrics.passing import PassAll, PassAny, all_of
from detectable.metrics.registry import metric
from detectable.study.comparison.compare import compare
from tests.gold_evals import epochs, evals
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


# --- Means of given scores, and the share of correct answers ---

SCORES = {"A": [0.0, 1.0, 0.0, 1.0, np.nan], "B": [1.0, 1.0, 1.0, 0.0, 0.0]}


def test_accuracy_is_a_share_and_ignores_what_is_missing() -> None:
    accuracy = metric("accuracy")
    statistics = accuracy.statistics(Scores.build(SCORES))  # type: ignore[attr-defined]
    assert accuracy.score(statistics.sum(axis=1)) == pytest.approx([0.5, 0.6])
    assert np.isnan(accuracy.score(np.zeros(2)))


def test_accuracy_needs_right_or_wrong() -> None:
    with pytest.raises(
        DataError, match=r"system 'A', item '2' has 0\.5\. Use the metric 'mean'"
    ):
        metric("accuracy").statistics(Scores.build({"A": [0, 0.5]}))  # type: ignore[attr-defined]


def test_margins_and_effects_of_accuracy_are_shares() -> None:
    rng = np.random.default_rng(4)
    answers = rng.random(400) < 0.8
    other = np.where(rng.random(400) < 0.04, ~answers, answers)
    scores = Scores.build({"old": answers.astype(float), "new": other.astype(float)})
    wide, narrow = (
        compare(scores, baseline="old", margin=m, effect=0.02, rng=1, n_resamples=199)
        for m in (0.05, 0.0005)
    )
    assert wide.pairs[0].verdict == "equivalent"
    assert wide.pairs[0].difference == pytest.approx(other.mean() - answers.mean())
    assert "new and old are equivalent within ±0.05:" in wide.summary()
    assert narrow.pairs[0].verdict != "equivalent"
    assert narrow.pairs[0].mde < 0.1


def test_a_unit_weighs_by_its_number_of_scores() -> None:
    mean = Mean()
    table = mean.statistics(Scores.build(SCORES))
    assert mean.sizes(table).tolist() == [[1.0, 1.0, 1.0, 1.0, 0.0], [1.0] * 5]
    assert mean.sizes(table.sum(axis=1)).tolist() == [4.0, 5.0]


# --- Scores computed elsewhere, beside metrics of texts ---

RNG = np.random.default_rng(8)
REFERENCE = [f"the cat {word} on the mat" for word in "abcdefghijkl"]
OUTPUTS = {
    "old": [[line.replace("mat", "hat") for line in REFERENCE]],
    "new": [[line.replace("cat", "dog") for line in REFERENCE]],
}
CORPUS = Corpus.build(OUTPUTS, [REFERENCE])
TABLES = {"old": RNG.random(12), "new": RNG.random(12) + 0.3}


def test_a_column_beside_bleu_is_what_the_scores_alone_would_give() -> None:
    scores = Scores.build(TABLES, metric="comet")
    both = compare(CORPUS, ["bleu", scores], baseline="old", rng=1)
    alone = compare(scores, "mean", baseline="old", rng=1)
    assert [row["metric"] for row in both.metrics] == ["bleu", "comet"]
    mine = next(pair for pair in both.pairs if pair.metric == "comet")
    assert mine.difference == pytest.approx(alone.pairs[0].difference)
    assert mine.p_value == pytest.approx(alone.pairs[0].p_value, abs=0.05)
    assert both.agreement


def test_the_order_of_systems_is_that_of_the_texts() -> None:
    turned = Scores.build({"new": TABLES["new"], "old": TABLES["old"]}, metric="comet")
    statistics = GivenScore("comet", turned).statistics(CORPUS)
    np.testing.assert_equal(statistics[:, :, 0], [TABLES["old"], TABLES["new"]])


def test_lower_is_better_beside_texts() -> None:
    result = compare(CORPUS, ["chrf", Scores.build(TABLES, metric="metricx")], baseline="old")
    pair = next(pair for pair in result.pairs if pair.metric == "metricx")
    assert pair.verdict in ("worse", "undecided")
    assert "metricx: lower is better." in result.notes
    glow = Scores.build(TABLES, metric="glow")
    told = compare(CORPUS, [glow], baseline="old", lower_is_better=["glow"])
    assert told.metrics[0]["higher_is_better"] is False
    with pytest.raises(InputError, match="Given are: glow; got 'bleu'"):
        compare(CORPUS, ["bleu", glow], lower_is_better=["bleu"])


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (
            Scores.build({"old": [1.0] * 12}),
            "there is no system 'new', of which there are texts",
        ),
        (Scores.build({"old": [1.0], "new": [2.0]}), "1 score for 12 segments of the texts"),
        (
            Scores.build({"old": [[1.0] * 12] * 2, "new": [1.0] * 12}),
            "system 'old' has 2 runs, its texts have 1",
        ),
        (
            Scores.build({"old": [1.0] * 12, "new": [*[1.0] * 11, np.nan]}),
            r"system 'new' has no score for item '12' \(1 gap in all\)",
        ),
        (
            Scores.build(TABLES, items=[f"s{i}" for i in range(12)]),
            r"items have names \(first: 's0'\)",
        ),
        (
            Scores.build(TABLES, items=[str(i) for i in range(12, 0, -1)]),
            r"items have names \(first: '12'\)",
        ),
    ],
)
def test_scores_that_do_not_fit_the_texts(scores: Scores, message: str) -> None:
    with pytest.raises(DataError, match=message):
        compare(CORPUS, ["bleu", scores])


def test_scores_beside_scores_are_further_ones() -> None:
    scores = Scores.build(TABLES)
    with pytest.raises(InputError, match="metric 'score' is given twice"):
        compare(scores, [scores])


# --- test_passing ---

NAN = float("nan")


def passing(name: str) -> PassAll:
    """Return pass@k or pass^k by its name."""
    found = metric(name)
    assert isinstance(found, PassAll)
    return found


def scores_of(*answers: list[float]) -> Scores:
    """Return one system whose questions have these answers."""
    most = max(map(len, answers))
    padded = [[*answer, *[NAN] * (most - len(answer))] for answer in answers]
    return Scores.build({"A": np.array(padded).T}, repeats="samples")


@pytest.mark.golden
def test_eight_or_three_of_ten() -> None:
    three = scores_of([1.0] * 3 + [0.0] * 7)
    assert passing("pass@5").statistics(three)[0, 0].tolist() == pytest.approx(
        [evals("passat.n10c3k5"), 1.0]
    )
    assert pytest.approx(evals("passat.n10c3k5_plugin")) == 1 - 0.7**5  # what it is not
    eight = scores_of([1.0] * 8 + [0.0] * 2)
    found = float(passing("pass^3").statistics(eight)[0, 0, 0])
    assert found == pytest.approx(evals("passhat.n10c8k3"))
    assert pytest.approx(evals("passhat.n10c8k3_plugin")) == 0.8**3


@pytest.mark.golden
@pytest.mark.parametrize(
    "key",
    [
        "passat.A.k1",
        "passat.A.k1.se",
        "passhat.A.k1",
        "passhat.A.k1.se",
        "passat.A.k2",
        "passat.A.k2.se",
        "passhat.A.k2",
        "passat.A.k3",
        "passat.A.k3.se",
        "passhat.A.k3",
        "passhat.A.k3.se",
        "passat.A.k4",
        "passat.A.k4.se",
        "passhat.A.k4",
        "passhat.A.k4.se",
        "passat.B.k1",
        "passat.B.k1.se",
        "passhat.B.k1",
        "passhat.B.k1.se",
        "passat.B.k2",
        "passat.B.k2.se",
        "passhat.B.k2",
        "passhat.B.k2.se",
        "passat.B.k3",
        "passat.B.k3.se",
        "passhat.B.k3",
        "passhat.B.k4",
        "passhat.B.k4.se",
    ],
)
def test_the_reference_table(key: str) -> None:
    name, system, k, *error = key.split(".")
    symbol = {"passat": "@", "passhat": "^"}[name]
    values = passing(f"pass{symbol}{k[1:]}").statistics(epochs())["AB".index(system), :, 0]
    found = values.std(ddof=1) / math.sqrt(130) if error else values.mean()
    assert found == pytest.approx(evals(key), rel=1e-6)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_it_is_the_share_of_all_choices(right: list[bool], k: int) -> None:
    if k > len(right):
        return
    chosen = list(itertools.combinations(right, k))
    scores = scores_of([float(answer) for answer in right])
    any_of = PassAny(k=k).statistics(scores)[0, 0, 0]
    every = PassAll(k=k).statistics(scores)[0, 0, 0]
    assert any_of == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert every == pytest.approx(sum(map(all, chosen)) / len(chosen))


def test_questions_may_have_different_numbers_of_answers() -> None:
    scores = scores_of([1.0, 0.0], [1.0, 1.0, 0.0, 0.0])
    found = passing("pass@2").statistics(scores)[0, :, 0]
    assert found.tolist() == pytest.approx([1.0, 1 - 1 / 6])


def test_a_run_is_one_answer() -> None:
    runs = Scores.build({"A": [[1, 0], [0, 0]]})
    assert passing("pass@1").statistics(runs)[..., 0].tolist() == [[1, 0], [0, 0]]
    with pytest.raises(DataError, match=r"pass@2 needs 2 samples of every item.*has 1"):
        passing("pass@2").statistics(runs)


def test_more_than_there_are_is_refused_and_never_extrapolated() -> None:
    scores = scores_of([1.0, 0.0], [1.0], [0.0, 1.0])
    with pytest.raises(DataError, match=r"system 'A', item '2' has 1 \(1 such item\)") as error:
        passing("pass^2").statistics(scores)
    assert "take at most pass^1" in str(error.value)
    with pytest.raises(DataError, match=r"item '1' has 2\. Nothing"):
        passing("pass@3").statistics(scores_of([1.0, 0.0], [1.0, 1.0]))


def test_scores_other_than_right_and_wrong_are_refused() -> None:
    with pytest.raises(DataError, match=r"pass@1 needs scores of 0 or 1.*0\.5"):
        passing("pass@1").statistics(scores_of([0.5, 1.0]))


def test_names_and_settings() -> None:
    assert (metric("pass@3").name, metric("pass^12").name) == ("pass@3", "pass^12")
    assert metric("pass@k", k=2) == PassAny(k=2)
    assert metric("pass@3").signature() == "aggregation:mean|k:3|unbiased"
    assert metric("pass^3").higher_is_better
    with pytest.raises(InputError, match="metric 'pass@k' needs a number: pass@3"):
        metric("pass@k")
    with pytest.raises(InputError, match="no metric named 'pass@0'"):
        metric("pass@0")
    with pytest.raises(InputError, match="`k` must be"):
        PassAny(k=0)


def test_no_answer_of_few_is_right() -> None:
    assert all_of(np.array([1, 0]), np.array([3, 3]), 2).tolist() == [0.0, 0.0]
