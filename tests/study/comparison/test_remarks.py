"""Notes about the design: skewed documents, copied runs, two runs, pooled variance."""

import warnings
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import CompatibilityWarning, SuspiciousDataWarning
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.bleu import Bleu
from detectable.metrics.chrf import Chrf
from detectable.metrics.mean import Mean, MeanError
from detectable.report.shown.comparison_words import disagreements, scope
from detectable.study.comparison.compare import compare
from detectable.study.comparison.remarks import suspicions
from detectable.study.comparison.result import Agreement
from tests.study.comparison.tables import RootMeanSquare, documents_of, noisy_scores, pair_of

QUICK: dict[str, Any] = {"n_resamples": 99, "rng": 1, "n_examples": 0}
TWO = "Two runs say little about run noise"
POOLED = "One run variance for all systems: assumes equally stable systems."


def _notes(scores: Scores, **options: Any) -> tuple[str, ...]:
    return compare(scores, **QUICK, **options).notes


# Skewness


def _lopsided(n: int, *, documents: bool = True) -> Scores:
    d = np.exp(np.linspace(-2.0, 2.0, n) ** 3)
    base = np.random.default_rng(2).normal(size=n)
    labels = documents_of([1] * n) if documents else None
    return Scores.build({"A": base, "B": base + d}, documents=labels, metric="comet")


@pytest.mark.parametrize(("n", "noted"), [(8, True), (29, True), (30, False)])
def test_skewed_documents_are_noted_where_they_are_few(n: int, noted: bool) -> None:
    wanted = (
        f"Document differences are skewed for B − A (mean): with {n} documents a test at .05 errs "
        "in about 7 % of cases."
    )
    assert (wanted in _notes(_lopsided(n))) is noted


def test_a_claim_about_a_margin_suffers_more_from_skewness_unless_by_the_score_rule() -> None:
    said = "a claim about a margin at .05 may err in 8 to 13 % of cases"
    claim: dict[str, Any] = {"claim": "non-inferior", "margin": 1.0}
    assert not any("skewed" in note for note in _notes(_lopsided(12), **claim))
    for test in ("t", "randomization"):
        assert any(said in note for note in _notes(_lopsided(12), test=test, **claim))


def test_items_are_called_items() -> None:
    assert _notes(_lopsided(12, documents=False))[0].startswith("Item differences are skewed")


def test_symmetric_differences_are_not_called_skewed() -> None:
    d = np.array([-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 0.5])
    assert _notes(Scores.build({"A": np.zeros(8), "B": d}, metric="comet")) == ()


def test_the_border_of_skewness_is_one() -> None:
    """Twelve units: the third moment over the cube of the deviation, by hand."""
    for last, noted in ((3.6, False), (4.2, True)):
        d = np.array([-1.0, 1.0] * 5 + [0.0, last])
        centred = d - d.mean()
        skewness = (centred**3).mean() / centred.std() ** 3
        assert bool(skewness > 1.0) is noted
        scores = Scores.build({"A": np.zeros(12), "B": d}, metric="comet")
        assert bool(_notes(scores)) is noted


def test_many_skewed_pairs_are_counted() -> None:
    rng = np.random.default_rng(4)
    base = rng.normal(size=10)
    tables = {name: base + np.exp(2.0 * rng.normal(size=10)) for name in "ABCD"}
    [note] = [n for n in _notes(Scores.build(tables)) if "skewed" in n]
    assert " more" in note


# Runs


def test_copies_of_a_run_are_counted_once() -> None:
    rng = np.random.default_rng(1)
    one = rng.normal(size=30)
    several = rng.normal(size=(3, 30))
    scores = Scores.build({"A": np.tile(one, (3, 1)), "B": several})
    result = compare(scores, baseline="A", **QUICK)
    assert "The 3 runs of A are equal: counted once." in result.notes
    assert result.n_runs == {"A": 1, "B": 3}
    assert result.runs == "fixed"
    with pytest.warns(SuspiciousDataWarning, match="different numbers of runs"):
        single = compare(Scores.build({"A": one, "B": several}), baseline="A", **QUICK)
    assert pair_of(result).p_value == pair_of(single).p_value
    assert pair_of(result).new_runs == pair_of(single).new_runs


