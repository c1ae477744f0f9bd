"""What reverse data add to every system and to every difference, and how far the halves agree."""

import itertools
from collections.abc import Callable, Mapping

import numpy as np

from detectable.contrasts.contrast import Contrast, Family
from detectable.core.interval import Interval
from detectable.core.rng import Block, blocks
from detectable.core.types import FloatArray
from detectable.inference.correlation import kendall, pearson, spearman
from detectable.inference.randomization import swap_parts
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import independent_difference
from detectable.study.translationese.conclusions import DECIDED, Concluded
from detectable.study.translationese.halves import HALVES, HalfName, HalvedSample
from detectable.study.translationese.result import (
    Change,
    Coefficient,
    HalfAgreement,
    PairEffect,
    SystemEffect,
)


def system_effects(measure: HalvedSample, *, alpha: float) -> tuple[SystemEffect, ...]:
    """Return reverse − forward of every system, with an interval over documents.

    Documents of the two halves are different documents: their errors are independent. Each
    half has the cluster-robust error of its own score (CR2, influence values for metrics that
    are no means), and the two add up.
    """
    systems = range(len(measure.systems))
    forward = [measure.estimate("forward", s) for s in systems]
    reverse = [measure.estimate("reverse", s) for s in systems]
    found = [independent_difference(r, f) for r, f in zip(reverse, forward, strict=True)]
    level = 1.0 - alpha
    about = [
        {
            "measure": measure.name,
            "system": measure.systems[s],
            "forward": forward[s].value,
            "forward_interval": forward[s].interval(level),
            "reverse": reverse[s].value,
            "reverse_interval": reverse[s].interval(level),
            "n_forward": measure.n_segments("forward", s),
            "n_reverse": measure.n_segments("reverse", s),
        }
        for s in systems
    ]
    return Family(alpha=alpha).contrasts(SystemEffect, found, about)


# --- What reverse data do to the difference of two systems, and to the verdict on them ---


def pair_effects(
    measure: HalvedSample,
    concluded: Mapping[HalfName, Concluded],
    *,
    alpha: float,
    power: float,
) -> tuple[PairEffect, ...]:
    """Return for every pair its difference on each half, and whether that is the same.

    Reverse data may raise all systems alike, and no order changes. What matters is by how much
    they favour one of two systems: reverse − forward of the difference, with both systems on
    the same documents. Where that differs significantly from zero, the halves answer different questions.

    Parameters
    ----------
    concluded : mapping of half to Concluded
        What a ranking or comparison of each half, and of both, says of every pair.
    """
    order = _best_first(measure)
    pairs = list(itertools.combinations(order, 2))
    if not pairs:
        return ()
    parts = {half: swap_parts(measure.halves[half], pairs) for half in HALVES}
    cells = {half: [part.estimate() for part in parts[half]] for half in HALVES}
    relative = [
        independent_difference(r, f)
        for r, f in zip(cells["reverse"], cells["forward"], strict=True)
    ]
    decided = Family(alpha=alpha).contrasts(Contrast, relative, [{} for _ in relative])
    forward, reverse = (
        [measure.halves[half].score(s) for s in range(len(measure.systems))]
        for half in ("forward", "reverse")
    )
    rows = []
    for k, (a, b) in enumerate(pairs):
        first, second = measure.systems[a], measure.systems[b]
        said = {half: concluded[half].of(first, second) for half in HALVES}
        effects = reverse[a] - forward[a], reverse[b] - forward[b]
        both = cells["both"][k].value
        verdict = {half: said[half].verdict for half in HALVES}
        rows.append(
            PairEffect(
                measure=measure.name,
                first=first,
                second=second,
                forward=cells["forward"][k].value,
                reverse=cells["reverse"][k].value,
                both=both,
                effect_first=effects[0],
                effect_second=effects[1],
                opposite=effects[0] * effects[1] < 0.0,
                relative=relative[k].value,
                interval=decided[k].interval,
                standard_error=relative[k].standard_error,
                df=relative[k].df,
                p_value=decided[k].p_value,
                p_adjusted=decided[k].p_adjusted,
                relative_mde=relative[k].detectable(alpha=alpha / len(pairs), power=power),
                verdict_forward=verdict["forward"],
                verdict_reverse=verdict["reverse"],
                verdict_both=verdict["both"],
                mde_forward=said["forward"].mde,
                mde_reverse=said["reverse"].mde,
                mde_both=said["both"].mde,
                change=change(verdict["both"], verdict["forward"]),
                forward_had_power=abs(both) >= said["forward"].mde,
            )
        )
    return tuple(rows)


def change(both: str, forward: str) -> Change:
    """Say what becomes of a verdict on both halves if reverse data are left out.

    Examples
    --------
    >>> change("better", "undecided"), change("undecided", "worse"), change("better", "worse")
    ('lost', 'gained', 'turned')
    """
    if both == forward:
        return "same"
    if both in DECIDED and forward in DECIDED:
        return "turned"
    return "lost" if both in DECIDED else "gained"


def _best_first(measure: HalvedSample) -> list[int]:
    scores = np.array([measure.halves["both"].score(s) for s in range(len(measure.systems))])
    best_first = scores if measure.higher_is_better is False else -scores
    order: list[int] = np.argsort(best_first, kind="stable").tolist()
    return order


# --- How far forward and reverse data score the systems alike, and how far noise would let them ---

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
