"""Sign flips: of paired comparisons, and of what each unit adds, for many pairs at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.execute import Engine, run_blocks
from detectable.core.result import Result, Signature
from detectable.core.rng import Block, blocks
from detectable.core.same import same
from detectable.core.types import ArrayLike, FloatArray, IntArray, Progress, Seed, silent
from detectable.core.wording import count
from detectable.inference.few_units import enumerable, sign_patterns
from detectable.inference.standard_errors import cluster_means
from detectable.inference.swaps import (
    ROUNDING,
    Joint,
    Questions,
    Swaps,
    SwapsOfMany,
    Tally,
    drawn_swaps,
    joint,
    merge,
    patterns_within,
    tally,
)
from detectable.kernels.resample import (
    ALIGNED,
    Values,
    compact,
    half_sums,
    half_sums_in_parts,
    half_sums_with_units,
    weighted_sums,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from detectable.inference.randomization import SwapParts


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedPermutation(Result):
    """Mean differences of many pairs with their permutation p-values; one entry per pair.

    Attributes
    ----------
    differences : array of shape (pairs,)
        Mean over the units where the pair was observed; NaN where there is none.
    p_values : array of shape (pairs,)
        Two-sided, never below 1 / (n_resamples + 1); NaN where there is no unit.
    p_max_t : array of shape (pairs,)
        The same, corrected for the number of pairs by step-down max-T.
    standard_errors, df : array of shape (pairs,)
        Cluster-robust; NaN with fewer than two clusters.
    n : array of shape (pairs,)
        Units of the pair.
    n_resamples : int
        Sign patterns other than the observed one: drawn, or all of them if `exact`.
    exact : bool
        True where all sign patterns were counted.
    notes : tuple of str
        What was left out, with its count.
    swaps : Swaps
        What was counted over the patterns: intervals, margins, critical values.
    """

    differences: FloatArray
    p_values: FloatArray
    p_max_t: FloatArray
    standard_errors: FloatArray
    df: FloatArray
    n: IntArray
    n_resamples: int
    exact: bool
    notes: tuple[str, ...] = ()
    swaps: Swaps = field(repr=False, compare=False, metadata={"bulk": "array"})

    def __eq__(self, other: object) -> bool:
        return same(self, other)  # == of arrays is an array


def paired_permutation(  # noqa: PLR0913 (data, choices, and where it runs)
    differences: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    n_resamples: int = 9_999,
    alpha: float = 0.05,
    margin: float | None = None,
    rng: Seed = None,
    n_jobs: int = 1,
    executor: "Executor | None" = None,
    progress: Progress = silent,
) -> PairedPermutation:
    r"""Test many pairs of systems by flipping the signs of their differences.

    If two systems do not differ, the scores of a unit could as well have come from the other
    one, and its difference could have the other sign. With :math:`D_g` the sum of the
    differences in cluster g and independent signs :math:`s_{rg} = \pm 1`,

    .. math:: S = \sum_g D_g, \qquad S_r = \sum_g s_{rg} D_g, \qquad
              p = \frac{1 + \#\{r : |S_r| \ge |S|\}}{1 + R}.

    Equality counts as at least as extreme, with room for rounding, so p = 1 where all
    differences are zero, and p is never zero [1]_. Units of a cluster (sentences of a document)
    keep their signs together, because they may depend on each other. All pairs see the same
    signs: one matrix product tests them all, and `p_max_t` knows how far they depend on each
    other.

    With few clusters, up to 15, all :math:`2^{G-1}` sign patterns are counted instead of drawn: a
    pattern and its mirror image are equally extreme. p is then exact, and the signature says so.

    The standard error of the mean difference is cluster-robust, see `inference.standard_errors`.

    Parameters
    ----------
    differences : array of shape (units, pairs)
        Score of the first system of a pair less that of the second, on each unit. NaN where the
        pair was not observed. A vector is one pair.
    clusters : array of int of shape (units,), optional
        Which units belong together. By default every unit stands alone.
    n_resamples : int
        Number of sign patterns, R.
    alpha : float
        Intervals will be asked for at up to twice this level.
    margin : float, optional
        Also test the differences against ± this.

    References
    ----------
    .. [1] Phipson and Smyth (2010), "Permutation p-values should never be zero",
       Statistical Applications in Genetics and Molecular Biology 9(1), 39.

    Examples
    --------
    >>> test = paired_permutation([[3.0, 0.0], [1.0, 0.0], [2.0, 0.0], [4.0, float("nan")]])
    >>> test.differences.tolist(), test.p_values.tolist(), test.exact
    ([2.5, 0.0], [0.125, 1.0], True)
    """
    table = _table(differences)
    codes = _codes(clusters, len(table))
    n_resamples = check.repetitions(n_resamples, "n_resamples")
    alpha = check.probability(alpha, "alpha")
    margin = None if margin is None else check.positive(margin, "margin")
    sums, sizes = _by_cluster(table, codes)
    n = sizes.sum(axis=0)
    engine = Engine.start(rng, n_jobs=n_jobs, executor=executor, progress=progress)
    swaps = sign_flips(
        sums,
        sizes.astype(np.float64),
        n_resamples=n_resamples,
        alpha=alpha,
        margin=margin,
        engine=engine,
    )
    settings: dict[str, str | int | float] = {
        "n": len(table),
        "clusters": len(sums),
        "pairs": table.shape[1],
        **({"signs": "all"} if swaps.exact else {"R": n_resamples}),
    }
    mean, standard_errors, df = cluster_means(sums, sizes)
    return PairedPermutation(
        differences=mean,
        p_values=np.where(n > 0, swaps.p_values(), np.nan),
        p_max_t=np.where(n > 0, swaps.p_max_t(), np.nan),
        standard_errors=standard_errors,
        df=df,
        n=n,
        n_resamples=swaps.n_resamples,
        exact=swaps.exact,
        notes=_notes(table, n),
        swaps=swaps,
        signature=Signature(
            "paired-permutation", settings, None if swaps.exact else engine.seed
        ),
    )


def _table(differences: ArrayLike) -> FloatArray:
    table = np.asarray(differences, dtype=np.float64)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or 0 in table.shape:
        raise InputError(
            "`differences` must have one row per unit and one column per pair; "
            f"got shape {table.shape}."
        )
    if np.isinf(table).any():
        row, pair = np.argwhere(np.isinf(table))[0].tolist()
        raise InputError(
            f"`differences` must be finite, or NaN where a pair was not observed; "
            f"got {table[row, pair]} in row {row}, pair {pair}."
        )
    return table


def _codes(clusters: ArrayLike | None, units: int) -> IntArray | None:
    """Return the cluster of each unit as 0, 1, 2 …, or None where every unit stands alone."""
    if clusters is None:
        return None
    codes = np.asarray(clusters)
    if codes.shape != (units,):
        raise InputError(
            f"`clusters` must name the cluster of each of the {count(units, 'unit')}; "
            f"got shape {codes.shape}."
        )
    return np.unique(codes, return_inverse=True)[1]


def _by_cluster(table: FloatArray, codes: IntArray | None) -> tuple[FloatArray, IntArray]:
    """Return sum and number of the observed differences of every pair in each cluster."""
    seen = ~np.isnan(table)
    values = np.where(seen, table, 0.0)
    if codes is None:
        return values, seen.astype(np.int64)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return (
        np.add.reduceat(values[order], starts, axis=0),
        np.add.reduceat(seen[order].astype(np.int64), starts, axis=0),
    )


def _notes(table: FloatArray, n: IntArray) -> tuple[str, ...]:
    missing = int(table.size - n.sum())
    notes = []
    if missing:
        notes.append(
            f"{missing:,} of {table.size:,} differences were not observed; each pair is tested "
            "on its own units."
        )
    never = int((n == 0).sum())
    if never:
        notes.append(f"{count(never, 'pair')} without a common unit: not tested.")
    return tuple(notes)


# --- Flip the signs of what each unit adds to a difference: the swap test of means, for many pairs ---
#
# All swaps of all pairs of 400 systems would be 79,800 × 10,000 numbers, several times over. So
# what is asked of every pair by itself is counted for some pairs at a time, and what is asked of
# all pairs together (max-T) for some swaps at a time. Both see the same swaps.

_PIECE = 22 * ALIGNED  # pairs; does not change the answer
_CELLS = 1 << 22  # pairs × swaps at a time; does not change the answer
_FEW_CELLS = 1 << 19  # likewise, of pairs that are put together from systems
_AT_ONCE = 64  # blocks whose counts are held side by side
_DATA = 4.0 * float(
    np.finfo(np.float64).eps
)  # what systems add is rounded before it is subtracted


class _Payload(NamedTuple):
    sums: Values  # by unit: (units, pairs)
    sizes: Values  # likewise; one column where all pairs have the same
    totals: tuple[FloatArray, FloatArray]
    questions: Questions

    def piece(self, columns: slice) -> "_Payload":
        """Return the same of some pairs, without what is asked of all together."""
        asked, (totals, n) = self.questions, self.totals
        shared = self.sizes.shape[1] == 1
        return _Payload(
            self.sums[:, columns].copy(),
            self.sizes if shared else self.sizes[:, columns].copy(),
            (totals[columns], n if shared else n[columns]),
            replace(
                asked,
                observed=asked.observed[columns],
                slack=asked.slack[columns],
                scale=asked.scale[columns],
                families=(),
                margins=asked.margins[columns],
            ),
        )

    def differences(self, sums: FloatArray) -> FloatArray:
        """Return the differences with flipped signs, given the sums over these units.

        The sum with flipped signs is the total less twice the sum over these units.
        """
        totals, n = self.totals
        return (totals - 2.0 * sums) / np.where(n > 0.0, n, 1.0)


def sign_flips(
    sums: FloatArray,
    sizes: FloatArray,
    *,
    n_resamples: int,
    alpha: float,
    margin: float | None = None,
    levels: tuple[float, ...] | None = None,
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
        Intervals can be asked for at up to twice this level; 0 where none will be.
    margin : float, optional
        Also test against ± this.
    levels : tuple of float, optional
        Intervals will be asked for at these levels only. Then very many pairs take little memory.
    """
    n_units, n_pairs = sums.shape
    exact = enumerable(n_units)
    n_resamples = 2 ** (n_units - 1) - 1 if exact else n_resamples
    n_kept = patterns_within(2.0 * alpha, n_resamples) + 1 if alpha > 0.0 else 0
    payload = _payload(sums, sizes, n_kept=n_kept, margin=margin)
    work = () if exact else tuple(blocks(n_resamples, engine.rng))
    largest = (2.0 * alpha, 2.0 * alpha / n_pairs)
    if n_pairs <= _PIECE:
        return _swaps(payload, work, largest, engine)
    starts = list(range(0, n_pairs, _PIECE))
    if n_pairs - starts[-1] < _PIECE // 2:  # few columns would be added up in another way
        starts.pop()
    found = []
    for number, (start, stop) in enumerate(pairwise([*starts, n_pairs])):
        told = _part_of(engine, number, len(starts) + 1)
        made = _swaps(payload.piece(slice(start, stop)), work, largest, told)
        found.append(made if levels is None else _with_ends(made, levels))
    last = _part_of(engine, len(starts), len(starts) + 1)
    return _joined(payload.questions, found, _jointly(payload, work, last))


def _swaps(
    payload: _Payload, work: Sequence[Block], levels: tuple[float, float], engine: Engine
) -> Swaps:
    """Count all patterns if there are no blocks of random ones."""
    if not work:
        parts = [_counted(payload, taken) for taken in sign_patterns(len(payload.sums))]
        counted = merge(payload.questions, parts)
        return Swaps(questions=payload.questions, counted=counted, exact=True)
    return drawn_swaps(
        _drawn,
        payload,
        payload.questions,
        n_resamples=sum(block.rows for block in work),
        levels=levels,
        engine=engine,
        step="sign flips",
        work=work,
    )


def _part_of(engine: Engine, number: int, n: int) -> Engine:
    """Return an engine that tells the progress of all parts of the work."""

    def told(step: str, done: int, total: int | None) -> None:
        each = total or 0
        engine.progress(step, number * each + done, n * each)

    return engine._replace(progress=told)


def _jointly(payload: _Payload, work: Sequence[Block], engine: Engine) -> Joint:
    """Count what is asked of all pairs together."""
    if not work:
        found = [_joint_of(payload, taken) for taken in sign_patterns(len(payload.sums))]
        return _added(found)
    kept: list[Joint] = []
    for start in range(0, len(work), _AT_ONCE):
        now = run_blocks(
            _joint_of_block,
            payload,
            work[start : start + _AT_ONCE],
            n_jobs=engine.n_jobs,
            executor=engine.executor,
            step="sign flips",
        )
        kept = [_added([*kept, *now])]
        engine.progress("sign flips", min(start + _AT_ONCE, len(work)), len(work))
    return kept[0]


def _joint_of_block(payload: _Payload, block: Block) -> Joint:
    step = _CELLS // payload.sums.shape[1]
    return _added(
        [
            joint(payload.questions, payload.differences(sums))
            for (sums,) in half_sums_in_parts([payload.sums], block.rows, block.rng, step)
        ]
    )


def _joint_of(payload: _Payload, taken: NDArray[np.int64]) -> Joint:
    step = max(_CELLS // payload.sums.shape[1] // ALIGNED, 1) * ALIGNED
    found = []
    for first in range(0, len(taken), step):
        (sums,) = weighted_sums(taken[first : first + step], [payload.sums])
        found.append(joint(payload.questions, payload.differences(sums)))
    return _added(found)


def _added(parts: Sequence[Joint]) -> Joint:
    stepped = np.sum([one[0][0] for one in parts], axis=0)
    return (stepped,), np.concatenate([one[1] for one in parts])


def _with_ends(swaps: Swaps, levels: tuple[float, ...]) -> SwapsOfMany:
    """Keep intervals at some levels, in place of all ends that they are chosen from."""
    nothing = np.zeros((0, swaps.questions.observed.size))
    return SwapsOfMany(
        questions=swaps.questions,
        counted=replace(swaps.counted, lowest=nothing, highest=nothing),
        exact=swaps.exact,
        ends_at={level: swaps.ends(level) for level in levels},
    )


def _joined(questions: Questions, found: Sequence[Swaps], together: Joint) -> Swaps:
    """Return what was counted of each pair, and of all of them together."""
    stepped, largest = together
    counted = _beside([one.counted for one in found])
    counted = replace(counted, stepped=stepped, largest=largest)
    many = [one for one in found if isinstance(one, SwapsOfMany)]
    if many:
        ends = {
            level: np.concatenate([one.ends_at[level] for one in many], axis=1)
            for level in many[0].ends_at
        }
        return SwapsOfMany(
            questions=questions, counted=counted, exact=found[0].exact, ends_at=ends
        )
    first = [one.first for one in found if one.first is not None]
    return Swaps(
        questions=questions,
        counted=counted,
        exact=found[0].exact,
        first=_beside(first) if first else None,
    )


def _beside(parts: Sequence[Tally]) -> Tally:
    """Put the columns of several tallies beside each other."""

    def columns(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts], axis=-1)

    names = ("extreme", "lowest", "highest", "below", "above", "above_low", "below_high")
    return replace(parts[0], **{name: columns(name) for name in names})


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
    if not payload.questions.of_halves:
        (sums,) = half_sums([payload.sums], block.rows, block.rng)
        return tally(payload.questions, payload.differences(sums))
    sums, sizes = half_sums([payload.sums, payload.sizes], block.rows, block.rng)
    return _flipped(payload, sums, sizes)


def _counted(payload: _Payload, taken: NDArray[np.int64]) -> Tally:
    """Flip the signs that the rows of `taken` name."""
    sums, sizes = weighted_sums(taken, [payload.sums, payload.sizes])
    return _flipped(payload, sums, sizes)


# --- One unit of each pair left out: the parts of all pairs are a product of what units add to few systems ---


class _Mixture(NamedTuple):
    values: Values  # (units, columns)
    mix: FloatArray  # (columns, pairs)
    units: IntArray  # those that some pair is without
    place: IntArray  # of each pair: where in `units` its own stands
    taken: FloatArray  # of each pair: what that unit adds
    totals: FloatArray
    sizes: FloatArray
    questions: Questions


def sign_flips_without(
    parts: "Iterable[SwapParts]",
    product: tuple[FloatArray, FloatArray],
    out: IntArray,
    *,
    n_resamples: int,
    engine: Engine,
) -> Swaps:
    """Flip signs as `sign_flips` does, every pair without one unit of its own; no intervals.

    All pairs of 50 systems under a metric are 1,225 columns, and made of 51: a product with these,
    and the unit that is left out taken off, is all of them.

    Parameters
    ----------
    parts : iterable of SwapParts
        Of every pair.
    product : (array of shape (units, columns), array of shape (columns, pairs))
        Their product is what units add to each pair.
    out : array of int of shape (pairs,)
        The unit that a pair is without.
    """
    values, mix = product
    n = mix.shape[1]
    totals, sizes, taken, squares, absolute = np.empty((5, n))
    for k, (part, unit) in enumerate(zip(parts, out.tolist(), strict=True)):
        left, shares = part.parts.copy(), part.shares.copy()
        taken[k], left[unit], shares[unit] = left[unit], 0.0, 0.0
        totals[k], sizes[k] = left.sum(), shares.sum()
        squares[k], absolute[k] = np.square(left).sum(), np.abs(left).sum()
    # Differences of systems that are nearly alike are known to the rounding of the systems.
    rounding = _DATA * (np.abs(values).sum(axis=0) @ np.abs(mix))
    units, place = np.unique(out, return_inverse=True)
    questions = Questions(
        observed=totals / sizes,
        slack=(ROUNDING * absolute + rounding) / sizes,
        scale=np.sqrt(squares) / sizes,
        families=(np.arange(n),),
        margins=np.full(n, np.nan),
        n_kept=0,
    )
    return drawn_swaps(
        _drawn_from_mixture,
        _Mixture(compact(values), mix, units, place, taken, totals, sizes, questions),
        questions,
        n_resamples=n_resamples,
        levels=(0.0, 0.0),
        engine=engine,
        step="sign flips",
    )


def _drawn_from_mixture(payload: _Mixture, block: Block) -> Tally:
    """Flip signs at random, `block.rows` times, some rows of all pairs at a time."""
    (sums,), held = half_sums_with_units([payload.values], block.rows, block.rng, payload.units)
    step = max(_FEW_CELLS // payload.totals.size, 1)
    found = []
    for first in range(0, block.rows, step):
        rows = slice(first, first + step)
        flipped = sums[rows] @ payload.mix - held[rows][:, payload.place] * payload.taken
        differences = (payload.totals - 2.0 * flipped) / payload.sizes
        found.append(tally(payload.questions, differences))
    return found[0] if len(found) == 1 else merge(payload.questions, found)


def _flipped(payload: _Payload, sums: FloatArray, sizes: FloatArray) -> Tally:
    """Count over sign patterns, given sum and number of the units whose sign is flipped."""
    totals, n = payload.totals
    halves = _mean(sums, sizes), _mean(totals - sums, n - sizes)
    return tally(payload.questions, payload.differences(sums), halves)


def _mean(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the mean difference of a part of the units; not a number where there is none."""
    return sums / np.where(sizes > 0.0, sizes, np.nan)
