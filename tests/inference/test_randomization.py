"""Approximate randomization: exact enumeration, invariants, repeatability, messages."""

import json
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.data.texts.corpus import Corpus
from detectable.inference import randomization
from detectable.inference.compat import multeval_p, sacrebleu_p
from detectable.inference.randomization import SwapParts, randomization_test, swap_parts
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import cluster_mean, cluster_sums
from detectable.inference.swap_power import t_of_largest
from detectable.inference.swaps import SwapRequest, Swaps
from detectable.metrics.base import TextMetric
from detectable.metrics.bleu import Bleu
from detectable.metrics.chrf import Chrf
from detectable.metrics.registry import metric
from detectable.metrics.ter import Ter
from tests.helpers import golden, reference_data
from tests.inference.matrix_cr2 import matrix_cr2
from tests.inference.small_samples import gold as gold_of_small_samples
from tests.inference.swap_oracle import critical_value, p_at, p_of_all_signs, step_down
from tests.samples import mean_sample


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("paired_randomization"), ids=lambda c: c["name"])
def test_published_value(case: dict[str, Any]) -> None:
    sample = mean_sample(case["differences"], np.zeros(len(case["differences"])))
    test = randomization_test((sample,), ((0, 1),), n_resamples=50_000, rng=0)
    assert test.p_values[0, 0] == pytest.approx(case["p_value"], abs=case["tolerance"])


@given(st.lists(st.integers(-100, 100), min_size=2, max_size=30))
def test_swapping_the_systems_mirrors_the_differences(a: list[int]) -> None:
    sample = mean_sample(a, np.zeros(len(a)))
    test = randomization_test((sample,), ((0, 1), (1, 0)), n_resamples=99, rng=3)
    assert test.p_values[0, 0] == test.p_values[1, 0]
    assert test.differences[0, 0] == -test.differences[1, 0]


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=20), st.integers(-5, 5))
def test_adding_a_constant_to_both_changes_nothing(a: list[int], shift: int) -> None:
    base = np.arange(len(a)) % 3
    plain, moved = mean_sample(a, base), mean_sample(np.add(a, shift), np.add(base, shift))
    tests = [randomization_test((s,), ((0, 1),), n_resamples=99, rng=1) for s in (plain, moved)]
    assert tests[0].p_values == tests[1].p_values


def test_a_system_compared_with_its_copy_has_p_one() -> None:
    scores = np.random.default_rng(2).normal(size=50)
    test = randomization_test((mean_sample(scores, scores),), ((0, 1),), n_resamples=999, rng=1)
    assert test.p_values[0, 0] == 1.0


def test_p_is_never_zero() -> None:
    test = randomization_test(
        (mean_sample(np.full(60, 5.0), np.zeros(60)),), ((0, 1),), n_resamples=200, rng=1
    )
    assert test.p_values[0, 0] == pytest.approx(1 / 201)


def test_copies_of_a_run_leave_the_answer_as_it_is() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 9, 80), rng.integers(0, 9, 80)
    once = randomization_test((mean_sample(a, b),), ((0, 1),), n_resamples=500, rng=5)
    thrice = randomization_test(
        (mean_sample(np.tile(a, (3, 1)), np.tile(b, (3, 1))),),
        ((0, 1),),
        n_resamples=500,
        rng=5,
    )
    assert once.p_values == thrice.p_values


def test_processes_threads_and_one_process_give_the_same_numbers() -> None:
    rng = np.random.default_rng(6)
    sample = mean_sample(rng.normal(size=300), rng.normal(size=300))
    ask: dict[str, Any] = {
        "request": SwapRequest(keep_null=True, families=(np.array([0]),)),
        "n_resamples": 1500,
        "rng": 7,
    }
    here = randomization_test((sample,), ((0, 1),), **ask)
    there = randomization_test((sample,), ((0, 1),), **ask, n_jobs=2)
    with ThreadPoolExecutor(3) as pool:
        threads = randomization_test((sample,), ((0, 1),), **ask, executor=pool)
    for other in (there, threads):
        assert np.array_equal(here.swaps.null(), other.swaps.null())
        assert np.array_equal(here.p_values, other.p_values)
        assert here.swaps.interval(0, 0.1) == other.swaps.interval(0, 0.1)
        assert here.swaps.critical(0, 0.05) == other.swaps.critical(0, 0.05)


