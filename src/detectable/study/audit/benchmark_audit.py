"""What a benchmark can still show: the result, and how it is made."""

import math
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.choices import AccuracyMethod, Prior, words
from detectable.core.errors import InputError
from detectable.core.result import Result, Signature
from detectable.core.wording import count, number
from detectable.planning.ask import mde
from detectable.study.audit.accuracy_claims import AccuracyClaims, AccuracyUnit
from detectable.study.audit.gain_regression import GainRegression, fit_gains
from detectable.study.audit.look_back import (
    Assumption,
    LookBack,
    PastClaim,
    past_claims,
    summed,
)

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
        Whether the task can show the improvement that is asked for, or typically claimed; «not
        the next» if it can, but not the smaller one that is to be expected now.
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
    claims: tuple[PastClaim, ...] = field(
        default=(), repr=False, compare=False, metadata={"bulk": "rows"}
    )

    def summary(self) -> str:
        """Say which tasks can no longer support a comparison, and how past claims stand."""
        return " ".join(self.sentences())

    def sentences(self) -> list[str]:
        """Return the sentences of the summary, what can no longer be shown first."""
        judged = [task for task in self.tasks if task.support != "unknown"]
        sentences = []
        if judged:
            lost = [task.task for task in judged if task.support == "no"]
            wanted = (
                "the improvement that is typically claimed"
                if self.target_difference is None
                else f"an improvement of {_points(self.target_difference)} points"
            )
            sentences.append(
                f"{len(lost)} of {count(len(judged), 'task')} can no longer show {wanted}: "
                f"{', '.join(lost)}."
                if lost
                else f"All {count(len(judged), 'task')} can show {wanted}."
            )
            later = [task.task for task in judged if task.support == "not the next"]
            if later:
                sentences.append(
                    f"{len(later)} more cannot show the smaller one that is to be expected next: "
                    f"{', '.join(later)}."
                )
        else:
            sentences.append(
                f"{count(len(self.tasks), 'task')} without a claim: what each can show is below."
            )
        if self.look_back:
            sentences.append(_back(self.look_back[0], self.power))
        sentences.append(
            f"Agreement of two systems: {self.assumption} ({self.power:.0%} power, α = "
            f"{self.alpha:g})."
        )
        return sentences


def audit_benchmark(
    claims: AccuracyClaims,
    *,
    target_difference: float | None = None,
    prior: Prior | None = None,
    agreement: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> BenchmarkAudit:
    """Say what each task can show, and whether past claims had a chance; see `audit`.

    References
    ----------
    Card et al. (2020), "With little power comes great responsibility", section 3 and table 2.
    """
    alpha, power = check.probability(alpha, "alpha"), check.probability(power, "power")
    if prior is not None and agreement is not None:
        raise InputError(
            "`agreement` and `prior` both say how often systems agree; give one of them."
        )
    assumption = Assumption(
        prior=check.literal(prior or words(Prior)[0], Prior, "prior"),  # type: ignore[arg-type]
        agreement=None if agreement is None else check.probability(agreement, "agreement"),
    )
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
        assumption=_words(assumption, given=prior is not None),
        target_difference=target,
        unit=claims.unit,
        alpha=alpha,
        power=power,
        notes=(*claims.notes, *_notes(claims, regression)),
        claims=exact,
        signature=Signature(
            "audit-benchmark",
            {
                "tasks": len(claims.tasks),
                "claims": claims.n_claims,
                "agreement": str(assumption),
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


def _back(back: LookBack, power: float) -> str:
    return (
        f"Of {count(back.n_claims, 'past claim')} {_percent(back.powered)} had at least "
        f"{power:.0%} power for the gain to be expected ({_percent(back.underpowered)} were "
        f"underpowered), {_percent(back.significant)} would have been significant, "
        f"{_percent(back.powered_and_significant)} were both."
    )


def _words(assumption: Assumption, *, given: bool) -> str:
    if assumption.agreement is not None:
        return f"{assumption.agreement:g} on all tasks"
    default = "" if given else ", the default"
    return f"prior {assumption.prior}{default}"


def _notes(claims: AccuracyClaims, regression: GainRegression | None) -> list[str]:
    if regression is not None or not claims.n_claims:
        return []
    return [
        f"{count(claims.n_claims, 'claim')} on {count(len(claims.tasks), 'task')} are too few, or "
        "too much alike, to predict one from the others: no look back."
    ]


def _points(fraction: float) -> str:
    return number(100.0 * fraction)


def _percent(share: float) -> str:
    return f"{100.0 * share:.1f}%"
