"""How much of the spread of scores is quality and how much noise, and whether raters or items help."""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from detectable.core import check
from detectable.core.choices import CellRepeats, JudgmentUnit, Pooled
from detectable.core.errors import DataError, InputError, SuspiciousDataWarning
from detectable.core.interval import Interval
from detectable.core.options import asked
from detectable.core.result import ADDED, Result, Signature
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.files.table import TableSource
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import judgments_of
from detectable.kernels.distributions import t_quantile
from detectable.study.precision.control_variate_result import data_efficiency
from detectable.study.precision.variance_sums import Moments, Sums, unit_codes, variance_sums
from detectable.study.settings import VarianceSettings

FEWEST = 4  # units; from three nothing is known of the spread
_NOTHING = 1e-6  # of noise, where an estimate says that there is none or less


def jackknife_interval(
    value: float,
    left_out: Sequence[FloatArray],
    level: float,
    *,
    to: Callable[[FloatArray], FloatArray] = np.asarray,
    back: Callable[[float], float] = float,
) -> Interval | None:
    """Return the interval of an estimate; None where it cannot be had.

    Parameters
    ----------
    value : float
        The estimate of all units.
    left_out : sequence of array
        The estimates without one unit, for each kind of units.
    to, back : callable
        To the scale on which estimates are about normal, and back.

    Examples
    --------
    >>> x = np.array([3.0, 5.0, 4.0, 8.0])
    >>> found = jackknife_interval(x.mean(), [(x.sum() - x) / 3], 0.95)
    >>> round(found.low, 3), round(found.high, 3)  # that of the t test
    (1.563, 8.437)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = float(to(np.array([value]))[0])
        scaled = [to(np.asarray(one, dtype=np.float64)) for one in left_out]
    if not scaled or not all(np.isfinite(one).all() for one in (*scaled, np.array(whole))):
        return None
    parts = [
        (one.size - 1.0) / one.size * float(((one - one.mean()) ** 2).sum()) for one in scaled
    ]
    variance = sum(parts)
    if not variance > 0.0:
        return Interval(value, value, level)
    df = variance**2 / sum(
        part**2 / (one.size - 1.0) for part, one in zip(parts, scaled, strict=True)
    )
    half = t_quantile(0.5 + 0.5 * level, df) * math.sqrt(variance)
    return Interval(back(whole - half), back(whole + half), level)


def share_scale(share: FloatArray) -> FloatArray:
    """Return −ln(1 − share): what is left to 1 on the scale of logarithms; it may be negative."""
    return np.asarray(-np.log(np.maximum(1.0 - share, _NOTHING)))


def share_back(g: float) -> float:
    """Return the share whose `share_scale` is g."""
    return 1.0 - math.exp(-g)


def share_interval(
    value: float, left_out: Sequence[FloatArray], level: float
) -> Interval | None:
    """Return the interval of a share of which 1 is the most, as of agreement beyond chance."""
    return jackknife_interval(value, left_out, level, to=share_scale, back=share_back)


def variance_interval(
    value: float, left_out: Sequence[FloatArray], level: float
) -> Interval | None:
    """Return the interval of a variance, on the scale of logarithms."""
    return jackknife_interval(value, left_out, level, to=np.log, back=math.exp)


# --- How much of the spread of scores is quality and how much noise, and whether raters or items help ---

_RATERS = (1, 2, 3, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """A way to spend a number of judgments on one system."""

    n_raters: int  # per item
    n_items: int
    standard_error: float  # of the system's mean
    relative_cost: float  # judgments needed for the precision of one rater per item, as a ratio


def mean_variance(*, quality: float, noise: float, n_items: float, n_raters: float) -> float:
    r"""Return the variance of a system's mean over items, each scored by several raters.

    .. math:: \mathrm{Var}(\bar h) = \frac{\sigma^2_q}{m} + \frac{\sigma^2_n}{m r}

    with m items and r raters per item. At a fixed number of judgments m·r the second term does
    not change, and the first is smallest with r = 1. Each score of an item is taken to come from
    another rater drawn at random; few raters who judge everything share their severity, which
    averages out over raters only (see `fit_mixed`).
    """
    return quality / n_items + noise / (n_items * n_raters)


def allocations(
    *, quality: float, noise: float, n_judgments: int, raters: tuple[int, ...] = _RATERS
) -> tuple[Allocation, ...]:
    """Return what `n_judgments` buy with one, two, three and five raters per item.

    Examples
    --------
    >>> one, two = allocations(quality=25, noise=75, n_judgments=600, raters=(1, 2))
    >>> round(one.standard_error, 3), round(two.standard_error, 3), round(two.relative_cost, 2)
    (0.408, 0.456, 1.25)
    """
    n_judgments = check.positive_int(n_judgments, "n_judgments")
    if quality < 0.0 or noise < 0.0:
        raise InputError(
            f"`quality` and `noise` must be at least 0; got {quality!r} and {noise!r}."
        )
    rows = []
    single = quality + noise
    for n in raters:
        variance = mean_variance(
            quality=quality, noise=noise, n_items=n_judgments / n, n_raters=n
        )
        rows.append(
            Allocation(
                n_raters=n,
                n_items=n_judgments // n,
                standard_error=variance**0.5,
                relative_cost=variance * n_judgments / single if single else 1.0,
            )
        )
    return tuple(rows)


def ceiling(*, quality: float, noise: float) -> float:
    """Return how much smaller the variance gets with endless raters on the same items.

    That is 1 / (quality share): all that more raters can do when items are scarce.
    """
    return (quality + noise) / quality if quality > 0.0 else float("inf")


# --- How much of the spread of human scores is quality, and how much is noise between raters ---

_APART = 0.05  # shares that differ by less are not worth a warning, however certain
_FEWEST_RATERS = 3  # of whom one can be left out
_SURE = 0.99  # and one false alarm in a hundred is enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A variance with its interval."""

    value: float
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityShare:
    """Which part of the variance of a judgment is quality, by one estimator.

    Attributes
    ----------
    value : float
        The share, between 0 and 1: what more items (and no number of raters) average out.
    untruncated : float
        As estimated; below 0 where the noise on repeated items exceeds the total.
    interval : Interval or None
        Cut likewise. None with fewer than four documents or items.
    gamma : float
        Noise / quality, (1 - share) / share: what data efficiency depends on. Infinite at 0.
    """

    value: float
    untruncated: float
    interval: Interval | None
    gamma: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Efficiency:
    """How many times as many judgments would be needed without a metric as control variate.

    Attributes
    ----------
    correlation : float
        Of the metric with the true quality of a translation.
    by_difference, by_covariance : float
        `data_efficiency` with noise / quality by each estimator; infinite where nothing is left.
    """

    correlation: float
    by_difference: float
    by_covariance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceComponents(Result):
    """Variance of single judgments, split into quality of the items and noise between raters.

    Attributes
    ----------
    total : Component
        Variance of a rater's score of a translation: of a judgment, or of the mean of the rater's
        repeats.
    noise : Component
        Variance of such scores between different raters of the same translation.
    by_difference, by_covariance : QualityShare
        The share of quality: 1 - noise / total, and the covariance of two raters' scores of a
        translation / total.
    intra : Component or None
        Variance between repeats by the same rater, None without such repeats.
    intra_correlation : float
        Intraclass correlation of such repeats.
    advice : tuple of Allocation
        What the same judgments buy with more raters per item.
    efficiencies : tuple of Efficiency
        What metrics of some correlations would save.
    """

    total: Component
    noise: Component
    by_difference: QualityShare
    by_covariance: QualityShare
    intra: Component | None
    intra_correlation: float
    n_judgments: int
    n_translations: int
    n_repeated: int  # translations with at least two raters
    n_raters: int
    n_intra: int  # (translation, rater) with repeats
    unit: str
    n_clusters: int
    pooled: Pooled
    alpha: float
    advice: tuple[Allocation, ...]
    notes: tuple[str, ...]
    efficiencies: tuple[Efficiency, ...] = field(default=(), metadata=ADDED)


