"""How far forward and reverse data score the systems alike, and how far noise would let them."""

from collections.abc import Callable, Mapping

import numpy as np

from detectable.core.interval import Interval
from detectable.core.rng import Block, blocks
from detectable.core.types import FloatArray
from detectable.inference.correlation import kendall, pearson, spearman
from detectable.inference.sample import Sample
from detectable.study.translationese.halved_sample import HalvedSample
from detectable.study.translationese.rows import Coefficient, HalfAgreement

FEWEST_SYSTEMS = 3  # two points always lie on a line
_COEFFICIENTS: Mapping[Coefficient, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}


def half_agreement(
    measure: HalvedSample, *, n_resamples: int, alpha: float, rng: np.random.Generator
) -> tuple[HalfAgreement, ...]:
    """Return three correlations, over systems, between the scores on the two halves.

    The systems are fixed: these are the ones that were to be ordered. What varies is the
    documents. The interval resamples documents within each half, the same ones for all systems. It
    is for the correlation that two halves of this size show on average, which noise makes smaller
    than that of scores without noise.
    Two noisy halves never agree fully, whatever was written where; so the same documents are
    also split at random, into halves of as many documents, which says how far noise alone lets
    two halves agree. Without at least three systems there is nothing to correlate.
    """
    if len(measure.systems) < FEWEST_SYSTEMS:
        return ()
    forward, reverse = measure.halves["forward"], measure.halves["reverse"]
    observed = tuple(scores_of(half, np.ones((1, half.n_units))) for half in (forward, reverse))
    resampled: list[tuple[FloatArray, FloatArray]] = []
    shuffled: list[tuple[FloatArray, FloatArray]] = []
    for block in blocks(n_resamples, rng):
        resampled.append(_resampled(forward, reverse, block))
        shuffled.append(_shuffled(measure.halves["both"], forward.n_units, block))
    found = []
    for name, correlate in _COEFFICIENTS.items():
        value = float(correlate(*observed)[0])
        draws = np.concatenate([correlate(*pair) for pair in resampled])
        random = np.concatenate([correlate(*pair) for pair in shuffled])
        known = random[~np.isnan(random)]
        found.append(
            HalfAgreement(
                measure=measure.name,
                coefficient=name,
                value=value,
                interval=_middle(draws, alpha),
                random_halves=float(np.median(known)) if known.size else float("nan"),
                random_interval=_middle(random, alpha),
                p_value=float((1 + (known <= value + 1e-12).sum()) / (1 + known.size)),
                n_systems=len(measure.systems),
            )
        )
    return tuple(found)


def scores_of(sample: Sample, weights: FloatArray) -> FloatArray:
    """Return the scores (draws, systems) of units that count as often as the weights say.

    Parameters
    ----------
    weights : array of shape (draws, units)
    """
    runs, units, k = sample.statistics.shape
    sums = weights @ sample.statistics.transpose(1, 0, 2).reshape(units, runs * k)
    scores = sample.metric.score(sums.reshape(len(weights), runs, k))
    ends = np.cumsum(sample.runs)[:-1]
    return np.stack([part.mean(axis=1) for part in np.split(scores, ends, axis=1)], axis=1)


def _resampled(forward: Sample, reverse: Sample, block: Block) -> tuple[FloatArray, FloatArray]:
    def draw(sample: Sample) -> FloatArray:
        n = sample.n_units
        return scores_of(
            sample,
            block.rng.multinomial(n, np.full(n, 1.0 / n), size=block.rows).astype(np.float64),
        )

    return draw(forward), draw(reverse)


def _shuffled(both: Sample, n_forward: int, block: Block) -> tuple[FloatArray, FloatArray]:
    order = block.rng.random((block.rows, both.n_units)).argsort(axis=1)
    first = (order < n_forward).astype(np.float64)
    return scores_of(both, first), scores_of(both, 1.0 - first)


def _middle(draws: FloatArray, alpha: float) -> Interval:
    known = draws[~np.isnan(draws)]
    if not known.size:
        return Interval(float("nan"), float("nan"), 1.0 - alpha)
    low, high = np.quantile(known, [alpha / 2.0, 1.0 - alpha / 2.0])
    return Interval(float(low), float(high), 1.0 - alpha)