def test_an_unseeded_run_can_be_repeated_from_its_signature() -> None:
    sample = mean_sample(np.arange(20) % 7, np.arange(20) % 3)
    keep = SwapRequest(keep_null=True)
    first = randomization_test((sample,), ((0, 1),), request=keep, n_resamples=99)
    again = randomization_test(
        (sample,), ((0, 1),), request=keep, n_resamples=99, rng=int(first.signature.seed or 0)
    )
    assert np.array_equal(first.swaps.null(), again.swaps.null())
    other = randomization_test((sample,), ((0, 1),), request=keep, n_resamples=99)
    assert not np.array_equal(first.swaps.null(), other.swaps.null())


def test_all_swaps_of_few_units_need_no_seed() -> None:
    sample = mean_sample([1, 2, 3, 5], [0, 3, 1, 1])
    test = randomization_test((sample,), ((0, 1),), request=SwapRequest(keep_null=True))
    assert test.signature.seed is None
    assert "R:all" in str(test.signature)
    assert (test.exact, test.n_resamples, test.swaps.n_resamples) == (True, 7, 7)
    # Differences 1, −1, 2, 4 with the last one fixed, all patterns but the data.
    null = sorted(test.swaps.null()[:, 0] * 4)
    signs = [(a, b, c) for a in (1, -1) for b in (1, -1) for c in (1, -1)][1:]
    assert null == pytest.approx(sorted(a - b + 2 * c + 4 for a, b, c in signs))
    assert test.p_values[0, 0] == p_of_all_signs(np.array([1.0, -1.0, 2.0, 4.0])) == 3 / 8


def test_few_units_are_drawn_on_request() -> None:
    sample = mean_sample([1, 2, 3, 5], [0, 3, 1, 1])
    test = randomization_test(
        (sample,), ((0, 1),), request=SwapRequest(draw=True), n_resamples=4_000, rng=3
    )
    assert (test.exact, test.n_resamples) == (False, 4_000)
    assert test.signature.seed == "3"
    assert test.p_values[0, 0] == pytest.approx(3 / 8, abs=4 * (15 / 64 / 4_000) ** 0.5)
    # Of random halves one may be empty: it bounds nothing, and the interval ends before it.
    assert test.swaps.interval(0, 0.05).to_json() == [-np.inf, np.inf]


def test_the_null_is_kept_on_request_only() -> None:
    test = randomization_test((mean_sample([1, 2, 3], [0, 0, 0]),), ((0, 1),))
    with pytest.raises(ValueError, match="were not kept"):
        test.swaps.null()


def test_the_tallies_stay_out_of_the_json() -> None:
    test = randomization_test((mean_sample([1, 2, 3], [0, 0, 0]),), ((0, 1),))
    assert "swaps" not in test.to_dict()
    assert test.to_dict()["p_values"] == [[0.25]]
    assert "swaps" not in repr(test)
    assert test.summary() == "1 tests, p from 0.2500 to 0.2500"


def test_metrics_on_different_units_are_refused() -> None:
    samples = (mean_sample([1, 2], [3, 4]), mean_sample([1, 2, 3], [3, 4, 5]))
    with pytest.raises(InputError, match=r"same units; got \[2, 3\]"):
        randomization_test(samples, ((0, 1),), n_resamples=9, rng=1)


def test_a_number_of_resamples_below_one_is_refused() -> None:
    with pytest.raises(InputError, match=r"`n_resamples` must be a whole number ≥ 1; got 0"):
        randomization_test((mean_sample([1, 2], [3, 4]),), ((0, 1),), n_resamples=0)