def variance_components(
    judgments: Judgments | TableSource,
    *,
    pooled: Pooled = "within-system",
    repeats: CellRepeats = "mean",
    unit: JudgmentUnit = "auto",
    metric_correlation: Sequence[float] = (),
    alpha: float = 0.05,
) -> VarianceComponents:
    r"""Split the variance of human scores into quality and noise between raters.

    With scores :math:`h_{xj}` of translation x by its :math:`k_x` raters j, one per rater,

    .. math::

        \sigma^2_n = \frac{\sum_x \sum_j (h_{xj} - \bar h_x)^2}{\sum_x (k_x - 1)}, \qquad
        \text{share} = 1 - \sigma^2_n / \sigma^2_{total} \quad\text{or}\quad
        \mathrm{Cov}(h_{xj}, h_{xl}) / \sigma^2_{total}.

    The total is of the same :math:`h_{xj}`. Where a rater scored a translation :math:`m_{xj}`
    times, the mean of these scores has the expected variance

    .. math:: \sigma^2_q + \sigma^2_r + \sigma^2_e\, \overline{1/m}

    (quality, rater, repeat), and all but the first is noise between raters. So with
    ``repeats="mean"`` all numbers, the advice too, are of a rater's mean; with
    ``repeats="first"`` they are of single judgments, m = 1. Both are unbiased if repeats are
    spread at random.

    The two shares agree if the translations judged by several raters are a random subset.
    Only judgments of systems' own output and their repeats count; a translation is an item of a
    system in a campaign and language.

    Intervals leave out documents (or items) one at a time and, with three raters or more, raters: on
    −ln(1 − share) and on the logarithm of a variance, by t (`jackknife_interval`). With two raters
    they hold for these two; with fewer than four documents or items there are none.

    Parameters
    ----------
    judgments : Judgments
        With raters.
    pooled : {'within-system', 'all', 'mean-of-systems'}
        The total variance: within systems, every judgment alike (what matters for the mean of a
        system); of all scores together, with the differences between systems and languages, as
        in Wei et al. (2022), Table 2; or the plain mean of the systems' variances.
    repeats : {'mean', 'first'}
        What to make of several scores of one rater for one translation: total, noise and shares
        are of their mean, or of the first. ``first`` drops the later ones from all but the
        intra-rater noise, and tells how much of a single judgment is quality.
    unit : {'auto', 'item', 'document', 'rater'}
        What is left out beside raters: documents where they are known, else items. With
        ``rater`` raters alone: it asks how much hangs on these raters.
    metric_correlation : sequence of float
        Correlations of a metric with the true quality, for which to say how much it would save as a
        control variate (`data_efficiency`).
    alpha : float
        Intervals are at 1 − `alpha`.

    References
    ----------
    Wei, Kocmi and Federmann (2022), "Searching for a higher power in the human evaluation of
    MT", WMT, section 6.2, equations 1 and 3. Variance of the mean of m scores in a nested
    design: Searle, Casella and McCulloch (1992), Variance Components, chapter 3.

    Examples
    --------
    >>> table = Judgments.build({
    ...     "system": ["A"] * 6, "item": [1, 1, 2, 2, 3, 3], "rater": ["v", "w"] * 3,
    ...     "score": [50, 60, 80, 70, 20, 30],
    ... })
    >>> found = variance_components(table)
    >>> found.noise.value, round(found.total.value, 1), round(found.by_difference.value, 3)
    (50.0, 536.7, 0.907)
    """
    judgments = judgments_of(judgments)
    level = 1.0 - asked(VarianceSettings, locals()).alpha
    cells = judgments.cells(repeats=repeats)
    sums = variance_sums(cells, pooled=pooled)
    observed = _observed(sums)
    left_out_by, cluster = unit_codes(sums.judgments, unit)
    n_raters = sums.judgments.column("rater").n_levels
    n_clusters = int(cluster.max()) + 1
    left_out, remarks = _left_out(sums, cluster, left_out_by, n_raters)
    shares = [
        _share(float(of(observed)[0]), [of(one) for one in left_out], level)
        for of in (Moments.share_by_difference, Moments.share_by_covariance)
    ]
    suspicions = _suspicions(shares, left_out, subset=bool((sums.cells.size == 1).any()))
    for sentence in suspicions:
        warnings.warn(sentence, SuspiciousDataWarning, stacklevel=2)
    n_scores = sums.judgments.n_judgments  # what total and noise are the variances of
    total, noise, intra = (
        Component(
            value=float(getattr(observed, part)[0]),
            interval=variance_interval(
                float(getattr(observed, part)[0]),
                [getattr(one, part) for one in left_out],
                level,
            ),
        )
        for part in ("total", "noise", "intra")
    )
    quality = shares[0].value * total.value
    per_system = max(1, round(n_scores / sums.n_systems))
    has_repeats = bool(sums.again_df.any())
    settings: dict[str, str | int | float]
    settings = {"pooled": pooled, "repeats": repeats, "unit": left_out_by}
    return VarianceComponents(
        total=total,
        noise=noise,
        by_difference=shares[0],
        by_covariance=shares[1],
        intra=intra if has_repeats else None,
        intra_correlation=sums.again_correlation,
        n_judgments=cells.judgments.n_judgments if repeats == "mean" else n_scores,
        n_translations=sums.cells.n_translations,
        n_repeated=int((sums.cells.size > 1).sum()),
        n_raters=n_raters,
        n_intra=int((sums.again_df > 0).sum()),
        unit=left_out_by,
        n_clusters=n_clusters,
        pooled=pooled,
        alpha=alpha,
        efficiencies=tuple(
            Efficiency(
                correlation=float(rho),
                by_difference=data_efficiency(rho, gamma=shares[0].gamma),
                by_covariance=data_efficiency(rho, gamma=shares[1].gamma),
            )
            for rho in metric_correlation
        ),
        advice=allocations(quality=quality, noise=noise.value, n_judgments=per_system),
        notes=(
            *judgments.notes,
            *judgments.weights_not_used(),
            *cells.notes,
            *suspicions,
            *_averaged(sums, repeats),
            *remarks,
            *_remarks(pooled),
        ),
        signature=Signature("variance-components", settings),
    )


