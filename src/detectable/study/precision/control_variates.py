"""Fewer judgments with a metric: means and differences corrected by what the metric knows."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from detectable.contrasts.contrast import Contrast, Family
from detectable.core.choices import Target
from detectable.core.errors import DataError, InputError
from detectable.core.options import asked
from detectable.core.result import Signature
from detectable.core.types import FloatArray
from detectable.core.wording import count, number
from detectable.data.files.table import TableSource
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import judgments_of
from detectable.inference.control_variate import Adjusted, control_variate, sandwich
from detectable.inference.sampling import difference_of_means, weighted_mean
from detectable.inference.shares import JudgedGroup, grouped_share
from detectable.inference.standard_errors import Estimate
from detectable.study.metric_pool import MetricPool, MetricSource, joined_pools, metric_pool
from detectable.study.precision.control_variate_result import (
    AdjustedDifference,
    AdjustedMean,
    ControlVariates,
    GroupShare,
    Weighting,
    data_efficiency,
    observed_data_efficiency,
    saved,
)
from detectable.study.selection.guard import VarianceRatio, residual_squares, saved_afterwards
from detectable.study.selection.returned import Drawn, how_drawn
from detectable.study.settings import ControlVariatesSettings

_EACH = 10  # judged items for each of several metrics
_WHOLE = 1e-6  # of the size of a group: its weight may have lost digits
_FEW = 3  # judged items, at least: a line through two points leaves no residual


def control_variates(
    judgments: Judgments | TableSource,
    metric_scores: MetricSource | Sequence[MetricSource] | None = None,
    *,
    judge: MetricSource | Sequence[MetricSource] | None = None,
    baseline: str | None = None,
    target: Target = "domain",
    quality_share: float | None = None,
    alpha: float = 0.05,
) -> ControlVariates:
    r"""Estimate means and differences of systems with an automatic metric as control variate.

    The metric is known on all items of the pool, judgments on some. For a system, and for the
    differences :math:`d_i` of two systems with the differences :math:`f_i` of their metric scores,

    .. math:: \hat\theta = \bar d - \lambda(\bar f_{judged} - \bar f_{pool}), \qquad
              \lambda = \mathrm{Cov}(d, f) / \mathrm{Var}(f).

    It is unbiased whatever the metric is worth, up to the error of λ; with a good metric its
    variance is smaller by :math:`\rho^2`. It is PPI++ with its power tuning, written for a pool
    that contains the judged items. λ is not clipped to [0, 1]: a metric has its own scale, and
    an error rate a negative λ. Judged items must be a random sample of the pool.

    Parameters
    ----------
    judgments : Judgments
        Of one campaign and language. Several judgments of an item are averaged.
    metric_scores : Scores, ``{system: {item: score}}``, or a file
        Of the same systems on all items, matched by name. Runs are averaged. A list of them are
        several metrics: least squares on all, which needs ten judged items for each.
    judge
        Another word for `metric_scores`, where a model judges in place of a metric.
    baseline : str, optional
        Compare the others with this system only (default: all pairs).
    target : {'domain', 'test-set'}
        Means over all texts like these, or over the items of the pool.
    quality_share : float, optional
        Share of quality in the variance of a judgment (`variance_components`), to state the
        correlation of the metric with quality itself. It does not change the estimates. With
        ``target='test-set'`` it makes standard errors smaller, see the notes; 1 says that
        raters make no errors.
    alpha : float
        Error rate of the tests; intervals are at 1 − `alpha`.

    Notes
    -----
    Of a test set of N items, n of them judged, the quality of the judged items is known, and only
    that: the noise of their raters stays. So the correction for a finite population, 1 − n/N,
    belongs to the variance of quality. With the share w of quality, the noise of a judged
    difference is :math:`(1 - w)(s_a^2 + s_b^2)`, and what exceeds it in the residuals is quality.
    This errs on the safe side where items were judged several times, or both systems by one rater.
    Without `quality_share` nothing is taken off. With documents, only those count as known whose
    items were all judged; a difference of two means on different items gets no correction.

    References
    ----------
    Chaganty, Mussmann and Liang (2018), "The price of debiasing automatic metrics in natural
    language evaluation", ACL. Angelopoulos, Duchi and Zrnic (2023), "PPI++", arXiv:2311.01453.
    Wei, Kocmi and Federmann (2022), WMT, equation 2. Cochran (1977), Sampling Techniques,
    chapter 13 (finite populations with errors of measurement).

    Examples
    --------
    >>> judged = {"system": ["A"] * 4, "item": [1, 2, 3, 4], "score": [52, 58, 71, 80]}
    >>> comet = {"A": {"1": 0.5, "2": 0.6, "3": 0.7, "4": 0.8, "5": 0.9, "6": 0.9}}
    >>> found = control_variates(Judgments.build(judged), comet)
    >>> round(found.systems[0].plain_mean, 2), round(found.systems[0].mean, 2)
    (65.25, 73.33)
    """
    judgments = judgments_of(judgments)
    level = 1.0 - asked(ControlVariatesSettings, locals()).alpha
    drawn = how_drawn(judgments)
    quality_share = check_share(quality_share)
    pool = _pool(judgments, metric_scores, judge)
    pool, few = _with_enough(pool)
    if baseline is not None and baseline not in pool.systems:
        raise InputError(
            f"`baseline` must be one of {', '.join(pool.systems)}; got {baseline!r}."
        )
    _check_weights(pool)
    if (found := _grouped(pool, drawn, quality_share, target, alpha)) is not None:
        return found
    noise = rater_noise(pool.human, quality_share if pool.whole_documents else None)
    fits = [
        _fit(pool, name, pool.human[s], pool.metric[s], target, noise[s], quality_share)
        for s, name in enumerate(pool.systems)
    ]
    means = tuple(_mean(name, fit, level) for name, fit in zip(pool.systems, fits, strict=True))
    pairs = _pairs(pool, fits, baseline, target, alpha, noise, quality_share)
    correlation = _within(pool)
    true, efficiency, remarks = _true(correlation, quality_share)
    rows = pairs or means
    notes = (*pool.notes, *few, *drawn.notes, *remarks, *_pairing(pairs))
    if target == "test-set":
        notes = (*notes, finite_note(quality_share, whole_documents=pool.whole_documents))
    settings: dict[str, str | int | float] = {"target": target, "alpha": alpha}
    settings["unit"] = "item" if pool.documents is None else "document"
    if pool.weights is not None:
        settings["weights"] = "sampling"
    return ControlVariates(
        metric=pool.name,
        systems=means,
        pairs=pairs,
        correlation=correlation,
        data_efficiency=observed_data_efficiency(correlation),
        quality_share=quality_share,
        true_correlation=true,
        true_data_efficiency=efficiency,
        saved=saved(
            math.hypot(*(row.standard_error for row in rows)),
            math.hypot(*(row.plain_standard_error for row in rows)),
        ),
        target=target,
        unit=str(settings["unit"]),
        alpha=alpha,
        notes=notes,
        weighting=None if pool.weights is None else Weighting(saved=_choice(pool, drawn)),
        signature=Signature("control-variates", settings),
    )


def _pool(
    judgments: Judgments,
    metric_scores: MetricSource | Sequence[MetricSource] | None,
    judge: MetricSource | Sequence[MetricSource] | None,
) -> MetricPool:
    """Return the pool of one metric, or of several: scores then have a third axis."""
    if (metric_scores is None) == (judge is None):
        raise InputError("give one of `metric_scores` and `judge`: they are the same thing.")
    given = judge if metric_scores is None else metric_scores
    if not isinstance(given, list | tuple):
        return metric_pool(judgments, given)
    if not given:
        raise InputError("`judge` must have at least one table of scores; got none.")
    pools = [metric_pool(judgments, one) for one in given]
    return pools[0] if len(pools) == 1 else joined_pools(pools)


def _with_enough(pool: MetricPool) -> tuple[MetricPool, tuple[str, ...]]:
    judged = (~np.isnan(pool.human)).sum(axis=1)
    keep = np.flatnonzero(judged >= _FEW)
    if not keep.size:
        raise DataError(
            f"no system has {_FEW} judged items with a metric score. Check that the items of the "
            "judgments and of the metric have the same names."
        )
    if keep.size == judged.size:
        return pool, ()
    lost = [name for name, n in zip(pool.systems, judged, strict=True) if n < _FEW]
    kept = replace(
        pool,
        systems=tuple(pool.systems[s] for s in keep),
        human=pool.human[keep],
        metric=pool.metric[keep],
    )
    return kept, (f"Left out, fewer than {_FEW} judged items: {', '.join(lost)}.",)


def _fit(
    pool: MetricPool,
    name: str,
    human: FloatArray,
    metric: FloatArray,
    target: Target,
    noise: float,
    quality_share: float | None,
) -> Adjusted:
    """Fit one line, on the items for which the metric is known."""
    known = np.isfinite(metric) if metric.ndim == 1 else np.isfinite(metric).all(axis=1)
    n_metrics = 1 if metric.ndim == 1 else metric.shape[1]
    n = int((~np.isnan(human[known])).sum())
    if n_metrics > 1 and n < _EACH * n_metrics:
        raise DataError(
            f"{name}: {n_metrics} metrics need {_EACH * n_metrics} judged items, {_EACH} for each; "
            f"got {n}. Take fewer metrics."
        )
    clusters = None if pool.documents is None else pool.documents[known]
    if pool.weights is None:
        fit = control_variate(
            human[known], metric[known], clusters=clusters, target=target, noise=noise
        )
    else:
        fit = weighted_mean(
            human[known],
            metric[known],
            pool.weights[known],
            clusters=clusters,
            target=target,
            quality_share=quality_share if pool.whole_documents else None,
        )
    if math.isnan(fit.adjusted.standard_error):
        raise DataError(
            "all judged items of a system lie in one document, so its standard error cannot be "
            "had. Judge items of several documents, or leave the documents out."
        )
    require_error(name, fit.adjusted, human)
    require_error(name, fit.plain, human)
    # Influences return to their places in the pool, so that those of two systems can be joined.
    spread = np.zeros((2, len(metric)))
    spread[:, known] = fit.influence, fit.plain_influence
    return replace(fit, influence=spread[0], plain_influence=spread[1])


def _mean(system: str, fit: Adjusted, level: float) -> AdjustedMean:
    return AdjustedMean(
        system=system,
        mean=fit.adjusted.value,
        standard_error=fit.adjusted.standard_error,
        df=fit.adjusted.df,
        interval=fit.adjusted.interval(level),
        plain_mean=fit.plain.value,
        plain_standard_error=fit.plain.standard_error,
        slope=fit.slope,
        power_tuning=fit.power_tuning,
        correlation=fit.correlation,
        n_items=fit.n_judged,
        n_pool=fit.n_pool,
        plain_df=fit.plain.df,
    )


def _pairs(
    pool: MetricPool,
    fits: list[Adjusted],
    baseline: str | None,
    target: Target,
    alpha: float,
    noise: Sequence[float],
    quality_share: float | None,
) -> tuple[AdjustedDifference, ...]:
    indices = range(len(pool.systems))
    if baseline is None:
        chosen = [(a, b) for a in indices for b in indices if a < b]
    else:
        one = pool.systems.index(baseline)
        chosen = [(a, one) for a in indices if a != one]
    if not chosen:
        return ()
    found = [_difference(pool, fits, a, b, target, noise, quality_share) for a, b in chosen]
    family = Family(alpha=alpha)
    plainly = family.contrasts(Contrast, [plain for _, plain, *_ in found], [{} for _ in found])
    about = [
        {
            "system": pool.systems[a],
            "baseline": pool.systems[b],
            "plain_estimate": plain.difference,
            "plain_standard_error": plain.standard_error,
            "plain_p_value": plain.p_value,
            "plain_p_adjusted": plain.p_adjusted,
            "plain_df": plain.df,
            "correlation": rho,
            "paired": paired,
            "n": n,
        }
        for (a, b), (*_, rho, paired, n), plain in zip(chosen, found, plainly, strict=True)
    ]
    return family.contrasts(AdjustedDifference, [adjusted for adjusted, *_ in found], about)


def _difference(
    pool: MetricPool,
    fits: list[Adjusted],
    a: int,
    b: int,
    target: Target,
    noise: Sequence[float],
    quality_share: float | None,
) -> tuple[Estimate, Estimate, float, bool, int]:
    """Return the difference with and without the metric, its correlation, and how it was made."""
    human = pool.human[a] - pool.human[b]
    shared = int((~np.isnan(human)).sum())
    if shared >= max(_FEW, min(fits[a].n_judged, fits[b].n_judged) / 2):
        # The systems' noise adds up, quality that they share does not.
        both, name = noise[a] + noise[b], f"{pool.systems[a]} − {pool.systems[b]}"
        metric = pool.metric[a] - pool.metric[b]
        fit = _fit(pool, name, human, metric, target, both, quality_share)
        return fit.adjusted, fit.plain, fit.correlation, True, fit.n_judged
    either = ~(np.isnan(pool.human[a]) & np.isnan(pool.human[b]))
    clusters = pool.documents if pool.documents is not None else np.arange(either.size)
    if pool.weights is not None:
        adjusted, plain = difference_of_means(fits[a], fits[b], clusters)
        return adjusted, plain, math.nan, False, int(either.sum())
    estimates = []
    for name, influence, parameters in (
        ("adjusted", "influence", 4),
        ("plain", "plain_influence", 2),
    ):
        one, other = (getattr(fits[i], name) for i in (a, b))
        joined = getattr(fits[a], influence) - getattr(fits[b], influence)
        # No correction for a finite test set: it would need the variance of the difference
        # within items, which were not judged for both (Neyman 1923).
        error, df = sandwich(joined, clusters, either, parameters=parameters)
        estimates.append(Estimate(one.value - other.value, error, min(df, one.df + other.df)))
    return estimates[0], estimates[1], math.nan, False, int(either.sum())


def _within(pool: MetricPool) -> float:
    """Return the correlation of judged items with the metric, about the means of systems."""
    if pool.metric.ndim > 2:
        return _within_several(pool)
    both = ~np.isnan(pool.human) & np.isfinite(pool.metric)
    squares = np.zeros(3)
    for human, metric, judged in zip(pool.human, pool.metric, both, strict=True):
        if pool.weights is not None:
            w = pool.weights[judged] / pool.weights[judged].sum()
            h, f = (np.sqrt(w) * (v[judged] - w @ v[judged]) for v in (human, metric))
        else:
            h, f = (values[judged] - values[judged].mean() for values in (human, metric))
        squares += h @ f, h @ h, f @ f
    spread = math.sqrt(squares[1] * squares[2])
    return float(np.clip(squares[0] / spread, -1.0, 1.0)) if spread > 0.0 else 0.0


def _within_several(pool: MetricPool) -> float:
    """Return the multiple correlation with several metrics, about the means of systems."""
    both = ~np.isnan(pool.human) & np.isfinite(pool.metric).all(axis=2)
    human, metric = [], []
    for h, f, judged in zip(pool.human, pool.metric, both, strict=True):
        if judged.any():
            human.append(h[judged] - h[judged].mean())
            metric.append(f[judged] - f[judged].mean(axis=0))
    y, x = np.concatenate(human), np.concatenate(metric)
    total = float(y @ y)
    if total == 0.0:
        return 0.0
    fitted = x @ np.linalg.lstsq(x, y, rcond=None)[0]
    return float(np.clip(math.sqrt(float(fitted @ fitted) / total), 0.0, 1.0))


def _true(
    correlation: float, quality_share: float | None
) -> tuple[float, float, tuple[str, ...]]:
    if quality_share is None:
        return math.nan, math.nan, ()
    true = correlation / math.sqrt(quality_share)
    gamma = (1.0 - quality_share) / quality_share
    note = (
        "The correlation with quality and the noise between raters give the same data efficiency "
        "again, not another gain on top."
    )
    if abs(true) <= 1.0:
        return true, data_efficiency(true, gamma=gamma), (note,)
    capped = math.copysign(1.0, true)
    over = (
        f"The metric would correlate with quality at {number(true)}, cut to "
        f"{number(capped, digits=0)}: items judged several times have less noise than "
        "`quality_share` says, or the share is too small."
    )
    return capped, data_efficiency(capped, gamma=gamma), (note, over)


def _pairing(pairs: tuple[AdjustedDifference, ...]) -> tuple[str, ...]:
    apart = sum(not pair.paired for pair in pairs)
    if not apart:
        return ()
    return (
        f"{count(apart, 'pair')} with fewer than half of the items judged for both systems: "
        "compared as a difference of two means. Judging the same items for both saves far more "
        "than a metric does.",
    )


# --- Items that were drawn with unequal probabilities ---


def _check_weights(pool: MetricPool) -> None:
    """Refuse what has no meaning with sampling weights."""
    if pool.weights is None:
        return
    if pool.metric.ndim > 2:
        raise InputError(
            "several metrics together know no sampling weights; use one of them. The judged items were "
            "drawn with unequal probabilities."
        )
    both = ~np.isnan(pool.human) & np.isfinite(pool.metric)
    if both.any() and np.array_equal(pool.human[both], pool.metric[both]):
        raise DataError(
            "the judgments are the scores of the metric itself, by which items can be chosen: there is "
            "nothing to learn from them. Give the judgments of people."
        )


def _choice(pool: MetricPool, drawn: Drawn) -> VarianceRatio | None:
    """Return what choosing saved over a random draw at the same cost, where the record tells."""
    if drawn.selection is None or drawn.selection.groups or pool.weights is None:
        return None
    complete = ~(np.isnan(pool.human) | ~np.isfinite(pool.metric)).any(axis=0)
    unit = np.arange(complete.size) if pool.documents is None else pool.documents
    lacking = np.bincount(unit, ~complete & ~np.isnan(pool.weights))
    rows = np.flatnonzero(complete & (lacking[unit] == 0))
    units, first, place = np.unique(unit[rows], return_index=True, return_inverse=True)
    if units.size < _FEW:
        return None
    weights = pool.weights[rows][first]
    squares = residual_squares(pool.human[:, rows], pool.metric[:, rows], place, weights)
    return saved_afterwards(squares, weights, drawn.selection.budget)


def _grouped(
    pool: MetricPool,
    drawn: Drawn,
    quality_share: float | None,
    target: Target,
    alpha: float,
) -> ControlVariates | None:
    """Return the share of ones of one system whose items were labelled by groups, else None.

    Groups are the distinct weights: with labels 0 and 1 the limits of each group's share are known,
    where a standard error would be 0 for a group without a one.
    """
    if pool.weights is None or len(pool.systems) != 1 or pool.documents is not None:
        return None
    judged = np.flatnonzero(~np.isnan(pool.human[0]))
    labels, weights = pool.human[0, judged], pool.weights[judged]
    found, of = np.unique(weights, return_inverse=True)
    n = np.bincount(of)
    sizes = np.rint(found * n)
    whole = np.abs(found * n - sizes) < _WHOLE * sizes
    if not (np.isin(labels, (0.0, 1.0)).all() and n.min() > 1 and whole.all()):
        return None
    if int(sizes.sum()) != len(pool.items):
        return None  # some that were drawn are not here
    ones = np.bincount(of, labels)
    groups = [
        JudgedGroup(int(size), int(k), int(one))
        for size, k, one in zip(sizes, n, ones, strict=True)
    ]
    share, interval = grouped_share(groups, alpha=alpha, target=target)
    part = sizes / sizes.sum()
    p = ones / n
    variance = float((np.square(part) * p * (1.0 - p) / (n - 1.0)).sum())
    if target == "domain":
        variance += float(part @ np.square(p - share)) / float(sizes.sum())
    error = math.sqrt(variance)
    row = AdjustedMean(
        system=pool.systems[0],
        mean=share,
        standard_error=error,
        df=math.inf,
        interval=interval,
        plain_mean=share,
        plain_standard_error=error,
        slope=0.0,
        power_tuning=0.0,
        correlation=_within(pool),
        n_items=judged.size,
        n_pool=len(pool.items),
    )
    shares = []
    for k, group in enumerate(groups):
        scores = np.unique(pool.metric[0, judged[of == k]])
        score = float(scores[0]) if scores.size == 1 else None
        shares.append(
            GroupShare(score=score, n_pool=group.size, n_items=group.judged, share=group.share)
        )
    correlation = _within(pool)
    true, efficiency, remarks = _true(correlation, quality_share)
    settings: dict[str, str | int | float] = {"target": target, "alpha": alpha}
    return ControlVariates(
        metric=pool.name,
        systems=(row,),
        pairs=(),
        correlation=correlation,
        data_efficiency=observed_data_efficiency(correlation),
        quality_share=quality_share,
        true_correlation=true,
        true_data_efficiency=efficiency,
        saved=0.0,
        target=target,
        unit="item",
        alpha=alpha,
        notes=(*pool.notes, *drawn.notes, *remarks),
        weighting=Weighting(groups=tuple(shares), unweighted=float(labels.mean())),
        signature=Signature(
            "control-variates", {**settings, "unit": "item", "weights": "groups"}
        ),
    )


# --- What is known of a test set once a part of it was judged: its quality, not its raters' noise ---

_ROUNDING = 1e-9  # of the spread of scores: a standard error below it is none


def check_share(quality_share: float | None) -> float | None:
    """Return the share of quality, or say which shares there are."""
    if quality_share is not None and not 0.0 < quality_share <= 1.0:
        raise InputError(
            f"`quality_share` must lie above 0 and at most at 1; got {quality_share!r}."
        )
    return quality_share


def rater_noise(human: FloatArray, quality_share: float | None) -> list[float]:
    """Return the variance of rater noise in the scores of every system (rows; NaN: not judged).

    (1 − share) · variance within the system. The share is that of single judgments; a mean of
    several has less noise, so this is at least the noise there is. Infinite where the share is
    not known: all may be noise.
    """
    if quality_share is None:
        return [math.inf] * len(human)
    judged = [row[~np.isnan(row)] for row in human]
    return [
        (1.0 - quality_share) * float(row.var(ddof=1)) if row.size > 1 else math.inf
        for row in judged
    ]


def finite_note(quality_share: float | None, *, whole_documents: bool = True) -> str:
    """Say what was taken for known of the test set."""
    if not whole_documents:
        return (
            "The documents of items that were not judged are not known, so nobody knows which "
            "documents were judged whole: standard errors are as if few of them had been judged."
        )
    if quality_share is None:
        return (
            "Judging more of the test set does not remove the noise of raters, and its share is "
            "not known here: standard errors are as if few of the items had been judged. With "
            "`quality_share` (from `detectable variance`) they can be smaller."
        )
    return (
        f"For this test set, quality ({quality_share:.0%} of the variance of a judgment) counts as "
        "known where it was judged; the noise of raters stays."
    )


def require_error(name: str, found: Estimate, scores: FloatArray) -> None:
    """Refuse a standard error of 0, with which any difference would be certain."""
    known = scores[~np.isnan(scores)]
    if found.standard_error > _ROUNDING * float(np.ptp(known)):
        return
    if np.ptp(known) == 0.0:
        why = f"all {known.size} judged scores are {known[0]:g}. Judge more items."
    else:
        why = (
            "the data leave no variance. Say with `quality_share` below 1 that raters are not "
            "free of noise, or ask about the domain (target='domain')."
        )
    raise DataError(f"{name}: the standard error is 0, so nothing can be tested: {why}")
