"""Whole campaigns: raters, some of whom click at random, controls, admission, looks and the stop."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from detectable.core.types import FloatArray
from detectable.study.campaign.looks import campaign_looks
from tests.calibration.effort import Effort, Rates
from tests.study.campaign.simulated import Truth, begin, in_memory, judge

N_MAX, LOOKS = 90, 3
EFFECT = 4.5  # points of 100, where a careful rater's noise has a standard deviation of 10
CARELESS = frozenset({"r-02", "r-05"})  # of six
RULES: dict[str, dict[str, Any] | None] = {
    "all work counts": None,
    "admitted: degraded-paired-t": {"rule": "degraded-paired-t", "pairs": 10},
    "admitted: symmetric": {"rule": "symmetric", "pairs": 10},
}


@dataclass(frozen=True, slots=True)
class Design:
    """A campaign with a rule of admission and a true difference."""

    rule: str
    effect: float = 0.0


def run(design: Design, rng: np.random.Generator) -> FloatArray:
    """Run a campaign; return whether «better», «worse», and the lines at the last look.

    It goes through the store page by page, as a server does, and through the looks of the plan.
    """
    truth = Truth(effects={"new": design.effect, "old": 0.0}, careless=CARELESS)
    seed = int(rng.integers(2**31))
    store = in_memory()
    with tempfile.TemporaryDirectory() as folder:
        begin(
            store,
            Path(folder) / "ship.json",
            truth,
            n_items=2 * N_MAX,
            n_max=N_MAX,
            looks=LOOKS,
            futility="none",
            admission=RULES[design.rule],
            settings={"controls": 0.5, "block": 6, "overlap": 0.0, "rng": seed},
        )
        judge(store, truth, seed=seed)
        looks = campaign_looks(store, "ship")
    store.close()
    end = looks[-1].decision if looks else "continue"
    units = looks[-1].n_units if looks else 0
    return np.array([end == "stop: better", end == "stop: worse", units])


def false_alarms(effort: Effort) -> Rates:
    """Return how often a difference is found where there is none."""
    found = [
        effort.repeat(run, Design(rule), f"campaigns without a difference: {rule}")
        for rule in RULES
    ]
    return Rates(
        f"Whole campaigns, two of six raters click at random, no difference, {LOOKS} looks: "
        "a system is called better",
        tuple(RULES),
        ("false alarms",),
        np.array([[drawn[:, :2].sum(axis=1).mean()] for drawn in found]),
        effort.trials,
    )


def power(effort: Effort) -> Rates:
    """Return how often a true difference is found, and after how many lines."""
    found = [
        effort.repeat(run, Design(rule, EFFECT), f"campaigns with a difference: {rule}")
        for rule in RULES
    ]
    return Rates(
        f"Whole campaigns, two of six raters click at random, {EFFECT:g} points of difference",
        tuple(RULES),
        ("new is better", "old is better", "share of the planned lines"),
        np.array([drawn.mean(axis=0) / (1.0, 1.0, N_MAX) for drawn in found]),
        effort.trials,
        kind="plain",
    )
