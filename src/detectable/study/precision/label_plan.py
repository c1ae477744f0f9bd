"""How many human labels beside a judge: for a half-width, or for a difference to be found."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from detectable.core import check, options
from detectable.core.choices import Target
from detectable.core.errors import DataError, InputError
from detectable.core.result import ADDED, Result, Signature
from detectable.core.wording import count, number
from detectable.data.human.judgments import Judgments
from detectable.kernels.distributions import normal_quantile, t_quantile
from detectable.study.metric_pool import MetricPool, MetricSource, metric_pool
from detectable.study.precision.control_variate_result import observed_data_efficiency
from detectable.study.settings import FEWEST_LABELS, LabelSettings

Goal: TypeAlias = Literal["half-width", "mde"]

_MOST = 10**12
_SURE = 0.8  # how sure the correlation of a pilot must be to be above the one that is used


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels(Result):
    """How many items people must label, where a judge scores all of them.

    Attributes
    ----------
    goal : {'half-width', 'mde'}
        What is asked for: the half-width of the interval of a mean, or the difference of two
        systems that is found with the stated power.
    wanted : float
        That half-width or difference.
    n_labels : int or None
        None where no number of labels is enough: the pool is too small.
    n_formula : float
        The same by the formula, with normal quantiles and without the cost of an estimated slope.
    n_without : int
        Without a judge.
    smallest_pool : int
        Items that the pool must have, or no number of labels is enough.
    pool_floor : float
        (ρ s z/h)²: of a pool below this, the formula has no solution even for endless labels.
    reached : float
        The half-width or difference with `n_labels`, or with the whole pool labelled.
    correlation : float
        Of human scores and judge: of scores for a mean, of differences for a difference.
    pilot_correlation : float or None
        As measured in the pilot; `correlation` then is its lower bound.
    quality_share : float or None
        As given; `correlation` then is that with the true quality times its root.
    """

    goal: Goal
    wanted: float
    n_labels: int | None
    n_formula: float
    n_without: int
    smallest_pool: int
    pool_floor: float
    reached: float
    sd: float
    correlation: float
    n_pool: int | None
    target: Target
    alpha: float
    power: float | None
    pilot_correlation: float | None = None
    n_pilot: int | None = None
    notes: tuple[str, ...] = ()
    quality_share: float | None = field(default=None, metadata=ADDED)

    @property
    def data_efficiency(self) -> float:
        """How many times as many labels the judge stands for: 1/(1 − ρ²), with a pool of any size."""
        return observed_data_efficiency(self.correlation)

    @property
    def saved(self) -> float:
        """The share of labels that the judge saves."""
        return math.nan if self.n_labels is None else 1.0 - self.n_labels / self.n_without


def labels(  # noqa: PLR0913 (one argument per option)
    *,
    half_width: float | None = None,
    mde: float | None = None,
    sd: float | None = None,
    correlation: float | None = None,
    quality_share: float | None = None,
    n_pool: int | None = None,
    target: Target = "domain",
    alpha: float = 0.05,
    power: float = 0.8,
    pilot: Judgments | None = None,
    judge: MetricSource | None = None,
    system: str | None = None,
    baseline: str | None = None,
) -> Labels:
    r"""Say how many items people must label beside a judge that scores a pool of N.

    With the standard deviation s of human scores and their correlation ρ with the judge's,

    .. math:: SE^2 = s^2 \Big[\frac{1 - \rho^2}{n} + \frac{\rho^2}{N}\Big], \qquad
              n = \frac{(1 - \rho^2) s^2}{(h / z)^2 - \rho^2 s^2 / N}

    labels give the half-width h; for a difference δ with power π, h/z becomes
    :math:`\delta / (z_{1-\alpha/2} + z_\pi)`. The quantiles are those of t with n − 2 degrees of freedom,
    as in the analysis; with z, `n_formula` is what few labels fall short of. For the mean of this test set, the variance is
    :math:`s^2 (1 - \rho^2)(1/n - 1/N)`. The first term is taken times 1 + 1/(n − 3), for the slope is
    estimated too. Where N is below :math:`(s z / h)^2`, no number of labels is enough, for even labels of all items
    leave :math:`s^2 / N`; the formula says so itself below :math:`(\rho s z / h)^2`.

    Parameters
    ----------
    half_width : float, optional
        Of the interval of one system's mean.
    mde : float, optional
        Or: the difference of two systems that is to be found. Then `sd` and `correlation` are those
        of *differences* of two systems on an item, which correlate far less than scores do.
    sd : float, optional
        Standard deviation of human scores (or of their differences).
    correlation : float, optional
        Of human scores and judge on items; 0 is no judge.
    quality_share : float, optional
        Says that `correlation` is with the *true* quality ρ, of which a judgment shows this share r of
        its variance (`variance_components`): with judgments it is :math:`\rho \sqrt r`. The judge then
        is worth :math:`1/(1 - \rho^2 r)` times as many labels, equation 2 of Wei et al. (2022).
    n_pool : int, optional
        Items that the judge scores; by default more than matter.
    target : {'domain', 'test-set'}
        A mean over all texts like these, or over the items of the pool.
    alpha : float
        Error level of the interval or test.
    power : float
        With `mde`: the chance to find that difference.
    pilot, judge : Judgments and scores, optional
        Measure `sd` and `correlation` there, for `system` (against `baseline`). The correlation is
        cut to what it exceeds with a chance of 80 %: of 30 labels it is known to ± .2.

    References
    ----------
    Angelopoulos, Duchi and Zrnic (2023), "PPI++", arXiv:2311.01453; Cochran (1977), Sampling
    Techniques, sections 7.4 and 12.6 (the price of an estimated slope).

    Examples
    --------
    >>> labels(half_width=0.05, sd=0.5, correlation=0.7, n_pool=2000).n_labels
    220
    >>> labels(half_width=0.05, sd=0.5, correlation=0.7, n_pool=150).n_labels is None
    True
    """
    if (half_width is None) == (mde is None):
        raise InputError("give one of `half_width` and `mde`: what the labels are for.")
    goal: Goal = "half-width" if mde is None else "mde"
    options.asked(LabelSettings, locals())  # which checks them
    wanted = float(half_width if mde is None else mde)  # type: ignore[arg-type]
    if goal == "mde" and power <= alpha:
        raise InputError(f"`power` must be above `alpha`; got {power!r} and {alpha!r}.")
    seen, n_pilot, notes = None, None, []
    if pilot is not None or judge is not None:
        sd, seen, n_pilot, size = _from_pilot(
            pilot, judge, sd, correlation, system, baseline, goal
        )
        n_pool = size if n_pool is None else n_pool
        correlation = _exceeded(seen, n_pilot)
        notes.append(
            f"The pilot's {count(n_pilot, 'label')} give a correlation of {number(seen)}; planned "
            f"with {number(correlation)}, which it exceeds with a chance of {_SURE:.0%}."
        )
    elif system is not None or baseline is not None:
        raise InputError("`system` and `baseline` have no effect without `pilot`. Drop them.")
    if sd is None or correlation is None:
        raise InputError("`sd` and `correlation` must be given, or a `pilot` and its `judge`.")
    sd = check.positive(sd, "sd")
    if quality_share is not None and pilot is not None:
        raise InputError("`quality_share` has no effect with a `pilot`. Drop it.")
    correlation = _with_judgments(correlation, quality_share)
    if n_pool is not None:
        n_pool = check.positive_int(n_pool, "n_pool", minimum=FEWEST_LABELS)
    if goal == "mde" and pilot is None:
        notes.append(
            "The correlation must be that of differences of two systems on an item; scores of one "
            "system correlate with a judge far more."
        )
    found_with = power if goal == "mde" else None
    asked = _Question(wanted, alpha, found_with, sd, correlation, n_pool, target)
    n = asked.n_labels()
    alone = replace(asked, correlation=0.0, n_pool=None, target="domain").n_labels()
    settings: dict[str, str | int | float] = {goal: wanted, "sd": sd, "rho": correlation}
    settings |= {
        "pool": "large" if n_pool is None else n_pool,
        "target": target,
        "alpha": alpha,
    }
    if goal == "mde":
        settings["power"] = power
    return Labels(
        goal=goal,
        wanted=wanted,
        n_labels=n,
        n_formula=asked.formula(),
        n_without=alone or _MOST,
        smallest_pool=asked.smallest_pool(),
        pool_floor=asked.pool_floor(),
        reached=asked.reached(n or n_pool or FEWEST_LABELS),
        sd=sd,
        correlation=correlation,
        n_pool=n_pool,
        target=target,
        alpha=alpha,
        power=found_with,
        pilot_correlation=seen,
        n_pilot=n_pilot,
        quality_share=quality_share,
        notes=tuple(notes),
        signature=Signature("labels", settings),
    )


@dataclass(frozen=True, slots=True)
class _Question:
    """What is wanted, with which chances, and what it rests on."""

    wanted: float
    alpha: float
    power: float | None  # where a difference is to be found
    sd: float
    correlation: float
    n_pool: int | None
    target: Target

    @property
    def error(self) -> float:
        """The standard error that is wanted, if it were known and not estimated."""
        return self.wanted / self._errors(normal_quantile)

    def _errors(self, quantile: Callable[[float], float]) -> float:
        """Return how many standard errors there are in what is wanted."""
        # The lower tail has digits where 1 − α/2 has none.
        return (0.0 if self.power is None else quantile(self.power)) - quantile(self.alpha / 2)

    def reached(self, n: int) -> float:
        """Return the half-width or difference with n labels, by the t that the analysis will use.

        By quantiles of the normal distribution, 30 labels find with .77 what they should find with .80.
        """
        slope = self.correlation != 0.0 and n < (self.n_pool or math.inf)
        df = n - 1.0 - slope
        return math.sqrt(self.variance(n)) * self._errors(lambda p: t_quantile(p, df))

    def variance(self, n: float) -> float:
        """Return the variance of the mean with n labels."""
        rest = 1.0 - self.correlation**2
        slope = 1.0 + 1.0 / (n - 3.0) if self.correlation else 1.0
        pool = math.inf if self.n_pool is None else float(self.n_pool)
        if n >= pool:  # all labelled: the judge has nothing to add
            return self.sd**2 / pool if self.target == "domain" else 0.0
        if self.target == "domain":
            return self.sd**2 * (rest * slope / n + self.correlation**2 / pool)
        return self.sd**2 * rest * slope * (1.0 / n - 1.0 / pool)

    def formula(self) -> float:
        """Return n without the cost of an estimated slope; infinite where none is enough."""
        rest, pool = (1.0 - self.correlation**2) * self.sd**2, self.n_pool or math.inf
        if self.target == "test-set":
            return rest / (self.error**2 + rest / pool)
        left = self.error**2 - (self.correlation * self.sd) ** 2 / pool
        return rest / left if left > 0.0 else math.inf

    def smallest_pool(self) -> int:
        """Return the fewest items with which it can be reached at all."""
        if self.target == "test-set":
            return FEWEST_LABELS
        # A label of every item is the most there can be: then the judge has nothing to add.
        whole = replace(self, n_pool=None, correlation=0.0)
        return _first(lambda n: whole.reached(n) <= self.wanted)

    def pool_floor(self) -> float:
        """Return the pool at which the judge's own sampling error is all that is allowed."""
        return (
            (self.correlation * self.sd / self.error) ** 2 if self.target == "domain" else 0.0
        )

    def n_labels(self) -> int | None:
        """Return the smallest number of labels, or None."""
        most = _MOST if self.n_pool is None else self.n_pool
        if self.reached(most) > self.wanted * (1.0 + 1e-12):
            return None
        return _first(lambda n: self.reached(n) <= self.wanted, most)