def test_more_swaps_than_a_block_holds_keep_their_numbers() -> None:
    # Blocks of 1,024 swaps have a generator each: another size of block, other numbers.
    rng = np.random.default_rng(8)
    sample = mean_sample(rng.integers(2, 22, 50), rng.integers(0, 20, 50))
    test = randomization_test(
        (sample,), ((0, 1),), request=SwapRequest(keep_null=True), n_resamples=1500, rng=7
    )
    null = test.swaps.null()
    assert (test.differences[0, 0], null.shape) == (pytest.approx(2.02), (1500, 1))
    assert test.p_values[0, 0] * 1501 == pytest.approx(179)
    assert null[1023:1025, 0].tolist() == pytest.approx([-1.18, -2.98])


SCALES = st.sampled_from([10.0**k for k in range(-13, 14)]) | st.floats(1e-13, 1e13)


def p_of(*systems: Any, n_resamples: int = 499) -> list[float]:
    sample = mean_sample(*systems)
    pairs = tuple((i, 0) for i in range(1, len(systems)))
    test = randomization_test((sample,), pairs, n_resamples=n_resamples, rng=11)
    return [float(p) for p in test.p_values[:, 0]]


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=12), SCALES)
def test_p_does_not_depend_on_the_unit_of_the_scores(a: list[int], scale: float) -> None:
    # Tenths: sums that tie by hand and not in binary.
    base = np.arange(len(a)) % 3 / 10
    scores = np.array(a) / 10, base, 7 * base
    assert p_of(*(scale * s for s in scores)) == p_of(*scores)


@given(
    st.lists(st.integers(-9, 9), min_size=2, max_size=12),
    st.sampled_from([1.0, 1e3, 1e6, 1e9, -1e9]),
    st.booleans(),
)
def test_p_does_not_depend_on_a_shift_of_all_scores(
    a: list[int], shift: float, missing: bool
) -> None:
    ours, theirs = np.array(a) / 10, np.arange(len(a)) % 3 / 10
    if missing:
        ours = np.append(ours, np.nan)
        theirs = np.append(theirs, 0.3)
    assert p_of(ours + shift, theirs + shift) == p_of(ours, theirs)


def test_what_all_systems_share_hides_no_difference() -> None:
    # Items from 0 to 1e6, systems that differ by a billionth of that: as the differences alone.
    rng = np.random.default_rng(9)
    items, d = rng.integers(0, 1_000_000, 60).astype(float), rng.integers(-3, 6, 60) / 1024
    assert p_of(items + d, items) == p_of(d, np.zeros(60))
    assert p_of(d, np.zeros(60))[0] < 0.2


@pytest.mark.golden
def test_the_enumerated_p_values_of_the_reference_page() -> None:
    for row in gold_of_small_samples("sign_flip")["rows"]:
        found = p_of(row["D"], np.zeros(row["G"]))[0]
        assert found == pytest.approx(row["p"], rel=1e-12), row
        drawn = randomization_test(
            (mean_sample(row["D"], np.zeros(row["G"])),),
            ((0, 1),),
            request=SwapRequest(draw=True),
            n_resamples=20_000,
            rng=11,
        )
        error = 4 * (row["p"] * (1 - row["p"]) / 20_000) ** 0.5 + 1e-4
        assert drawn.p_values[0, 0] == pytest.approx(row["p"], abs=error), row


class Slow:
    """Swaps of one pair under any metric, one at a time, all of them held."""

    def __init__(self, sample: Sample) -> None:
        a, b = sample.pooled()
        score, n = sample.metric.score, sample.n_units
        self.differences: list[float] = []
        self.low: list[float] = []
        self.high: list[float] = []
        for code in range(1, 2 ** (n - 1)):
            taken = np.array([(code >> unit) & 1 for unit in range(n)], dtype=bool)
            first = np.where(taken[:, None], b, a).sum(axis=0)
            second = np.where(taken[:, None], a, b).sum(axis=0)
            self.differences.append(float(score(first) - score(second)))
            halves = [
                float(score(a[side].sum(axis=0)) - score(b[side].sum(axis=0)))
                for side in (taken, ~taken)
            ]
            self.low.append(min(halves))
            self.high.append(max(halves))


