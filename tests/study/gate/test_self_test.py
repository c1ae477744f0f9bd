"""A/A: what the self-test simulates, and that it decides as the gate does."""

import itertools
from typing import Any

import numpy as np
import pytest

from detectable.core.choices import GateRule
from detectable.data.scores.read_scores import read_scores
from detectable.kernels.distributions import (
    noncentral_t_below,
    normal_below,
    normal_quantile,
    t_quantile,
)
from detectable.study.gate.evidence import Evidence, rerun_noise
from detectable.study.gate.gate import gate
from detectable.study.gate.matching import MatchedTask, match, tally
from detectable.study.gate.result import OutcomeShares
from detectable.study.gate.rows import detectable_loss
from detectable.study.gate.self_test import (
    Repeated,
    chances_together,
    decisions,
    outcome_chances,
    self_test,
)
from tests.gold_evals import evals
from tests.helpers import reference_data
from tests.study.gate.data import answers, sampled, tally_of


def epochs(old: str, new: str) -> tuple[MatchedTask, ...]:
    scores = read_scores(reference_data("data", "evals", "epochs.csv"))
    found = match(tally(scores, old), tally(scores, new), allow_different_items=False)
    return found.tasks


def _task(old: list[float], new: list[float], k: int, **more: Any) -> MatchedTask:
    n = len(old)
    return MatchedTask(
        task="math",
        old=tally_of("math", old, [k] * n),
        new=tally_of("math", new, [k] * n),
        clusters=more.get("clusters"),
    )


@pytest.mark.parametrize("rule", ["non-inferiority", "superiority", "no-regression"])
@pytest.mark.parametrize("kind", ["single", "sampled", "grouped", "scores", "scores grouped"])
def test_it_decides_as_the_gate_does(rule: GateRule, kind: str) -> None:
    """Of every simulated evaluation the same p-values as by `Evidence`."""
    rng = np.random.default_rng(11)
    n, k = 60, 1 if kind == "single" else 4
    zero_one = not kind.startswith("scores")
    new, old = rng.binomial(k, 0.7, (5, n)) / k, rng.binomial(k, 0.75, (5, n)) / k
    new[0] = old[0]  # nothing changed
    clusters = np.arange(n) // 4 if kind.endswith("grouped") else None
    task = _task([k / 2] * n, [k / 2] * n, k, clusters=clusters)
    for sign in (1.0, -1.0):
        row = Repeated(task, 0.1, zero_one, sign)
        found = decisions(row, new, old, rule=rule, alpha=0.05, power=0.8)
        for i in range(5):
            one = Evidence.of(
                new[i],
                old[i],
                clusters=clusters,
                answers=float(k),
                zero_one=zero_one,
                sign=sign,
            )
            assert found.value[i] == pytest.approx(one.value, abs=1e-12)
            assert found.p_margin[i] == pytest.approx(one.p_above(-0.1), rel=1e-9)
            assert found.p_better[i] == pytest.approx(one.p_above(0.0), rel=1e-9)
            assert found.p_worse[i] == pytest.approx(one.p_below(0.0), rel=1e-9)
            if rule == "no-regression":
                loss = detectable_loss(one, alpha=0.05, power=0.8)
                assert bool(found.could_see[i]) is (loss <= 0.1)


def test_holm_is_holm_s() -> None:
    from detectable.inference.multiplicity import holm
    from detectable.study.gate.self_test import _holm_rejected

    p_values = np.random.default_rng(1).random((4, 50)) ** 4
    rejected = _holm_rejected(p_values, 0.05)
    for i in range(50):
        assert rejected[:, i].tolist() == (holm(p_values[:, i]) <= 0.05).tolist()


def test_the_noise_is_that_of_samples_within_questions() -> None:
    task = _task([0, 4, 2, 2, 4, 0], [0, 4, 2, 2, 4, 0], 4)
    noise = rerun_noise(task, zero_one=True)
    # Two questions in three are sure; the others have 2 of 4, a variance of 1/3 each.
    assert noise.variance == pytest.approx(1 / 9)
    assert noise.own
    assert noise.standard_error(task) == pytest.approx(np.sqrt(1 / 9 * 2 / (6 * 4)))
    # Drawn towards the mean, by what samples alone make of the scatter.
    scatter = np.var([0, 1, 0.5, 0.5, 1, 0], ddof=1)
    kept = np.sqrt((scatter - 1 / 9 / 8) / scatter)
    assert noise.levels.tolist() == pytest.approx(
        [0.5 - 0.5 * kept, 0.5 + 0.5 * kept, 0.5, 0.5, 0.5 + 0.5 * kept, 0.5 - 0.5 * kept]
    )