def test_copies_everywhere_are_single_runs() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(2, 30))
    copied = Scores.build({"A": np.tile(one, (3, 1)), "B": np.tile(other, (3, 1))})
    result = compare(copied, **QUICK)
    plain = compare(Scores.build({"A": one, "B": other}), **QUICK)
    assert pair_of(result).p_value == pair_of(plain).p_value
    assert pair_of(result).these_runs is pair_of(result).new_runs is None
    assert scope(result).startswith("One run per system")


def test_runs_that_differ_anywhere_are_no_copies() -> None:
    table = np.tile(np.random.default_rng(1).normal(size=30), (2, 1))
    table[1, 17] += 0.5
    result = compare(Scores.build({"A": table, "B": 2.0 * table + 1.0}), **QUICK)
    assert result.n_runs == {"A": 2, "B": 2}
    assert not any("equal" in note for note in result.notes)


@pytest.mark.parametrize(("runs", "noted"), [(1, False), (2, True), (3, False)])
def test_two_runs_are_said_to_be_few(runs: int, noted: bool) -> None:
    notes = _notes(noisy_scores(0.1, runs=runs, run_sd=0.2))
    assert any(note.startswith(TWO) for note in notes) is noted


def test_another_tool_says_nothing_of_new_runs() -> None:
    with pytest.warns(CompatibilityWarning):
        notes = _notes(noisy_scores(0.1, runs=2, run_sd=0.2), compat="multeval")
    assert not any(note.startswith(TWO) for note in notes)


def test_a_pooled_run_variance_has_its_price_stated() -> None:
    scores = noisy_scores(0.1, runs=2, run_sd=0.2)
    assert not any(note.startswith(POOLED) for note in _notes(scores))
    notes = _notes(scores, run_variance="pooled")
    assert any(note.startswith(POOLED) for note in notes)
    assert not any(note.startswith(TWO) for note in notes)


def test_pooling_changes_the_claim_about_new_runs_only() -> None:
    scores = noisy_scores(0.3, 0.1, runs=2, run_sd=0.3)
    own, pooled = (compare(scores, run_variance=how, **QUICK) for how in ("own", "pooled"))
    for one, other in zip(own.pairs, pooled.pairs, strict=True):
        assert one.these_runs == other.these_runs
        assert one.new_runs != other.new_runs


# --- Do two metrics order the systems alike, and which systems can be told apart ---

QUICK_OF_METRIC_AGREEMENT: dict[str, Any] = {"n_resamples": 499, "rng": 1, "n_examples": 0}


class Squared(Mean):
    """The mean of squares: it may order systems otherwise than the mean."""

    name = "squared"

    def statistics(self, scores: Scores, **options: Any) -> Any:
        table = super().statistics(scores, **options)
        table[..., 0] **= 2
        return table


def test_two_metrics_that_order_all_pairs_alike() -> None:
    result = compare(
        noisy_scores(1.0, 2.0, level=5.0), (Mean(), Squared()), **QUICK_OF_METRIC_AGREEMENT
    )
    [found] = result.agreement
    assert found == Agreement(metrics=("mean", "squared"), same_order=3, pairs=3, conflicts=())


def test_two_metrics_that_order_no_pair_alike_conflict() -> None:
    """A mean and the same mean as an error count are opposite by construction."""
    result = compare(
        noisy_scores(3.0, 6.0, level=5.0),
        (Mean(), MeanError()),
        **QUICK_OF_METRIC_AGREEMENT,
    )
    [found] = result.agreement
    assert (found.same_order, found.pairs) == (0, 3)
    assert found.conflicts == ("B against A", "C against A", "C against B")
    assert disagreements(result) == [
        "mean and mean-error disagree on B against A, C against A, C against B"
    ]


def test_only_the_pairs_that_turn_are_conflicts() -> None:
    """C lies below A in the mean and above it in squares; B is above A in both."""
    rng = np.random.default_rng(1)
    noise = rng.normal(size=80)
    tables = {"A": 2.0 + noise, "B": 5.0 + noise, "C": -8.0 + 1.1 * noise}
    result = compare(Scores.build(tables), (Mean(), Squared()), **QUICK_OF_METRIC_AGREEMENT)
    [found] = result.agreement
    assert (found.same_order, found.pairs) == (1, 3)
    assert found.conflicts == ("C against A", "C against B")