def _first(enough: Callable[[int], bool], most: int = _MOST) -> int:
    """Return the smallest number, of at least ten, from which on it is enough."""
    low, high = FEWEST_LABELS - 1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _with_judgments(correlation: float, quality_share: float | None) -> float:
    """Return the correlation with judgments, given that or the one with true quality."""
    if quality_share is not None:
        check.probability(quality_share, "quality_share")
        if not -1.0 <= correlation <= 1.0:
            raise InputError(f"`correlation` must lie between -1 and 1; got {correlation!r}.")
        return correlation * math.sqrt(quality_share)
    if not -1.0 < correlation < 1.0:
        raise InputError(
            f"`correlation` must lie strictly between -1 and 1; got {correlation!r}."
        )
    return correlation


def _exceeded(correlation: float, n: int) -> float:
    """Return the end towards 0 of the one-sided 80 % interval, by Fisher's transformation."""
    if n <= 3 or not abs(correlation) < 1.0:
        return 0.0
    moved = math.atanh(abs(correlation)) - normal_quantile(_SURE) / math.sqrt(n - 3)
    return math.copysign(math.tanh(max(0.0, moved)), correlation)


def _from_pilot(
    pilot: Judgments | None,
    judge: MetricSource | None,
    sd: float | None,
    correlation: float | None,
    system: str | None,
    baseline: str | None,
    goal: Goal,
) -> tuple[float, float, int, int]:
    """Return sd, correlation, labels and pool of a system's scores, or of two systems' differences."""
    if pilot is None or judge is None:
        raise InputError("`pilot` and `judge` must be given together.")
    pilot.refuse_weights("`pilot`", "a pilot that was drawn at random")
    if sd is not None or correlation is not None:
        raise InputError("`pilot` measures `sd` and `correlation`. Drop them, or the pilot.")
    if goal == "half-width" and baseline is not None:
        raise InputError(
            "`baseline` has no effect with `half_width`. Ask for `mde`, or drop it."
        )
    pool = metric_pool(pilot, judge)
    rows = _chosen(pool, [system, baseline] if goal == "mde" else [system])
    human, metric = pool.human[rows[0]], pool.metric[rows[0]]
    if goal == "mde":
        human, metric = human - pool.human[rows[1]], metric - pool.metric[rows[1]]
    known = np.isfinite(human) & np.isfinite(metric)
    if known.sum() < FEWEST_LABELS:
        raise DataError(
            f"the pilot has {count(int(known.sum()), 'label')} with a score by the judge; at least "
            f"{FEWEST_LABELS} are needed."
        )
    h, f = human[known], metric[known]
    spread = float(h.std(ddof=1))
    if spread == 0.0:
        raise DataError(
            "all labels of the pilot are the same, so nothing can be planned from it."
        )
    rho = float(np.corrcoef(h, f)[0, 1]) if np.ptp(f) > 0.0 else 0.0
    return spread, rho, int(known.sum()), int(np.isfinite(metric).sum())


def _chosen(pool: MetricPool, names: list[str | None]) -> list[int]:
    """Return the rows of the systems asked for; all, if they are as many as are needed."""
    what = "`system` and `baseline`" if len(names) == 2 else "`system`"
    chosen = [name for name in names if name is not None]
    if not chosen and len(pool.systems) == len(names):
        return list(range(len(names)))
    wrong = [name for name in chosen if name not in pool.systems]
    if len(chosen) < len(names) or wrong or len(set(chosen)) < len(chosen):
        raise InputError(
            f"{what} must be chosen from {', '.join(pool.systems)}; got "
            f"{', '.join(map(repr, chosen)) or 'none'}."
        )
    return [pool.systems.index(name) for name in chosen]
