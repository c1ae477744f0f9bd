"""What all e-processes share: evidence on the log scale, p-values from it, and the words."""

import math
import sys
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray
from detectable.core.verdict import Verdict

_LARGEST_SHOWN = math.log(1e6)  # above this an e-value is shown as a power of ten


class OneSided(Protocol):
    """Anything that holds the two one-sided e-values of a pair, now and at their peaks."""

    @property
    def log_better(self) -> float:
        """Log e-value against «not better»."""

    @property
    def log_worse(self) -> float:
        """Log e-value against «not worse»."""

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
        """Evidence against «no difference» now."""
        return e_value(self.log_e)

    @property
    def log_e(self) -> float:
        """Log of the e-value now."""
        return self._log_now(0)

    @property
    def log_better(self) -> float:
        """Log e-value against «the first is not better» now."""
        return self._log_now(1)

    @property
    def log_worse(self) -> float:
        """Log e-value against «the first is not worse» now."""
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


def evidence_text(log_e: float) -> str:
    """Return ``E = 12.3`` or ``E = 10^8.2``."""
    if log_e > _LARGEST_SHOWN:
        return f"E = 10^{log_e / math.log(10.0):.1f}"
    return f"E = {math.exp(log_e):.3g}"


def later_evidence(log_e: float, alpha: float, decided_at: int | None) -> tuple[str, ...]:
    """Say that a decision stands, where the evidence of today would not make it."""
    if decided_at is None or log_e >= -math.log(alpha):
        return ()
    return (
        f"the decision of judgment {decided_at:,} stands; E was {1.0 / alpha:.4g} or more then "
        "and has fallen since, so the difference may be small",
    )


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