def test_drawn_answers_have_the_mean_and_the_noise() -> None:
    for task in epochs("A", "B"):
        noise = rerun_noise(task, zero_one=True)
        k, n = task.old.samples.astype(np.float64), 4000
        drawn = noise.draw(k, n, np.random.default_rng(1), zero_one=True)
        assert drawn.shape == (n, k.size)
        centre = 0.5 * (task.old.means.mean() + task.new.means.mean())
        assert drawn.mean() == pytest.approx(centre, abs=0.01)  # some levels are cut at 0 and 1
        within = drawn.var(axis=0, ddof=1).mean() * 4
        # Where the systems differ, their mean is less sure than either: a little more noise.
        assert 0.95 * noise.variance < within < 1.15 * noise.variance
        scores = noise.draw(k, n, np.random.default_rng(1), zero_one=False)
        assert scores.var(axis=0, ddof=1).mean() * 4 == pytest.approx(noise.variance, rel=0.02)


def test_single_answers_take_the_noise_of_both_systems() -> None:
    task = _task([1, 1, 0, 0, 1, 1, 1, 1], [1, 0, 0, 1, 1, 1, 1, 1], 1)
    noise = rerun_noise(task, zero_one=True)
    assert not noise.own
    assert noise.variance == pytest.approx(0.5 * 2 / 8)


def test_the_simulation_agrees_with_the_formula_where_that_holds() -> None:
    """One task, many questions, four samples: within four standard errors and the score's steps."""
    found = gate(
        sampled(1500, 4), "old", margin=0.03, self_test=True, n_resamples=2000, rng=5
    ).self_test
    assert found is not None
    for name in ("passed", "failed", "inconclusive"):
        a, b = getattr(found.simulated, name), getattr(found.formula, name)
        assert a == pytest.approx(b, abs=0.01 + 4 * np.sqrt(b * (1 - b) / 2000)), name
    assert found.naive.failed == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(2000))
    assert found.naive.flips == pytest.approx(0.5, abs=0.01)
    assert found.n_simulations == 2000
    assert found.noise == "the samples of each question"


def test_an_unchanged_gate_of_ten_rows_seldom_fails() -> None:
    scores = sampled(60, 4, tasks=[f"t{i}" for i in range(10)])
    found = gate(scores, "old", margin=0.05, self_test=True, n_resamples=2000, rng=6).self_test
    assert found is not None
    assert found.simulated.failed <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)
    assert found.formula.failed == pytest.approx(0.0489, abs=1e-4)
    assert found.naive.failed > 0.99


def test_the_seed_repeats_it_and_is_recorded() -> None:
    first = gate(sampled(40, 2), "old", margin=0.1, self_test=True, n_resamples=300, rng=3)
    assert first == gate(
        sampled(40, 2), "old", margin=0.1, self_test=True, n_resamples=300, rng=3
    )
    assert first.signature.seed == "3"
    other = gate(sampled(40, 2), "old", margin=0.1, self_test=True, n_resamples=300, rng=4)
    assert other.self_test != first.self_test
    fresh = gate(sampled(40, 2), "old", margin=0.1, self_test=True, n_resamples=300)
    again = gate(
        sampled(40, 2),
        "old",
        margin=0.1,
        self_test=True,
        n_resamples=300,
        rng=int(fresh.signature.seed or 0),
    )
    assert fresh == again


def test_the_number_of_simulations_only_adds_to_them() -> None:
    few = gate(
        answers(100, 3, 3), "old", margin=0.1, self_test=True, n_resamples=1024, rng=1
    ).self_test
    more = gate(
        answers(100, 3, 3), "old", margin=0.1, self_test=True, n_resamples=1025, rng=1
    ).self_test
    assert few is not None
    assert more is not None
    counts = [round(test.simulated.passed * test.n_simulations) for test in (few, more)]
    assert counts[1] - counts[0] in (0, 1)


@pytest.mark.parametrize(("n", "passes"), [(59, 0.0), (60, 1.0)])
def test_without_noise_an_unchanged_system_always_ends_alike(n: int, passes: float) -> None:
    found = gate(
        answers(n), "old", margin=0.05, self_test=True, n_resamples=200, rng=1
    ).self_test
    assert found is not None
    assert found.simulated.passed == found.formula.passed == passes
    assert found.simulated.flips == found.formula.flips == 0.0
    assert found.noise.startswith("the difference of both systems")


