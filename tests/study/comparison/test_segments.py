"""Several samples of an item: the unit is the item, its score is the mean of its samples."""

import math
import warnings
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from detectable.core.errors import DataError, InputError, SuspiciousDataWarning
from detectable.data.example.bundled import example_corpus
from detectable.data.factor import factor
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.inference.sampled_answers import sampled_answers
from detectable.inference.standard_errors import Estimate
from detectable.metrics.bleu import Bleu
from detectable.metrics.mean import Mean
from detectable.report.shown.comparison import samples
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison, TellingUnit
from detectable.study.comparison.segments import swap_contributions
from tests.gold_evals import epochs, evals
from tests.study.comparison.tables import RootMeanSquare

NAN = float("nan")


def sampled_scores(
    seed: int = 1,
    *,
    n: int = 40,
    k: int = 3,
    effect: float = 0.0,
    documents: int | None = None,
    binary: bool = True,
) -> Scores:
    """Return two systems with k samples of every item."""
    rng = np.random.default_rng(seed)
    chance = np.clip(rng.beta(2, 2, n), 0.02, 0.98)
    tables = {}
    for name, shift in (("A", 0.0), ("B", effect)):
        own = np.clip(chance + shift + rng.normal(0, 0.05, n), 0.01, 0.99)
        draws = rng.random((k, n)) < own
        tables[name] = draws.astype(float) if binary else own + rng.normal(0, 0.3, (k, n))
    of = None if documents is None else [f"d{i * documents // n}" for i in range(n)]
    return Scores.build(tables, documents=of, repeats="samples")


def pooled(scores: Scores, **options: Any) -> Any:
    return compare(scores, baseline="A", rng=1, tasks="pooled", **options)


@pytest.mark.golden
def test_the_paired_difference_of_question_means() -> None:
    (pair,) = pooled(epochs(), unit="segment", test="t").pairs
    assert pair.difference == pytest.approx(evals("paired.diff"), rel=1e-6)
    assert pair.standard_error == pytest.approx(evals("paired.se"), rel=1e-6)
    assert pair.difference / pair.standard_error == pytest.approx(evals("paired.t"), rel=1e-6)
    assert pair.p_value == pytest.approx(evals("paired.p"), rel=1e-6)
    assert pair.df == 129.0


@pytest.mark.golden
def test_passages_are_clusters_of_questions() -> None:
    found = pooled(epochs(), test="t")
    (pair,) = found.pairs
    known = evals("clubsandwich.paired")
    assert found.n_units == evals("paired.n_clusters")
    assert pair.standard_error == pytest.approx(known["CR2"], rel=1e-6)
    assert pair.df == pytest.approx(known["CR2_df"], abs=0.05)
    assert pair.p_value == pytest.approx(known["CR2_p"], abs=5e-5)
    # CR1, which the reference page quotes, is 0.3 % smaller.
    means = epochs().averaged().systems
    clusters = factor("document", list(epochs().documents or ())).codes
    plain = sampled_answers(means["B"] - means["A"], clusters).standard_error_clusters
    assert plain == pytest.approx(known["CR1"], abs=6e-9)
    assert plain == pytest.approx(evals("paired.se_clustered"), rel=1e-6)
    assert pair.standard_error / plain == pytest.approx(1.003, abs=5e-4)


