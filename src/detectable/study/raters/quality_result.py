"""What a quality check says about raters."""

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from detectable.core.choices import CheckAgainst, CheckCorrection, CheckTest
from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.result import ADDED, Result
from detectable.core.wording import count
from detectable.data.human.judgments import Judgments
from detectable.kernels.distributions import t_quantile

ENOUGH = 0.8  # power from which on failing the check says something
CheckVerdict: TypeAlias = Literal["good", "bad", "untestable"]

TEST_NAMES = {
    "paired-t": "paired t test",
    "signed-rank": "signed-rank test",
    "mann-whitney": "Mann-Whitney test",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterQuality:
    """What the check says about one rater.

    Attributes
    ----------
    verdict : {'good', 'bad', 'untestable'}
        Good: degraded copies score below their originals.
    reason : str
        Why the rater cannot be tested.
    p_value, t, z : float
        One-sided; `t` and `z` are negative where copies score lower.
    p_holm, p_bh : float
        Corrected over all testable raters, after Holm and after Benjamini and Hochberg.
    mean_difference, sd_difference : float
        Of degraded − original, in points; less what lines beside differ, where these count.
    power : float
        Chance that the check passes a careful rater with this number of pairs.
    n_judgments, mean, sd : int, float, float
        Of all judgments of the rater.
    mean_system, mean_degraded, mean_reference : float
        Over all judgments of a kind, with a partner or without.
    longest_run, fastest_task : int, float
        Longest run of one score within a task; seconds of the quickest task.
    flags : tuple of str
        Signs of careless work, apart from the verdict; see `FLAGS`.
    run_p : float
        Share of random orders of the rater's scores with a run as long; NaN where it is short.
    pace : float
        Seconds per judgment, in the median task.
    """

    rater: str
    verdict: CheckVerdict
    reason: str
    p_value: float
    p_holm: float
    p_bh: float
    t: float
    z: float
    n_pairs: int
    mean_difference: float
    sd_difference: float
    power: float
    n_judgments: int
    mean: float
    sd: float
    mean_system: float
    mean_degraded: float
    mean_reference: float
    longest_run: int
    fastest_task: float
    flags: tuple[str, ...]
    run_p: float = field(default=math.nan, metadata={"added": True})
    pace: float = field(default=math.nan, metadata={"added": True})

    @property
    def gap(self) -> float:
        """Original − degraded copy, in points: above zero is as it should be."""
        return -self.mean_difference

    def gap_interval(self, level: float) -> Interval | None:
        """Return the t interval of the gap; None with fewer than two pairs."""
        if self.n_pairs < 2 or math.isnan(self.sd_difference):
            return None
        error = self.sd_difference / math.sqrt(self.n_pairs)
        half = error * t_quantile(0.5 + level / 2.0, self.n_pairs - 1.0)
        return Interval(self.gap - half, self.gap + half, level)


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityControl(Result):
    """Verdicts on raters, and what the check could have detected.

    Attributes
    ----------
    raters : tuple of RaterQuality
        In the order of the judgments.
    effect, effect_sd : float
        What the power of the check assumes: how far below the original a careful rater scores a
        degraded copy, in points, and the spread of that difference. Not the plain mean of the
        raters that pass, which is too large. `effect_sd` is NaN where each rater's own spread
        is used.
    expected_lucky : float
        How many of the testable raters would pass if all of them clicked at random.
    against : {'original', 'neighbours'}
        What degraded copies were compared with.
    """

    raters: tuple[RaterQuality, ...]
    test: CheckTest
    alpha: float
    correction: CheckCorrection
    effect: float
    effect_sd: float
    expected_lucky: float
    notes: tuple[str, ...] = field(default=())
    against: CheckAgainst = field(default="original", metadata=ADDED)

    @property
    def good(self) -> tuple[str, ...]:
        """The names of the raters that pass."""
        return self._names("good")

    @property
    def bad(self) -> tuple[str, ...]:
        """The names of the raters that do not pass."""
        return self._names("bad")

    @property
    def untestable(self) -> tuple[str, ...]:
        """The names of the raters that cannot be tested."""
        return self._names("untestable")

    def _names(self, verdict: CheckVerdict) -> tuple[str, ...]:
        return tuple(row.rater for row in self.raters if row.verdict == verdict)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values, with the number of raters of each verdict."""
        counts = {
            verdict: len(self._names(verdict)) for verdict in ("good", "bad", "untestable")
        }
        # Zero-argument super does not work in a dataclass with slots.
        return {**Result.to_dict(self), **counts}

    def apply(self, judgments: Judgments) -> Judgments:
        """Return the judgments of good raters only, with a note of what was left out."""
        raters = judgments.column("rater")
        good = set(self.good)
        kept = [code for code, name in enumerate(raters.levels) if name in good]
        if not kept:
            raise DataError(
                "no rater passes quality control, so no judgment is left. Look at the raters "
                "and at the power of the check before you drop them all."
            )
        rows = np.isin(raters.codes, kept)
        note = (
            f"Quality control kept {count(int(rows.sum()), 'judgment')} by "
            f"{count(len(kept), 'rater')} and left out {int((~rows).sum()):,} by "
            f"{raters.n_levels - len(kept):,} who did not pass or could not be tested."
        )
        cut = judgments.take(rows)
        return replace(cut, notes=(*cut.notes, note))