def test_watched_rows_are_not_simulated() -> None:
    scores = sampled(60, 4, tasks=("a", "b"))
    both = gate(scores, "old", margin=0.1, self_test=True, n_resamples=500, rng=1).self_test
    one = gate(
        scores, "old", margin=0.1, self_test=True, n_resamples=500, rng=1, watch_tasks=["b"]
    ).self_test
    assert both is not None
    assert one is not None
    assert one.formula.passed > both.formula.passed


def test_few_groups_never_pass_in_simulation_either() -> None:
    row = Repeated(_task([2.0] * 8, [2.0] * 8, 4), 0.9, zero_one=True, sign=1.0)
    found = self_test(
        [row],
        rule="non-inferiority",
        alpha=0.05,
        power=0.8,
        n_simulations=100,
        rng=np.random.default_rng(1),
    )
    assert found.simulated.passed == 0.0


def test_questions_that_scatter_no_more_than_chance_are_taken_as_alike() -> None:
    task = _task([1.0, 3.0] * 10, [3.0, 1.0] * 10, 4)  # means are all alike, answers are not
    noise = rerun_noise(task, zero_one=True)
    assert noise.levels.tolist() == pytest.approx([0.5] * 20)
    uneven = _task([2.0, 3.0, 2.0, 1.0] * 5, [2.0, 1.0, 2.0, 2.0] * 5, 4)
    assert np.ptp(rerun_noise(uneven, zero_one=True).levels) == pytest.approx(0.0, abs=1e-12)


def test_only_chances_end_at_zero_and_one() -> None:
    high = MatchedTask(
        task="bleu",
        old=tally_of(
            "bleu", [60.0, 90.0, 20.0], [2, 2, 2], squares=np.array([1801.0, 4051, 201])
        ),
        new=tally_of(
            "bleu", [62.0, 88.0, 20.0], [2, 2, 2], squares=np.array([1923.0, 3873, 201])
        ),
        clusters=None,
    )
    levels = rerun_noise(high, zero_one=False).levels
    assert levels.tolist() == pytest.approx([30.5, 44.5, 10.0], abs=0.1)
    sure = _task([4.0] * 30 + [0.0] * 3, [4.0] * 30 + [1.0] * 3, 4)
    levels = rerun_noise(sure, zero_one=True).levels
    assert (levels.min(), levels.max()) >= (0.0, 0.0)
    assert levels.max() <= 1.0


@pytest.mark.parametrize("zero_one", [True, False])
@pytest.mark.parametrize(("n", "may"), [(9, False), (10, True)])
def test_ten_groups_may_pass(n: int, may: bool, zero_one: bool) -> None:
    rng = np.random.default_rng(1)
    new, old = rng.random((2, n)).round(), rng.random((2, n)).round()
    if not zero_one:
        new = new + rng.normal(0, 0.1, (2, n))
    row = Repeated(_task([1.0] * n, [1.0] * n, 1), 0.5, zero_one=zero_one, sign=1.0)
    found = decisions(row, new, old, rule="non-inferiority", alpha=0.05, power=0.8)
    assert found.may_pass is may


def test_the_formula_of_every_rule() -> None:
    scores = sampled(400, 4)
    cases: tuple[tuple[GateRule, float | None], ...] = (
        ("superiority", None),
        ("no-regression", 0.08),
        ("no-regression", 0.001),
    )
    for rule, margin in cases:
        found = gate(
            scores, "old", rule=rule, margin=margin, self_test=True, n_resamples=600, rng=2
        ).self_test
        assert found is not None
        for name in ("passed", "failed", "inconclusive"):
            a, b = getattr(found.simulated, name), getattr(found.formula, name)
            assert a == pytest.approx(b, abs=0.01 + 4 * np.sqrt(0.05 * 0.95 / 600)), (
                rule,
                name,
            )


def test_rows_that_are_watched_are_not_simulated() -> None:
    """Whoever watches nine rows of ten flips as often as with the tenth alone."""
    scores = sampled(60, 4, tasks=[f"t{i}" for i in range(10)])
    options: Any = {"margin": 0.05, "self_test": True, "n_resamples": 500, "rng": 6}
    watched = gate(scores, "old", watch_tasks=[f"t{i}" for i in range(1, 10)], **options)
    alone = gate(scores.of_task("t0"), "old", **options)
    assert watched.self_test == alone.self_test


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_the_noise_goes_with_the_scale_of_scores(scale: float) -> None:
    old = scale * np.array([1.0, 4.0, 2.0, 8.0])
    task = _task(old.tolist(), old.tolist(), 1)
    noise = rerun_noise(task, zero_one=False)
    assert noise.levels.tolist() == pytest.approx(old.tolist())  # nothing moved, so all is kept
    assert noise.variance == 0.0


