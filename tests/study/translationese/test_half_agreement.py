"""How far two halves agree."""

import numpy as np
import pytest
from scipy import stats

from detectable.inference.correlation import pearson
from detectable.inference.sample import Sample
from detectable.study.translationese.effects import _middle, half_agreement, scores_of
from tests.samples import mean_sample
from tests.study.translationese.planted import Noise, halved


def test_the_scores_of_weighted_units() -> None:
    rng = np.random.default_rng(1)
    runs = rng.normal(size=(2, 5))
    sample = mean_sample(runs, rng.normal(size=5))
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
