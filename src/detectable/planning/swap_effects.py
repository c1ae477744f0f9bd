"""Fit the Delta-Laplace model to two real outputs, from what each single swap does."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from detectable.core.errors import InputError
from detectable.core.result import Result, Signature
from detectable.core.rng import resolve
from detectable.core.types import FloatArray, Seed
from detectable.core.wording import listing
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.inspect_corpus import check_texts
from detectable.inference.sample import Sample
from detectable.metrics.base import Metric, ScoreMetric, TextMetric
from detectable.metrics.registry import metric as metric_of

_SUBSETS = 200  # random sets of swaps, to see whether effects add up
# Relative to the score of the statistics without signs: a swap that changes less changes nothing.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapFit(Result):
    """The parameters of a `Bleu` scenario from real outputs, and how well they describe them."""

    p0: float
    b0: float  # n · standard deviation / √2 of the swaps that change something
    b0_absolute: float  # card2020's fit: n · mean distance from the median; not their variance
    kurtosis: float  # of these swaps: 6 if they are Laplace, 3 if normal
    location: float  # median of the swaps that change something, times n
    expected_location: float  # what the model takes instead: -2 · difference / (1 - p0)
    difference: float  # score of the system − score of the baseline
    additive_difference: float  # minus half the sum of all swap effects
    additivity_slope: float  # real change on predicted change, over random sets of swaps
    additivity_correlation: float
    n_items: int
    metric: str
    swaps: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})


def fit_swaps(
    data: Corpus | Scores,
    metric: Metric | str,
    *,
    system: str,
    baseline: str,
    rng: Seed = None,
) -> SwapFit:
    r"""Estimate how swapping single outputs changes a score difference.

    :math:`\delta_i` is the change of the difference when the outputs of segment i change
    places. With additive statistics all n changes are one vectorised score, not n re-scorings.
    :math:`p_0` is the share of zeros; of the others

    .. math:: b_0 = n\, \mathrm{sd}(\delta) / \sqrt 2,

    because power depends on the variance of the swaps, which is :math:`2 b^2` for a Laplace
    variable. card2020 [1]_ fits by maximum likelihood: b is the mean distance from the median.
    That is the same if the swaps are Laplace (`kurtosis` 6). With a few large swaps among many
    small ones it is too small and promises too much power, with normal swaps too large; it is
    kept as `b0_absolute`.

    The model assumes that effects of swaps add up. Over random sets S of half the segments,
    the slope of the real change on :math:`\sum_{i \in S} \delta_i` says how far that holds:
    1 is perfect, .893 is what card2020 saw on WMT18.

    Parameters
    ----------
    data : Corpus or Scores
        Outputs of both systems on the same segments; the first run of each is used.
    metric : str or Metric
        Any metric.
    system, baseline : str
        Whose outputs to compare.
    rng : Generator, int or None
        For the random sets.

    References
    ----------
    .. [1] Card et al. (2020), "With little power comes great responsibility", section 4 and
       appendix F. Moments of the Laplace distribution: Johnson, Kotz and Balakrishnan (1995),
       Continuous Univariate Distributions 2, chapter 24: variance 2b², kurtosis 6.

    Examples
    --------
    >>> from detectable.data.example.bundled import example_corpus
    >>> names = list(example_corpus().systems)
    >>> fit = fit_swaps(example_corpus(), "chrf", system=names[1], baseline=names[0], rng=1)
    >>> 0.9 < fit.additivity_slope < 1.1
    True
    """
    chosen = metric_of(metric) if isinstance(metric, str) else metric
    # Without what both share: a swap is a difference.
    ours, theirs = chosen.centred(np.stack(_statistics(data, chosen, (system, baseline))))
    moved = theirs - ours
    totals = ours.sum(axis=0), theirs.sum(axis=0)

    def difference(change: FloatArray) -> FloatArray:
        return chosen.score(totals[0] + change) - chosen.score(totals[1] - change)

    whole = float(difference(np.zeros_like(totals[0])))
    swaps = difference(moved) - whole
    sizes = chosen.score(np.stack([np.abs(table).sum(axis=0) for table in (ours, theirs)]))
    swaps[np.abs(swaps) <= _ROUNDING * float(np.nanmax(np.abs(sizes)))] = 0.0
    changing = swaps[swaps != 0.0]
    if changing.size < 2:
        raise InputError(
            f"`system` and `baseline` must differ on at least 2 segments; got {changing.size} "
            f"of {swaps.size} whose swap changes {chosen.name}."
        )
    generator, seed = resolve(rng)
    slope, correlation = _additivity(generator, moved, swaps, whole, difference)
    n, median = swaps.size, float(np.median(changing))
    p0 = 1.0 - changing.size / n
    return SwapFit(
        p0=p0,
        b0=n * float(changing.std(ddof=1)) / math.sqrt(2.0),
        b0_absolute=n * float(np.abs(changing - median).mean()),
        kurtosis=_kurtosis(changing),
        location=n * median,
        expected_location=-2.0 * whole / (1.0 - p0),
        difference=whole,
        additive_difference=-0.5 * float(swaps.sum()),
        additivity_slope=slope,
        additivity_correlation=correlation,
        n_items=n,
        metric=chosen.name,
        swaps=swaps,
        signature=Signature("swap-fit", {"metric": chosen.name, "n": n}, seed),
    )


def _kurtosis(values: FloatArray) -> float:
    """Return the fourth central moment over the squared variance; nan if all are equal."""
    squares = np.square(values - values.mean())
    spread = float(squares.mean())
    return float(np.square(squares).mean()) / spread**2 if spread > 0.0 else math.nan


def _statistics(
    data: Corpus | Scores, metric: Metric, names: tuple[str, str]
) -> tuple[FloatArray, FloatArray]:
    for name in names:
        if name not in data.systems:
            raise InputError(
                f"no system named {name!r}. There are {listing(list(data.systems))}."
            )
    if names[0] == names[1]:
        raise InputError(
            f"`system` and `baseline` must be two systems; got {names[0]!r} twice."
        )
    if isinstance(data, Corpus):
        if not isinstance(metric, TextMetric):
            raise InputError(f"`metric` must be one of texts; got {metric.name!r}.")
        check_texts(data)
        table = metric.statistics(data)
    else:
        if not isinstance(metric, ScoreMetric):
            raise InputError(f"`metric` must be one of segment scores; got {metric.name!r}.")
        table = metric.statistics(data)
    rows = [data.outputs.index((name, 0)) for name in names]
    return table[rows[0]], table[rows[1]]


def pair_sample(data: Corpus | Scores, metric: Metric | str, names: tuple[str, str]) -> Sample:
    """Return the statistics of two systems on their segments, as tests take them."""
    chosen = metric_of(metric) if isinstance(metric, str) else metric
    return Sample(chosen, names, (1, 1), np.stack(_statistics(data, chosen, names)))


def _additivity(
    rng: np.random.Generator,
    moved: FloatArray,
    swaps: FloatArray,
    whole: float,
    difference: Callable[[FloatArray], FloatArray],
) -> tuple[float, float]:
    """Return slope and correlation of real against predicted changes."""
    chosen = rng.integers(2, size=(_SUBSETS, swaps.size)).astype(np.float64)
    predicted = chosen @ swaps
    real = difference(chosen @ moved) - whole
    x, y = predicted - predicted.mean(), real - real.mean()
    return float(x @ y / (x @ x)), float(x @ y / math.sqrt(float((x @ x) * (y @ y))))
