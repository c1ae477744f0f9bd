r"""Several pairs watched together: Holm over group-sequential tests, and e-values at any time.

With m pairs of which r are rejected so far, every open pair is tested at its own look times
against the boundary of level :math:`\alpha / (m - r)`, computed from the first look on. After a
rejection the others are tested again at the same look, with r + 1. The chance of any false
rejection is at most α under any dependence between the pairs [1]_: for every set J of true nulls
the weighted Bonferroni test with levels :math:`\alpha / |J|` keeps α, and the short cut is the
closed test of these because the boundaries fall as the level grows. Pairs that are decided or
given up may stop being judged: the others keep their own planned looks.

A pair that is given up as futile leaves the sampling, but m is not reduced.

References
----------
.. [1] Maurer and Bretz (2013), "Multiple testing in group sequential trials using graphical
   approaches", Statistics in Biopharmaceutical Research 5(4), 311–320.
"""

import math
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.result import Result, Signature
from detectable.core.types import ArrayLike, FloatArray
from detectable.core.verdict import Verdict
from detectable.core.wording import listing
from detectable.inference.multiplicity import benjamini_hochberg, holm
from detectable.sequential.e_process import OneSided, e_value
from detectable.sequential.look_statistic import LookBoundaries

Pair: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOutcome:
    """What one look says about one pair.

    Attributes
    ----------
    verdict : str
        ``better``, ``worse`` or ``undecided`` so far.
    futile : bool
        Advice to give an undecided pair up.
    level : float
        The level at which the pair was last tested.
    z_bound, futility_bound, alpha_spent
        Of that level, at this look.
    exact_p : float or None
        Of an exact test: its p-value over all looks, if it stops here.
    """

    verdict: Verdict
    level: float
    z_bound: float
    futility_bound: float | None
    alpha_spent: float
    futile: bool = False
    exact_p: float | None = None


def holm_look(
    open_pairs: Sequence[Pair],
    test: Callable[[Pair, float], PairOutcome],
    *,
    alpha: float,
    n_pairs: int,
    n_rejected: int = 0,
) -> dict[Pair, PairOutcome]:
    """Decide the open pairs at one look.

    Parameters
    ----------
    open_pairs : sequence of pairs
        All that are neither decided nor given up.
    test : callable
        Tests one pair at a level: `outcome_at`, or an exact test.
    alpha : float
        Chance of any false rejection, over all pairs and looks.
    n_pairs, n_rejected : int
        Pairs in the family, and those rejected at earlier looks.

    Examples
    --------
    >>> from detectable.sequential.design import design
    >>> from detectable.sequential.look_statistic import look_boundaries
    >>> z = {("B", "A"): 3.2, ("C", "A"): 2.5}
    >>> def test(pair, level):
    ...     bounds = look_boundaries(design("hsd", looks=2, alpha=level), (0.5,))
    ...     return outcome_at(z[pair], bounds, level=level, sided=2)
    >>> found = holm_look(list(z), test, alpha=0.05, n_pairs=2)
    >>> [outcome.verdict for outcome in found.values()]
    ['better', 'undecided']
    """
    if not 0 <= n_rejected < n_pairs:
        raise InputError(
            f"`n_rejected` must be at least 0 and below `n_pairs` ({n_pairs}); got {n_rejected}."
        )
    alpha = check.probability(alpha, "alpha")
    decided: dict[Pair, PairOutcome] = {}
    undecided = list(open_pairs)
    while undecided:
        level = alpha / (n_pairs - n_rejected - len(decided))
        tested = {pair: test(pair, level) for pair in undecided}
        # All that cross at this level also cross at every larger one, so it does not matter
        # which of them is taken first.
        crossed = {p: o for p, o in tested.items() if o.verdict != "undecided"}
        if not crossed:
            return _in_order(open_pairs, {**decided, **tested})
        decided |= crossed
        undecided = [pair for pair in undecided if pair not in crossed]
    return _in_order(open_pairs, decided)


def outcome_at(z: float, bounds: LookBoundaries, *, level: float, sided: int) -> PairOutcome:
    """Compare one statistic with the last of the boundaries; to reach it is enough."""
    upper, futility = bounds.z[-1], bounds.futility
    verdict: Verdict = "undecided"
    if z >= upper:
        verdict = "better"
    elif sided == 2 and z <= -upper:
        verdict = "worse"
    below = futility is not None and (abs(z) if sided == 2 else z) < futility
    return PairOutcome(
        verdict=verdict,
        futile=below and verdict == "undecided",
        level=level,
        z_bound=upper,
        futility_bound=futility,
        alpha_spent=bounds.alpha_spent[-1],
    )