@pytest.mark.golden
def test_lost_samples_cost_no_question() -> None:
    found = pooled(epochs("epochs_unbalanced"), unit="segment")
    (pair,) = found.pairs
    assert found.n_units == evals("unbalanced.n_questions")
    assert pair.difference == pytest.approx(evals("unbalanced.diff"), rel=1e-6)
    assert pair.standard_error == pytest.approx(evals("unbalanced.se"), rel=1e-6)
    # Rows as items are the naive remark; their difference weighs questions by luck.
    rows = [np.nanmean(table) for table in epochs("epochs_unbalanced").systems.values()]
    assert rows[1] - rows[0] == pytest.approx(evals("unbalanced.diff_rows"), rel=1e-6)
    assert pair.naive.method == "samples counted as further items"
    # As it was before: a question without all of its samples was left out.
    before = evals("detectable.today.unbalanced")
    a, b = epochs("epochs_unbalanced").systems.values()
    whole = np.isfinite(a + b).all(axis=0)
    assert (int((~whole).sum()), whole.size) == (before["items_left_out"], before["of"])
    kept = 100 * (b - a).mean(axis=0)[whole]
    assert kept.mean() == pytest.approx(before["difference"], abs=0.005)
    ends = stats.ttest_1samp(kept, 0.0).confidence_interval()
    assert list(ends) == pytest.approx(before["interval"], abs=0.006)


@pytest.mark.golden
def test_the_noise_of_each_system_and_the_floor() -> None:
    found = pooled(epochs(), unit="segment", test="t")
    a, b = found.samples.systems
    for got, key in (
        (a.score, "epochs.A.mean"), (b.score, "epochs.B.mean"),
        (a.standard_error_clusters, "epochs.A.se_clustered"),
        (b.standard_error_clusters, "epochs.B.se_clustered"),
        (a.standard_error_these, "epochs.A.se_test_set"),
        (b.standard_error_these, "epochs.B.se_test_set"),
        (a.variance_samples, "epochs.A.var_within"), (b.variance_samples, "epochs.B.var_within"),
        (a.variance_items, "epochs.A.var_question"), (b.variance_items, "epochs.B.var_question"),
    ):  # fmt: skip
        assert got == pytest.approx(evals(key), rel=1e-6), key
    for row in (a, b):
        assert (row.fewest, row.most, row.n_samples, row.missing_share) == (4, 4, 520, 0.0)
        assert row.n_clusters == 90
    (floor,) = found.samples.pairs
    assert floor.variance_differences == pytest.approx(evals("paired.omega2"), rel=1e-6)
    # The reference has the normal formula; ours is by t, with an error that was estimated.
    stated = (floor.mde_many_samples, found.pairs[0].mde)
    for mde, key in zip(stated, ("paired.mde_kinf", "paired.mde_k4"), strict=True):
        error = evals(key) / (NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8))
        wanted = Estimate(0.0, error, 129.0).detectable(alpha=0.05, power=0.8)
        assert mde == pytest.approx(wanted, rel=1e-6)


@pytest.mark.golden
def test_a_paired_comparison_of_pass_all() -> None:
    found = pooled(epochs(), metrics=("pass^3",), unit="segment", test="t")
    (pair,) = found.pairs
    assert pair.difference == pytest.approx(evals("passhat.diff.k3"), rel=1e-6)
    assert pair.standard_error == pytest.approx(evals("passhat.diff.k3.se"), rel=1e-6)
    scores = {row.system: row.score for row in found.systems}
    assert scores["A"] == pytest.approx(evals("passhat.A.k3"), rel=1e-6)
    assert scores["B"] == pytest.approx(evals("passhat.B.k3"), rel=1e-6)
    assert found.samples.pairs == ()  # a chance of k answers has another noise


def test_it_is_a_comparison_of_the_means() -> None:
    scores = sampled_scores(effect=0.1, binary=False)
    several = compare(scores, baseline="A", rng=1)
    means = compare(scores.averaged(), baseline="A", rng=1)
    for name in ("difference", "standard_error", "p_value", "interval", "mde", "verdict"):
        assert getattr(several.pairs[0], name) == getattr(means.pairs[0], name), name
    assert several.n_runs == {"A": 1, "B": 1}


