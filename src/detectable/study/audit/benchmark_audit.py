"""What a benchmark can still show, how large a gain to expect, and whether past claims had the power."""

import math
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.choices import AccuracyMethod, Prior, words
from detectable.core.errors import InputError
from detectable.core.result import ADDED, Result, Signature
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.inference.classic_tests import sign_test_p
from detectable.planning.accuracy import Accuracy, AgreementRegression, agreement_prior
from detectable.planning.ask import mde
from detectable.study.audit.leaderboard_pairs import TwoSets
from detectable.study.audit.survey_audit import AccuracyClaims, AccuracyUnit

_SURE = 1e-9  # a claim whose leverage is this close to 1 cannot be predicted from the others
_SAME = 1e-12  # gains are differences of fractions, which round to about 1e-16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GainRegression:
    """Least squares of the gain on the accuracy before and a level for each task.

    Attributes
    ----------
    slope : float
        Of the gain on the accuracy to beat.
    levels : tuple of float
        What the gain of each task would be at accuracy 0.
    r_squared : float
        Share of the variance of gains that it explains.
    """

    slope: float
    levels: tuple[float, ...]
    r_squared: float
    fitted: FloatArray = field(repr=False)
    rest: FloatArray = field(repr=False)
    hat: FloatArray = field(repr=False)  # (claims, claims)

    def predict(self, task: int, before: float) -> float:
        """Return the gain to expect on a task; nan where it has no claim."""
        return self.levels[task] + self.slope * before

    def without(self, left_out: IntArray) -> FloatArray:
        r"""Return the prediction of each claim from all claims but one.

        Leaving out claim j moves the fit of claim i by :math:`-h_{ij} e_j / (1 - h_{jj})`, with e
        the residuals and h the hat matrix, so nothing is fitted again [1]_.

        Parameters
        ----------
        left_out : array of int
            The claim that each prediction does without; −1 leaves out none. Itself, for
            leave-one-out. Where the others say nothing about the claim, the prediction is nan.

        References
        ----------
        .. [1] Cook and Weisberg (1982), Residuals and Influence in Regression, section 2.2.
        """
        rows, some = np.arange(left_out.size), left_out >= 0
        j = np.where(some, left_out, 0)
        free = 1.0 - self.hat[j, j]
        sure = free < _SURE
        moved = self.hat[rows, j] * self.rest[j] / np.where(sure, 1.0, free)
        alone = sure & some & (np.abs(self.hat[rows, j]) > _SURE)
        predicted: FloatArray = self.fitted - np.where(some & ~sure, moved, 0.0)
        predicted[alone] = np.nan
        return predicted


def fit_gains(claims: AccuracyClaims) -> GainRegression | None:
    """Return the regression, or None where the claims are too few or too much alike for one."""
    present = np.unique(claims.task)
    if claims.n_claims < present.size + 2:
        return None
    design = np.column_stack(
        [claims.before, *((claims.task == task).astype(np.float64) for task in present)]
    )
    if np.linalg.matrix_rank(design) < design.shape[1]:
        return None
    basis, _ = np.linalg.qr(design)
    line = np.linalg.lstsq(design, claims.gain, rcond=None)[0]
    fitted = design @ line
    rest = claims.gain - fitted
    if float(np.ptp(claims.gain)) < _SAME:
        return None
    total = float(np.square(claims.gain - claims.gain.mean()).sum())
    levels = np.full(len(claims.tasks), np.nan)
    levels[present] = line[1:]
    return GainRegression(
        slope=float(line[0]),
        levels=tuple(levels.tolist()),
        r_squared=1.0 - float(rest @ rest) / total,
        fitted=fitted,
        rest=rest,
        hat=basis @ basis.T,
    )