@pytest.mark.parametrize("rule", ["non-inferiority", "superiority", "no-regression"])
def test_p_values_at_the_level_itself_decide_as_in_a_gate(rule: GateRule) -> None:
    """Sign tests have few p-values, so that one may be the level."""
    from detectable.study.gate.result import decide
    from detectable.study.gate.self_test import Decisions, _outcomes

    levels = (0.01, 0.05, 0.0501)
    for margin, better, worse in itertools.product(levels, levels, levels):
        one = np.array([margin]), np.array([better]), np.array([worse])
        row = Decisions(np.zeros(1), *one, np.ones(1, dtype=bool), may_pass=True)
        outcome = decide(
            rule, p_margin=margin, p_better=better, p_worse=worse, p_worse_adjusted=worse,
            could_see=True, may_pass=True, alpha=0.05,
        )  # fmt: skip
        names = ("pass", "fail", "inconclusive")
        assert _outcomes([row], rule, 0.05).tolist() == [name == outcome for name in names]


@pytest.mark.parametrize(("margin", "sure"), [(0.05, True), (0.0499, False)])
def test_without_noise_the_rule_of_three_goes_by_groups(margin: float, sure: bool) -> None:
    """Of 60 groups without a change less than 3 / 60 changed."""
    task = _task([1] * 120, [1] * 120, 1, clusters=np.arange(120) % 60)
    row = Repeated(task, margin, True, 1.0)
    found = self_test(
        [row],
        rule="non-inferiority",
        alpha=0.05,
        power=0.8,
        n_simulations=10,
        rng=np.random.default_rng(1),
    )
    assert (found.formula.passed, found.formula.inconclusive) == (float(sure), float(not sure))
    assert found.simulated == found.formula


# --- How often a gate ends how, by formula: the page's tables ---


def _shares(found: OutcomeShares) -> list[float]:
    return [found.passed, found.failed, found.inconclusive]


@pytest.mark.parametrize(
    ("ratio", "unchanged", "at_the_margin", "flips"),
    [
        (1.0, "gate.ni.R1.at0", "gate.ni.R1.atmargin", "gate.ni.R1.flip"),
        (2.0, "gate.ni.R2.at0", "gate.ni.R2.atmargin", "gate.ni.R2.flip"),
        (2.4865, "gate.ni.R2.4865.at0", "gate.ni.R2.4865.atmargin", "gate.ni.R2.4865.flip"),
        (3.0, "gate.ni.R3.at0", "gate.ni.R3.atmargin", "gate.ni.R3.flip"),
        (4.0, "gate.ni.R4.at0", "gate.ni.R4.atmargin", "gate.ni.R4.flip"),
    ],
)
def test_unchanged_systems_and_losses_of_the_margin(
    ratio: float, unchanged: str, at_the_margin: str, flips: str
) -> None:
    at_zero, at_margin = outcome_chances(ratio), outcome_chances(ratio, shift=-ratio)
    assert _shares(at_zero) == pytest.approx(evals(unchanged), abs=6e-7)
    assert _shares(at_margin) == pytest.approx(evals(at_the_margin), abs=6e-7)
    assert at_zero.flips == pytest.approx(evals(flips), rel=1e-6)


def test_the_margin_that_passes_four_times_in_five() -> None:
    factor = normal_quantile(0.95) + normal_quantile(0.8)
    assert factor == pytest.approx(evals("gate.ni.se_for_80"), rel=1e-6)
    assert outcome_chances(factor).passed == pytest.approx(0.8, abs=1e-12)


def test_rules_of_thumb() -> None:
    """«Fail if lower than the baseline by so many standard errors»."""
    for tolerance, key in (
        (0.0, "gate.naive.aa_fail"),
        (0.5, "gate.tolerance0.5.aa_fail"),
        (2.0, "gate.tolerance2.aa_fail"),
    ):
        assert normal_below(-tolerance) == pytest.approx(evals(key), rel=1e-6), key
    for tolerance, key in (
        (0.0, "gate.naive.aa_flip"),
        (0.5, "gate.tolerance0.5.aa_flip"),
        (1.0, "gate.tolerance1.aa_flip"),
        (2.0, "gate.tolerance2.aa_flip"),
    ):
        fails = normal_below(-tolerance)
        shares = OutcomeShares(passed=1 - fails, failed=fails, inconclusive=0.0)
        assert shares.flips == pytest.approx(evals(key), rel=1e-6), key