@pytest.mark.parametrize("documents", [None, 12])
@pytest.mark.parametrize("test", ["auto", "t", "bootstrap"])
def test_verdict_interval_and_p_agree(documents: int | None, test: Any) -> None:
    if test == "bootstrap" and documents:
        documents = 25
    for seed in range(12):
        scores = sampled_scores(seed, effect=0.15, documents=documents)
        (pair,) = compare(scores, baseline="A", rng=1, test=test).pairs
        inside = pair.interval.low <= 0.0 <= pair.interval.high
        assert inside == (pair.p_adjusted > 0.05)
        assert (pair.verdict == "undecided") == inside


def test_the_order_of_samples_does_not_matter() -> None:
    scores = sampled_scores(effect=0.1)
    rng = np.random.default_rng(2)
    mixed = replace(
        scores,
        systems={n: rng.permuted(table, axis=0) for n, table in scores.systems.items()},
    )
    first, second = (compare(data, baseline="A", rng=1).pairs[0] for data in (scores, mixed))
    assert first.interval == pytest.approx(second.interval)
    assert (first.p_value, first.mde) == pytest.approx((second.p_value, second.mde))


def test_equal_samples_bought_nothing() -> None:
    once = sampled_scores(k=1, effect=0.2)
    thrice = Scores.build(
        {name: np.repeat(table, 3, axis=0) for name, table in once.systems.items()},
        repeats="samples",
    )
    found: Any = compare(thrice, baseline="A", rng=1)
    assert any(
        "equal for A, B (temperature 0?): repeats bought nothing" in n for n in found.notes
    )
    alone = compare(once, baseline="A", rng=1)
    assert found.pairs[0].p_value == alone.pairs[0].p_value
    assert found.pairs[0].standard_error == pytest.approx(alone.pairs[0].standard_error)
    assert alone.samples is None
    (floor,) = found.samples.pairs  # nothing is left for more samples to take away
    assert floor.mde_many_samples == pytest.approx(found.pairs[0].mde)


def test_a_negative_variance_between_items_is_said() -> None:
    table = np.array([[0.0, 1.0] * 10, [1.0, 0.0] * 10])
    scores = Scores.build({"A": table, "B": 1 - table}, repeats="samples")
    found: Any = compare(scores, baseline="A", rng=1)
    assert any("came out below 0 and is set to 0" in note for note in found.notes)
    assert found.samples.systems[0].variance_items == 0.0
    assert found.samples.pairs[0].mde_many_samples == 0.0 or math.isnan(
        found.samples.pairs[0].mde_many_samples
    )


def test_samples_are_no_runs() -> None:
    scores = sampled_scores()
    with pytest.raises(
        InputError, match=r"`runs='random'` is about runs, and the scores hold sam"
    ):
        compare(scores, baseline="A", runs="random")
    found = compare(scores, baseline="A", rng=1)
    assert found.pairs[0].new_runs is None
    assert "other training seeds." in found.summary()
    assert "sampling run" not in found.summary()
    assert "samples:3" in str(found.signature)


def test_unequal_losses_are_warned_of() -> None:
    scores = sampled_scores(n=60, k=4)
    lossy = np.array(scores.systems["B"])
    lossy[3, :20] = NAN  # 8.3 % of the samples of B
    with pytest.warns(SuspiciousDataWarning, match=r"different shares.*A 0\.0%, B 8\.3%"):
        found = compare(replace(scores, systems={**scores.systems, "B": lossy}), rng=1)
    assert any("flatters the system that lost more" in note for note in found.notes)
    assert "samples:3-4" in str(found.signature)
    few = np.array(scores.systems["B"])
    few[3, :4] = NAN  # 1.7 %
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(replace(scores, systems={**scores.systems, "B": few}), rng=1)


def test_items_without_any_sample_are_left_out() -> None:
    scores = sampled_scores(n=20, k=2)
    tables = {name: np.array(table) for name, table in scores.systems.items()}
    tables["A"][:, 7] = tables["B"][:, 4] = NAN
    with pytest.warns(SuspiciousDataWarning, match=r"2 items of 20 left out.*: 5, 8"):
        found = compare(replace(scores, systems=tables), rng=1)
    assert found.n_segments == 18


