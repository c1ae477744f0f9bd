"""A plan as it was frozen, with what it can show and what it takes."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from detectable.core.choices import PlanTest
from detectable.core.result import Result, to_json
from detectable.data.scores.direction import span
from detectable.sequential import boundaries
from detectable.sequential.equivalence import margin_stops
from detectable.study.monitoring.planned import PREFERENCES, UNPAIRED, ZERO_ONE, Planned

# Shares of the scale. ShipData, 3,962 pairs of systems (campaigns of 2 to 6 systems, 100 judgments
# or more of both by the same raters): the differences of an item have standard deviations of 14.9
# points in the median, and below 19.3 in three quarters. Scores of one system: 18.3 in the median,
# 22.7 in three quarters; times the root of 2, two scores of different items differ with 26 and 32.
PAIRED_SHARE, UNPAIRED_SHARE = 0.2, 0.3
# By the ranks of normal scores: 3/π is the asymptotic efficiency of Wilcoxon's tests.
_RANKS = math.sqrt(math.pi / 3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A number without an effect, with one, and at most."""

    no_effect: float | None
    effect: float | None
    most: float | None

    def times(self, factor: float) -> "Expected":
        """Return the same in another unit."""
        parts = (self.no_effect, self.effect, self.most)
        none, with_one, most = (None if p is None else factor * p for p in parts)
        return Expected(no_effect=none, effect=with_one, most=most)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOutlook:
    """What a plan promises if its assumptions are right.

    Attributes
    ----------
    sd : float or None
        Standard deviation of the difference of two outputs that are compared: of one item, or of
        two items of their own for unpaired tests. None for anytime-valid tests.
    effect : float or None
        The true difference at which `power` and `expected_judgments` are stated: the one that was
        given, else `mde`; with a margin no difference.
    power, mde : float or None
        Chance to show the claim; and the smallest true difference at which it is `target_power`.
        With several pairs each is tested as if none were decided yet. Looks are those planned,
        and advice to give up is followed. None where it cannot be said without more knowledge.
    expected_judgments : Expected
        If each output is judged once. With more than two systems only the most is known: which
        of them are needed to the end depends on all.
    cost : Expected or None
    mde_better : float or None
        The detectable effect of a rank-sum test on the scale of its looks, P(better) − ½: it needs no
        standard deviation.
    """

    sd: float | None
    effect: float | None
    power: float | None
    mde: float | None
    target_power: float | None
    expected_judgments: Expected
    cost: Expected | None
    mde_better: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the keys that the plan adds to its own."""
        return {
            "assumed_sd": self.sd,
            "assumed_effect": self.effect,
            "power": self.power,
            "mde": self.mde,
            "expected_judgments": to_json(self.expected_judgments),
            "cost": to_json(self.cost),
            **({} if self.mde_better is None else {"mde_better": self.mde_better}),
        }


def judgments_per_item(test: PlanTest, n_systems: int) -> int:
    """Return how many judgments one item takes: one per system, or one comparison of two."""
    return 1 if test in PREFERENCES else n_systems


def assumed_sd(plan: Planned) -> float:
    """Return the standard deviation that was chosen, or the default for the scale."""
    if plan.sd is not None:
        return plan.sd
    if plan.test in PREFERENCES:
        return 1.0  # every comparison decided, as many wins as losses
    if plan.scale == ZERO_ONE:
        return zero_one_sd(plan.agreement, plan.baseline_accuracy)
    share = UNPAIRED_SHARE if plan.test in UNPAIRED else PAIRED_SHARE
    return share * span(plan.scale)


def zero_one_sd(
    agreement: float | None = None, baseline_accuracy: float | None = None
) -> float:
    r"""Return how much the difference of two answers varies that are right (1) or wrong (0).

    Answers that agree in a share A of the items differ by ±1 in the others, so that with no true
    difference :math:`s = \sqrt{1 - A}`. Where they agree only by chance, and both are right with chance
    p, :math:`s = \sqrt{2 p (1 - p)}`, which is largest for ½.

    References
    ----------
    Miettinen (1968), "The matched pairs design in the case of all-or-none responses", Biometrics
    24(2), 339–352.

    Examples
    --------
    >>> round(zero_one_sd(), 5), round(zero_one_sd(agreement=0.85), 5)
    (0.70711, 0.3873)
    """
    if agreement is not None:
        return math.sqrt(1.0 - agreement)
    share = 0.5 if baseline_accuracy is None else baseline_accuracy
    return math.sqrt(2.0 * share * (1.0 - share))


def outlook(plan: Planned) -> PlanOutlook:
    """Return what a plan can show and what it will take."""
    per_item = judgments_per_item(plan.test, len(plan.systems))
    if plan.anytime or plan.n_max is None:
        most = None if plan.n_max is None else float(plan.n_max * per_item)
        expected = Expected(no_effect=None, effect=None, most=most)
        found = _Found(None, None, None, None, None, None)
    else:
        found = (
            _margin(plan, plan.n_max) if plan.margin is not None else _better(plan, plan.n_max)
        )
        most = float(plan.n_max * per_item)
        two = len(plan.systems) == 2
        expected = Expected(
            no_effect=most * found.share_none if two and found.share_none is not None else None,
            effect=most * found.share if two and found.share is not None else None,
            most=most,
        )
    price = plan.cost_per_judgment
    return PlanOutlook(
        sd=None if plan.anytime else assumed_sd(plan),
        effect=found.effect,
        power=found.power,
        mde=found.mde,
        target_power=found.target,
        expected_judgments=expected,
        cost=None if price is None else expected.times(price),
        mde_better=found.mde_better,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    effect: float | None
    power: float | None
    mde: float | None
    target: float | None
    share_none: float | None  # of the maximum, without an effect
    share: float | None  # with it
    mde_better: float | None = None  # of a rank sum


def _error(plan: Planned, n_max: int) -> float:
    """Return the standard error of the difference at the planned end."""
    ranks = _RANKS if plan.test in ("signed-rank", "rank-sum") else 1.0
    return ranks * assumed_sd(plan) / math.sqrt(n_max)


def _better(plan: Planned, n_max: int) -> _Found:
    design = plan.design_at(plan.alpha / len(plan.pairs))
    error = _error(plan, n_max)
    # With the stops for futility: a look after one is refused unless someone overrules it.
    drift = boundaries.drift_for_power(design.stops, design.power)
    mde, better = drift * error, None
    if plan.test == "rank-sum":
        # The standard error of P(better) with n scores of each system, none equal.
        better = drift * math.sqrt((2.0 * n_max + 1.0) / 12.0) / n_max
    effect = mde if plan.effect is None else abs(plan.effect)
    none, some = boundaries.operating_points(design.stops, np.array([0.0, effect / error]))
    return _Found(
        effect, some.power, mde, design.power, none.expected_n, some.expected_n, better
    )


def _margin(plan: Planned, n_max: int) -> _Found:
    design = plan.design_at(plan.alpha / len(plan.pairs), sided=1, futility="none")
    error = _error(plan, n_max)
    drift = float(plan.margin or 0.0) / error
    both = plan.claim == "equivalent"
    stops = margin_stops(design.information, design.z, drift, both=both)
    effect = plan.effect or 0.0
    mde = (
        None
        if both
        else (boundaries.drift_for_power(design.stops, design.power) - drift) * error
    )
    (power, share), (_, share_none) = (_claims(stops, d) for d in (effect / error, 0.0))
    return _Found(effect, power, mde, design.power, share_none, share)


def _claims(stops: boundaries.Stops, drift: float) -> tuple[float, float]:
    """Return the chance of the claim, and the expected share of the maximum."""
    chances = boundaries.stop_chances(stops, drift)
    share = float((chances.anywhere() @ np.asarray(stops.information))[0])
    return float((chances.up + chances.inside).sum()), share


# --- A plan as it was frozen, with what it can show and what it takes ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Planned):
    """A frozen plan. Make it with `plan`, read it with `read_plan`."""

    def outlook(self) -> PlanOutlook:
        """Return power, detectable effect, expected judgments and cost."""
        return outlook(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan with its outlook, as JSON values."""
        return {**Result.to_dict(self), **self.outlook().to_json()}