def _in_order(
    pairs: Sequence[Pair], outcomes: Mapping[Pair, PairOutcome]
) -> dict[Pair, PairOutcome]:
    return {pair: outcomes[pair] for pair in pairs}


def needed_systems(pairs: Sequence[Pair]) -> list[str]:
    """Return the systems that must still be judged for the pairs that are open.

    Examples
    --------
    >>> needed_systems([("B", "A"), ("C", "A")])
    ['B', 'A', 'C']
    """
    return list(dict.fromkeys(name for pair in pairs for name in pair))


# --- Many pairs watched at once: which are decided, in which direction, at any time ---

Numbers: TypeAlias = tuple[float, float]  # e-values against “not better” and “not worse”
# Any: the keys of a Mapping are invariant, and pairs are named by whatever can be hashed.
Evidence: TypeAlias = Mapping[Any, OneSided | Numbers] | ArrayLike

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDecision:
    """One pair: its verdict, and the evidence for both directions."""

    pair: Hashable
    verdict: Verdict
    p_value: float  # adjusted for all pairs and both directions
    e_better: float
    e_worse: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDecisions(Result):
    """Which pairs are decided, and in which direction."""

    method: Literal["e-Holm", "e-BH"]
    decisions: tuple[PairDecision, ...]  # in the order given
    needed: float | None  # e-value that decides the next direction; None if all are decided
    alpha: float
    notes: tuple[str, ...] = ()

    @property
    def decided(self) -> tuple[PairDecision, ...]:
        """The pairs with a direction."""
        return tuple(d for d in self.decisions if d.verdict != "undecided")


def e_holm(evidence: Evidence, *, alpha: float = 0.05) -> PairDecisions:
    r"""Decide pairs so that the chance of any wrong claim, ever, is at most α.

    m pairs are 2m one-sided nulls. With r rejections so far, reject a null whose e-value has
    reached :math:`(2m - r) / \alpha`, at every time, and go on sampling as you like. Proof: at
    the first false rejection all :math:`m_0` true nulls are still open, so
    :math:`2m - r \ge m_0` and one of them has reached :math:`m_0 / \alpha`; by Ville's
    inequality each does so with chance at most :math:`\alpha / m_0`. The largest e-value so far
    may therefore be used, and a decision is never taken back [1]_.

    Parameters
    ----------
    evidence : mapping from pair to process, or to (e_better, e_worse); or array of shape (m, 2)
        `EProcess`, `PreferenceProcess` and their results count with their peaks. Numbers count as
        they are: give the largest so far. All pairs of the family, from the first look on.
    alpha : float
        Chance of any wrong claim, ever.

    References
    ----------
    .. [1] Holm (1979), Scandinavian Journal of Statistics 6(2), 65–70, with 1 / e-value as
       p-value; Ramdas, Grünwald, Vovk and Shafer (2023), "Game-theoretic statistics and safe
       anytime-valid inference", Statistical Science 38(4), 576–601.

    Examples
    --------
    >>> found = e_holm({("A", "B"): (90.0, 0.1), ("A", "C"): (70.0, 0.2), ("B", "C"): (9.0, 1.0)})
    >>> [d.verdict for d in found.decisions]
    ['undecided', 'undecided', 'undecided']
    >>> found = e_holm({("A", "B"): (130.0, 0.1), ("A", "C"): (0.2, 101.0)})
    >>> print(found.summary())
    2 of 2 pairs decided (e-Holm, any wrong claim ≤ 0.05): A–B better, A–C worse.
    """
    return _decide(evidence, alpha, method="e-Holm", adjust=holm)


def e_bh(evidence: Evidence, *, alpha: float = 0.05) -> PairDecisions:
    r"""Decide pairs so that the expected share of wrong claims among all claims is at most α.

    Of the K = 2m one-sided nulls reject those with the :math:`k^*` largest e-values, where
    :math:`k^*` is the largest k with :math:`e_{(k)} \ge K / (\alpha k)`. Proof: a rejected null
    has :math:`1 / k^* \le \alpha e_i / K`, so the expected false share is at most
    :math:`\sum_{\text{true}} \alpha E[e_i] / K \le \alpha`, under any dependence [1]_. This needs
    :math:`E[e_i] \le 1`, which holds for e-values at a stopping time and *not* for their peaks.

    Parameters
    ----------
    evidence : mapping from pair to process, or to (e_better, e_worse); or array of shape (m, 2)
        `EProcess`, `PreferenceProcess` and their results count with their e-values now. Call
        once, when sampling has stopped.
    alpha : float
        Bound for the expected share of wrong claims.

    References
    ----------
    .. [1] Wang and Ramdas (2022), "False discovery rate control with e-values", Journal of the
       Royal Statistical Society B 84(3), 822–852, Theorem 2.

    Examples
    --------
    >>> found = e_bh({("A", "B"): (90.0, 0.1), ("A", "C"): (70.0, 0.2), ("B", "C"): (9.0, 1.0)})
    >>> [d.verdict for d in found.decisions]
    ['better', 'better', 'undecided']
    """
    return _decide(evidence, alpha, method="e-BH", adjust=benjamini_hochberg)


