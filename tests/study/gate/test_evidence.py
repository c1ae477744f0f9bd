"""What a row rests on: the score method for 0/1 scores, t for others."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from detectable.core.types import FloatArray, IntArray
from detectable.data.scores.read_scores import read_scores
from detectable.inference.shares import PairedShares
from detectable.inference.standard_errors import cluster_mean
from detectable.kernels.distributions import t_quantile
from detectable.study.gate.evidence import Evidence
from detectable.study.gate.result import decide
from detectable.study.gate.rows import margin_passable, questions_needed
from tests.gold_evals import evals
from tests.helpers import reference_data


def found(
    new: FloatArray | list[float],
    old: FloatArray | list[float],
    *,
    clusters: IntArray | None = None,
    answers: float = 1.0,
    zero_one: bool = True,
    sign: float = 1.0,
) -> Evidence:
    return Evidence.of(
        np.asarray(new, dtype=float),
        np.asarray(old, dtype=float),
        clusters=clusters,
        answers=answers,
        zero_one=zero_one,
        sign=sign,
    )


def counts(n: int, broken: int, fixed: int) -> Evidence:
    new, old = np.ones(n), np.ones(n)
    new[:broken], old[broken : broken + fixed] = 0.0, 0.0
    return found(new, old)


def test_the_reference_page_s_example_by_t() -> None:
    """gate.example: the t numbers of the page, which its layout was printed with."""
    scores = read_scores(reference_data("data", "evals", "epochs.csv"))
    for task, (value, low, high, outcome, passable) in evals("gate.example").items():
        part = scores.of_task(task)
        groups = np.unique(part.documents or (), return_inverse=True)[1]
        means = part.averaged().systems
        row = found(means["B"][0], means["A"][0], clusters=groups, answers=4.0, zero_one=False)
        by_t = row.estimate.interval(0.9)
        assert (row.value, by_t.low, by_t.high) == pytest.approx((value, low, high), abs=6e-5)
        factor = sum(t_quantile(level, row.estimate.df) for level in (0.95, 0.8))
        assert factor * row.estimate.standard_error == pytest.approx(passable, abs=6e-5)
        assert (row.estimate.p_above(-0.05) <= 0.05) == (outcome == "pass")
        # The score rule is a little wider.
        interval = row.interval(0.05)
        assert interval.low < by_t.low < by_t.high < interval.high
        # The fewer groups, the more: with 10 of them mass may lie at twice the largest deviation.
        assert margin_passable(row, alpha=0.05, power=0.8) > passable


def test_zero_one_scores_go_by_tango() -> None:
    row = counts(200, 6, 2)
    tango = PairedShares(2, 6, 200)
    assert row.is_exact
    assert row.df == math.inf
    assert row.value == pytest.approx(-0.02)
    assert row.p_above(-0.05) == pytest.approx(tango.noninferiority_p(0.05), rel=1e-12)
    assert row.interval(0.05).low == pytest.approx(tango.interval(0.9).low)
    assert row.standard_error == pytest.approx(math.sqrt((8 / 200 - 0.02**2) / 200))


def test_against_zero_single_answers_are_counted() -> None:
    row = counts(100, 7, 1)
    assert row.p_below(0.0) == pytest.approx(9 / 256)  # at most one of eight is a win
    assert row.p_above(0.0) == pytest.approx(255 / 256)


def test_the_interval_agrees_with_the_exact_test() -> None:
    row = counts(100, 4, 0)  # Tango's 90 % interval excludes 0, the exact p is 1/16
    assert PairedShares(0, 4, 100).interval(0.9).high < 0.0 < 0.05 < row.p_below(0.0)
    assert row.interval(0.05).high == 0.0


def test_lower_is_better_turns_the_difference() -> None:
    new, old = np.array([1.0] * 6 + [0.0] * 94), np.zeros(100)
    up, down = found(new, old), found(new, old, sign=-1.0)
    assert down.value == pytest.approx(-up.value) == pytest.approx(-0.06)
    assert down.p_below(0.0) == up.p_above(0.0)
    assert down.interval(0.05).low == pytest.approx(-up.interval(0.05).high)
    scores = found(new + 0.5, old, zero_one=False, sign=-1.0)
    assert scores.value == pytest.approx(-0.56)


def test_without_a_change_the_rule_of_three_speaks() -> None:
    for n, passes in ((59, False), (60, True)):
        row = counts(n, 0, 0)
        assert row.unchanged
        assert (row.p_above(-0.05) <= 0.05) is passes
        # Tango alone would pass 52 questions already.
        assert PairedShares(0, 0, n).noninferiority_p(0.05) < 0.05
    interval = counts(60, 0, 0).interval(0.05)
    assert (interval.low, interval.high) == pytest.approx((-0.04993, 0.04993), abs=1e-5)
    assert margin_passable(counts(60, 0, 0), alpha=0.05, power=0.8) == pytest.approx(
        0.04993, 1e-3
    )
    assert questions_needed(counts(60, 0, 0), 0.02, alpha=0.05, power=0.8) == 150
    assert counts(60, 0, 0).p_below(0.0) == counts(60, 0, 0).p_above(0.0) == 1.0


def test_the_rule_of_three_counts_groups() -> None:
    row = found(np.ones(300), np.ones(300), clusters=np.arange(300) // 10)
    assert row.n_clusters == 30
    assert row.p_above(-0.05) == pytest.approx(math.exp(-30 * 0.05))


def test_equal_differences_of_other_scores_say_nothing() -> None:
    row = found([0.3, 0.5, 0.7] * 20, [0.2, 0.4, 0.6] * 20, zero_one=False)
    assert row.unchanged
    assert not row.speaks
    assert row.p_above(-0.5) == row.p_below(0.0) == 1.0
    assert math.isnan(row.interval(0.05).low)
    assert math.isnan(margin_passable(row, alpha=0.05, power=0.8))
    assert questions_needed(row, 0.05, alpha=0.05, power=0.8) is None


def test_answers_that_all_turned_are_known_well() -> None:
    row = found(np.ones(50), np.zeros(50))
    assert row.unchanged
    assert row.p_above(-0.05) < 1e-6
    assert row.p_above(0.0) < 1e-6


@pytest.mark.parametrize("zero_one", [True, False])
def test_one_group_says_nothing(zero_one: bool) -> None:
    row = found([1.0, 0.0, 1.0], [0.0, 0.0, 1.0], clusters=np.zeros(3, int), zero_one=zero_one)
    assert row.n_clusters == 1
    assert not row.speaks
    assert row.p_above(-0.5) == 1.0
    assert math.isnan(row.interval(0.05).low)


def test_swapping_the_systems_mirrors_everything() -> None:
    rng = np.random.default_rng(2)
    new, old = rng.binomial(4, 0.7, 40) / 4, rng.binomial(4, 0.6, 40) / 4
    up, down = found(new, old, answers=4.0), found(old, new, answers=4.0)
    assert up.p_above(-0.1) == pytest.approx(down.p_below(0.1))
    assert up.interval(0.05).low == pytest.approx(-down.interval(0.05).high)


def test_groups_widen_the_standard_error() -> None:
    new, old = np.ones(60), np.ones(60)
    new[:12] = 0.0  # whole groups are broken
    groups = np.arange(60) // 6
    row = found(new, old, clusters=groups)
    shares = PairedShares.of(new, old, groups)
    effective = 60 / shares.design_effect
    assert shares.design_effect > 2.0
    assert row.standard_error == pytest.approx(math.sqrt((0.2 - 0.2**2) / effective))
    assert row.standard_error > found(new, old).standard_error


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.parametrize(
    ("n", "difference", "key"),
    [
        (20, -0.05, "gate.sim01.n20.atmargin"),
        (50, -0.05, "gate.sim01.n50.atmargin"),
        (50, 0.0, "gate.sim01.n50.zero"),
        (100, 0.0, "gate.sim01.n100.zero"),
        (200, -0.05, "gate.sim01.n200.atmargin"),
        (200, 0.0, "gate.sim01.n200.zero"),
        (500, -0.05, "gate.sim01.n500.atmargin"),
    ],
)
def test_what_t_would_do_with_right_or_wrong_answers(
    n: int, difference: float, key: str
) -> None:
    """gate.sim01: 200,000 draws there, all outcomes with their chances here; a spread of 0 is open.

    A fifth of the answers differ, so p and q = .1 ± half of the difference. Only what has a chance
    above 1e-9 is looked at.
    """
    margin = 0.05
    gain, loss = 0.1 + 0.5 * difference, 0.1 - 0.5 * difference
    passed = failed = 0.0
    for up in range(n + 1):
        p_up = float(binom.pmf(up, n, gain))
        for down in range(n + 1 - up) if p_up > 1e-9 else ():
            chance = p_up * float(binom.pmf(down, n - up, loss / (1.0 - gain)))
            if chance <= 1e-9:
                continue
            scores = np.repeat([1.0, -1.0, 0.0], [up, down, n - up - down])
            one = cluster_mean(scores)
            spread = one.standard_error > 0.0
            outcome = decide(
                "non-inferiority",
                p_margin=one.p_above(-margin) if spread else 1.0,
                p_better=one.p_above(0.0) if spread else 1.0,
                p_worse=one.p_below(0.0) if spread else 1.0,
                p_worse_adjusted=one.p_below(0.0) if spread else 1.0,
                could_see=False,
                may_pass=True,
                alpha=0.05,
            )
            passed += chance * (outcome == "pass")
            failed += chance * (outcome == "fail")
    for got, simulated in zip((passed, failed), evals(key), strict=True):
        error = math.sqrt(got * (1.0 - got) / 200_000)
        assert simulated == pytest.approx(got, abs=3.0 * error + 5e-5)  # and its rounding


@pytest.mark.parametrize("fixed", [0, 1, 30])
def test_the_standard_error_of_shares_is_that_of_their_difference(fixed: int) -> None:
    """Of n differences of −1, 0 and 1, however few are not 0."""
    row = counts(400, 0, fixed)
    differences = np.repeat([1.0, 0.0], [fixed, 400 - fixed])
    assert row.standard_error == pytest.approx(differences.std() / 20.0, abs=1e-15)


def test_scores_on_a_tiny_scale_speak_as_on_any_other() -> None:
    rng = np.random.default_rng(2)
    new, old = rng.normal(0.0, 1.0, (2, 50))
    plain = found(new, old, zero_one=False)
    tiny = found(1e-6 * new, 1e-6 * old, zero_one=False)
    assert tiny.speaks
    assert tiny.p_above(0.0) == pytest.approx(plain.p_above(0.0), rel=1e-9)
    assert tiny.interval(0.05).low == pytest.approx(1e-6 * plain.interval(0.05).low, rel=1e-9)
