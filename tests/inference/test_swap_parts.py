"""What units add to a difference: they add up, leave out, and give intervals that hold a test."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.types import FloatArray
from detectable.data.texts.corpus import Corpus
from detectable.inference.randomization import SwapParts, swap_parts
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import cluster_mean, cluster_sums
from detectable.inference.swap_power import t_of_largest
from detectable.metrics.base import TextMetric
from detectable.metrics.bleu import Bleu
from detectable.metrics.chrf import Chrf
from detectable.metrics.ter import Ter
from tests.inference.matrix_cr2 import matrix_cr2
from tests.inference.small_samples import gold
from tests.samples import mean_sample

SEEDS = st.integers(0, 2**32 - 1)


def texts(n: int, *, seed: int = 1, runs: int = 1) -> Corpus:
    """Return two systems that repeat their reference with errors, the second with more of them."""
    rng = np.random.default_rng(seed)
    references = [" ".join(rng.choice(list("abcde"), rng.integers(4, 20))) for _ in range(n)]

    def garbled(share: float) -> list[str]:
        return [
            " ".join(w if rng.random() > share else "x" for w in line.split())
            for line in references
        ]

    systems = {
        name: [garbled(share) for _ in range(runs)] for name, share in (("A", 0.1), ("B", 0.2))
    }
    return Corpus.build(systems, references)


def text_sample(metric: TextMetric, corpus: Corpus) -> Sample:
    runs = tuple(corpus.n_runs(name) for name in corpus.systems)
    return Sample(metric, tuple(corpus.systems), runs, metric.statistics(corpus))


def parts_of(sums: FloatArray, sizes: FloatArray) -> SwapParts:
    n = sizes.sum()
    return SwapParts(float(sums.sum() / n), sums / n, sizes / n)


class TestOfSamples:
    def test_a_mean_by_hand(self) -> None:
        sample = mean_sample([5.0, 2.0, 2.0], [1.0, 1.0, 1.0])
        found = swap_parts(sample, [(0, 1), (1, 0)])
        assert found[0].value == pytest.approx(2.0)
        assert found[0].parts == pytest.approx(np.array([4.0, 1.0, 1.0]) / 3.0)
        assert found[0].shares == pytest.approx(np.full(3, 1 / 3))
        assert found[0].scale == pytest.approx(math.sqrt(18.0) / 3.0)
        assert found[1].parts == pytest.approx(-found[0].parts)

    def test_documents_have_the_share_of_their_sentences(self) -> None:
        a, b = np.array([5.0, 2.0, 2.0, 7.0]), np.array([1.0, 1.0, 1.0, 1.0])
        sample = mean_sample(a, b).by_document(np.array([0, 1, 1, 1]))
        (found,) = swap_parts(sample, [(0, 1)])
        assert found.parts == pytest.approx(np.array([4.0, 8.0]) / 4.0)
        assert found.shares == pytest.approx([0.25, 0.75])
        by_hand = cluster_mean(a - b, np.array([0, 1, 1, 1]))
        assert found.estimate().standard_error == pytest.approx(by_hand.standard_error)
        assert found.estimate().df == by_hand.df

    def test_runs_are_averaged(self) -> None:
        sample = mean_sample([[5.0, 2.0], [7.0, 2.0]], [1.0, 1.0])
        (found,) = swap_parts(sample, [(0, 1)])
        assert found.parts == pytest.approx([2.5, 0.5])
        assert found.value == pytest.approx(3.0)

    @pytest.mark.parametrize("metric", [Bleu(), Chrf(), Ter()], ids=lambda m: m.name)
    @pytest.mark.parametrize("runs", [1, 2])
    def test_parts_add_up_to_the_difference(self, metric: TextMetric, runs: int) -> None:
        sample = text_sample(metric, texts(30, runs=runs))
        (found,) = swap_parts(sample, [(0, 1)])
        assert found.value == sample.score(0) - sample.score(1)
        assert abs(found.value) > 1.0
        assert found.parts.sum() == pytest.approx(found.value, rel=1e-9)
        assert found.shares.sum() == pytest.approx(1.0)
        assert np.ptp(found.shares) > 0.01  # references differ in length

    def test_rounding_is_no_spread(self) -> None:
        # Tenths: the differences are equal by hand, and not in binary.
        base = np.arange(12.0) / 10
        for shift, size in ((0.1, 1.0), (0.3, 1e6)):
            sample = mean_sample(size * (base + shift), size * base)
            (found,) = swap_parts(sample, [(0, 1)])
            assert found.parts == pytest.approx(np.full(12, size * shift / 12))
            assert found.estimate().standard_error == pytest.approx(0.0, abs=1e-15 * size)
        (found,) = swap_parts(mean_sample(base + 1e-6 * base, base), [(0, 1)])
        assert found.estimate().standard_error == pytest.approx(
            1e-6 * base.std(ddof=1) / math.sqrt(12.0), rel=1e-3
        )

    def test_the_shares_of_both_systems_are_averaged(self) -> None:
        # With two references the closest length depends on the output.
        corpus = Corpus.build(
            {"A": ["a b c d", "a b c d"], "B": ["a b", "a b c d"]},
            [["a b c d", "a b c d"], ["a b", "a b c d"]],
        )
        (found,) = swap_parts(text_sample(Bleu(), corpus), [(0, 1)])
        assert found.shares == pytest.approx([(4 / 8 + 2 / 6) / 2, (4 / 8 + 4 / 6) / 2])

    @pytest.mark.parametrize(("metric", "off"), [(Ter(), 1e-6), (Bleu(), 0.2)])
    def test_swapping_a_unit_changes_the_sign_of_its_part(
        self, metric: TextMetric, off: float
    ) -> None:
        # One of many sentences, before and after the swap. TER is a mean over reference words, for
        # BLEU it holds to first order, with slopes that differ between the systems.
        sample = text_sample(metric, texts(400))
        (found,) = swap_parts(sample, [(0, 1)])
        a, b = sample.statistics
        totals = sample.statistics.sum(axis=1)
        swapped = []
        for unit in range(60):
            move = b[unit] - a[unit]
            score = sample.metric.score(totals + np.stack([move, -move]))
            swapped.append(score[0] - score[1])
        expected = (found.value - np.array(swapped)) / 2.0
        assert found.parts[:60] == pytest.approx(expected, abs=off * found.parts.std())


class TestEstimate:
    @given(st.lists(st.integers(1, 5), min_size=2, max_size=6), SEEDS)
    def test_it_is_that_of_the_matrices(self, sizes: list[int], seed: int) -> None:
        clusters = np.repeat(np.arange(len(sizes)), sizes)
        values = np.random.default_rng(seed).normal(1.0, 1.0, clusters.size)
        sums, n = cluster_sums(values, clusters), np.array(sizes, dtype=float)
        found = parts_of(sums, n).estimate()
        assert found.value == pytest.approx(values.mean())
        assert (found.standard_error, found.df) == pytest.approx(
            matrix_cr2(values, clusters), rel=1e-9
        )

    def test_one_unit_has_no_spread(self) -> None:
        found = SwapParts(2.0, np.array([2.0]), np.array([1.0])).estimate()
        assert found.value == 2.0
        assert math.isnan(found.standard_error)
        assert math.isnan(found.df)

    @pytest.mark.golden
    def test_two_systems_of_the_reference(self) -> None:
        family = gold("family")
        scores = np.array(family["scores"])
        sample = mean_sample(*scores.T)
        pairs = [(a - 1, b - 1) for a, b in family["pairs"]]
        for j, found in enumerate(swap_parts(sample, pairs)):
            assert found.value == pytest.approx(family["difference"][j], rel=1e-9)
            assert found.estimate().standard_error == pytest.approx(family["se"][j], rel=1e-8)
            assert found.estimate().df == 7.0


class TestLeavingOut:
    @given(st.lists(st.integers(1, 5), min_size=2, max_size=6), SEEDS)
    def test_without_a_unit_is_what_the_others_say(self, sizes: list[int], seed: int) -> None:
        n = np.array(sizes, dtype=float)
        sums = np.random.default_rng(seed).normal(size=n.size) * n
        whole = parts_of(sums, n)
        for unit in range(n.size):
            found = whole.without_unit(unit)
            again = parts_of(np.delete(sums, unit), np.delete(n, unit))
            assert found.value == pytest.approx(again.value, abs=1e-12)
            assert found.parts == pytest.approx(again.parts, abs=1e-12)
            assert found.shares == pytest.approx(again.shares)
            assert whole.left_out()[unit] == pytest.approx(again.value, abs=1e-12)

    def test_a_unit_that_is_all_there_is_leaves_nothing(self) -> None:
        found = SwapParts(2.0, np.array([2.0, 0.0]), np.array([1.0, 0.0])).left_out()
        assert math.isnan(found[0])
        assert found[1] == 2.0

    def test_bleu_without_a_sentence_is_nearly_that(self) -> None:
        sample = text_sample(Bleu(), texts(200))
        (whole,) = swap_parts(sample, [(0, 1)])
        totals = sample.statistics.sum(axis=1)[:, None, :]
        scores = sample.metric.score(totals - sample.statistics)
        exact = scores[0] - scores[1]
        moved, expected = whole.left_out() - whole.value, exact - whole.value
        assert moved == pytest.approx(expected, abs=0.05 * float(expected.std()))


class TestInterval:
    @pytest.mark.golden
    def test_simultaneous_limits_of_the_reference(self) -> None:
        family = gold("family")
        scores = np.array(family["scores"])
        for j, (a, b) in enumerate(family["pairs"]):
            d = scores[:, a - 1] - scores[:, b - 1]
            found = parts_of(d, np.ones(8)).interval(family["max_t_c"], 0.95)
            assert found.low == pytest.approx(family["max_t_low"][j], abs=1e-10)
            assert found.high == pytest.approx(family["max_t_high"][j], abs=1e-10)
            assert found.level == 0.95

    @given(
        st.lists(st.integers(1, 5), min_size=3, max_size=9),
        SEEDS,
        st.floats(0.1, 2.9),
        st.floats(-5.0, 5.0),
    )
    def test_it_holds_what_the_statistic_would_not_reject(
        self, sizes: list[int], seed: int, critical: float, value: float
    ) -> None:
        n = np.array(sizes, dtype=float)
        sums = np.random.default_rng(seed).normal(0.5, 1.0, n.size) * n
        found = parts_of(sums, n).interval(critical, 0.9)
        shares = n / n.sum()
        bounded = critical**2 * np.square(shares).sum() < 1.0
        assert math.isfinite(found.low) == math.isfinite(found.high) == bounded
        if bounded and min(abs(value - found.low), abs(value - found.high)) > 1e-6:
            d = sums - value * n
            t = abs(d.sum()) / math.sqrt(np.square(d).sum())
            assert (value in found) == (t < critical)

    @pytest.mark.parametrize("critical", [0.5, 1.9, 2.5])
    def test_with_equal_units_it_is_a_t_interval(self, critical: float) -> None:
        d = np.random.default_rng(3).normal(1.0, 1.0, 9)
        found = parts_of(d, np.ones(9)).interval(critical, 0.95)
        half = t_of_largest(critical, 9) * d.std(ddof=1) / 3.0
        assert found.to_json() == pytest.approx([d.mean() - half, d.mean() + half])

    def test_no_end_where_t_cannot_reach_the_critical_value(self) -> None:
        parts = parts_of(np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4))
        for critical in (2.0, 3.0, math.inf):  # √G is 2
            assert parts.interval(critical, 0.95).to_json() == [-math.inf, math.inf]
        assert math.isfinite(parts.interval(1.999, 0.95).low)

    def test_no_difference_anywhere_is_a_point(self) -> None:
        found = parts_of(np.zeros(4), np.ones(4)).interval(1.5, 0.95)
        assert found.to_json() == [0.0, 0.0]

    def test_scale_and_sign(self) -> None:
        sums, n = np.array([3.0, -1.0, 4.0, 2.0, 9.0]), np.array([1.0, 2.0, 2.0, 1.0, 4.0])
        plain = parts_of(sums, n).interval(1.3, 0.95)
        turned = parts_of(-1e-6 * sums, n).interval(1.3, 0.95)
        expected = [-1e-6 * plain.high, -1e-6 * plain.low]
        assert turned.to_json() == pytest.approx(expected, rel=1e-9)
