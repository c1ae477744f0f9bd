"""The look back: whether past claims had the power to show what was to be expected of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from detectable.core.choices import AccuracyMethod, Prior
from detectable.core.errors import InputError
from detectable.core.types import IntArray
from detectable.inference.sign_test import sign_test_p
from detectable.planning.accuracy import Accuracy
from detectable.study.audit.accuracy_claims import AccuracyClaims
from detectable.study.audit.gain_regression import GainRegression


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """How often two systems are taken to agree: one number, or what other systems did."""

    prior: Prior
    agreement: float | None = None

    def scenario(self, baseline: float, method: AccuracyMethod) -> Accuracy:
        """Return the comparison with a baseline of some accuracy, which must allow it."""
        known: Any = {"prior": self.prior}
        if self.agreement is not None:
            known = {"agreement": self.agreement}
        try:
            return Accuracy(baseline_accuracy=baseline, method=method, **known)
        except InputError as error:
            [said] = known
            raise InputError(
                f"`{said}` must fit every accuracy of the table; got {self}, which says that "
                f"systems disagree more often than they can at an accuracy of {baseline:.4g}. "
                "prior='lachenbruch' fits all between 0 and 1."
            ) from error

    def __str__(self) -> str:
        return self.prior if self.agreement is None else f"{self.agreement:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LookBack:
    """Shares of the past claims of a gain, where a gain was to be expected.

    Attributes
    ----------
    method : str
        McNemar's ``exact`` test, or the ``normal`` formula and χ² of card2020.
    n_claims : int
        Claims of more than the baseline for which the other claims predict a gain.
    powered, underpowered : float
        Share with at least, and with less than, the power asked for if the true gain is the
        predicted one. They add up to 1.
    significant : float
        Share whose claimed gain would have been significant.
    powered_and_significant : float
        Share of both.
    significant_among_powered : float
        Of the powered ones, the significant share; nan where none is powered.
    """

    method: AccuracyMethod
    n_claims: int
    powered: float
    underpowered: float
    significant: float
    powered_and_significant: float
    significant_among_powered: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PastClaim:
    """One claim of a gain; accuracies are fractions.

    Attributes
    ----------
    before, gain : float
        The accuracy that was to beat, and by how much it was beaten.
    predicted : float
        The gain that the other claims let expect; nan where they say nothing.
    power : float
        The chance to show the predicted gain; nan where the claim or its prediction is no gain.
    significant : bool or None
        Whether the claimed gain would have been significant; None where there is no power.
    """

    task: str
    before: float
    gain: float
    predicted: float
    power: float
    significant: bool | None


def past_claims(
    claims: AccuracyClaims,
    regression: GainRegression | None,
    assumption: Assumption,
    *,
    method: AccuracyMethod = "exact",
    alpha: float = 0.05,
    left_out: IntArray | None = None,
) -> tuple[PastClaim, ...]:
    """Return every claim with what was to be expected of it; see `look_back`."""
    predicted = np.full(claims.n_claims, np.nan)
    if regression is not None:
        own = np.arange(claims.n_claims)
        predicted = regression.without(own if left_out is None else left_out)
    found = []
    for row in range(claims.n_claims):
        before, gain = float(claims.before[row]), float(claims.gain[row])
        expected = float(predicted[row])
        power, significant = float("nan"), None
        if expected > 0.0 and gain > 0.0:
            scenario = assumption.scenario(before, method)
            n = int(claims.sizes[row])
            power = float(scenario.closed_form(n, expected, alpha=alpha).power)
            significant = _significant(scenario, n, gain, alpha)
        found.append(
            PastClaim(
                task=claims.tasks[int(claims.task[row])],
                before=before,
                gain=gain,
                predicted=expected,
                power=power,
                significant=significant,
            )
        )
    return tuple(found)


def look_back(
    claims: AccuracyClaims,
    regression: GainRegression,
    assumption: Assumption,
    *,
    method: AccuracyMethod = "exact",
    alpha: float = 0.05,
    power: float = 0.8,
    left_out: IntArray | None = None,
) -> LookBack | None:
    """Ask of each claim whether a gain as large as expected would have been seen.

    The gain to expect of a claim is what a regression on all *other* claims predicts from the
    accuracy to beat and the task: not its own, which would only restate its p-value. Claims of no
    gain, and those for which none is predicted, are left out, as in [1]_. None where no claim
    remains.

    Parameters
    ----------
    left_out : array of int, optional
        Which claim each prediction does without; by default the claim itself. The published code
        of [1]_ leaves out another one, and reports the underpowered share as the powered one.

    References
    ----------
    .. [1] Card et al. (2020), "With little power comes great responsibility", section 3.2.
    """
    rows = past_claims(
        claims, regression, assumption, method=method, alpha=alpha, left_out=left_out
    )
    return summed(rows, method=method, power=power)


def summed(
    claims: tuple[PastClaim, ...], *, method: AccuracyMethod, power: float
) -> LookBack | None:
    """Return the shares of the claims whose power is known; None where there is none."""
    known = [claim for claim in claims if claim.power == claim.power]
    if not known:
        return None
    powered = np.array([claim.power for claim in known]) >= power
    significant = np.array([claim.significant is True for claim in known])
    return LookBack(
        method=method,
        n_claims=len(known),
        powered=float(powered.mean()),
        underpowered=float((~powered).mean()),
        significant=float(significant.mean()),
        powered_and_significant=float((powered & significant).mean()),
        significant_among_powered=(
            float(significant[powered].mean()) if powered.any() else float("nan")
        ),
    )


def _significant(scenario: Accuracy, n: int, gain: float, alpha: float) -> bool:
    """Say whether a gain is significant, with as many disagreements as expected."""
    decided = scenario.disagreement(gain)
    if scenario.method == "normal":
        from scipy.special import ndtri

        return bool(n * gain**2 / decided > float(ndtri(1.0 - 0.5 * alpha)) ** 2)
    disagreements = max(round(decided * n), round(gain * n))
    wins = min(round(0.5 * (disagreements + gain * n)), disagreements)
    return float(sign_test_p(wins, disagreements - wins)) <= alpha
