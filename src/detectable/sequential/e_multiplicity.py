"""Many pairs watched at once: which are decided, in which direction, at any time."""

import math
import sys
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.result import Result, Signature
from detectable.core.types import ArrayLike, FloatArray
from detectable.core.verdict import Verdict
from detectable.core.wording import count, listing
from detectable.inference.multiplicity import benjamini_hochberg, holm
from detectable.sequential.e_process_evidence import OneSided, e_value

Numbers: TypeAlias = tuple[float, float]  # e-values against «not better» and «not worse»
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

    def summary(self) -> str:
        """Say how many pairs are decided, and which."""
        found = self.decided
        guarantee = "any wrong claim" if self.method == "e-Holm" else "share of wrong claims"
        head = (
            f"{len(found)} of {count(len(self.decisions), 'pair')} decided "
            f"({self.method}, {guarantee} ≤ {self.alpha:g})"
        )
        if found:
            head += ": " + listing([f"{_name(d.pair)} {d.verdict}" for d in found], most=10)
        return "; ".join([head, *self.notes]) + "."


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
            clashes.append(_name(pair))
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
            f"`evidence` of the pair {_name(pair)} must be two e-values ≥ 0, for better and for "
            f"worse; got {value!r}."
        )
    better, worse = (math.log(x) if x > 0.0 else -math.inf for x in numbers.tolist())
    return better, worse


def _name(pair: Hashable) -> str:
    return "–".join(str(x) for x in pair) if isinstance(pair, tuple) else str(pair)