def text_samples(n: int, seed: int = 3) -> tuple[Sample, Sample]:
    """Return BLEU and TER of two systems on sentences of unequal length."""
    rng = np.random.default_rng(seed)
    references = [" ".join(rng.choice(list("abcd"), rng.integers(5, 15))) for _ in range(n)]

    def garbled(share: float) -> list[str]:
        return [
            " ".join(w if rng.random() > share else "x" for w in line.split())
            for line in references
        ]

    corpus = Corpus.build({"A": garbled(0.1), "B": garbled(0.3)}, references)
    first, second = (
        Sample(m, ("A", "B"), (1, 1), m.statistics(corpus)) for m in (Bleu(), Ter())
    )
    return first, second


def test_swapped_texts_are_scored_as_one_at_a_time() -> None:
    samples = text_samples(9)
    slows = [Slow(sample) for sample in samples]
    # Margins in the middle of the ends that they meet: BLEU above, TER below.
    margins = np.array([np.median(slows[0].high), -np.median(slows[1].low)]) + 1e-3
    scale = np.array([2.0, 3.0])
    request = SwapRequest(
        alpha=0.1,
        keep_null=True,
        margins=margins,
        scale=scale,
        families=(np.array([0, 1]), np.array([1])),
    )
    test = randomization_test(samples, ((0, 1),), request=request)
    swaps = test.swaps
    assert swaps.questions.scale.tolist() == [2.0, 3.0]
    statistics = []
    for m, (sample, slow) in enumerate(zip(samples, slows, strict=True)):
        observed = sample.score(0) - sample.score(1)
        assert test.differences[0, m] == pytest.approx(observed, rel=1e-12)
        assert swaps.null()[:, m] == pytest.approx(np.array(slow.differences), abs=1e-9)
        beyond = np.abs(slow.differences) >= abs(observed) - 1e-9
        assert test.p_values[0, m] == (1 + beyond.sum()) / 256
        for alpha in (0.05, 0.1, 0.2):
            k = int(alpha * 256 + 1e-9)
            expected = [sorted(slow.low)[k - 1], sorted(slow.high)[-k]]
            assert swaps.interval(m, alpha).to_json() == pytest.approx(expected, rel=1e-9)
        below = np.sum(np.array(slow.low) <= -margins[m])
        above = np.sum(np.array(slow.high) >= margins[m])
        assert 100 < (below if m else above) < 155
        assert swaps.p_above()[m] == (1 + below) / 512
        assert swaps.p_below()[m] == (1 + above) / 512
        statistics.append(np.abs([observed, *slow.differences]) / scale[m])
    null = np.array(statistics).T
    expected_p = step_down(null[0], null)
    expected_p[1] = np.mean(null[:, 1] >= null[0, 1] - 1e-9)  # its own family comes last
    assert swaps.p_max_t() == pytest.approx(expected_p)
    assert swaps.critical(0, 0.05) == pytest.approx(critical_value(null, 0.05))
    assert swaps.critical(1, 0.05) == pytest.approx(critical_value(null[:, 1:], 0.05))