def test_chances_that_are_all_equal_have_an_interval() -> None:
    scores = Scores.build({n: np.ones((4, 50)) for n in "AB"}, repeats="samples")
    with pytest.warns(SuspiciousDataWarning, match="identical"):
        found = compare(scores, ["pass@3", "pass^3"], baseline="A", rng=1)
    for row in found.systems:
        assert (row.interval.low, row.interval.high) == pytest.approx((0.025 ** (1 / 50), 1.0))
    for pair in found.pairs:
        share = 1 - 0.025 ** (1 / 50)
        assert (pair.interval.low, pair.interval.high) == pytest.approx((-share, share))
        assert (pair.verdict, pair.p_value) == ("undecided", 1.0)


def test_few_questions_make_a_rough_interval_of_chances() -> None:
    said = [
        any("rough" in note for note in compare(data, "pass@2", baseline="A", rng=1).notes)
        for data in (sampled_scores(n=29), sampled_scores(n=31))
    ]
    assert said == [True, False]


def test_more_chances_than_samples_are_refused() -> None:
    with pytest.raises(DataError, match="pass@4 needs 4 samples of every item"):
        compare(sampled_scores(k=3), "pass@4")


def test_by_t_it_is_the_paired_t_test_of_means() -> None:
    scores = sampled_scores(n=30, k=3, effect=0.1)
    (pair,) = compare(scores, baseline="A", test="t", metrics="mean").pairs
    means = scores.averaged().systems
    known = stats.ttest_rel(means["B"][0], means["A"][0])
    assert pair.p_value == pytest.approx(known.pvalue)
    low, high = known.confidence_interval(0.95)
    assert (pair.interval.low, pair.interval.high) == pytest.approx((low, high))


def test_one_item_says_nothing_about_another() -> None:
    scores = Scores.build({"A": [[1.0], [0.0]], "B": [[1.0], [NAN]]}, repeats="samples")
    with pytest.raises(InputError, match="at least two items"):
        pooled(scores)


def test_a_metric_that_does_not_know_samples_is_refused() -> None:
    from tests.study.comparison.tables import RootMeanSquare

    with pytest.raises(InputError, match="metric 'rms' does not know samples of an item"):
        compare(sampled_scores(), RootMeanSquare())


def test_no_floor_is_named_where_sampling_noise_explains_all() -> None:
    rng = np.random.default_rng(2)
    tables = {name: (rng.random((4, 30)) < 0.5).astype(float) for name in "AB"}
    result = compare(Scores.build(tables, repeats="samples"), baseline="A", rng=1)
    assert result.samples is not None
    [pair] = result.samples.pairs
    assert (pair.variance_differences, math.isnan(pair.mde_many_samples)) == (0.0, True)
    [shown] = samples(result)
    assert shown.note.startswith(
        "The noise of sampling explains all that is seen between items"
    )
    stored = replace(
        result, samples=replace(result.samples, pairs=(replace(pair, mde_many_samples=0.0),))
    )
    assert [table.note for table in samples(stored)] == [shown.note]  # as older files have it


# --- What to read: the segments and documents in which two systems differ most ---

QUICK: dict[str, Any] = {"n_resamples": 9, "rng": 1}


def _parts(result: Comparison, unit: str = "segment") -> list[tuple[str, float]]:
    return [(c.name, c.contribution) for c in result.contrasts if c.unit == unit]


def _compared(ours: list[float], **options: Any) -> Comparison:
    """Compare a system with a baseline of zeros: the parts are then its scores over n."""
    names = {key: options.pop(key) for key in ("items", "documents") if key in options}
    scores = Scores.build({"A": [0.0] * len(ours), "B": ours}, **names)
    return compare(scores, "mean", baseline="A", **{**QUICK, **options})