def _decide(
    evidence: Evidence,
    alpha: float,
    *,
    method: Literal["e-Holm", "e-BH"],
    adjust: Callable[[FloatArray], FloatArray],
) -> PairDecisions:
    alpha = check.probability(alpha, "alpha")
    pairs, logs = _logs(evidence, peaks=method == "e-Holm")
    p = np.clip(np.exp(-np.maximum(logs, 0.0)), sys.float_info.min, 1.0)
    adjusted = adjust(p.ravel()).reshape(p.shape)
    rejected = adjusted <= alpha * (1.0 + _ROUNDING)
    decisions, clashes = [], []
    for i, pair in enumerate(pairs):
        clash = bool(rejected[i].all())
        if clash:
            clashes.append(pair_name(pair))
        decisions.append(
            PairDecision(
                pair=pair,
                verdict=_verdict(rejected[i]),
                p_value=float(adjusted[i].min()),
                e_better=e_value(float(logs[i, 0])),
                e_worse=e_value(float(logs[i, 1])),
            )
        )
    nulls, done = rejected.size, int(rejected.sum())
    # The next direction must beat 2m − r (e-Holm), or K over one claim more (e-BH).
    scale = nulls - done if method == "e-Holm" else nulls / (done + 1)
    return PairDecisions(
        method=method,
        decisions=tuple(decisions),
        needed=scale / alpha if done < nulls else None,
        alpha=alpha,
        notes=_clash_notes(clashes),
        signature=Signature(method.lower(), {"pairs": len(pairs), "alpha": alpha}),
    )


def _verdict(rejected: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Verdict:
    if rejected.all() or not rejected.any():
        return "undecided"
    return "better" if rejected[0] else "worse"


def _clash_notes(clashes: list[str]) -> tuple[str, ...]:
    if not clashes:
        return ()
    return (
        f"evidence for both directions in {listing(clashes)}: the difference has changed over "
        "time, or a bound or a number is wrong",
    )


def _logs(evidence: Evidence, *, peaks: bool) -> tuple[list[Hashable], FloatArray]:
    """Return the pairs and their log e-values: shape (m, 2)."""
    if isinstance(evidence, Mapping):
        pairs = list(evidence)
        rows = [_row(value, pair, peaks=peaks) for pair, value in evidence.items()]
        logs = np.array(rows, dtype=np.float64).reshape(-1, 2)
    else:
        array = np.asarray(evidence, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != 2:
            raise InputError(
                "`evidence` must be a mapping or an array with two columns, e-values for better "
                f"and worse; got shape {array.shape}."
            )
        pairs = list(range(len(array)))
        logs = np.array([_numbers(row, i) for i, row in enumerate(array)]).reshape(-1, 2)
    if not len(logs):
        raise InputError("`evidence` must hold at least one pair; got none.")
    return pairs, logs


def _row(value: OneSided | Numbers, pair: Hashable, *, peaks: bool) -> Numbers:
    if isinstance(value, tuple | list | np.ndarray):
        return _numbers(value, pair)
    if peaks:
        return value.log_peak_better, value.log_peak_worse
    return value.log_better, value.log_worse


def _numbers(value: ArrayLike, pair: Hashable) -> Numbers:
    numbers = np.asarray(value, dtype=np.float64)
    if numbers.shape != (2,) or np.isnan(numbers).any() or (numbers < 0.0).any():
        raise InputError(
            f"`evidence` of the pair {pair_name(pair)} must be two e-values ≥ 0, for better and for "
            f"worse; got {value!r}."
        )
    better, worse = (math.log(x) if x > 0.0 else -math.inf for x in numbers.tolist())
    return better, worse


def pair_name(pair: Hashable) -> str:
    """Return both names of a pair, or what else it is called."""
    return "–".join(str(x) for x in pair) if isinstance(pair, tuple) else str(pair)