@pytest.mark.parametrize("cells", [1, 300, 5_000])
def test_how_many_swaps_are_scored_at_a_time_does_not_change_the_answer(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = text_samples(40)
    request = SwapRequest(
        alpha=0.1, keep_null=True, margins=np.array([5.0, 5.0]), families=(np.array([0, 1]),)
    )
    options: dict[str, Any] = {"request": request, "n_resamples": 1_500, "rng": 4}
    whole = randomization_test(samples, ((0, 1),), **options)
    monkeypatch.setattr(randomization, "_CELLS", cells)
    parts = randomization_test(samples, ((0, 1),), **options)
    for ask in (Swaps.p_values, Swaps.p_max_t, Swaps.p_above, Swaps.p_below, Swaps.null):
        np.testing.assert_array_equal(ask(parts.swaps), ask(whole.swaps))
    assert parts.swaps.critical(0, 0.05) == whole.swaps.critical(0, 0.05)
    for column in (0, 1):
        for alpha in (0.05, 0.2):
            assert parts.swaps.interval(column, alpha) == whole.swaps.interval(column, alpha)


def test_a_strict_count_leaves_ties_out() -> None:
    sample = mean_sample([1, 2, 3, 5], [0, 3, 1, 1])
    loose, strict = (
        randomization_test((sample,), ((0, 1),), request=SwapRequest(strict=strict))
        for strict in (False, True)
    )
    # Differences 1, -1, 2, 4 of sum 6: without the -1 a swap gives 8, and one of both small ones 6.
    assert loose.p_values[0, 0] == 3 / 8
    assert strict.p_values[0, 0] == 2 / 8


def test_columns_are_pairs_by_metrics() -> None:
    rng = np.random.default_rng(5)
    one, other = (mean_sample(*rng.normal(size=(3, 8))) for _ in range(2))
    pairs = ((1, 0), (2, 0), (2, 1))
    margins = np.arange(1.0, 7.0).reshape(3, 2)
    test = randomization_test(
        (one, other), pairs, request=SwapRequest(margins=margins, scale=margins)
    )
    assert test.differences.shape == test.p_values.shape == (3, 2)
    for p, pair in enumerate(pairs):
        for m, sample in enumerate((one, other)):
            alone = randomization_test((sample,), (pair,))
            column = 2 * p + m
            assert test.differences[p, m] == alone.differences[0, 0]
            assert test.p_values[p, m] == alone.p_values[0, 0]
            assert test.swaps.interval(column, 0.1) == alone.swaps.interval(0, 0.1)
            assert test.swaps.questions.margins[column] == margins[p, m]
            assert test.swaps.questions.scale[column] == margins[p, m]


def test_for_means_the_interval_is_that_of_sign_flips() -> None:
    rng = np.random.default_rng(6)
    documents = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 6, 7, 8])
    a, b = rng.normal(0.5, 1.0, 36), rng.normal(0.0, 1.0, 36)
    sample = mean_sample(a, b).by_document(documents)
    test = randomization_test((sample,), ((0, 1),), request=SwapRequest(alpha=0.1))
    sums, sizes = cluster_sums(a - b, documents), np.arange(1.0, 9.0)
    for alpha in (0.05, 0.2):
        low, high = test.swaps.interval(0, alpha).to_json()
        assert p_at(low - 1e-9, sums, sizes) <= alpha < p_at(low + 1e-9, sums, sizes)
        assert p_at(high + 1e-9, sums, sizes) <= alpha < p_at(high - 1e-9, sums, sizes)
    assert test.p_values[0, 0] == p_at(0.0, sums, sizes)


def test_a_half_without_scores_bounds_nothing() -> None:
    # The first unit has no score of either system: swapping it alone leaves a side empty.
    a, b = np.array([np.nan, 1.0, 2.0, 4.0]), np.array([np.nan, 0.0, 0.0, 0.0])
    test = randomization_test((mean_sample(a, b),), ((0, 1),), request=SwapRequest(alpha=0.4))
    assert test.p_values[0, 0] == p_of_all_signs(np.array([1.0, 2.0, 4.0])) == 0.25
    # Eight patterns: the data and the one that is the same are beyond any bound.
    assert test.swaps.interval(0, 1 / 8).to_json() == [-np.inf, np.inf]
    assert test.swaps.interval(0, 2 / 8).to_json() == [1.0, 4.0]


@pytest.mark.parametrize(
    "name", ["bleu", "chrf", "ter", "mwer", "mper", "gtm", "length", "nist"]
)
def test_no_metric_stumbles_over_an_empty_half(name: str) -> None:
    # Two units, swaps drawn: half of the draws leave one side without any unit.
    corpus = Corpus.build(
        {"A": ["a b c d e", "c d e f"], "B": ["a b d c e", "c d x f"]},
        ["a b c d e", "c d e f"],
    )
    own = metric(name)
    assert isinstance(own, TextMetric)
    sample = Sample(own, ("A", "B"), (1, 1), own.statistics(corpus))
    test = randomization_test(
        (sample,), ((0, 1),), request=SwapRequest(draw=True, alpha=0.45), n_resamples=400, rng=1
    )
    scores = own.score(sample.statistics)
    ends = np.sort(scores[0] - scores[1]).tolist()
    assert test.swaps.interval(0, 0.8).to_json() == pytest.approx(ends)
    assert test.swaps.interval(0, 0.3).to_json() == [-np.inf, np.inf]