def _observed(sums: Sums) -> Moments:
    """Return the estimates, refusing data from which they cannot be had."""
    where = sums.judgments.path or "the judgments"
    if not (sums.cells.size > 1).any():
        raise DataError(
            f"{where}: no translation was judged by two raters, so noise cannot be told from "
            "quality. Have a random subset of the items judged twice, by different raters."
        )
    observed = sums.observed()
    if not float(observed.total[0]) > 0.0:
        raise DataError(f"{where}: all scores are the same, so there is no variance to split.")
    return observed


def _left_out(
    sums: Sums, cluster: IntArray, unit: str, n_raters: int
) -> tuple[list[Moments], tuple[str, ...]]:
    """Return the estimates without each document or item and without each rater, and what to say."""
    n = int(cluster.max()) + 1
    if unit != "rater" and n < FEWEST:
        return [], (too_few(n, unit),)
    if unit == "rater":
        if n_raters < _FEWEST_RATERS:
            return [], (too_few(n_raters, unit, _FEWEST_RATERS),)
        return [sums.without_raters()], ()
    of_translation = cluster[sums.cells.row[sums.cells.start]]
    without = [sums.without_clusters(of_translation)]
    if n_raters < _FEWEST_RATERS:
        return without, (THESE_TWO,)
    return [*without, sums.without_raters()], ()


