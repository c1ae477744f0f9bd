"""Equivalence and non-inferiority with looks: false claims at the margin itself."""

import math
from pathlib import Path

import numpy as np
import pytest

from detectable.sequential.look_boundary import look_boundaries
from detectable.sequential.look_statistic import paired_mean
from detectable.study.monitoring.look_tests import margin_claim
from tests.study.monitoring.plan_tables import new_plan


@pytest.mark.slow
@pytest.mark.parametrize(("claim", "truth"), [("equivalent", 2.0), ("non-inferior", -2.0)])
def test_false_claims_at_the_margin(tmp_path: Path, claim: str, truth: float) -> None:
    frozen = new_plan(tmp_path, 200, claim=claim, margin=2.0)
    sizes = (40, 80, 120, 160, 200)
    one_sided = frozen.design_at(0.05, sided=1, futility="none")
    bounds = look_boundaries(one_sided, [n / 200 for n in sizes]).z
    rng = np.random.default_rng(6)
    runs, wrong = 6000, 0
    for _ in range(runs):
        d = rng.normal(truth, 8.0, 200)
        wrong += any(
            margin_claim(frozen, paired_mean(d[:n]), bound) is not None
            for n, bound in zip(sizes, bounds, strict=True)
        )
    error = math.sqrt(0.05 * 0.95 / runs)
    assert wrong / runs <= 0.05 + 2.5 * error
    assert wrong / runs >= 0.04  # it is not merely timid: with this margin the end is in reach
