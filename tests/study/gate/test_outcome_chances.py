"""How often a gate ends how, by formula: the page's tables."""

import numpy as np
import pytest

from detectable.kernels.distributions import normal_below, normal_quantile
from detectable.study.gate.evidence import Evidence, rerun_noise
from detectable.study.gate.result import OutcomeShares
from detectable.study.gate.rows import margin_passable
from detectable.study.gate.self_test import chances_together, outcome_chances
from tests.gold_evals import evals
from tests.study.gate.test_self_test import epochs


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
    from detectable.inference.standard_errors import Estimate
    from detectable.planning.closed_forms import non_inferiority_power

    found = Estimate(0.0, 0.25 / np.sqrt(200), 199.0)
    power = non_inferiority_power(found, 0.05, alpha=0.05)
    assert power == pytest.approx(evals("gate.ni.t_pass_n200"), rel=1e-6)
    passed, failed, undecided = evals("gate.ni.sim_n200")
    assert power == pytest.approx(passed, abs=0.001)
    assert failed == pytest.approx(0.05, abs=0.001)
    assert undecided == pytest.approx(1.0 - power - 0.05, abs=0.001)
    row = Evidence(0.0, 200, 200, found, None, unchanged=False)
    assert margin_passable(row, alpha=0.05, power=power) == pytest.approx(0.05, rel=2e-3)


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
