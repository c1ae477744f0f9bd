"""Reverse − forward of every system."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import DataError
from detectable.inference.correlation import pearson
from detectable.inference.multiplicity import holm
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import Estimate
from detectable.metrics.mean import MeanError
from detectable.study.ranking.prepare import prepare
from detectable.study.ranking.settings import RankSettings
from detectable.study.translationese.conclusions import Concluded, PairVerdict
from detectable.study.translationese.effects import (
    _middle,
    change,
    half_agreement,
    pair_effects,
    scores_of,
    system_effects,
)
from detectable.study.translationese.halves import HALVES, HalfName, halve, mean_sample, split
from tests.samples import mean_sample as mean_sample_of_samples
from tests.study.translationese.planted import ZH_EN, Noise, halved, wmt21_isen


def test_with_one_segment_a_document_it_is_welchs_test() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(60, 10, (17, 3))
    languages = ["zh"] * 7 + ["en"] * 10
    found = system_effects(halved(table, [str(i) for i in range(17)], languages), alpha=0.1)
    for s, row in enumerate(found):
        forward, reverse = table[:7, s], table[7:, s]
        want = stats.ttest_ind(reverse, forward, equal_var=False)
        assert row.forward == pytest.approx(forward.mean())
        assert row.reverse == pytest.approx(reverse.mean())
        assert row.difference == pytest.approx(reverse.mean() - forward.mean())
        assert row.p_value == pytest.approx(want.pvalue, rel=1e-6)
        assert row.df == pytest.approx(want.df, rel=1e-6)
        ends = want.confidence_interval(0.9)
        assert (row.interval.low, row.interval.high) == pytest.approx(tuple(ends), rel=1e-6)
        low, high = stats.t.interval(0.9, 6, forward.mean(), stats.sem(forward))
        assert tuple(row.forward_interval.to_json()) == pytest.approx((low, high), rel=1e-6)
        assert (row.n_forward, row.n_reverse) == (7, 10)
        assert (row.measure, row.system) == ("raw", f"S{s}")
    p = np.array([row.p_value for row in found])
    assert [row.p_adjusted for row in found] == pytest.approx(holm(p).tolist())


def test_segments_that_nobody_judged_count_for_nothing() -> None:
    table = np.array([[1.0, 5], [3, np.nan], [4, 7], [10, 9], [np.nan, 5], [12, 1]])
    found = system_effects(halved(table, list("aabcde"), ["zh"] * 3 + ["en"] * 3), alpha=0.05)
    assert [row.forward for row in found] == pytest.approx([8 / 3, 6])
    assert [row.reverse for row in found] == pytest.approx([11, 5])
    assert [(row.n_forward, row.n_reverse) for row in found] == [(3, 2), (2, 3)]


def test_one_document_says_nothing_about_the_next() -> None:
    table = np.arange(8.0).reshape(4, 2)
    with pytest.raises(DataError, match="the reverse half has one document, and one document"):
        halved(table, list("abcc"), ["zh", "zh", "en", "en"])
    with pytest.raises(
        DataError, match=r"the forward half has one segment.* Give more segments"
    ):
        halved(table, list("abcc"), ["zh", "en", "en", "en"][:1] + ["en"] * 3, unit="segment")
    by_segment = halved(table, list("abcc"), ["zh", "zh", "en", "en"], unit="segment")
    assert by_segment.halves["reverse"].n_units == 2


def covered(noise: Noise, trials: int) -> float:
    """Return how often the interval holds a planted effect."""
    rng, effect = np.random.default_rng(8), np.array([5.0])
    hits = [
        5.0 in system_effects(noise.draw(rng, effect), alpha=0.05)[0].interval
        for _ in range(trials)
    ]
    return float(np.mean(hits))


def test_few_documents_are_covered_rather_too_often() -> None:
    trials = 500
    error = math.sqrt(0.95 * 0.05 / trials)
    assert 0.95 - 3 * error <= covered(Noise(5, 4, systems=1), trials) <= 0.985


@pytest.mark.slow
@pytest.mark.parametrize("noise", [Noise(5, 4, systems=1), Noise(3, 3, systems=1)])
def test_few_documents_are_covered_rather_too_often_in_many_trials(noise: Noise) -> None:
    trials = 2000
    error = math.sqrt(0.95 * 0.05 / trials)
    assert 0.95 - 3 * error <= covered(noise, trials) <= 0.975


@pytest.mark.slow
@pytest.mark.parametrize(
    "noise",
    [
        Noise(40, 40, systems=1),
        Noise(40, 8, systems=1),
        Noise(20, 20, systems=1, skewed=True),
    ],
    ids=["many", "few-reverse", "skewed"],
)
def test_the_interval_covers_what_was_planted(noise: Noise) -> None:
    trials = 2000
    error = math.sqrt(0.95 * 0.05 / trials)
    assert covered(noise, trials) == pytest.approx(0.95, abs=3 * error)


@pytest.mark.slow
@pytest.mark.parametrize(("n_reverse", "lowest"), [(23, 0.94), (6, 0.90)])
def test_labels_that_mean_nothing_on_real_documents(n_reverse: int, lowest: float) -> None:
    """Real documents have 5 to 63 segments and few raters each: six of them are rough."""
    scores = prepare(wmt21_isen(1, size=0, spread=0).judgments, RankSettings()).scores
    assert scores.document is not None
    documents = scores.document.labels()
    names = sorted(set(documents))
    rng, trials = np.random.default_rng(5), 300
    sample = mean_sample(scores.systems, scores.raw)
    hits = []
    for _ in range(trials):
        reverse = set(rng.permutation(names)[:n_reverse].tolist())
        languages = ["en" if name in reverse else "zh" for name in documents]
        parts = split("judgments", languages, documents, ZH_EN)
        measure = halve("raw", sample, parts, unit="document", scale="points", digits=2)
        # Intervals agree with verdicts, which are corrected for ten systems: alone they are p > .05.
        hits.append([row.p_value > 0.05 for row in system_effects(measure, alpha=0.05)])
    share = np.mean(hits, axis=1)
    error = share.std(ddof=1) / math.sqrt(trials)
    assert lowest - 3 * error <= share.mean() <= 0.95 + 3 * error + 0.01


# --- How far two halves agree ---


def test_the_scores_of_weighted_units() -> None:
    rng = np.random.default_rng(1)
    runs = rng.normal(size=(2, 5))
    sample = mean_sample_of_samples(runs, rng.normal(size=5))
    weights = np.array([[1.0, 1, 1, 1, 1], [2, 0, 1, 0, 2]])
    found = scores_of(sample, weights)
    assert found[0] == pytest.approx([sample.score(0), sample.score(1)])
    assert found[1, 0] == pytest.approx(np.average(runs, axis=1, weights=weights[1]).mean())


def test_the_correlations_are_those_of_the_scores() -> None:
    measure = Noise(12, 9, systems=7).draw(np.random.default_rng(2), np.arange(7.0))
    found = half_agreement(measure, n_resamples=99, alpha=0.05, rng=np.random.default_rng(1))
    x, y = ([measure.halves[h].score(s) for s in range(7)] for h in ("forward", "reverse"))
    assert [row.coefficient for row in found] == ["pearson", "spearman", "kendall"]
    assert [row.value for row in found] == pytest.approx(
        [stats.pearsonr(x, y)[0], stats.spearmanr(x, y)[0], stats.kendalltau(x, y)[0]]
    )
    for row in found:
        assert (row.n_systems, row.measure) == (7, "raw")
        assert row.interval.low <= row.interval.high <= 1.0
        assert row.random_halves in row.random_interval
        assert row.interval.level == 0.95
    again = half_agreement(measure, n_resamples=99, alpha=0.05, rng=np.random.default_rng(1))
    assert again == found


def test_the_middle_of_draws() -> None:
    draws = np.arange(101.0)
    found = _middle(np.append(draws, np.nan), 0.1)
    assert (found.low, found.high, found.level) == (5.0, 95.0, 0.9)
    nothing = _middle(np.array([np.nan]), 0.1)
    assert np.isnan([nothing.low, nothing.high]).all()
    assert nothing.level == 0.9


def test_two_systems_have_no_correlation() -> None:
    measure = Noise(5, 5).draw(np.random.default_rng(1))
    assert (
        half_agreement(measure, n_resamples=9, alpha=0.05, rng=np.random.default_rng(1)) == ()
    )


def test_systems_that_swap_their_places_are_found() -> None:
    effects = np.array([30.0, 20, 10, 0, -10])
    rng = np.random.default_rng(3)
    measure = Noise(15, 15, systems=5, between=2).draw(rng, effects)
    noise = Noise(15, 15, systems=5, between=2).draw(rng)
    swapped, plain = (
        half_agreement(m, n_resamples=199, alpha=0.05, rng=np.random.default_rng(1))[0]
        for m in (measure, noise)
    )
    assert swapped.p_value < 0.05 < plain.p_value
    assert swapped.p_value == pytest.approx(1 / 200)  # below all random halves


def test_which_documents_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = Noise(12, 5, systems=3).draw(np.random.default_rng(2))
    seen: list[tuple[int, np.ndarray]] = []

    def listen(sample: Sample, weights: np.ndarray) -> np.ndarray:
        seen.append((sample.n_units, weights))
        return scores_of(sample, weights)

    monkeypatch.setattr("detectable.study.translationese.effects.scores_of", listen)
    rng = np.random.default_rng(1)
    by_pearson = half_agreement(measure, n_resamples=300, alpha=0.05, rng=rng)[0]
    assert [n for n, _ in seen[:6]] == [12, 5, 12, 5, 17, 17]
    for n, weights in seen[2:4]:  # with replacement, within each half
        assert weights.shape == (300, n)
        assert (weights.sum(axis=1) == n).all()
        assert weights.max() > 1
        # The mean of 300 weights of variance below 1; four and a half standard errors.
        assert np.abs(weights.mean(axis=0) - 1.0).max() < 4.5 / np.sqrt(300)
    first, second = seen[4][1], seen[5][1]  # random halves of the same size
    assert (first.sum(axis=1) == 12).all()
    assert set(np.unique(first)) == {0.0, 1.0}
    assert (first + second == 1.0).all()
    assert np.abs(first.mean(axis=0) - 12 / 17).max() < 4.5 * np.sqrt(60 / 17**2 / 300)
    both = measure.halves["both"]
    random = pearson(scores_of(both, first), scores_of(both, second))
    below = np.count_nonzero(random <= by_pearson.value)
    assert by_pearson.p_value == (1 + below) / 301
    assert np.count_nonzero(random <= by_pearson.value + 0.01) > below  # near is not below
    assert by_pearson.random_halves == pytest.approx(np.median(random))


def test_documents_that_are_all_alike_agree_fully() -> None:
    table = np.tile([50.0, 60.0, 70.0], (6, 1))
    measure = halved(table, list("abcdef"), ["zh"] * 3 + ["en"] * 3)
    for row in half_agreement(
        measure, n_resamples=19, alpha=0.05, rng=np.random.default_rng(1)
    ):
        assert row.value == pytest.approx(1.0)
        assert (row.interval.low, row.random_halves) == pytest.approx((1.0, 1.0))
        assert row.p_value == 1.0


@pytest.mark.slow
def test_the_interval_holds_what_halves_of_this_size_show_on_average() -> None:
    rng, trials, systems, per_half = np.random.default_rng(5), 400, 8, 20
    forward, apart = rng.normal(size=(2, systems))
    quality = np.stack([forward, 0.6 * forward + 0.8 * apart])
    document = np.repeat(np.arange(2 * per_half), 6)
    back = document >= per_half
    languages = ["en" if reverse else "zh" for reverse in back]
    rows = []
    for _ in range(trials):
        noise = rng.normal(0, 4, (2 * per_half, systems))[document]
        table = 60 + noise + rng.normal(0, 8, noise.shape) + 3 * quality[back.astype(int)]
        measure = halved(table, [str(d) for d in document], languages)
        rows.append(half_agreement(measure, n_resamples=199, alpha=0.05, rng=rng)[0])
    typical = float(np.mean([row.value for row in rows]))
    held = np.mean([typical in row.interval for row in rows])
    assert held == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / trials))


@pytest.mark.slow
def test_labels_that_mean_nothing_are_seldom_found() -> None:
    rng, trials = np.random.default_rng(4), 600
    found = [
        [row.p_value for row in half_agreement(
            Noise(12, 10, systems=6).draw(rng, None), n_resamples=199, alpha=0.05, rng=rng
        )]
        for _ in range(trials)
    ]  # fmt: skip
    for level in (0.05, 0.2):
        rate = (np.array(found) <= level).mean(axis=0)
        assert (rate <= level + 3 * np.sqrt(level * (1 - level) / trials)).all()
        assert (rate[0] >= level - 3.5 * np.sqrt(level * (1 - level) / trials)).all()


# --- Pairs of systems on two halves ---


def concluded(**verdicts: PairVerdict) -> dict[HalfName, Concluded]:
    """Return a verdict on S1 against S0 for every half."""
    return {half: Concluded({("S1", "S0"): verdicts[half]}, ()) for half in HALVES}


def test_a_pair_with_one_segment_a_document() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(50, 5, (15, 2))
    table[8:, 0] += 9
    table[:, 0] -= 20
    languages = ["zh"] * 8 + ["en"] * 7
    measure = halved(table, [str(i) for i in range(15)], languages)
    said = concluded(
        forward=PairVerdict("undecided", 4.0),
        reverse=PairVerdict("worse", 5.0),
        both=PairVerdict("better", 3.0),
    )
    [row] = pair_effects(measure, said, alpha=0.05, power=0.8)
    assert (row.first, row.second) == ("S1", "S0")
    d = table[:, 1] - table[:, 0]
    want = stats.ttest_ind(d[8:], d[:8], equal_var=False)
    assert row.forward == pytest.approx(d[:8].mean())
    assert row.reverse == pytest.approx(d[8:].mean())
    assert row.both == pytest.approx(d.mean())
    assert row.relative == pytest.approx(d[8:].mean() - d[:8].mean())
    assert row.relative == pytest.approx(row.effect_first - row.effect_second)
    assert row.effect_second == pytest.approx(table[8:, 0].mean() - table[:8, 0].mean())
    assert row.p_value == pytest.approx(want.pvalue, rel=1e-6) == row.p_adjusted
    assert row.df == pytest.approx(want.df, rel=1e-6)
    assert (row.mde_forward, row.mde_reverse, row.mde_both) == (4.0, 5.0, 3.0)
    assert (row.verdict_forward, row.verdict_reverse, row.verdict_both) == (
        *("undecided", "worse", "better"),
    )
    assert row.change == "lost"
    assert row.forward_had_power == (abs(row.both) >= 4.0)
    assert row.opposite == (row.effect_first < 0 < row.effect_second)
    here = Estimate(row.relative, row.standard_error, row.df)
    assert row.relative_mde == here.detectable(alpha=0.05, power=0.8)
    assert row.interval == here.interval(0.95)
    assert row.effect_first == pytest.approx(table[8:, 1].mean() - table[:8, 1].mean())
    for mde, had in ((abs(row.both), True), (abs(row.both) * 1.001, False)):
        edge = {**said, "forward": Concluded({("S1", "S0"): PairVerdict("undecided", mde)}, ())}
        [again] = pair_effects(measure, edge, alpha=0.05, power=0.8)
        assert again.forward_had_power is had


def test_many_pairs_are_corrected_and_best_comes_first() -> None:
    measure = Noise(10, 10, systems=3).draw(np.random.default_rng(2))
    names = [(a, b) for a in measure.systems for b in measure.systems if a < b]
    said = {
        half: Concluded({pair: PairVerdict("undecided", math.nan) for pair in names}, ())
        for half in HALVES
    }
    rows = pair_effects(measure, said, alpha=0.05, power=0.8)
    assert len(rows) == 3
    assert all(row.both >= 0 for row in rows)
    assert all(row.p_adjusted >= row.p_value for row in rows)
    assert not any(row.forward_had_power for row in rows)
    for row in rows:
        here = Estimate(row.relative, row.standard_error, row.df)
        assert row.relative_mde == here.detectable(alpha=0.05 / 3, power=0.8)
        assert row.interval == here.interval(0.95)
    p = np.array([row.p_value for row in rows])
    assert [row.p_adjusted for row in rows] == pytest.approx(holm(p).tolist())


def test_of_errors_the_fewest_come_first() -> None:
    plain = Noise(10, 10, systems=3).draw(np.random.default_rng(2))
    halves = {
        half: Sample(MeanError(), part.systems, part.runs, part.statistics)
        for half, part in plain.halves.items()
    }
    measure = replace(plain, halves=halves)
    names = [(a, b) for a in measure.systems for b in measure.systems if a < b]
    said = {
        half: Concluded({pair: PairVerdict("undecided", math.nan) for pair in names}, ())
        for half in HALVES
    }
    rows = pair_effects(measure, said, alpha=0.05, power=0.8)
    assert all(row.both <= 0 for row in rows)
    best_first = pair_effects(plain, said, alpha=0.05, power=0.8)
    assert (rows[0].first, rows[-1].second) == (best_first[-1].second, best_first[0].first)


def test_one_system_has_no_pair() -> None:
    measure = Noise(4, 4, systems=1).draw(np.random.default_rng(2))
    said = {half: Concluded({}, ()) for half in HALVES}
    assert pair_effects(measure, said, alpha=0.05, power=0.8) == ()


@pytest.mark.parametrize(
    ("first", "second", "opposite"),
    [(0.05, 0.05, False), (0.05, 0.0, False), (0.05, -0.05, True), (-0.05, -0.05, False)],
)
def test_whether_one_is_raised_and_the_other_lowered(
    first: float, second: float, opposite: bool
) -> None:
    forward = np.array([[49.0, 39.0], [51.0, 40.0], [50.0, 41.0]])
    table = np.concatenate([forward, forward + np.array([first, second])])
    measure = halved(table, list("abcdef"), ["zh"] * 3 + ["en"] * 3)
    nothing = PairVerdict("undecided", math.nan)
    said = concluded(forward=nothing, reverse=nothing, both=nothing)
    [row] = pair_effects(measure, said, alpha=0.05, power=0.8)
    assert row.opposite is opposite


def test_every_change_has_a_name() -> None:
    assert change("better", "better") == change("undecided", "undecided") == "same"
    assert change("better", "worse") == change("lower", "higher") == "turned"
    assert change("worse", "undecided") == "lost"
    assert change("undecided", "better") == "gained"


@pytest.mark.slow
@pytest.mark.parametrize("noise", [Noise(20, 20), Noise(40, 8)], ids=["even", "few-reverse"])
def test_labels_that_mean_nothing_favour_nobody(noise: Noise) -> None:
    rng, trials = np.random.default_rng(2), 1500
    nothing = PairVerdict("undecided", math.nan)
    said = concluded(forward=nothing, reverse=nothing, both=nothing)
    hits = [
        pair_effects(noise.draw(rng), said, alpha=0.05, power=0.8)[0].p_value <= 0.05
        for _ in range(trials)
    ]
    assert np.mean(hits) == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / trials))
