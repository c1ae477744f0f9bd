"""Reverse − forward of every system."""

import math

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import DataError
from detectable.inference.multiplicity import holm
from detectable.study.ranking.prepare import prepare
from detectable.study.ranking.settings import RankSettings
from detectable.study.translationese.effects import system_effects
from detectable.study.translationese.halves import halve, mean_sample, split
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
        hits.append([0.0 in row.interval for row in system_effects(measure, alpha=0.05)])
    share = np.mean(hits, axis=1)
    error = share.std(ddof=1) / math.sqrt(trials)
    assert lowest - 3 * error <= share.mean() <= 0.95 + 3 * error + 0.01