def test_progress_is_told() -> None:
    told: list[Any] = []
    sample = mean_sample(np.arange(20.0), np.zeros(20))
    randomization_test(
        (sample,), ((0, 1),), n_resamples=1_500, rng=1, progress=lambda *step: told.append(step)
    )
    assert told[-1] == ("approximate randomization", 2, 2)


# --- What units add to a difference: they add up, leave out, and give intervals that hold a test ---

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
        family = gold_of_small_samples("family")
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
        family = gold_of_small_samples("family")
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


# --- Other tools' p-values, number for number ---

GOLD = "sacrebleu_2.6.0_wmt21_en-de_refA_baseline_Online-W_seed12345"
METRICS = {"bleu": "BLEU", "chrf": "chrF2", "ter": "TER"}


@pytest.fixture(scope="module")
def wmt21() -> tuple[Sample, ...]:
    with np.load(reference_data("data", "multeval", "wmt21_ende_refA_stats.npz")) as stored:
        names = tuple(str(name) for name in stored["systems"])
        return tuple(
            Sample(metric(m), names, (1,) * len(names), stored[m].astype(np.float64))
            for m in METRICS
        )


@pytest.fixture(scope="module")
def gold() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(reference_data("gold", "multeval.json").read_text())
    return content


def test_scores_equal_sacrebleu(wmt21: tuple[Sample, ...], gold: dict[str, Any]) -> None:
    for sample, name in zip(wmt21, METRICS.values(), strict=True):
        for i, system in enumerate(sample.systems):
            assert sample.score(i) == pytest.approx(gold[GOLD][system][name]["score"], abs=1e-9)


@pytest.mark.golden
def test_all_57_randomization_p_values_are_identical(
    wmt21: tuple[Sample, ...], gold: dict[str, Any]
) -> None:
    pairs = tuple((i, 0) for i in range(1, 20))
    found = sacrebleu_p(wmt21, pairs, test="randomization", n_resamples=10_000, seed=12345)
    for p, (system, _) in enumerate(pairs):
        for m, name in enumerate(METRICS.values()):
            expected = gold[GOLD][wmt21[0].systems[system]][name]["p_ar_10000"]
            assert found.p_values[p, m] == expected


@pytest.mark.golden
def test_all_57_bootstrap_p_values_agree_to_the_printed_decimals(
    wmt21: tuple[Sample, ...], gold: dict[str, Any]
) -> None:
    pairs = tuple((i, 0) for i in range(1, 20))
    found = sacrebleu_p(wmt21, pairs, test="bootstrap", n_resamples=1000, seed=12345)
    for p, (system, _) in enumerate(pairs):
        for m, name in enumerate(METRICS.values()):
            expected = gold[GOLD][wmt21[0].systems[system]][name]["p_bs_1000"]
            assert round(found.p_values[p, m], 4) == round(expected, 4)


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_batches_do_not_change_sacrebleus_numbers(
    test: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    sample = mean_sample(rng.integers(0, 9, 45), rng.integers(0, 9, 45))
    whole = sacrebleu_p((sample,), ((0, 1),), test=test, n_resamples=500, seed=7)
    monkeypatch.setattr("detectable.inference.compat._CELLS", 64 * 45)
    split = sacrebleu_p((sample,), ((0, 1),), test=test, n_resamples=500, seed=7)
    assert whole.p_values == split.p_values


def test_both_tools_call_a_copy_significant() -> None:
    scores = np.arange(30.0)
    sample = mean_sample(scores, scores)
    multeval = multeval_p((sample,), ((0, 1),), n_resamples=999, rng=1)
    sacrebleu = sacrebleu_p((sample,), ((0, 1),), test="randomization", n_resamples=999, seed=1)
    assert multeval.p_values[0, 0] == sacrebleu.p_values[0, 0] == 1 / 1000


def test_copied_runs_shrink_multevals_p() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=200), rng.normal(0.12, 1.0, 200)
    once = multeval_p((mean_sample(a, b),), ((0, 1),), n_resamples=2000, rng=1)
    thrice = mean_sample(np.tile(a, (3, 1)), np.tile(b, (3, 1)))
    copied = multeval_p((thrice,), ((0, 1),), n_resamples=2000, rng=1)
    assert copied.p_values[0, 0] < 0.6 * once.p_values[0, 0]


