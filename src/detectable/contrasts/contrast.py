"""One difference and what may be said of it; several of them, corrected and decided together."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, overload

import numpy as np

from detectable.core.choices import Claim
from detectable.core.interval import Interval
from detectable.core.result import ADDED
from detectable.core.same import fields_of
from detectable.core.types import FloatArray
from detectable.core.verdict import Verdict, decide
from detectable.inference.multiplicity import benjamini_hochberg, holm
from detectable.inference.standard_errors import agreeing_interval

T = TypeVar("T")
_STEPWISE = {"holm": holm, "benjamini-hochberg": benjamini_hochberg}
NO_INTERVAL = Interval(math.nan, math.nan, math.nan)


class Alias(Generic[T]):
    """Another name of a field, by which a study has always called it."""

    __slots__ = ("of",)

    def __init__(self, of: str) -> None:
        self.of = of

    @overload
    def __get__(self, owner: None, kind: type) -> "Alias[T]": ...
    @overload
    def __get__(self, owner: object, kind: type) -> T: ...
    def __get__(self, owner: object | None, kind: type) -> "Alias[T] | T":
        """Return the value of the field."""
        return self if owner is None else getattr(owner, self.of)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """One system against another: the difference, and what may be said of it.

    A study that says more derives from it. `LAYOUT` lists what its rows hold in JSON, in files and
    in frames, in that order: fields, and names that it has for them (`Alias`).

    Attributes
    ----------
    difference : float
        System − baseline.
    interval : Interval
        It shows the verdict: without 0 if the system is better or worse, within the margins if
        they are equivalent, above −margin if the system is not inferior. Of several pairs it is
        corrected like p; for a claim about a margin it is at 1 − 2α.
    interval_alone : Interval
        Of this pair by itself, uncorrected.
    p_value, p_adjusted : float
        Of the claim, alone and corrected. The verdict goes by the corrected one.
    verdict : str or None
        None where a study does not decide about the difference, or in words of its own.
    measure, part : str
        On what the systems differ (a metric), and within what (a task, a half).
    claim : {'better', 'non-inferior', 'equivalent'}
        What p-values, interval and verdict are about.
    p_equivalence : float
        Of “within ±margin”, corrected; nan without a margin.
    p_beyond : float
        Of a claim about a margin: of “not worse by more than it”, or “not beyond it on either
        side”, corrected. Small where the verdict is inferior or superior.
    attainable_p : float
        The smallest corrected p that such data can give.
    mde : float
        Smallest true difference that this very test finds with the asked power; nan where it can
        find nothing. For a claim about a margin: the smallest margin that equal systems would be
        shown to keep.
    units_needed : int or None
        For the difference that was named; without one, where the test can find nothing, the
        number of units at which it could.
    n, n_clusters : int
        Units compared, and the independent groups (documents) that they form; None where units
        are independent.
    n_differing : int or None
        Units in which the systems differ, where a test swaps them: ties say nothing there.
    """

    LAYOUT: ClassVar[str] = ""

    system: str = ""
    baseline: str = ""
    difference: float
    interval: Interval
    p_value: float
    p_adjusted: float
    verdict: Verdict | None = None
    measure: str = ""
    part: str = ""
    claim: Claim = "better"
    interval_alone: Interval = NO_INTERVAL
    standard_error: float = math.nan
    df: float = math.nan
    p_equivalence: float = math.nan
    attainable_p: float = math.nan
    mde: float = math.nan
    units_needed: int | None = None
    n: int = 0
    n_clusters: int | None = None
    p_beyond: float = field(default=math.nan, metadata=ADDED)
    n_differing: int | None = field(default=None, metadata=ADDED)

    def __init_subclass__(cls, **more: Any) -> None:
        super(Contrast, cls).__init_subclass__(**more)
        if "__repr__" not in cls.__dict__:  # or `dataclass` would write one with all numbers
            cls.__repr__ = Contrast.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Say who is compared, and what was found; the attributes have the rest."""
        about = " ".join(filter(None, (self.part, self.measure)))
        names = f"{self.system} against {self.baseline}{f', {about}' if about else ''}"
        found: Interval | None = self.interval  # not every study has one
        ends = "" if found is None else f" [{found.low:.4g}, {found.high:.4g}]"
        said = "" if self.verdict is None else f", {self.verdict}"
        return (
            f"<{type(self).__name__}: {names}: {self.difference:+.4g}{ends}, "
            f"p = {self.p_adjusted:.3g}{said}>"
        )

    @classmethod
    def of(cls, found: "Contrast", **more: Any) -> Self:
        """Return a row of this kind: what its layout takes of any contrast, and what it adds."""
        kind: type = cls
        return cls(**{name: getattr(found, name) for name in _taken(kind)} | more)

    @property
    def interval_level(self) -> float:
        """The confidence level of the interval."""
        return self.interval.level

    @property
    def p_of_verdict(self) -> float:
        """The p-value of what the verdict says."""
        if self.verdict in ("inferior", "superior"):
            return self.p_beyond
        return self.p_equivalence if self.verdict == "equivalent" else self.p_adjusted


