"""Which of two outputs is better, watched judgment by judgment."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.result import Result, Signature
from detectable.core.types import ArrayLike, FloatArray, IntArray
from detectable.core.verdict import Verdict
from detectable.core.wording import count
from detectable.sequential.e_process import (
    Evidence,
    EvidencePath,
    first_crossing,
    require_kind,
)

PRIOR = 50.0

_PEAKS = ("log_peak", "log_peak_better", "log_peak_worse")
_STATE = {"alpha", "prior", "wins", "losses", "ties", "decided_at", "verdict", *_PEAKS}
_WORDS = {"win": 1, "tie": 0, "loss": -1}


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceTest(Result):
    """The evidence of wins and losses so far. It is valid whenever one looks."""

    verdict: Verdict  # fixed when E first reaches 1/α
    p_value: float  # 1 / largest E so far
    e_value: float
    log_e: float
    log_better: float  # one-sided: against “the first does not win more often”
    log_worse: float
    log_peak: float
    log_peak_better: float
    log_peak_worse: float
    estimate: float  # share of wins among what was not a tie
    n: int  # judgments, ties included
    wins: int
    losses: int
    ties: int  # left out of the test
    decided_at: int | None  # judgments, ties included, when E first reached 1/α
    alpha: float
    estimand: str = "P(win | not a tie)"
    notes: tuple[str, ...] = ()
    path: EvidencePath | None = field(
        default=None, repr=False, compare=False, metadata={"bulk": "array"}
    )


class PreferenceProcess(Evidence):
    r"""An e-process for win, tie or loss, judgment by judgment.

    Ties are counted and left out: the claim is about P(win | not a tie). After w wins and l
    losses the bets of a gambler who believes in Beta(c, c), c = 50, have grown to

    .. math:: E = 2^{w + l}\, \frac{B(c + w, c + l)}{B(c, c)},

    that is by :math:`2 (w + c) / (w + l + 2c)` with each win (counts before it) [1]_. If a
    judgment that is no tie is the toss of a coin whatever happened before, E is a fair game,
    and :math:`P(\exists t: E_t \ge 1/\alpha) \le \alpha`. Half of the belief lies on either side
    of ½. Each half is an e-process against the other side:

    .. math:: E^+ = 2 E \, P(\pi > \tfrac12), \quad E^- = 2 E \, P(\pi < \tfrac12), \qquad
              \pi \sim \text{Beta}(c + w, c + l).

    Parameters
    ----------
    alpha : float
        Chance of a false alarm, ever.
    prior : float
        c. It says which preferences are expected (50: mostly .4 to .6), never what is valid.

    References
    ----------
    .. [1] Ville (1939), Étude critique de la notion de collectif; Robbins (1970), "Statistical
       methods related to the law of the iterated logarithm", Annals of Mathematical Statistics
       41(5), 1397–1409: mixtures of likelihood ratios.

    Examples
    --------
    >>> process = PreferenceProcess()
    >>> round(process.update("win"), 4), round(process.update("win"), 4)
    (1.0, 1.0099)
    >>> process.update_many([1, 0, 1, -1] * 30).log_e.shape
    (120,)
    >>> process.wins, process.losses, process.ties, process.verdict
    (62, 30, 30, 'undecided')
    """

    def __init__(self, *, alpha: float = 0.05, prior: float = PRIOR) -> None:
        self.alpha = check.probability(alpha, "alpha")
        self.prior = check.positive(prior, "prior")
        self.wins = self.losses = self.ties = 0
        self.decided_at = None
        self.verdict = "undecided"
        self._peaks = np.zeros(3)

    @property
    def n(self) -> int:
        """Judgments so far, ties included."""
        return self.wins + self.losses + self.ties

    def update(self, outcome: int | str) -> float:
        """Take one outcome (1, 0, −1 or win, tie, loss) and return the e-value."""
        self.update_many([outcome])
        return self.e_value

    def update_many(self, outcomes: ArrayLike | Sequence[str]) -> EvidencePath:
        """Take outcomes in the order in which they came, and return the e-values after each.

        If one is not an outcome, none is taken.
        """
        taken = _outcomes(outcomes)
        wins = self.wins + np.cumsum(taken > 0)
        losses = self.losses + np.cumsum(taken < 0)
        path = preference_evidence(wins, losses, self.prior)
        if self.decided_at is None and (found := first_crossing(path, self.alpha, self.n)):
            self.decided_at, self.verdict = found
        self.ties += int(np.count_nonzero(taken == 0))
        self.wins, self.losses = int(wins[-1]), int(losses[-1])
        self._peaks = np.maximum(self._peaks, path.max(axis=1))
        return EvidencePath(path[0], path[1], path[2])

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON values; `from_dict` goes on from it as if nothing happened."""
        return {
            "kind": "PreferenceProcess",
            "alpha": self.alpha,
            "prior": self.prior,
            "wins": self.wins,
            "losses": self.losses,
            "ties": self.ties,
            **dict(zip(_PEAKS, self._peaks.tolist(), strict=True)),
            "decided_at": self.decided_at,
            "verdict": self.verdict,
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> "PreferenceProcess":
        """Return the process that wrote `state`."""
        require_kind(state, "PreferenceProcess", _STATE)
        process = cls(alpha=state["alpha"], prior=state["prior"])
        process.wins, process.losses, process.ties = (
            int(state[name]) for name in ("wins", "losses", "ties")
        )
        process._peaks = np.array([state[name] for name in _PEAKS], dtype=np.float64)
        process.decided_at, process.verdict = state["decided_at"], state["verdict"]
        return process

    def result(self, *, path: EvidencePath | None = None) -> PreferenceTest:
        """Return what is known now."""
        decided = self.wins + self.losses
        notes: tuple[str, ...] = ()
        if self.ties:
            notes = (f"{count(self.ties, 'tie')} of {count(self.n, 'judgment')} left out",)
        return PreferenceTest(
            **self._standing(),
            estimate=self.wins / decided if decided else math.nan,
            n=self.n,
            wins=self.wins,
            losses=self.losses,
            ties=self.ties,
            notes=notes,
            path=path,
            signature=Signature(
                "preference-e-process",
                {
                    "n": self.n,
                    "prior": f"Beta({self.prior:g},{self.prior:g})",
                    "alpha": self.alpha,
                },
            ),
        )

    def _log_now(self, row: int) -> float:
        counts = np.array([self.wins]), np.array([self.losses])
        return float(preference_evidence(*counts, self.prior)[row, 0])


def preference_process(
    outcomes: ArrayLike | Sequence[str], *, alpha: float = 0.05, prior: float = PRIOR
) -> PreferenceTest:
    """Test win, tie or loss so that anyone may look at any time: `PreferenceProcess` on an array.

    Parameters
    ----------
    outcomes : array_like of shape (n,)
        1, 0, −1 or ``'win'``, ``'tie'``, ``'loss'`` of the first system, in order of arrival.
    alpha, prior
        As for `PreferenceProcess`.

    Examples
    --------
    >>> print(preference_process([1, 1, 0, -1] * 100).summary())
    better, decided at judgment 146 of 400: E = 1.58e+05 (20 needed), p < .0001 at any time, P(win |
    not a tie) = 0.667 (200 to 100); 100 ties of 400 judgments left out.
    """
    process = PreferenceProcess(alpha=alpha, prior=prior)
    path = process.update_many(outcomes)
    return process.result(path=path)


def preference_evidence(wins: IntArray, losses: IntArray, prior: float) -> FloatArray:
    """Return log e-values: rows two-sided, better, worse. They depend on the counts alone."""
    from scipy.special import betainc, betaln, xlogy

    a, b = prior + wins, prior + losses
    both = betaln(a, b) - betaln(prior, prior) + (wins + losses) * math.log(2.0)
    # Only the smaller share keeps its digits. One too small for a float counts as none, which is
    # on the safe side.
    smaller = betainc(np.maximum(a, b), np.minimum(a, b), 0.5)
    above, below = (
        np.where(a < b, smaller, 1.0 - smaller),
        np.where(a < b, 1.0 - smaller, smaller),
    )
    with np.errstate(divide="ignore"):
        sides = [both + math.log(2.0) + xlogy(1.0, share) for share in (above, below)]
    return np.array([both, *sides])


def _outcomes(outcomes: ArrayLike | Sequence[str]) -> IntArray:
    values = np.asarray(outcomes)
    if values.dtype.kind in "USO":  # words of a Series of pandas are objects
        words = values.ravel()
        values = np.array([_WORDS.get(w, 9) if isinstance(w, str) else w for w in words])
    if values.ndim != 1 or not values.size:
        raise InputError(
            f"`outcomes` must be a vector of at least one outcome; got shape {values.shape}."
        )
    wrong = np.flatnonzero(~np.isin(values, (-1, 0, 1)))
    if wrong.size:
        at = int(wrong[0])
        raise InputError(
            "`outcomes` must be 1, 0, -1 or win, tie, loss; got "
            f"{np.asarray(outcomes).tolist()[at]!r} at position {at}. Nothing was updated."
        )
    return values.astype(np.int64)