def test_several_metrics() -> None:
    uncorrected = chances_together([outcome_chances(9.0, rule="superiority")] * 10)
    assert uncorrected.failed == pytest.approx(
        evals("gate.family.false_fail_10_uncorrected"), rel=1e-6
    )
    corrected = chances_together([outcome_chances(1.0, rows=10)] * 10)
    assert corrected.failed == pytest.approx(
        evals("gate.family.false_fail_10_holm_first"), rel=1e-6
    )
    nine = OutcomeShares(passed=0.9, failed=0.0, inconclusive=0.1)
    assert chances_together([nine] * 10).passed == pytest.approx(
        evals("gate.family.pass_all_10_at_90"), rel=1e-6
    )
    each = 0.8**0.1
    assert each == pytest.approx(evals("gate.family.pass_each_needed"), rel=1e-6)
    ratio = normal_quantile(0.95) + normal_quantile(each)
    assert ratio == pytest.approx(evals("gate.family.margin_over_se_10"), rel=1e-6)
    assert chances_together([outcome_chances(ratio)] * 10).passed == pytest.approx(0.8)


def test_reruns_and_ratchets() -> None:
    assert pytest.approx(evals("gate.rerun3_alpha"), rel=1e-6) == 1 - 0.95**3
    best_of = 5 + 1  # the baseline is the maximum of all evaluations so far
    assert 1 - 1 / (best_of + 1) == pytest.approx(evals("gate.ratchet.below_5"), rel=1e-6)


def test_the_standard_error_of_a_rerun() -> None:
    """√(2σ²_w/(nk)) of A on 130 questions with four samples."""
    parts = [rerun_noise(task, zero_one=True) for task in epochs("A", "A")]
    n = [task.old.samples.size for task in epochs("A", "A")]
    pooled = float(np.average([part.variance for part in parts], weights=n))
    assert np.sqrt(2 * pooled / (130 * 4)) == pytest.approx(evals("gate.rerun_se_k4"), rel=1e-6)


def test_superiority_and_no_regression() -> None:
    better = outcome_chances(0.0, rule="superiority")
    assert _shares(better) == pytest.approx([0.05, 0.05, 0.9])
    gain = outcome_chances(0.0, rule="superiority", shift=2.4864749)
    assert gain.passed == pytest.approx(0.8, abs=1e-6)
    sees = outcome_chances(2.4865, rule="no-regression")
    assert _shares(sees) == pytest.approx([0.95, 0.05, 0.0], abs=1e-12)
    blind = outcome_chances(2.4, rule="no-regression")
    assert _shares(blind) == pytest.approx([0.0, 0.05, 0.95], abs=1e-12)


def test_by_t_the_noncentral_distribution_agrees() -> None:
    """gate.ni.t_pass_n200: n = 200, sd .25, margin .05."""
    shift = 0.05 / (0.25 / np.sqrt(200))
    power = 1.0 - noncentral_t_below(t_quantile(0.95, 199.0), 199.0, shift)
    assert power == pytest.approx(evals("gate.ni.t_pass_n200"), rel=1e-6)
    passed, failed, undecided = evals("gate.ni.sim_n200")
    assert power == pytest.approx(passed, abs=0.001)
    assert failed == pytest.approx(0.05, abs=0.001)
    assert undecided == pytest.approx(1.0 - power - 0.05, abs=0.001)


@pytest.mark.parametrize("ratio", [1.0, 2.0, 3.2897, 4.0])
def test_the_chances_of_several_rows_add_up_to_one(ratio: float) -> None:
    one = outcome_chances(ratio)
    for n in (1, 2, 10):
        found = chances_together([one] * n)
        assert found.passed == pytest.approx(one.passed**n)
        assert found.failed == pytest.approx(1.0 - (1.0 - one.failed) ** n)
        assert sum(_shares(found)) == pytest.approx(1.0, abs=1e-15)


def test_no_chance_is_below_zero_by_rounding() -> None:
    """1 − .064 − (1 − (1 − .936)) is −1e-16, which would be shown as −0.0 %."""
    sure = OutcomeShares(passed=0.064, failed=0.936, inconclusive=0.0)
    assert chances_together([sure]).inconclusive == 0.0
