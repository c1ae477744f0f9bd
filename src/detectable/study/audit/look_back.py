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
    own = np.arange(claims.n_claims)
    predicted = regression.without(own if left_out is None else left_out)
    rows = np.flatnonzero((predicted > 0.0) & (claims.gain > 0.0))
    if not rows.size:
        return None
    powers, shown = [], []
    for row in rows.tolist():
        scenario = assumption.scenario(float(claims.before[row]), method)
        n = int(claims.sizes[row])
        powers.append(scenario.closed_form(n, float(predicted[row]), alpha=alpha).power)
        shown.append(_significant(scenario, n, float(claims.gain[row]), alpha))
    powered, significant = np.array(powers) >= power, np.array(shown)
    return LookBack(
        method=method,
        n_claims=int(rows.size),
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