# --- The look back: whether past claims had the power to show what was to be expected of them ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """How often two systems are taken to agree: one number, or what other systems did."""

    prior: str
    agreement: float | None = None
    regression: AgreementRegression | None = (
        None  # where the prior is none of those known by name
    )

    def scenario(self, baseline: float, method: AccuracyMethod) -> Accuracy:
        """Return the comparison with a baseline of some accuracy, which must allow it."""
        known: Any = {"prior": self.prior}
        fitted: Any = {} if self.regression is None else {"regression": self.regression}
        if self.agreement is not None:
            known = {"agreement": self.agreement}
        try:
            return Accuracy(baseline_accuracy=baseline, method=method, **known, **fitted)
        except InputError as error:
            [said] = known
            raise InputError(
                f"`{said}` must fit every accuracy of the table; got {self}, which says that "
                f"systems disagree more often than they can at an accuracy of {baseline:.4g}. "
                "prior='lachenbruch' fits all between 0 and 1."
            ) from error

    def __str__(self) -> str:
        return self.prior if self.agreement is None else f"{self.agreement:g}"

    @classmethod
    def asked(
        cls, prior: Any, agreement: float | None, fitted: AgreementRegression | None
    ) -> "Assumption":
        """Return what was asked for; else the regression that was fitted, or that of GLUE."""
        if prior is not None and agreement is not None:
            raise InputError(
                "`agreement` and `prior` both say how often systems agree; give one of them."
            )
        if agreement is not None:
            return cls(prior="", agreement=check.probability(agreement, "agreement"))
        if prior is None and fitted is not None:
            return cls(prior="its own pairs", regression=fitted)
        if prior is None:
            prior = words(Prior)[0]
        if isinstance(prior, str) and prior == "lachenbruch":
            return cls(prior=prior)
        name, regression = agreement_prior(prior)
        return cls(prior=name, regression=regression)


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


# --- What a benchmark can still show: the result, and how it is made ---

