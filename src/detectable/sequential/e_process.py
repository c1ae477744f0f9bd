"""A bet against “no difference” whose winnings may be watched after every judgment."""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from detectable.core import check
from detectable.core.errors import DataError, InputError
from detectable.core.result import Result, Signature
from detectable.core.types import ArrayLike, FloatArray
from detectable.core.verdict import Verdict
from detectable.core.wording import count


class OneSided(Protocol):
    """Anything that holds the two one-sided e-values of a pair, now and at their peaks."""

    @property
    def log_better(self) -> float:
        """Log e-value against “not better”."""

    @property
    def log_worse(self) -> float:
        """Log e-value against “not worse”."""

    @property
    def log_peak_better(self) -> float:
        """Largest `log_better` so far."""

    @property
    def log_peak_worse(self) -> float:
        """Largest `log_worse` so far."""


class Evidence:
    """What every e-process says of itself: its e-values now, and their largest so far.

    A process keeps its peaks in `_peaks` (two-sided, better, worse) and gives its log e-values
    now, in the same order, by `_log_now`.
    """

    alpha: float
    decided_at: int | None
    verdict: Verdict
    _peaks: FloatArray

    def _log_now(self, row: int) -> float:
        raise NotImplementedError  # abstract

    @property
    def e_value(self) -> float:
        """Evidence against “no difference” now."""
        return e_value(self.log_e)

    @property
    def log_e(self) -> float:
        """Log of the e-value now."""
        return self._log_now(0)

    @property
    def log_better(self) -> float:
        """Log e-value against “the first is not better” now."""
        return self._log_now(1)

    @property
    def log_worse(self) -> float:
        """Log e-value against “the first is not worse” now."""
        return self._log_now(2)

    @property
    def log_peak_better(self) -> float:
        """Largest `log_better` so far."""
        return float(self._peaks[1])

    @property
    def log_peak_worse(self) -> float:
        """Largest `log_worse` so far."""
        return float(self._peaks[2])

    @property
    def p_value(self) -> float:
        """1 / largest e-value so far: a p-value at any stopping time."""
        return anytime_p(float(self._peaks[0]))

    def _standing(self) -> dict[str, Any]:
        """Return what the results of all e-processes hold."""
        return {
            "verdict": self.verdict,
            "p_value": self.p_value,
            "e_value": self.e_value,
            "log_e": self.log_e,
            "log_better": self.log_better,
            "log_worse": self.log_worse,
            "log_peak": float(self._peaks[0]),
            "log_peak_better": self.log_peak_better,
            "log_peak_worse": self.log_peak_worse,
            "decided_at": self.decided_at,
            "alpha": self.alpha,
        }


def anytime_p(log_peak: float) -> float:
    """Return min(1, 1 / largest e-value so far), never zero."""
    return max(math.exp(-max(log_peak, 0.0)), sys.float_info.min)


def e_value(log_e: float) -> float:
    """Return the e-value, infinite where a float cannot hold it."""
    return math.inf if log_e > math.log(sys.float_info.max) else math.exp(log_e)


def first_crossing(path: FloatArray, alpha: float, seen: int) -> tuple[int, Verdict] | None:
    """Return when E first reached 1/α and in which direction; rows as in `wealth_path`."""
    reached = np.flatnonzero(path[0] >= -math.log(alpha))
    if not reached.size:
        return None
    at = int(reached[0])
    return seen + at + 1, "better" if path[1, at] > path[2, at] else "worse"


def require_kind(state: Mapping[str, Any], kind: str, fields: set[str]) -> None:
    """Raise unless `state` was written by ``to_dict`` of the class `kind`."""
    if state.get("kind") != kind:
        raise DataError(
            f"The stored state must be of kind {kind!r}; got {state.get('kind')!r}. Resume it "
            "with the class that wrote it."
        )
    missing = sorted(fields - state.keys())
    if missing:
        raise DataError(
            f"The stored state of the {kind} lacks {', '.join(missing)}. It was cut or edited: "
            "start again from the judgments."
        )


# --- A bet against “no difference” whose winnings may be watched after every judgment ---

BETS: tuple[float, ...] = tuple(np.geomspace(0.02, 0.6, 10).tolist())
Bounds = tuple[float, float]

_PEAKS = ("log_peak", "log_peak_better", "log_peak_worse")
_STATE = {"bounds", "alpha", "bets", "n", "total", "wealth", "exponents", "log_now", *_PEAKS}
_STATE |= {"decided_at", "verdict"}


