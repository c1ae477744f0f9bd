"""How often a gate ends how, by formula: the page's tables."""

import json

import numpy as np
import pytest

from detectable.kernels.distributions.normal import normal_below, normal_quantile
from detectable.study.gate.evidence import Evidence
from detectable.study.gate.outcome_chances import chances_together, outcome_chances
from detectable.study.gate.passable import margin_passable
from detectable.study.gate.rerun_noise import rerun_noise
from detectable.study.gate.self_test_result import OutcomeShares
from tests.helpers import reference_data
from tests.study.gate.test_self_test import epochs

RATIOS = (1.0, 2.0, 2.4865, 3.0, 4.0)


def gold(key: str) -> "float | list[float]":
    values = json.loads(reference_data("gold", "evals.json").read_text())["values"]
    found: float | list[float] = values[f"gate.{key}"]["value"]
    return found


def _shares(found: OutcomeShares) -> list[float]:
    return [found.passed, found.failed, found.inconclusive]


@pytest.mark.parametrize("ratio", RATIOS)
def test_unchanged_systems_and_losses_of_the_margin(ratio: float) -> None:
    at_zero, at_margin = outcome_chances(ratio), outcome_chances(ratio, shift=-ratio)
    name = f"ni.R{ratio:g}"
    assert _shares(at_zero) == pytest.approx(gold(f"{name}.at0"), abs=6e-7)
    assert _shares(at_margin) == pytest.approx(gold(f"{name}.atmargin"), abs=6e-7)
    assert at_zero.flips == pytest.approx(gold(f"{name}.flip"), rel=1e-6)


def test_the_margin_that_passes_four_times_in_five() -> None:
    factor = normal_quantile(0.95) + normal_quantile(0.8)
    assert factor == pytest.approx(gold("ni.se_for_80"), rel=1e-6)
    assert outcome_chances(factor).passed == pytest.approx(0.8, abs=1e-12)


def test_rules_of_thumb() -> None:
    """«Fail if lower than the baseline by so many standard errors»."""
    for tolerance, name in ((0.0, "naive"), (0.5, "tolerance0.5"), (2.0, "tolerance2")):
        fails = normal_below(-tolerance)
        assert fails == pytest.approx(gold(f"{name}.aa_fail"), rel=1e-6)
        shares = OutcomeShares(passed=1 - fails, failed=fails, inconclusive=0.0)
        assert shares.flips == pytest.approx(gold(f"{name}.aa_flip"), rel=1e-6)
    one = OutcomeShares(passed=normal_below(1.0), failed=normal_below(-1.0), inconclusive=0.0)
    assert one.flips == pytest.approx(gold("tolerance1.aa_flip"), rel=1e-6)


def test_several_metrics() -> None:
    uncorrected = chances_together([outcome_chances(9.0, rule="superiority")] * 10)
    assert uncorrected.failed == pytest.approx(
        gold("family.false_fail_10_uncorrected"), rel=1e-6
    )
    corrected = chances_together([outcome_chances(1.0, rows=10)] * 10)
    assert corrected.failed == pytest.approx(gold("family.false_fail_10_holm_first"), rel=1e-6)
    nine = OutcomeShares(passed=0.9, failed=0.0, inconclusive=0.1)
    assert chances_together([nine] * 10).passed == pytest.approx(
        gold("family.pass_all_10_at_90"), rel=1e-6
    )
    each = 0.8**0.1
    assert each == pytest.approx(gold("family.pass_each_needed"), rel=1e-6)
    ratio = normal_quantile(0.95) + normal_quantile(each)
    assert ratio == pytest.approx(gold("family.margin_over_se_10"), rel=1e-6)
    assert chances_together([outcome_chances(ratio)] * 10).passed == pytest.approx(0.8)


def test_reruns_and_ratchets() -> None:
    assert pytest.approx(gold("rerun3_alpha"), rel=1e-6) == 1 - 0.95**3
    best_of = 5 + 1  # the baseline is the maximum of all evaluations so far
    assert 1 - 1 / (best_of + 1) == pytest.approx(gold("ratchet.below_5"), rel=1e-6)


def test_the_standard_error_of_a_rerun() -> None:
    """√(2σ²_w/(nk)) of A on 130 questions with four samples."""
    parts = [rerun_noise(task, zero_one=True) for task in epochs("A", "A")]
    n = [task.old.samples.size for task in epochs("A", "A")]
    pooled = float(np.average([part.variance for part in parts], weights=n))
    assert np.sqrt(2 * pooled / (130 * 4)) == pytest.approx(gold("rerun_se_k4"), rel=1e-6)


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
    from detectable.inference.delta import Estimate
    from detectable.planning.non_inferiority import non_inferiority_power

    found = Estimate(0.0, 0.25 / np.sqrt(200), 199.0)
    power = non_inferiority_power(found, 0.05, alpha=0.05)
    assert power == pytest.approx(gold("ni.t_pass_n200"), rel=1e-6)
    passed, failed, _ = gold("ni.sim_n200")  # type: ignore[misc]
    assert power == pytest.approx(passed, abs=0.001)
    assert failed == pytest.approx(0.05, abs=0.001)
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