_METHODS: tuple[AccuracyMethod, ...] = ("exact", "normal")
Support: TypeAlias = Literal["yes", "not the next", "no", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAudit:
    """One task. Accuracies and improvements are fractions.

    Attributes
    ----------
    n_items : int
        Size of the test set.
    best : float
        The accuracy to beat.
    mde : float or None
        Smallest improvement that McNemar's exact test shows with the power asked for; None where
        the best system leaves less than that to gain.
    mde_normal : float or None
        The same by the normal formula of card2020.
    n_claims : int
        Improvements claimed so far.
    mean_improvement : float
        Their mean: what is typically claimed; nan without claims.
    predicted_improvement : float
        What the claims of all tasks let expect of the next system; nan where they say nothing,
        negative where no improvement is to be expected.
    support : {'yes', 'not the next', 'no', 'unknown'}
        Whether the task can show the improvement that is asked for, or typically claimed; “not
        the next” if it can, but not the smaller one that is to be expected now.
    """

    task: str
    n_items: int
    best: float
    mde: float | None
    mde_normal: float | None
    n_claims: int
    mean_improvement: float
    predicted_improvement: float
    support: Support


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkAudit(Result):
    """Which tasks of a benchmark can still support a comparison, and whether past ones did.

    Attributes
    ----------
    tasks : tuple of TaskAudit
        The smallest test set first.
    look_back : tuple of LookBack
        Power and significance of past claims, by the exact test and by the normal formula; empty
        where the claims are too few to predict one from the others.
    r_squared : float
        Of the regression of gains on accuracy and task; nan where there is none.
    assumption : str
        Where the agreement of two systems comes from.
    target_difference : float or None
        The improvement asked for, a fraction; None: the one typically claimed on each task.
    unit : {'fraction', 'percent'}
        How the table wrote accuracies.
    two_sets : TwoSets or None
        Where pairs of systems were given: what development data tell of the test set.
    claims : tuple of PastClaim
        Every claim, by the exact test; not in `to_dict`.
    """

    tasks: tuple[TaskAudit, ...]
    look_back: tuple[LookBack, ...]
    r_squared: float
    assumption: str
    target_difference: float | None
    unit: AccuracyUnit
    alpha: float
    power: float
    notes: tuple[str, ...] = ()
    two_sets: TwoSets | None = field(default=None, metadata=ADDED)
    claims: tuple[PastClaim, ...] = field(
        default=(), repr=False, compare=False, metadata={"bulk": "rows"}
    )


def audit_benchmark(
    claims: AccuracyClaims,
    *,
    target_difference: float | None = None,
    prior: Any = None,
    agreement: float | None = None,
    two_sets: TwoSets | None = None,
    fitted: AgreementRegression | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> BenchmarkAudit:
    """Say what each task can show, and whether past claims had a chance; see `audit`.

    References
    ----------
    Card et al. (2020), "With little power comes great responsibility", section 3 and table 2.
    """
    alpha, power = check.probability(alpha, "alpha"), check.probability(power, "power")
    assumption = Assumption.asked(prior, agreement, fitted)
    target = None
    if target_difference is not None:
        scale = 0.01 if claims.unit == "percent" else 1.0
        target = scale * check.positive(target_difference, "target_difference")
        if target >= 1.0:
            raise InputError(
                f"`target_difference` must be in the unit of the table ({claims.unit}); got "
                f"{target_difference!r}."
            )
    regression = fit_gains(claims)
    tasks = [
        _task(claims, k, regression, assumption, target, alpha=alpha, power=power)
        for k in range(len(claims.tasks))
    ]
    backs: list[LookBack] = []
    exact, normal = (
        past_claims(claims, regression, assumption, method=method, alpha=alpha)
        for method in _METHODS
    )
    for method, rows in zip(_METHODS, (exact, normal), strict=True):
        found = summed(rows, method=method, power=power)
        backs += [] if found is None else [found]
    return BenchmarkAudit(
        tasks=tuple(sorted(tasks, key=lambda task: task.n_items)),
        look_back=tuple(backs),
        r_squared=math.nan if regression is None else regression.r_squared,
        assumption=_words(assumption, given=prior is not None or fitted is not None),
        target_difference=target,
        unit=claims.unit,
        alpha=alpha,
        power=power,
        notes=(*claims.notes, *_notes(claims, regression)),
        two_sets=two_sets,
        claims=exact,
        signature=Signature(
            "audit-benchmark",
            {
                "tasks": len(claims.tasks),
                "claims": claims.n_claims,
                "agreement": str(assumption).replace(" ", "-"),
                "alpha": alpha,
                "power": power,
            },
        ),
    )


def _task(
    claims: AccuracyClaims,
    k: int,
    regression: GainRegression | None,
    assumption: Assumption,
    target: float | None,
    *,
    alpha: float,
    power: float,
) -> TaskAudit:
    limits: dict[AccuracyMethod, float | None] = {}
    for method in _METHODS:
        limits[method] = None
        if claims.best[k] >= 1.0:  # nothing is left to gain
            continue
        scenario = assumption.scenario(claims.best[k], method)
        found = mde(scenario, n_items=claims.n_items[k], alpha=alpha, power=power, drawn=0)
        limits[method] = found.effect if found.attainable else None
    own = claims.gain[claims.task == k]
    mean = float(np.mean(own)) if own.size else math.nan
    predicted = math.nan if regression is None else regression.predict(k, claims.best[k])
    return TaskAudit(
        task=claims.tasks[k],
        n_items=claims.n_items[k],
        best=claims.best[k],
        mde=limits["exact"],
        mde_normal=limits["normal"],
        n_claims=int(own.size),
        mean_improvement=mean,
        predicted_improvement=predicted,
        support=_support(limits["exact"], mean, predicted, target),
    )


def _support(
    limit: float | None, mean: float, predicted: float, target: float | None
) -> Support:
    asked = mean if target is None else target
    if math.isnan(asked):
        return "unknown"
    if limit is None or asked < limit:
        return "no"
    return "not the next" if target is None and predicted < limit else "yes"


def _words(assumption: Assumption, *, given: bool) -> str:
    if assumption.agreement is not None:
        return f"{assumption.agreement:g} on all tasks"
    default = "" if given else ", the default"
    fit = assumption.regression
    if fit is None or not fit.n_pairs:
        return f"prior {assumption.prior}{default}"
    return (
        f"a regression on {fit.n_pairs:,} pairs of systems ({assumption.prior}, R² = "
        f"{fit.r_squared:.3f})"
    )


def _notes(claims: AccuracyClaims, regression: GainRegression | None) -> list[str]:
    if regression is not None or not claims.n_claims:
        return []
    return [
        f"{count(claims.n_claims, 'claim')} on {count(len(claims.tasks), 'task')} are too few, or "
        "too much alike, to predict one from the others: no look back."
    ]
