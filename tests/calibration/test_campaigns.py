"""Whole campaigns keep their error rate, and controls are worth their price."""

import math
import os

import numpy as np
import pytest

from tests.calibration import campaigns
from tests.calibration.effort import ALPHA, Effort

ADMITTED = "admitted: degraded-paired-t"
NULL, FOUND = f"campaigns without a difference: {ADMITTED}", "campaigns with a difference: "


@pytest.mark.slow
def test_a_few_campaigns_find_what_there_is_and_nothing_else() -> None:
    """6 without a difference, at most three standard errors of .089 above .05: 1 alarm."""
    null = Effort(6, seed=3).repeat(campaigns.run, campaigns.Design(ADMITTED), NULL)
    error = math.sqrt(ALPHA * (1.0 - ALPHA) / 6)
    assert null[:, :2].sum(axis=1).mean() <= ALPHA + 3.0 * error
    assert (
        null[:, 2] == campaigns.N_MAX
    ).mean() > 0.5  # without a difference it goes to the end
    large = campaigns.Design(ADMITTED, effect=12.0)
    found = Effort(3, seed=3).repeat(campaigns.run, large, f"{FOUND}{ADMITTED}")
    assert found[:, 0].all()
    assert found[:, 2].max() < campaigns.N_MAX  # and before the end


@pytest.mark.slow
def test_false_alarms_of_whole_campaigns() -> None:
    """1,000 campaigns, standard error .0069; two of them are allowed."""
    effort = Effort(1000, n_jobs=os.cpu_count() or 1)
    drawn = effort.repeat(campaigns.run, campaigns.Design(ADMITTED), NULL)
    alarms = drawn[:, :2].sum(axis=1).mean()
    assert alarms == pytest.approx(ALPHA, abs=2.0 * math.sqrt(ALPHA * (1.0 - ALPHA) / 1000))
    # Which system is called better is a coin: no system gains by the rule of admission.
    up, down = drawn[:, :2].sum(axis=0)
    assert abs(up - down) <= 3.0 * math.sqrt(up + down)


@pytest.mark.slow
def test_controls_more_than_double_the_power() -> None:
    """200 campaigns each, standard error of a share at most .035."""
    found = campaigns.power(Effort(200, n_jobs=os.cpu_count() or 1))
    everything, admitted, symmetric = found.shares[:, 0]
    assert min(admitted, symmetric) > 2.0 * everything
    assert np.all(found.shares[:, 1] < 0.03)