def test_sacrebleu_knows_one_run_only() -> None:
    with pytest.raises(InputError, match="knows one run per system; got several"):
        sacrebleu_p(
            (mean_sample(np.ones((2, 5)), np.ones(5)),),
            ((0, 1),),
            test="bootstrap",
            n_resamples=9,
            seed=1,
        )


def test_multeval_needs_equal_numbers_of_runs() -> None:
    with pytest.raises(InputError, match=r"same number of runs.*\{'S0': 2, 'S1': 1\}"):
        multeval_p((mean_sample(np.ones((2, 5)), np.ones(5)),), ((0, 1),), n_resamples=9, rng=1)


A, B = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0]), np.array([2.0, 6.0, 5.0, 3.0, 5.0, 8.0])


def by_sacrebleus_own_loop(test: str, n_resamples: int, seed: int) -> float:
    """Return the p-value as significance.py of sacreBLEU 2.6 goes about it, line by line."""
    rng = np.random.default_rng(seed)
    observed = abs(B.mean() - A.mean())
    if test == "randomization":
        swap = rng.integers(2, size=(n_resamples, 6), dtype=bool)
        drawn = [abs(np.where(s, A, B).mean() - np.where(s, B, A).mean()) for s in swap]
    else:
        picks = rng.choice(6, size=(n_resamples, 6), replace=True)
        spread = np.array([abs(A[i].mean() - B[i].mean()) for i in picks])
        drawn = list(spread - spread.mean())
    beyond = sum(bool(d > observed + 1e-12) for d in drawn)
    return (beyond + 1) / (n_resamples + 1)


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
@pytest.mark.parametrize("n_resamples", [39, 200])
def test_sacrebleus_rule_on_six_segments(test: Any, n_resamples: int) -> None:
    found = sacrebleu_p(
        (mean_sample(A, B),), ((0, 1),), test=test, n_resamples=n_resamples, seed=7
    )
    assert found.p_values.tolist() == [[by_sacrebleus_own_loop(test, n_resamples, 7)]]
    assert found.seed == "7"


def test_every_rule_that_may_be_asked_for_has_its_warning() -> None:
    from detectable.inference.compat import WARNINGS

    assert set(WARNINGS) == {"multeval", "sacrebleu-randomization", "sacrebleu-bootstrap"}
    assert all(text.startswith("compat='") for text in WARNINGS.values())


@pytest.mark.parametrize("n_resamples", [39, 4_000])
def test_multevals_swaps_are_drawn_however_few_the_sentences(n_resamples: int) -> None:
    found = multeval_p((mean_sample(A, B),), ((0, 1), (1, 0)), n_resamples=n_resamples, rng=7)
    signs = np.array([1 - 2 * ((code >> np.arange(6)) & 1) for code in range(64)])
    share = np.mean(np.abs(signs @ (A - B)) > abs((A - B).sum()))  # strictly: ties do not count
    beyond = found.p_values[:, 0] * (n_resamples + 1) - 1
    assert beyond == pytest.approx(np.rint(beyond))
    error = 4 * (share * (1 - share) / n_resamples) ** 0.5
    assert beyond / n_resamples == pytest.approx(share, abs=error)
    assert found.p_values[0, 0] == found.p_values[1, 0]
    assert found.p_values.shape == (2, 1)
    assert found.seed == "7"


def test_multevals_metrics_keep_their_columns() -> None:
    one, other = mean_sample(A, B), mean_sample(A + np.arange(6), B)
    both = multeval_p((one, other), ((0, 1), (1, 0)), n_resamples=99, rng=1).p_values
    for column, sample in enumerate((one, other)):
        alone = multeval_p((sample,), ((0, 1), (1, 0)), n_resamples=99, rng=1).p_values
        assert both[:, column].tolist() == alone[:, 0].tolist()
    assert both[0, 0] != both[0, 1]
