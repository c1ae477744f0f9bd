"""Flip the signs of what each unit adds to a difference: the swap test of means, for many pairs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from detectable.core.execute import Engine
from detectable.core.rng import Block
from detectable.core.types import FloatArray
from detectable.inference.few_units import enumerable
from detectable.inference.sign_patterns import sign_patterns
from detectable.inference.swap_blocks import drawn_swaps
from detectable.inference.swap_tally import (
    ROUNDING,
    Questions,
    Swaps,
    Tally,
    merge,
    patterns_within,
    tally,
)
from detectable.kernels.resample import Values, compact, half_sums, weighted_sums


@dataclass(frozen=True, slots=True)
class _Payload:
    sums: Values  # by unit: (units, pairs)
    sizes: Values  # likewise; one column where all pairs have the same
    totals: tuple[FloatArray, FloatArray]
    questions: Questions


def sign_flips(
    sums: FloatArray,
    sizes: FloatArray,
    *,
    n_resamples: int,
    alpha: float,
    margin: float | None = None,
    engine: Engine,
) -> Swaps:
    """Flip the signs of units, all pairs alike; count all patterns where there are few.

    Parameters
    ----------
    sums, sizes : arrays of shape (units, pairs)
        What each unit adds to the difference of a pair, and how much it weighs there. Both are 0
        where a pair was not observed.
    n_resamples : int
        Sign patterns to draw, if not all are counted.
    alpha : float
        Intervals can be asked for at up to twice this level.
    margin : float, optional
        Also test against ± this.
    """
    n_units = len(sums)
    exact = enumerable(n_units)
    n_resamples = 2 ** (n_units - 1) - 1 if exact else n_resamples
    n_kept = patterns_within(2.0 * alpha, n_resamples) + 1
    payload = _payload(sums, sizes, n_kept=n_kept, margin=margin)
    if exact:
        parts = [_counted(payload, taken) for taken in sign_patterns(n_units)]
        counted = merge(payload.questions, parts)
        return Swaps(questions=payload.questions, counted=counted, exact=True)
    return drawn_swaps(
        _drawn,
        payload,
        payload.questions,
        n_resamples=n_resamples,
        levels=(2.0 * alpha, 2.0 * alpha / sums.shape[1]),
        engine=engine,
        step="sign flips",
    )


def _payload(
    sums: FloatArray, sizes: FloatArray, *, n_kept: int, margin: float | None
) -> _Payload:
    n = sizes.sum(axis=0)
    n = np.where(n > 0.0, n, 1.0)
    totals = sums.sum(axis=0)
    shared = bool((sizes == sizes[:, :1]).all())
    weights = sizes[:, :1] if shared else sizes
    questions = Questions(
        observed=totals / n,
        # Rounding grows with what is added up, not with the sum that is left.
        slack=ROUNDING * np.abs(sums).sum(axis=0) / n,
        scale=np.sqrt(np.square(sums).sum(axis=0)) / n,
        families=(np.arange(sums.shape[1]),),
        margins=np.full(sums.shape[1], np.nan if margin is None else margin),
        n_kept=n_kept,
    )
    return _Payload(compact(sums), compact(weights), (totals, weights.sum(axis=0)), questions)


def _drawn(payload: _Payload, block: Block) -> Tally:
    """Flip signs at random, `block.rows` times."""
    sums, sizes = half_sums([payload.sums, payload.sizes], block.rows, block.rng)
    return _flipped(payload, sums, sizes)


def _counted(payload: _Payload, taken: NDArray[np.int64]) -> Tally:
    """Flip the signs that the rows of `taken` name."""
    sums, sizes = weighted_sums(taken, [payload.sums, payload.sizes])
    return _flipped(payload, sums, sizes)


def _flipped(payload: _Payload, sums: FloatArray, sizes: FloatArray) -> Tally:
    """Count over sign patterns, given sum and number of the units whose sign is flipped.

    The sum with flipped signs is the total less twice the sum over these units.
    """
    totals, n = payload.totals
    flipped = (totals - 2.0 * sums) / np.where(n > 0.0, n, 1.0)
    halves = _mean(sums, sizes), _mean(totals - sums, n - sizes)
    return tally(payload.questions, flipped, halves)


def _mean(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the mean difference of a part of the units; not a number where there is none."""
    return sums / np.where(sizes > 0.0, sizes, np.nan)