THESE_TWO = (
    "The interval holds for these two raters: with two, how much hangs on them cannot be told."
)


def too_few(n: int, unit: str, needed: int = FEWEST) -> str:
    """Say why there is no interval."""
    verb = "is" if n == 1 else "are"
    return f"No interval is given: {count(n, unit)} {verb} too few, and {needed} are needed."


def _share(value: float, left_out: list[FloatArray], level: float) -> QualityShare:
    found = share_interval(value, left_out, level)
    cut = None
    if found is not None:
        cut = Interval(_cut(found.low), _cut(found.high), level)
    share = _cut(value)
    gamma = (1.0 - share) / share if share > 0.0 else math.inf
    return QualityShare(value=share, untruncated=value, interval=cut, gamma=gamma)


def _cut(share: float) -> float:
    return min(max(share, 0.0), 1.0)


def _suspicions(
    shares: list[QualityShare], left_out: list[Moments], *, subset: bool
) -> tuple[str, ...]:
    found = []
    for name, share in zip(("difference", "covariance"), shares, strict=True):
        if share.untruncated < 0.0:
            found.append(
                f"The share of quality by the {name} is {share.untruncated:.0%}, cut to 0: the "
                "translations with several raters are few, or unlike the others, or there is "
                "little quality to see."
            )
    if len(found) == 2 or not subset:
        return tuple(found)  # both beyond the range already; or no translation is left out
    gap = shares[0].untruncated - shares[1].untruncated
    gaps = [one.share_by_difference() - one.share_by_covariance() for one in left_out]
    sure = jackknife_interval(gap, gaps, _SURE)
    if abs(gap) > _APART and sure is not None and 0.0 not in sure:
        found.append(
            f"The two estimates of the share of quality disagree ({shares[0].untruncated:.0%} by "
            f"the difference, {shares[1].untruncated:.0%} by the covariance): the translations "
            "with several raters are not a random subset. Trust neither beyond their range."
        )
    return tuple(found)


def _averaged(sums: Sums, repeats: CellRepeats) -> tuple[str, ...]:
    repeated = int((sums.again_df > 0).sum())
    if repeats == "first" or not repeated:
        return ()
    return (
        f"{repeated:,} of {count(sums.cells.score.size, 'score')} are means of a rater's repeats, "
        "in the total as in the noise; repeats='first' splits the variance of single judgments.",
    )


def _remarks(pooled: Pooled) -> tuple[str, ...]:
    if pooled != "all":
        return ()
    return (
        "Quality includes the differences between systems and languages; for the mean of one "
        "system pool within systems.",
    )
