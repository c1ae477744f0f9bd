"""The mean over tasks: limits of MOVER, p-values from them, and how often it is wrong."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from detectable.core.types import IntArray
from detectable.inference.margin_score import MarginScore
from detectable.kernels.distributions import binomial_at_most
from detectable.study.gate.evidence import Evidence
from detectable.study.gate.overall import Mean
from detectable.study.gate.relative import TOP_SHARE, RelativeEvidence
from tests.gold_live import live

ALPHA = 0.05


@cache
def counts(n: int, fixed: int, broken: int) -> Evidence:
    """Return what a task says of which so many answers were mended and broken."""
    new, old = np.zeros(n), np.zeros(n)
    new[:fixed] = 1.0
    old[fixed : fixed + broken] = 1.0
    return Evidence.of(new, old, clusters=None, answers=1.0, zero_one=True, sign=1.0)


@cache
def low(n: int, fixed: int, broken: int) -> float:
    return counts(n, fixed, broken).score.interval(ALPHA).low


@given(
    tables=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=3),
    bound=st.floats(-0.3, 0.3),
)
def test_p_and_limit_are_of_one_test(tables: list[tuple[int, int]], bound: float) -> None:
    parts = tuple(counts(40, *table) for table in tables)
    mean = Mean(parts, (1.0 / len(parts),) * len(parts))
    above, below = mean.p_above(bound), mean.p_below(bound)
    assert above + below == pytest.approx(1.0)
    for level in (0.01, 0.05, 0.2):
        found = mean.interval(level)
        if abs(found.low - bound) > 1e-9:
            assert (found.low > bound) == (above < level)
        if abs(found.high - bound) > 1e-9:
            assert (found.high < bound) == (below < level)


def test_one_task_is_its_own_mean() -> None:
    one = counts(60, 3, 7)
    mean = Mean((one,), (1.0,))
    assert mean.interval(0.05).to_json() == pytest.approx(one.score.interval(0.05).to_json())
    for bound in (-0.2, -0.05, 0.0, 0.1):
        assert mean.p_above(bound) == pytest.approx(one.score.p_above(bound), abs=1e-6)


def test_the_mirror_image() -> None:
    ahead = Mean((counts(50, 8, 3), counts(50, 2, 1)), (0.5, 0.5))
    behind = Mean((counts(50, 3, 8), counts(50, 1, 2)), (0.5, 0.5))
    assert ahead.value == pytest.approx(-behind.value)
    assert ahead.p_above(0.02) == pytest.approx(behind.p_below(-0.02))
    assert ahead.interval(0.05).high == pytest.approx(-behind.interval(0.05).low)


def drawn(
    n: int, agreement: float, difference: float, sims: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return how many answers were mended and broken, in many evaluations."""
    fixed = (1.0 - agreement + difference) / 2.0
    x = rng.multinomial(n, [fixed, 1.0 - agreement - fixed, agreement], size=sims)
    return x[:, 0], x[:, 1]


def limits(tasks: list[tuple[int, np.ndarray, np.ndarray]], weights: np.ndarray) -> np.ndarray:
    """Return the lower limits of the mean in many evaluations."""
    value = down = 0.0
    for (n, fixed, broken), w in zip(tasks, weights, strict=True):
        d = (fixed - broken) / n
        own = np.array(
            [low(n, *pair) for pair in zip(fixed.tolist(), broken.tolist(), strict=True)]
        )
        value, down = value + w * d, down + (w * (d - own)) ** 2
    found: np.ndarray = value - np.sqrt(down)
    return found


