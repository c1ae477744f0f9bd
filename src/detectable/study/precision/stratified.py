"""Items drawn in proportion from bins of a metric, and means from such a sample."""

import math
from dataclasses import dataclass, field

import numpy as np

from detectable.core import check
from detectable.core.choices import Target
from detectable.core.errors import DataError, InputError
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.rng import resolve
from detectable.core.types import FloatArray, IntArray, Seed
from detectable.core.wording import count, listing
from detectable.data.files.table import TableSource
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import judgments_of
from detectable.data.scores.scores import Scores
from detectable.inference.standard_errors import Estimate
from detectable.study.precision.control_variates import (
    check_share,
    finite_note,
    rater_noise,
    require_error,
)
from detectable.study.precision.judge_agreement import MetricSource, as_scores, metric_pool

_LEAST = 2  # items per bin: one has no variance


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """One bin of the metric."""

    low: float
    high: float
    n_pool: int
    n_chosen: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratification(Result):
    """Which items to have judged, a fixed share of every bin of the metric.

    Attributes
    ----------
    items : tuple of str
        The chosen items, in the order of the pool.
    strata : tuple of Stratum
        The bins, from the lowest scores up.
    captured : float
        Share of the metric's variance between the bins. The variance of a mean human score falls
        by about that share times ρ².
    """

    items: tuple[str, ...]
    strata: tuple[Stratum, ...]
    n_pool: int
    captured: float
    notes: tuple[str, ...]
    pool: tuple[str, ...] = field(repr=False, metadata={"bulk": "rows"})
    bin_of: IntArray = field(repr=False, compare=False, metadata={"bulk": "array"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StratifiedMean:
    """A mean, or a difference of means, from a stratified sample."""

    system: str
    baseline: str | None
    estimate: float
    standard_error: float
    df: float
    interval: Interval
    simple_standard_error: float  # had the same items been drawn at random
    n_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StratifiedMeans(Result):
    """Means of systems, and differences of pairs, from a stratified sample."""

    systems: tuple[StratifiedMean, ...]
    pairs: tuple[StratifiedMean, ...]
    target: Target
    alpha: float
    notes: tuple[str, ...]


def stratify(
    metric_scores: MetricSource,
    n_items: int,
    *,
    bins: int = 5,
    labelled: Judgments | None = None,
    rng: Seed = None,
) -> Stratification:
    r"""Choose items for judging, in proportion from quantile bins of a metric.

    Items are sorted by their metric score (the mean over systems) and cut into bins of equal
    size. Each bin gives its share of the sample, by largest remainders and at least two items,
    drawn at random without replacement.

    Parameters
    ----------
    metric_scores : Scores, ``{system: {item: score}}``, or a file
        Items without a score for every system are left out and counted.
    n_items : int
        How many items to choose.
    bins : int
        How many bins; at least two chosen items fall into each.
    labelled : Judgments, optional
        Items that people have judged already, which are not chosen again.

    References
    ----------
    Cochran (1977), Sampling Techniques, chapter 5.

    Examples
    --------
    >>> scores = {"A": {str(i): i / 10 for i in range(10)}}
    >>> chosen = stratify(scores, 4, bins=2, rng=1)
    >>> len(chosen.items), [stratum.n_chosen for stratum in chosen.strata]
    (4, [2, 2])
    """
    scores, notes = as_scores(metric_scores)
    n_items = check.positive_int(n_items, "n_items", minimum=_LEAST)
    bins = check.positive_int(bins, "bins")
    gaps = scores.of_one_task().incomplete()
    if gaps:
        notes = (
            *notes,
            f"{count(len(gaps), 'item')} left out, without a score for every system: "
            f"{listing(list(gaps))}.",
        )
    scores = scores.complete().averaged()
    if labelled is not None:
        scores, said = _unlabelled(scores, labelled)
        notes = (*notes, said)
    value = np.mean([table.mean(axis=0) for table in scores.systems.values()], axis=0)
    if not _LEAST * bins <= n_items <= value.size:
        raise InputError(
            f"`n_items` must lie between {_LEAST} per bin ({_LEAST * bins}) and the "
            f"{value.size:,} items of the pool; got {n_items}. Take fewer bins."
        )
    generator, seed = resolve(rng)
    order = np.argsort(value, kind="stable")
    bin_of = np.empty(value.size, np.int64)
    bin_of[order] = np.arange(value.size) * bins // value.size
    sizes = np.bincount(bin_of, minlength=bins)
    wanted = _shares(sizes, n_items)
    chosen = np.zeros(value.size, dtype=bool)
    for stratum in range(bins):
        members = np.flatnonzero(bin_of == stratum)
        chosen[generator.choice(members, size=int(wanted[stratum]), replace=False)] = True
    means = np.bincount(bin_of, value) / sizes
    spread = float(np.square(value - value.mean()).sum())
    between = float((sizes * np.square(means - value.mean())).sum())
    return Stratification(
        items=tuple(scores.items[i] for i in np.flatnonzero(chosen)),
        strata=tuple(
            Stratum(
                low=float(value[bin_of == h].min()),
                high=float(value[bin_of == h].max()),
                n_pool=int(sizes[h]),
                n_chosen=int(wanted[h]),
            )
            for h in range(bins)
        ),
        n_pool=value.size,
        captured=between / spread if spread > 0.0 else 0.0,
        notes=notes,
        pool=scores.items,
        bin_of=bin_of,
        signature=Signature("stratify", {"n": n_items, "bins": bins}, seed),
    )


def _unlabelled(scores: Scores, labelled: Judgments) -> tuple[Scores, str]:
    """Return the table without the items that were judged, and what that means."""
    known = set(labelled.item.levels)
    keep = [i for i, item in enumerate(scores.items) if item not in known]
    if len(keep) == scores.n_items:
        raise DataError("no labelled item is in the pool. Do both name items in the same way?")
    if not keep:
        raise DataError("all items of the pool are labelled, so there is nothing to choose.")
    rest = Scores.build(
        {name: table[:, keep] for name, table in scores.systems.items()},
        items=[scores.items[i] for i in keep],
        documents=None if scores.documents is None else [scores.documents[i] for i in keep],
        metric=scores.metric,
    )
    return rest, (
        f"{count(scores.n_items - len(keep), 'item')} labelled already and not chosen again; all "
        "labels together stand for the pool only if those were drawn at random, too."
    )


def _shares(sizes: IntArray, n_items: int) -> IntArray:
    """Return how many to draw from each bin: largest remainders, two at least."""
    exact = n_items * sizes / sizes.sum()
    wanted: IntArray = np.maximum(np.floor(exact).astype(np.int64), _LEAST)
    remainder = exact - wanted
    for _ in range(int(n_items - wanted.sum())):
        best = int(np.argmax(np.where(wanted < sizes, remainder, -np.inf)))
        wanted[best] += 1
        remainder[best] -= 1.0
    return wanted


def stratified_means(
    judgments: Judgments | TableSource,
    stratification: Stratification,
    *,
    target: Target = "domain",
    quality_share: float | None = None,
    alpha: float = 0.05,
) -> StratifiedMeans:
    r"""Estimate means of systems and their differences from a stratified sample.

    .. math::

        \hat\theta = \sum_h W_h \bar d_h, \qquad
        SE^2 = \sum_h W_h^2 \frac{s_h^2}{n_h}
               + \frac1N \sum_h W_h (\bar d_h - \hat\theta)^2

    with :math:`W_h` the share of bin h in the pool of N items. For the mean over this test set
    the last term falls away, and

    .. math:: SE^2 = \sum_h W_h^2 \Big(\frac{s_h^2}{n_h} - \frac{\max(0, s_h^2 - \sigma^2)}{N_h}\Big)

    with σ² the noise of raters, which stays in items that were judged (`control_variates`).
    Degrees of freedom: Satterthwaite. Differences are taken within the items judged for both
    systems.

    Parameters
    ----------
    target : {'domain', 'test-set'}
        Means over all texts like these, or over the items of the pool.
    quality_share : float, optional
        Share of quality in the variance of a judgment (`variance_components`), from which σ²
        follows; 1 says that raters make no errors. Without it nothing is taken off.

    References
    ----------
    Cochran (1977), sections 5.3 to 5.4, 12.2 (the pool as a first sample) and chapter 13 (errors
    of measurement).
    """
    judgments = judgments_of(judgments)
    target = check.literal(target, Target, "target")  # type: ignore[arg-type]
    level = 1.0 - check.probability(alpha, "alpha")
    quality_share = check_share(quality_share)
    names = dict.fromkeys(judgments.system.levels, dict.fromkeys(stratification.pool, 0.0))
    pool = metric_pool(judgments, names)
    noise = rater_noise(pool.human, quality_share)
    systems = tuple(
        _row(name, None, pool.human[s], noise[s], stratification, target, level)
        for s, name in enumerate(pool.systems)
    )
    n = len(pool.systems)
    pairs = tuple(
        _row(
            pool.systems[a],
            pool.systems[b],
            pool.human[a] - pool.human[b],
            noise[a] + noise[b],
            stratification,
            target,
            level,
        )
        for a in range(n)
        for b in range(a + 1, n)
    )
    settings = {"target": target, "bins": len(stratification.strata)}
    return StratifiedMeans(
        systems=systems,
        pairs=pairs,
        target=target,
        alpha=alpha,
        notes=(*pool.notes, *((finite_note(quality_share),) if target == "test-set" else ())),
        signature=Signature("stratified-means", settings, stratification.signature.seed),
    )


def _row(
    system: str,
    baseline: str | None,
    values: FloatArray,
    noise: float,
    stratification: Stratification,
    target: Target,
    level: float,
) -> StratifiedMean:
    judged = ~np.isnan(values)
    bins = len(stratification.strata)
    of, scores = stratification.bin_of[judged], values[judged]
    n = np.bincount(of, minlength=bins)
    if n.min() < _LEAST:
        what = system if baseline is None else f"{system} and {baseline}"
        raise DataError(
            f"bin {int(n.argmin()) + 1} holds {count(int(n.min()), 'judged item')} of {what}; a "
            f"standard error needs {_LEAST} in every bin. Judge more, or use fewer bins."
        )
    size = np.bincount(stratification.bin_of, minlength=bins)
    found = stratified_estimate(scores, of, size, target, noise=noise)
    # One bin that holds everything: a sample drawn at random.
    everything = np.zeros(scores.size, np.int64), size.sum(keepdims=True)
    simple = stratified_estimate(scores, *everything, target, noise=noise)
    require_error(system if baseline is None else f"{system} − {baseline}", found, scores)
    return StratifiedMean(
        system=system,
        baseline=baseline,
        estimate=found.value,
        standard_error=found.standard_error,
        df=found.df,
        interval=found.interval(level),
        simple_standard_error=simple.standard_error,
        n_items=int(scores.size),
    )


def stratified_estimate(
    scores: FloatArray,
    stratum: IntArray,
    sizes: IntArray,
    target: Target,
    *,
    noise: float = math.inf,
) -> Estimate:
    """Return the stratified mean of scores with their bins, given the bins' sizes in the pool.

    `noise` is the variance of rater noise in a score, which stays in the mean of this test set.
    """
    n = np.bincount(stratum, minlength=sizes.size)
    mean = np.bincount(stratum, scores, minlength=sizes.size) / n
    squares = np.bincount(stratum, np.square(scores - mean[stratum]), minlength=sizes.size)
    weight = sizes / sizes.sum()
    variance = squares / (n - 1.0)
    parts = weight**2 * variance / n
    value = float(weight @ mean)
    between = 0.0
    if target == "test-set":
        parts = parts - weight**2 * np.maximum(0.0, variance - noise) / sizes
    else:
        between = float(weight @ np.square(mean - value)) / float(sizes.sum())
    total = float(parts.sum())
    own = float((parts**2 / (n - 1.0)).sum())
    df = total**2 / own if own > 0.0 else float(scores.size - sizes.size)
    return Estimate(value, (total + between) ** 0.5, df)