@cache
def _taken(kind: type) -> tuple[str, ...]:
    """Return the shared fields that a kind has in its layout: a file of it holds no others."""
    held = {part.name for part in fields_of(kind).values() if part is not None}
    return tuple(part.name for part in fields(Contrast) if part.name in held)


C = TypeVar("C", bound=Contrast)


class Test(Protocol):
    """How one difference is tested: all that is said of it comes from one test."""

    @property
    def value(self) -> float:
        """The observed difference."""

    @property
    def standard_error(self) -> float:
        """Of the difference."""

    @property
    def df(self) -> float:
        """Degrees of freedom of the standard error."""

    def p_value(self) -> float:
        """Return the two-sided p-value of “no difference”."""

    def interval(self, level: float) -> Interval:
        """Return the interval at a confidence level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Differences that are corrected together, and how.

    Attributes
    ----------
    correction : {'holm', 'benjamini-hochberg', 'none'}
        Of p-values that are tested one by one. Swaps of all pairs at once are corrected by the
        largest of them (max-T), which is no function of p-values: see `contrasts.analysis`.
    """

    alpha: float
    correction: str = "holm"

    def adjusted(self, p_values: FloatArray) -> FloatArray:
        """Return corrected p-values; those that are not known (NaN) stay so and cost nothing.

        References
        ----------
        Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian
        Journal of Statistics 6(2), 65–70. Benjamini and Hochberg (1995), "Controlling the false
        discovery rate", Journal of the Royal Statistical Society B 57(1), 289–300.

        Examples
        --------
        >>> Family(alpha=0.05).adjusted(np.array([0.01, np.nan, 0.04])).tolist()
        [0.02, nan, 0.04]
        """
        if self.correction == "none":
            return p_values
        found, known = p_values.copy(), ~np.isnan(p_values)
        if known.any():
            found[known] = _STEPWISE[self.correction](p_values[known])
        return found

    def joint_interval(self, test: "Test", p_adjusted: float, n: int) -> Interval:
        """Return the interval of one of `n` differences that holds together with all others.

        It is at 1 − α/n, the level of the first step of Holm's procedure, and cut at 0 where a
        later step decides: so it cannot contradict the verdict.
        """
        wide = test.interval(1.0 - self.alpha / n)
        cut = agreeing_interval(wide, test.value, rejected=p_adjusted <= self.alpha)
        return Interval(cut.low, cut.high, 1.0 - self.alpha)

    def contrasts(
        self,
        kind: type[C],
        tests: Sequence[Test],
        about: Iterable[Mapping[str, Any]],
        *,
        higher_is_better: bool | None = True,
    ) -> tuple[C, ...]:
        """Test every difference, correct all together, and decide.

        Intervals are at level 1 − α each, and moved to say of 0 what the corrected test says.
        Where nothing is known about the spread, p is 1: units that all differ by the same amount
        say nothing about the next one.

        Parameters
        ----------
        about : iterable of mapping
            What the study says of each row besides.

        Examples
        --------
        >>> from detectable.inference.standard_errors import Estimate
        >>> tests = [Estimate(2.0, 0.9, 50.0), Estimate(0.1, 0.9, 50.0)]
        >>> two = Family(alpha=0.05).contrasts(Contrast, tests, [{}, {}])
        >>> [(one.verdict, round(one.p_adjusted, 3), one.interval.low > 0.0) for one in two]
        [('undecided', 0.062, False), ('undecided', 0.912, False)]
        """
        raw = np.array([t.p_value() if t.standard_error > 0.0 else 1.0 for t in tests])
        rows = zip(tests, about, raw.tolist(), self.adjusted(raw).tolist(), strict=True)
        return tuple(
            kind.of(
                Contrast(
                    difference=test.value,
                    standard_error=test.standard_error,
                    df=test.df,
                    interval=agreeing_interval(
                        test.interval(1.0 - self.alpha), test.value, rejected=p <= self.alpha
                    ),
                    p_value=alone,
                    p_adjusted=p,
                    verdict=decide(
                        test.value, p=p, alpha=self.alpha, higher_is_better=higher_is_better
                    ),
                ),
                **more,
            )
            for test, more, alone, p in rows
        )
