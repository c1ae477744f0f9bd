"""Several samples of an item: the unit is the item, its score is the mean of its samples."""

import math
import warnings
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import DataError, InputError, SuspiciousDataWarning
from detectable.data.factor import factor
from detectable.data.scores.scores import Scores
from detectable.inference.sampled_answers import sampled_answers
from detectable.inference.standard_errors import Estimate
from detectable.report.shown.comparison import samples
from detectable.study.comparison.compare import compare
from tests.gold_evals import epochs, evals

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
    assert "another training run." in found.summary()
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