# What the cases of gold/live.json are: agreement and differences of their tasks.
SETTINGS = {
    "loss = margin": (0.85, -0.05),
    "loss = margin, few differ": (0.95, -0.05),
    "loss = margin, 10 tasks": (0.9, -0.05),
    "unchanged": (0.85, 0.0),
    "unchanged, few differ": (0.95, 0.0),
    "unchanged, 10 tasks": (0.9, 0.0),
}


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.parametrize("case", SETTINGS)
def test_how_often_a_mean_passes(case: str) -> None:
    (gold,) = live("overall rows", case=case)
    sizes, margin = gold.settings["sizes"], gold.settings["margin"]
    rng, sims = np.random.default_rng(21), 4000
    agreement, difference = SETTINGS[case]
    tasks = [(n, *drawn(n, agreement, difference, sims, rng)) for n in sizes]
    for how, weights in (("macro", np.ones(len(sizes))), ("micro", np.array(sizes))):
        passed = float((limits(tasks, weights / weights.sum()) > -margin).mean())
        within = gold.within
        assert passed == pytest.approx(gold.value[f"{how}, mover"], abs=within), how
        if difference:  # a false pass
            assert passed <= ALPHA + 2.0 * math.sqrt(ALPHA * (1.0 - ALPHA) / sims)


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.parametrize("case", ["unchanged", "one of 10 tasks lost 15 points"])
def test_how_often_a_lost_task_has_its_veto(case: str) -> None:
    (gold,) = live("overall with a veto of tasks", case=case)
    rng, sims, n = np.random.default_rng(22), 4000, 60
    agreement, first = (0.9, 0.0) if case == "unchanged" else (0.85, -0.15)
    tasks = [
        (n, *drawn(n, agreement, first if place == 0 else 0.0, sims, rng))
        for place in range(10)
    ]
    passed = limits(tasks, np.full(10, 0.1)) > -0.05
    p = np.array(
        [
            [
                binomial_at_most(b, b + c, 0.5) if b + c else 1.0
                for b, c in zip(*pair, strict=True)
            ]
            for pair in ((fixed.tolist(), broken.tolist()) for _, fixed, broken in tasks)
        ]
    )
    fails = p.min(axis=0) * 10 <= ALPHA
    within = gold.within
    assert float(passed.mean()) == pytest.approx(gold.value["overall_pass"], abs=within)
    assert float(fails.mean()) == pytest.approx(gold.value["some_task_fails"], abs=within)
    vetoed = float((passed & ~fails).mean())
    assert vetoed == pytest.approx(gold.value["pass_with_veto"], abs=within)


# --- Margins in percent: the score rule on new − (1 + r) old, its interval, and how often it is wrong ---

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


@pytest.mark.slow
@pytest.mark.golden
def test_false_passes_on_streams_with_long_tails() -> None:
    """t alone, t with the bar (both as in gold), and the rule: it holds .05 on all streams."""
    rng, sims = np.random.default_rng(71), 1500
    error = math.sqrt(0.05 * 0.95 / sims)
    for case in live("relative margin, heavy tails"):
        at, value = case.settings, case.value
        n = at["n"]
        new, old = stream(rng, n, at["sd_question"], at["sd_call"], at["tail"], sims=sims)
        d = (1.0 + RISE) * (new - old)  # the true rise is the margin
        mean, spread = d.mean(axis=1), d.std(axis=1, ddof=1)
        by_t = mean / (spread / math.sqrt(n)) < student.ppf(0.05, n - 1)
        squares = np.square(d - mean[:, np.newaxis])
        barred = squares.max(axis=1) / squares.sum(axis=1) > TOP_SHARE
        within = case.within
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
    for case in live("ratio of means"):
        at, value = case.settings, case.value["fieller"]
        tail = 1.0 if at["kind"] == "same shape" else 1.4
        new, old = stream(rng, at["n"], at["sd_question"], at["sd_call"], tail, sims=sims)
        d = at["ratio"] * (new - old)
        t = d.mean(axis=1) / (d.std(axis=1, ddof=1) / math.sqrt(at["n"]))
        critical = student.ppf(0.95, at["n"] - 1)
        within = case.within
        assert (t < -critical).mean() == pytest.approx(value["below"], abs=within), at
        assert (t > critical).mean() == pytest.approx(value["above"], abs=within), at
