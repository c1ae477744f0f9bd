"""Margins in percent: the score rule on new − (1 + r) old, its interval, and how often it is wrong."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from detectable.core.types import IntArray
from detectable.inference.margin_score import MarginScore
from detectable.study.gate.relative import TOP_SHARE, RelativeEvidence
from tests.helpers import reference_data

RISE = 0.1  # r


def evidence(
    new: np.ndarray, old: np.ndarray, sign: float = -1.0, clusters: IntArray | None = None
) -> RelativeEvidence:
    return RelativeEvidence.of(new, old, clusters, sign, "latency")


def stream(
    rng: np.random.Generator,
    n: int,
    question: float,
    call: float,
    tail: float,
    *,
    sims: int = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Return new and old latencies of one mean: lognormal, the new with the longer tail."""
    common = rng.normal(0.0, question, (sims, n))
    own = call * tail
    new = np.exp(common + rng.normal(0.0, own, (sims, n)) - own**2 / 2.0)
    return new, np.exp(common + rng.normal(0.0, call, (sims, n)) - call**2 / 2.0)


@given(seed=st.integers(0, 10_000), share=st.floats(0.02, 0.4))
def test_interval_and_p_are_of_one_test(seed: int, share: float) -> None:
    new, old = (one[0] for one in stream(np.random.default_rng(seed), 40, 0.5, 0.3, 1.0))
    for sign in (1.0, -1.0):
        found = evidence(new, old, sign)
        interval = found.interval(0.05)
        assert (interval.low > -share) == (found.p_above(-share) < 0.05)
        assert (interval.high < share) == (found.p_below(share) < 0.05)
        assert interval.low < found.value < interval.high


def test_scaling_both_changes_nothing() -> None:
    new, old = (one[0] for one in stream(np.random.default_rng(1), 60, 0.5, 0.3, 1.0))
    first, second = evidence(new, old), evidence(1000.0 * new, 1000.0 * old)
    assert second.value == pytest.approx(first.value)
    assert second.p_above(-RISE) == pytest.approx(first.p_above(-RISE))
    assert second.interval(0.05).to_json() == pytest.approx(first.interval(0.05).to_json())


def test_at_no_change_it_is_the_test_of_the_differences() -> None:
    new, old = (one[0] for one in stream(np.random.default_rng(2), 60, 0.5, 0.3, 1.0))
    plain = MarginScore.of_scale(old - new, None, kind="dense", length=1.0)
    assert evidence(new, old).p_above(0.0) == pytest.approx(plain.p_above(0.0))


def test_groups_of_questions_count_as_such() -> None:
    new, old = (one[0] for one in stream(np.random.default_rng(3), 40, 0.5, 0.3, 1.0))
    twice = evidence(np.repeat(new, 2), np.repeat(old, 2), clusters=np.repeat(np.arange(40), 2))
    once = evidence(new, old)
    assert twice.n_clusters == 40
    assert twice.p_above(-RISE) == pytest.approx(once.p_above(-RISE), abs=1e-9)


def test_where_the_old_mean_is_not_clear_of_zero_the_interval_is_open() -> None:
    old = np.array([0.0] * 19 + [5.0])
    new = np.array([1.0] * 20)
    assert math.isinf(
        evidence(new, old).interval(0.05).low
    )  # higher is worse: no end to the rise


def test_an_unchanged_system_passes_what_it_could_pass() -> None:
    rng = np.random.default_rng(4)
    news, olds = stream(rng, 200, 0.5, 0.3, 1.0, sims=300)
    shares = [
        evidence(new, old).passable(0.05, 0.8) for new, old in zip(news, olds, strict=True)
    ]
    share = float(np.median(shares))
    passed = np.mean(
        [
            evidence(new, old).p_above(-share) <= 0.05
            for new, old in zip(news, olds, strict=True)
        ]
    )
    assert passed == pytest.approx(0.8, abs=4.0 * math.sqrt(0.16 / 300))


def gold(section: str) -> list[dict[str, Any]]:
    text = reference_data("gold", "live.json").read_text(encoding="utf-8")
    return [one for one in json.loads(text)["entries"] if one["section"] == section]


@pytest.mark.slow
@pytest.mark.golden
def test_false_passes_on_streams_with_long_tails() -> None:
    """t alone, t with the bar (both as in gold), and the rule: it holds .05 on all streams."""
    rng, sims = np.random.default_rng(71), 1500
    error = math.sqrt(0.05 * 0.95 / sims)
    for case in gold("relative margin, heavy tails"):
        at, value = case["settings"], case["value"]
        n = at["n"]
        new, old = stream(rng, n, at["sd_question"], at["sd_call"], at["tail"], sims=sims)
        d = (1.0 + RISE) * (new - old)  # the true rise is the margin
        mean, spread = d.mean(axis=1), d.std(axis=1, ddof=1)
        by_t = mean / (spread / math.sqrt(n)) < student.ppf(0.05, n - 1)
        squares = np.square(d - mean[:, np.newaxis])
        barred = squares.max(axis=1) / squares.sum(axis=1) > TOP_SHARE
        within = case["tolerance"]["shares_within"]
        assert by_t.mean() == pytest.approx(value["false_pass"], abs=within), at
        assert barred.mean() == pytest.approx(value["noted_0.2"], abs=within), at
        unnoted = (by_t & ~barred).mean()
        assert unnoted == pytest.approx(value["false_pass_unnoted_0.2"], abs=within), at
        found = [
            evidence((1.0 + RISE) * one, two)
            for one, two, kept in zip(new, old, ~barred, strict=True)
            if kept
        ]
        passed = sum(one.p_above(-RISE) <= 0.05 for one in found) / sims
        assert passed <= 0.05 + 2.0 * error, at
        assert all(one.top_share(RISE) <= TOP_SHARE for one in found[:20])


@pytest.mark.slow
@pytest.mark.golden
def test_fieller_s_set_is_what_t_on_the_differences_inverts() -> None:
    """The coverage of gold, by the very t tests that the rule takes the place of."""
    rng, sims = np.random.default_rng(72), 6000
    for case in gold("ratio of means"):
        at, value = case["settings"], case["value"]["fieller"]
        tail = 1.0 if at["kind"] == "same shape" else 1.4
        new, old = stream(rng, at["n"], at["sd_question"], at["sd_call"], tail, sims=sims)
        d = at["ratio"] * (new - old)
        t = d.mean(axis=1) / (d.std(axis=1, ddof=1) / math.sqrt(at["n"]))
        critical = student.ppf(0.95, at["n"] - 1)
        within = case["tolerance"]["shares_within"]
        assert (t < -critical).mean() == pytest.approx(value["below"], abs=within), at
        assert (t > critical).mean() == pytest.approx(value["above"], abs=within), at