# How much each unit is responsible for


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=2, max_size=20))
def test_the_parts_of_a_mean_add_up_to_the_difference(pairs: list[tuple[float, float]]) -> None:
    ours, theirs = np.array(pairs).T
    tables = [np.stack([x, np.ones_like(x)], axis=-1) for x in (ours, theirs)]
    parts = swap_contributions(Mean(), *tables)
    assert parts == pytest.approx((ours - theirs) / len(pairs), abs=1e-12)


def test_the_part_of_a_segment_is_half_of_what_its_swap_changes() -> None:
    """Against scoring the swapped texts from scratch."""
    ours = ["the cat sat on the mat", "a dog barks at me", "rain falls down hard"]
    theirs = ["the cat sat on a mat", "the dog barks at him", "rain fell down"]
    refs = ["the cat sat on the mat", "a dog barks at him", "the rain falls down hard"]

    def difference(first: list[str], second: list[str]) -> float:
        table = Bleu().statistics(Corpus.build({"A": first, "B": second}, refs))
        scores = Bleu().score(table.sum(axis=1))
        return float(scores[0] - scores[1])

    table = Bleu().statistics(Corpus.build({"A": ours, "B": theirs}, refs))
    parts = swap_contributions(Bleu(), table[0], table[1])
    for i in range(3):
        first, second = list(ours), list(theirs)
        first[i], second[i] = theirs[i], ours[i]
        change = difference(ours, theirs) - difference(first, second)
        assert parts[i] == pytest.approx(change / 2.0, rel=1e-9)


# Which units are shown


def test_the_largest_parts_of_either_sign_from_most_positive_down() -> None:
    result = _compared([5.0, -5.0, 1.0, -1.0, 3.0, -3.0], n_examples=2)
    assert _parts(result) == [
        ("1", 5 / 6),
        ("5", 3 / 6),
        ("6", -3 / 6),
        ("2", -5 / 6),
    ]


def test_segments_that_say_nothing_are_not_shown() -> None:
    result = _compared([2.0, 0.0, 0.0, 0.0, -1.0], n_examples=3)
    names, parts = zip(*_parts(result), strict=True)
    assert names == ("1", "5")
    assert parts == pytest.approx((0.4, -0.2))


def test_a_segment_is_shown_once_where_there_are_few() -> None:
    result = _compared([1.0, 2.0, 3.0], n_examples=3)
    assert [name for name, _ in _parts(result)] == ["3", "2", "1"]


def test_equal_parts_come_in_order() -> None:
    result = _compared([1.0, 1.0, 1.0, -2.0], n_examples=2)
    assert [name for name, _ in _parts(result)] == ["1", "2", "4"]


@pytest.mark.parametrize("n_examples", [1, 2, 3])
def test_as_many_examples_as_asked_for(n_examples: int) -> None:
    result = _compared([4.0, 3.0, 2.0, 1.0, -1.0, -2.0, -3.0, -4.0], n_examples=n_examples)
    assert len(result.contrasts) == 2 * n_examples


def test_no_examples_at_all() -> None:
    assert _compared([1.0, -1.0, 2.0], n_examples=0).contrasts == ()


def test_every_pair_has_its_examples() -> None:
    scores = Scores.build({"A": [0.0, 0.0], "B": [1.0, 0.0], "C": [0.0, 4.0]})
    result = compare(scores, "mean", n_examples=1, **QUICK)
    assert [(c.system, c.baseline, c.name, c.contribution) for c in result.contrasts] == [
        ("B", "A", "1", 0.5),
        ("C", "A", "2", 2.0),
        ("C", "B", "2", 2.0),
        ("C", "B", "1", -0.5),
    ]


def test_examples_are_chosen_by_the_first_metric() -> None:
    scores = Scores.build({"A": [0.0, 0.0], "B": [1.0, -2.0]})
    result = compare(scores, ("mean-error", "mean"), n_examples=1, baseline="A", **QUICK)
    assert _parts(result) == [("1", 0.5), ("2", -1.0)]