@dataclass(frozen=True, slots=True)
class EvidencePath:
    """Log e-values after each judgment."""

    log_e: FloatArray = field(repr=False)
    log_better: FloatArray = field(repr=False)
    log_worse: FloatArray = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EProcessTest(Result):
    """What the bets have won so far. It is valid at any time, for any reason to look."""

    verdict: Verdict  # fixed when E first reaches 1/α
    p_value: float  # 1 / largest E so far
    e_value: float  # now; infinite where only the log can be held
    log_e: float
    log_better: float  # one-sided: against “the first is not better”
    log_worse: float
    log_peak: float  # largest so far, at least 0
    log_peak_better: float
    log_peak_worse: float
    estimate: float  # mean difference; too large on average after an early stop
    n: int
    decided_at: int | None  # judgments when E first reached 1/α
    alpha: float
    bounds: Bounds
    notes: tuple[str, ...] = ()
    path: EvidencePath | None = field(
        default=None, repr=False, compare=False, metadata={"bulk": "array"}
    )


class EProcess(Evidence):
    r"""A betting e-process for bounded scores, judgment by judgment.

    With :math:`x_i = (a_i - b_i) / (\text{high} - \text{low})` between −1 and 1 and ten stakes
    :math:`\lambda_j` from .02 to .6,

    .. math:: E^{\pm}_t = \frac1J \sum_j \prod_{i \le t} (1 \pm \lambda_j x_i), \qquad
              E_t = \tfrac12 (E^+_t + E^-_t).

    If the expected difference given the past is 0, each product is a fair game that starts at 1,
    and by Ville's inequality [2]_ :math:`P(\exists t: E_t \ge 1/\alpha) \le \alpha`. Nothing
    else is assumed: no distribution, no independence, no plan for when to look or stop [1]_.
    :math:`E^+` alone is valid against “not better”, :math:`E^-` against “not worse”. A wrong
    direction needs the wrong one of them to reach :math:`1/\alpha` too, so its chance is at most
    α as well.

    Parameters
    ----------
    bounds : (float, float)
        The lowest and the highest score that the scale allows, declared before the data.
    alpha : float
        Chance of a false alarm, ever.
    bets : sequence of float
        Stakes between 0 and 1, chosen before the data.

    References
    ----------
    .. [1] Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by
       betting", Journal of the Royal Statistical Society B 86(1), 1–27. Their stakes follow the
       past; ours are a fixed mixture, which needs no tuning and is symmetric in the systems.
    .. [2] Ville (1939), Étude critique de la notion de collectif, p. 84.

    Examples
    --------
    >>> process = EProcess(alpha=0.05)
    >>> round(process.update(40.0), 4)  # the first system got 40 points more
    1.0
    >>> process.update_many([30.0] * 40).log_better.shape
    (40,)
    >>> process.verdict, process.n
    ('better', 41)
    >>> EProcess.from_dict(process.to_dict()).e_value == process.e_value
    True
    """

    def __init__(
        self,
        *,
        bounds: Bounds = (0.0, 100.0),
        alpha: float = 0.05,
        bets: Sequence[float] = BETS,
    ) -> None:
        self.bounds = check_bounds(bounds)
        self.alpha = check.probability(alpha, "alpha")
        self.bets = check_bets(bets)
        self.n = 0
        self.decided_at = None
        self.verdict = "undecided"
        self._total = 0.0
        shape = (2, len(self.bets))
        self._stakes = np.array(self.bets)
        self._wealth, self._exponents = np.ones(shape), np.zeros(shape, dtype=np.int64)
        self._scale = np.ones(shape)  # follows from the exponents
        self._now = np.zeros(3)  # log e-values: two-sided, better, worse
        self._peaks = np.zeros(3)

    def update(self, difference: float) -> float:
        """Take one difference, first system minus second, and return the e-value."""
        value = np.array([difference], dtype=np.float64)
        if not abs(value[0]) <= self.bounds[1] - self.bounds[0]:
            self.update_many(value)  # which says what is wrong
        self._take(value)
        return self.e_value

    def update_many(self, differences: ArrayLike) -> EvidencePath:
        """Take differences in the order in which they came, and return the e-values after each.

        If one lies outside the bounds, none is taken.
        """
        taken = check.vector(differences, "differences")
        check_differences(taken, self.bounds)
        path = self._take(taken)
        return EvidencePath(path[0], path[1], path[2])

    def _take(self, taken: FloatArray) -> FloatArray:
        from detectable.kernels.betting import wealth_path

        scaled = taken / (self.bounds[1] - self.bounds[0])
        path = wealth_path(scaled, self._stakes, self._wealth, self._exponents, self._scale)
        if self.decided_at is None and (found := first_crossing(path, self.alpha, self.n)):
            self.decided_at, self.verdict = found
        # A running sum and not `sum`, which would add in an order that depends on the batch.
        running = taken.copy()
        running[0] += self._total
        self._total = float(np.cumsum(running)[-1])
        self.n += taken.size
        self._now = path[:, -1].copy()
        self._peaks = np.maximum(self._peaks, path.max(axis=1))
        return path

    def update_scores(self, a: ArrayLike, b: ArrayLike) -> EvidencePath:
        """Take scores of the same items, in the order in which they came."""
        return self.update_many(score_differences(a, b, self.bounds))

    def _log_now(self, row: int) -> float:
        return float(self._now[row])

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON values; `from_dict` goes on from it as if nothing happened."""
        return {
            "kind": "EProcess",
            "bounds": list(self.bounds),
            "alpha": self.alpha,
            "bets": list(self.bets),
            "n": self.n,
            "total": self._total,
            "wealth": self._wealth.tolist(),
            "exponents": self._exponents.tolist(),
            "log_now": self._now.tolist(),
            **dict(zip(_PEAKS, self._peaks.tolist(), strict=True)),
            "decided_at": self.decided_at,
            "verdict": self.verdict,
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> "EProcess":
        """Return the process that wrote `state`."""
        require_kind(state, "EProcess", _STATE)
        from detectable.kernels.betting import relative_scale

        low, high = state["bounds"]
        process = cls(bounds=(low, high), alpha=state["alpha"], bets=state["bets"])
        process.n, process._total = int(state["n"]), float(state["total"])
        process._wealth = np.array(state["wealth"], dtype=np.float64)
        process._exponents = np.array(state["exponents"], dtype=np.int64)
        if not process._wealth.shape == process._exponents.shape == (2, len(process.bets)):
            raise DataError(
                f"The stored state of the EProcess must hold two wealths per stake; got shape "
                f"{process._wealth.shape} for {count(len(process.bets), 'stake')}. Start again "
                "from the judgments."
            )
        process._scale = relative_scale(process._exponents)
        process._now = np.array(state["log_now"], dtype=np.float64)
        process._peaks = np.array([state[name] for name in _PEAKS], dtype=np.float64)
        process.decided_at, process.verdict = state["decided_at"], state["verdict"]
        return process

    def result(
        self, *, path: EvidencePath | None = None, notes: tuple[str, ...] = ()
    ) -> EProcessTest:
        """Return what is known now; `notes` (of `pair_in_order`, say) go into the words."""
        settings: dict[str, str | int | float] = {
            "n": self.n,
            "bounds": f"{self.bounds[0]:g}..{self.bounds[1]:g}",
            "bets": f"{len(self.bets)}@{self.bets[0]:g}..{self.bets[-1]:g}",
            "alpha": self.alpha,
        }
        return EProcessTest(
            **self._standing(),
            estimate=self._total / self.n if self.n else math.nan,
            n=self.n,
            bounds=self.bounds,
            notes=notes,
            path=path,
            signature=Signature("betting-e-process", settings),
        )


def e_process(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    bounds: Bounds = (0.0, 100.0),
    alpha: float = 0.05,
    bets: Sequence[float] = BETS,
) -> EProcessTest:
    """Test two systems so that anyone may look at any time: `EProcess` on whole arrays.

    Parameters
    ----------
    a : array_like of shape (n,)
        Scores of the first system, in the order in which they came; or, without `b`, differences
        first minus second.
    b : array_like of shape (n,), optional
        Scores of the second system on the same items. Scores of different items are matched by
        `pair_in_order`.
    bounds, alpha, bets
        As for `EProcess`.

    Returns
    -------
    EProcessTest
        With the e-values after each judgment in `path`.

    Examples
    --------
    >>> result = e_process([80, 90, 75, 95] * 20, [60, 65, 70, 70] * 20)
    >>> result.verdict, result.decided_at
    ('better', 54)
    >>> print(result.summary())
    better, decided at judgment 54 of 80: E = 257 (20 needed), p = .0039 at any time, mean
    difference +18.75.
    """
    process = EProcess(bounds=bounds, alpha=alpha, bets=bets)
    path = process.update_many(a) if b is None else process.update_scores(a, b)
    return process.result(path=path)


def score_differences(a: ArrayLike, b: ArrayLike, bounds: Bounds) -> FloatArray:
    """Return a − b, both checked against the declared bounds."""
    first, second = check.vector(a, "a"), check.vector(b, "b")
    if first.size != second.size:
        raise InputError(
            f"`a` and `b` must be of the same length; got {first.size} and {second.size}. "
            "Match scores of different items with `pair_in_order`."
        )
    check_scores(first, bounds, "a")
    check_scores(second, bounds, "b")
    return first - second


def check_differences(differences: FloatArray, bounds: Bounds) -> None:
    """Raise unless all differences are possible between scores within the declared bounds."""
    span = bounds[1] - bounds[0]
    _within(differences, (-span, span), f"differences of scores from {_span(bounds)}")


def check_scores(scores: FloatArray, bounds: Bounds, name: str) -> None:
    """Raise unless all scores lie within the declared bounds."""
    _within(scores, bounds, f"scores `{name}`")


def check_bounds(bounds: Bounds) -> Bounds:
    """Return the bounds if they are finite and in order."""
    low, high = (float(x) for x in bounds)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(
            f"`bounds` must be two finite numbers, the lower one first; got {bounds!r}."
        )
    return low, high


def check_bets(bets: Sequence[float]) -> tuple[float, ...]:
    """Return the stakes if they all lie strictly between 0 and 1."""
    return tuple(check.probability(float(bet), "bets") for bet in check.vector(bets, "bets"))


def _within(values: FloatArray, bounds: Bounds, what: str) -> None:
    outside = np.flatnonzero((values < bounds[0]) | (values > bounds[1]))
    if outside.size:
        at = int(outside[0])
        raise InputError(
            f"The {what} must lie within {_span(bounds)}; got {values[at]:g} at position {at}. "
            "Nothing was updated: correct it, or declare the bounds of the scale with `bounds`."
        )


def _span(bounds: Bounds) -> str:
    return f"{bounds[0]:g} to {bounds[1]:g}"


# --- Scores of different items, matched in the order in which they came ---


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedPairs(Result):
    """Differences of scores matched in order, and what waits for a partner."""

    differences: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    rest_a: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    rest_b: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    n_pairs: int
    n_left_a: int
    n_left_b: int
    notes: tuple[str, ...] = ()


def pair_in_order(a: ArrayLike, b: ArrayLike, *, bounds: Bounds = (0.0, 100.0)) -> OrderedPairs:
    """Match the i-th score of one system with the i-th score of the other.

    For means nothing is lost against a comparison of the two samples, as long as both systems get
    about as many judgments. The order must not depend on the scores: draw it before scoring.

    Parameters
    ----------
    a, b : array_like
        Scores in order of arrival. They need not be equally many; either may be empty.
    bounds : (float, float)
        The lowest and the highest score that the scale allows.

    Returns
    -------
    OrderedPairs
        `rest_a` and `rest_b` hold what is left over. Put it before the next scores that arrive.

    Examples
    --------
    >>> pairs = pair_in_order([80, 70, 90], [75, 72])
    >>> pairs.differences.tolist(), pairs.n_left_a
    ([5.0, -2.0], 1)
    >>> pairs.summary()
    '2 pairs in order of arrival; 1 score of the first system waits for a partner'
    """
    first, second = check.vector(a, "a", min_size=0), check.vector(b, "b", min_size=0)
    bounds = check_bounds(bounds)
    check_scores(first, bounds, "a")
    check_scores(second, bounds, "b")
    n = min(first.size, second.size)
    rest_a, rest_b = first[n:], second[n:]
    return OrderedPairs(
        differences=first[:n] - second[:n],
        rest_a=rest_a,
        rest_b=rest_b,
        n_pairs=n,
        n_left_a=rest_a.size,
        n_left_b=rest_b.size,
        notes=_waiting(rest_a.size, "first") + _waiting(rest_b.size, "second"),
        signature=Signature("pair-in-order", {"n": n}),
    )


def _waiting(left: int, which: str) -> tuple[str, ...]:
    if not left:
        return ()
    return (
        f"{count(left, 'score')} of the {which} system "
        f"{'waits' if left == 1 else 'wait'} for a partner",
    )