def test_opposite_differences_that_are_not_sure_are_no_conflict() -> None:
    result = compare(
        noisy_scores(0.01, level=5.0, n=20),
        (Mean(), MeanError()),
        **QUICK_OF_METRIC_AGREEMENT,
    )
    [found] = result.agreement
    assert (found.same_order, found.conflicts) == (0, ())
    assert disagreements(result) == []


def test_a_tie_is_ordered_alike_only_by_a_tie() -> None:
    scores = Scores.build({"A": [1.0, 3.0], "B": [2.0, 2.0], "C": [3.0, 1.0]})
    [found] = compare(scores, (Mean(), Squared()), **QUICK_OF_METRIC_AGREEMENT).agreement
    # The means tie three times, the squares only for A and C.
    assert (found.same_order, found.pairs) == (1, 3)


def test_every_two_metrics_are_compared() -> None:
    metrics = (Mean(), MeanError(), Squared())
    result = compare(noisy_scores(1.0, level=5.0), metrics, **QUICK_OF_METRIC_AGREEMENT)
    assert [a.metrics for a in result.agreement] == [
        ("mean", "mean-error"),
        ("mean", "squared"),
        ("mean-error", "squared"),
    ]
    assert [a.same_order for a in result.agreement] == [0, 1, 0]


def test_a_metric_without_direction_agrees_with_nothing() -> None:
    result = compare(
        noisy_scores(1.0, level=5.0),
        (Mean(), RootMeanSquare()),
        **QUICK_OF_METRIC_AGREEMENT,
    )
    assert result.agreement == ()


def test_one_metric_has_nothing_to_agree_with() -> None:
    assert compare(noisy_scores(1.0), **QUICK_OF_METRIC_AGREEMENT).agreement == ()


def test_all_pairs_of_systems_are_counted_also_where_only_some_were_tested() -> None:
    result = compare(
        noisy_scores(1.0, 2.0, level=5.0),
        (Mean(), Squared()),
        baseline="A",
        **QUICK_OF_METRIC_AGREEMENT,
    )
    [found] = result.agreement
    assert (found.same_order, found.pairs) == (3, 3)


# Rank groups


@pytest.mark.parametrize("metric", ["mean", "mean-error"])
def test_groups_go_from_best_to_worst(metric: str) -> None:
    result = compare(noisy_scores(2.0, 2.01, 5.0), metric, **QUICK_OF_METRIC_AGREEMENT)
    best_first = result.groups[metric]
    flat = [set(group) for group in best_first]
    expected = [{"D"}, {"B", "C"}, {"A"}]
    assert flat == (expected if metric == "mean" else expected[::-1])


def test_systems_within_a_group_stand_in_order_of_their_scores() -> None:
    scores = noisy_scores(0.02, 0.04, n=30, seed=2)
    result = compare(scores, **QUICK_OF_METRIC_AGREEMENT)
    means = {name: table.mean() for name, table in scores.systems.items()}
    [group] = result.groups["mean"]
    assert list(group) == sorted(means, key=lambda name: -means[name])


def test_a_loser_named_first_and_a_winner_named_first_make_the_same_groups() -> None:
    up = compare(noisy_scores(3.0), **QUICK_OF_METRIC_AGREEMENT).groups["mean"]
    down = compare(noisy_scores(-3.0), **QUICK_OF_METRIC_AGREEMENT).groups["mean"]
    assert up == (("B",), ("A",))
    assert down == (("A",), ("B",))


def test_there_are_no_groups_against_a_baseline() -> None:
    assert compare(noisy_scores(3.0), baseline="A", **QUICK_OF_METRIC_AGREEMENT).groups == {}


def test_groups_are_made_by_each_metric_on_its_own() -> None:
    result = compare(
        noisy_scores(3.0, level=9.0), (Mean(), MeanError()), **QUICK_OF_METRIC_AGREEMENT
    )
    assert result.groups == {"mean": (("B",), ("A",)), "mean-error": (("A",), ("B",))}