# What is shown


def test_scores_are_shown_by_item_and_number() -> None:
    scores = Scores.build(
        {"A": [0.25, 1.0], "B": [1.0, 1.0 / 3.0]}, items=["first", "second"], metric="COMET"
    )
    first, second = compare(scores, baseline="A", **QUICK).contrasts
    assert first == TellingUnit(
        system="B",
        baseline="A",
        unit="segment",
        name="first",
        contribution=first.contribution,
        source=None,
        reference=None,
        system_output="1",
        baseline_output="0.25",
    )
    assert (second.name, second.system_output, second.baseline_output) == (
        "second",
        "0.333333",
        "1",
    )


def test_documents_come_before_segments() -> None:
    result = _compared([2.0, 2.0, -1.0, -3.0], documents=["p", "p", "q", "q"], n_examples=1)
    assert [(c.unit, c.name) for c in result.contrasts] == [
        ("document", "p"),
        ("document", "q"),
        ("segment", "1"),
        ("segment", "4"),
    ]
    assert _parts(result, "document") == [("p", 1.0), ("q", -1.0)]
    for contrast in result.contrasts[:2]:
        texts = contrast.source, contrast.reference, contrast.system_output
        assert (*texts, contrast.baseline_output) == (None,) * 4


def test_documents_are_shown_also_where_segments_are_the_unit() -> None:
    options: dict[str, Any] = {"documents": ["p", "p", "q", "q"], "n_examples": 1}
    result = _compared([2.0, 2.0, -1.0, -3.0], unit="segment", **options)
    assert [c.name for c in result.contrasts if c.unit == "document"] == ["p", "q"]


def test_texts_are_shown_with_source_and_reference() -> None:
    corpus = Corpus.build(
        {"A": ["a b c d e", "wrong words all along"], "B": ["x y z", "the right words here"]},
        [["a b c d e f", None], ["a b c d", "these are the right words"]],
        sources=["s1", "s2"],
    )
    up, down = compare(corpus, "chrf", baseline="A", **QUICK).contrasts
    assert (up.name, up.source, up.reference) == ("2", "s2", "these are the right words")
    assert (up.system_output, up.baseline_output) == (
        "the right words here",
        "wrong words all along",
    )
    assert (down.name, down.source, down.reference) == ("1", "s1", "a b c d e f")
    assert up.contribution > 0 > down.contribution


def test_texts_without_sources_have_none_to_show() -> None:
    result = compare(example_corpus(), "chrf", n_examples=1, **QUICK)
    assert {c.source for c in result.contrasts} == {None}


def test_the_outputs_are_those_of_the_median_runs() -> None:
    ours = np.array([[9.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, 0.0, 6.0]])  # means 3, 1, 2
    theirs = np.array([[0.0, 0.0, 0.0], [0.0, -3.0, 0.0], [5.0, 5.0, 5.0]])  # means 0, −1, 5
    scores = Scores.build({"A": theirs, "B": ours})
    result = compare(scores, "mean", baseline="A", n_examples=1, **QUICK)
    assert [(r.system, r.median_run) for r in result.systems] == [("A", 0), ("B", 2)]
    assert _parts(result) == [("3", 2.0)]
    [shown] = result.contrasts
    assert (shown.system_output, shown.baseline_output) == ("6", "0")


def test_median_runs_are_those_of_the_first_metric() -> None:
    """With two metrics the rows of a system follow each other; the second must not count."""
    ours = np.array([[1.0, 1.0], [3.0, 3.0], [0.0, 4.5]])  # by mean the third, by rms not
    theirs = [[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]]
    scores = Scores.build({"A": theirs, "B": ours})
    result = compare(scores, ("mean", RootMeanSquare()), baseline="A", n_examples=1, **QUICK)
    [shown] = result.contrasts[:1]
    assert shown.system_output == "4.5"
    assert shown.baseline_output == "0.2"