def test_an_equivalent_pair_is_not_told_apart() -> None:
    scores = noisy_scores(0.5, n=400)
    apart = compare(scores, **QUICK_OF_METRIC_AGREEMENT).groups["mean"]
    together = compare(scores, margin=0.9, **QUICK_OF_METRIC_AGREEMENT).groups["mean"]
    assert (apart, together) == ((("B",), ("A",)), (("B", "A"),))


# --- What about the data should make one look twice, and that it is not lost ---

NAN = float("nan")


def _of(tables: dict[str, Any], **more: Any) -> list[str]:
    return suspicions(Scores.build(tables, **more), ())


def test_ordinary_scores_raise_no_suspicion() -> None:
    assert _of({"A": [1.0, 2.0], "B": [1.0, 2.5]}) == []


def test_copies_are_named() -> None:
    found = _of({"A": [1.0, 2.0], "B": [1.0, 2.5], "C": [1.0, 2.0], "D": [1.0, 2.5]})
    assert found == [
        "systems 'A' and 'C' have identical scores: is one a copy?",
        "systems 'B' and 'D' have identical scores: is one a copy?",
    ]


def test_copies_with_gaps_are_copies_still() -> None:
    found = _of({"A": [1.0, NAN, 3.0], "B": [1.0, NAN, 3.0]})
    assert found[0] == "systems 'A' and 'B' have identical scores: is one a copy?"


def test_other_gaps_are_no_copies() -> None:
    found = _of({"A": [1.0, NAN, 3.0], "B": [1.0, 2.0, 3.0]})
    assert not any("identical" in message for message in found)


def test_one_run_is_no_copy_of_two() -> None:
    found = _of({"A": [[1.0, 2.0]], "B": [[1.0, 2.0], [1.0, 2.0]]})
    assert found == ["systems have different numbers of runs: {'A': 1, 'B': 2}."]


@pytest.mark.parametrize(
    ("gaps", "words"),
    [
        ([3], "1 item of 8 left out, because some system has no score there: i3."),
        ([1, 5], "2 items of 8 left out, because some system has no score there: i1, i5."),
        (
            [0, 1, 2, 3, 4, 5],
            "6 items of 8 left out, because some system has no score there: "
            "i0, i1, i2, i3, i4 and 1 more.",
        ),
    ],
    ids=["one", "two", "many"],
)
def test_items_without_a_score_are_counted_and_named(gaps: list[int], words: str) -> None:
    values = np.arange(8.0)
    holes = values + 1.0
    holes[gaps] = np.nan
    found = _of({"A": values, "B": holes}, items=[f"i{i}" for i in range(8)])
    assert found == [words]


def test_everything_is_said_at_once() -> None:
    found = _of({"A": [1.0, NAN], "B": [1.0, NAN], "C": [[1.0, 2.0], [2.0, 2.0]]})
    assert [message.split()[0] for message in found] == ["systems", "1", "systems"]


def test_every_suspicion_is_a_warning_and_a_note() -> None:
    tables = {"A": [1.0, NAN, 2.0], "B": [1.0, 3.0, 2.0], "C": [1.0, 3.0, 2.0]}
    scores = Scores.build(tables, metric="comet")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = compare(scores, n_resamples=9, rng=1)
    said = tuple(str(w.message) for w in caught)
    assert {w.category for w in caught} == {SuspiciousDataWarning}
    assert result.notes == said == tuple(suspicions(scores, ()))


def test_a_warning_points_at_the_line_of_the_caller() -> None:
    scores = Scores.build({"A": [1.0, 2.0], "B": [1.0, 2.0]})
    with pytest.warns(SuspiciousDataWarning) as caught:
        compare(scores, n_resamples=9, rng=1)
    assert caught[0].filename == __file__


# Texts: tokenised text is suspicious only where the metric cuts words itself


def _tokenised() -> Corpus:
    lines = [f"Line {i} , of the text , ends here ." for i in range(120)]
    other = [f"Row {i} , of a text , ends there ." for i in range(120)]
    refs = [f"This line {i}, of the text, ends right here." for i in range(120)]
    return Corpus.build({"A": lines, "B": other}, refs)


@pytest.mark.parametrize(
    ("metrics", "said"),
    [((Bleu(),), True), ((Bleu(tokenize="none"),), False), ((Chrf(),), False),
     ((Chrf(), Bleu()), True)],
    ids=["bleu", "bleu without tokeniser", "chrf", "both"],
)  # fmt: skip
def test_tokenised_text_matters_to_metrics_that_tokenise(metrics: Any, said: bool) -> None:
    found = suspicions(_tokenised(), metrics)
    assert any("tokenised" in message for message in found) is said


def test_the_same_of_three_texts_or_more_is_said_once() -> None:
    def corpus(n: int) -> Corpus:
        lines = ("Well , yes .", "No , thanks .", "Fine , then .")
        systems = {f"s{i}": (tuple(f"{line} {i} ." for line in lines),) for i in range(n)}
        return Corpus(
            references=(("Well, yes.", "No, thanks.", "Fine, then."),), systems=systems
        )

    two = suspicions(corpus(2), (Bleu(),))
    assert [text.partition(" looks")[0] for text in two] == ["system 's0'", "system 's1'"]
    (one,) = suspicions(corpus(4), (Bleu(),))
    assert one.startswith("system 's0' looks tokenised")
    assert one.endswith("The same holds for 3 more texts.")


# Runs and development scores


def _three_runs(spread: float, *, n: int = 400) -> Scores:
    """Two systems of three runs whose means are exactly so far apart."""
    rng = np.random.default_rng(6)
    item = rng.normal(0, 1, n)
    noise = rng.normal(0, 0.01, (2, 3, n))
    noise -= noise.mean(axis=2, keepdims=True)
    runs = np.array([-spread, 0.0, spread])[:, None]
    return Scores.build({"A": item + runs + noise[0], "B": item + runs + noise[1] + 0.01})


def test_runs_that_differ_more_on_the_test_set_are_said_to_overfit() -> None:
    """The ratio of variances against F: with two degrees of freedom each, p = 1 / (1 + ratio)."""
    dev = {"A": [0.0, 0.1, 0.2], "B": [0.0, 0.0, 0.0]}
    notes = _notes(_three_runs(1.0), dev_scores=dev)
    assert (
        "Runs of A (mean) differ far more on the test set than on the development set (s_test 1, s_dev "
        f"0.1, p = {1 / 101:.4f}): the optimizer overfits, or the test set is of another kind than the "
        "development set."
    ).replace("0.0099", ".0099") in notes
    assert any("Runs of B (mean) differ far more" in note for note in notes)
    close = {"A": [0.0, 0.3, 0.6], "B": [0.0, 0.3, 0.6]}  # ratio 11, p = .083
    assert not any("far more" in n for n in _notes(_three_runs(1.0), dev_scores=close))


def test_an_optimizer_that_ends_far_apart_where_it_was_tuned() -> None:
    far = {"A": [0.0, 1.0, 2.0], "B": [0.0, 0.01, 0.02]}
    notes = _notes(_three_runs(1.0), dev_scores=far)
    said = [note for note in notes if "local optima" in note]
    assert len(said) == 1
    assert said[0].startswith(
        "Runs of A (mean) differ even on the development set by more than"
    )
    assert "(s_dev 1, s_sel 0.0" in said[0]


def test_whether_runs_or_sentences_are_the_noise() -> None:
    by_runs = [n for n in _notes(_three_runs(1.0)) if "very many runs" in n]
    assert len(by_runs) == 1
    assert by_runs[0].startswith("What can be detected of B − A (mean) would fall from ")
    assert by_runs[0].endswith("runs are most of its noise, so replicate more.")
    rng = np.random.default_rng(2)
    item = {
        name: rng.normal(0, 1, 50) for name in "AB"
    }  # nothing shared, and runs nearly alike
    alike = Scores.build({name: item[name] + rng.normal(0, 0.01, (3, 50)) for name in "AB"})
    by_items = [n for n in _notes(alike) if "very many runs" in n]
    assert len(by_items) == 1
    assert by_items[0].endswith("(s_sel), so a larger test set helps more.")
    decided = Scores.build({"A": np.zeros((3, 50)), "B": np.ones((3, 50)) + item["B"] * 0.01})
    assert not any("very many runs" in n for n in _notes(decided))
