"""What is claimed of every pair: corrected p-value, interval and verdict belong together."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.choices import Claim
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.core.verdict import Verdict, decide
from detectable.inference.agreeing_interval import agreeing_interval
from detectable.inference.delta import shift_beyond, t_quantile
from detectable.metrics.mean import Accuracy
from detectable.study.comparison.analysis import Analysis, stepwise
from detectable.study.comparison.question import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """One pair under one metric: what may be said of it.

    Attributes
    ----------
    claim : str
        What `p_value`, `p_adjusted` and `interval` are about.
    interval : Interval
        It shows the verdict: without 0 if the system is better or worse, within the margins if
        they are equivalent, above −margin if the system is not inferior.
    attainable : float
        The smallest corrected p-value that such data can give; where it is above α, there is no
        `mde`.
    """

    claim: Claim
    p_value: float
    p_adjusted: float
    p_equivalence: float
    interval: Interval
    interval_alone: Interval
    attainable: float
    mde: float
    verdict: Verdict


def check_claim(question: Question) -> None:
    """Refuse a claim that lacks its margin, or a metric that has no better and worse."""
    claim = question.settings.claim
    for sample, margin in zip(question.measured.units, question.margins, strict=True):
        name = sample.metric.name
        if isinstance(sample.metric, Accuracy) and margin >= 1.0:
            raise InputError(
                f"`margin` of accuracy must be below 1, because accuracy is a fraction; got "
                f"{margin:g}. Write 0.015 for 1.5 points."
            )
        if claim == "better":
            continue
        if math.isnan(margin):
            raise InputError(
                f"`claim={claim!r}` needs a margin for every metric; {name} has none. Give "
                f"margin={{'{name}': …}}."
            )
        if claim == "non-inferior" and sample.metric.higher_is_better is None:
            raise InputError(
                f"`claim='non-inferior'` needs a metric with a better and a worse side; {name} "
                "only describes. Use claim='equivalent'."
            )


def claims(question: Question, found: Analysis) -> list[list[Claimed]]:
    """Return what may be said of every pair under every metric: [pair][metric]."""
    stepped = question.chosen.stepwise
    tests = question.tests
    above, below = found.margins.above, found.margins.below
    equivalent = np.maximum(above, below)
    better = [sample.metric.higher_is_better for sample in question.measured.units]
    inferior = np.where([side is not False for side in better], above, below)
    corrected = {
        "equivalent": stepwise(equivalent, question.groups, stepped),
        "non-inferior": stepwise(inferior, question.groups, stepped),
    }
    rows = []
    for p in range(question.shape[0]):
        row = []
        for m in range(question.shape[1]):
            cell = _Cell(question, found, (p, m), float(tests[p, m]))
            p_equivalence = float(corrected["equivalent"][p, m])
            if question.settings.claim == "better":
                row.append(cell.difference(p_equivalence, higher_is_better=better[m]))
            elif question.settings.claim == "equivalent":
                row.append(cell.within(float(equivalent[p, m]), p_equivalence))
            else:
                raw, adjusted = inferior[p, m], corrected["non-inferior"][p, m]
                row.append(
                    cell.not_worse(
                        float(raw), float(adjusted), higher_is_better=better[m] is not False
                    )
                )
        rows.append(row)
    return rows


@dataclass(frozen=True, slots=True)
class _Cell:
    question: Question
    found: Analysis
    at: tuple[int, int]
    tests: float

    @property
    def margin(self) -> float:
        return float(self.question.margins[self.at[1]])

    @property
    def value(self) -> float:
        return self.found.estimates[self.at[0]][self.at[1]].value

    def difference(self, p_equivalence: float, *, higher_is_better: bool | None) -> Claimed:
        """Is there a difference; or is it surely smaller than the margin."""
        p, m = self.at
        alpha = self.question.settings.alpha
        adjusted = float(self.found.p_adjusted[p, m])
        raw = float(self.found.p_values[p, m])
        verdict = decide(
            self.value,
            p=adjusted,
            p_equivalence=p_equivalence,
            higher_is_better=higher_is_better,
            alpha=alpha,
        )
        alone = self.found.interval_alone(p, m, alpha)
        return Claimed(
            claim="better",
            p_value=raw,
            p_adjusted=adjusted,
            p_equivalence=p_equivalence,
            interval=self._within_margin(p_equivalence)
            if verdict == "equivalent"
            else self.found.intervals[p][m],
            interval_alone=agreeing_interval(
                alone, self.value, rejected=raw <= alpha and self.value != 0.0
            ),
            attainable=float(self.found.attainable[p, m]),
            mde=float(self.found.mde[p, m])
            if self.found.attainable[p, m] <= alpha
            else math.nan,
            verdict=verdict,
        )

    def within(self, raw: float, adjusted: float) -> Claimed:
        """Is the difference surely smaller than the margin."""
        alpha = self.question.settings.alpha
        return Claimed(
            claim="equivalent",
            p_value=raw,
            p_adjusted=adjusted,
            p_equivalence=adjusted,
            interval=self._within_margin(adjusted),
            interval_alone=self._bracketed(raw, 1.0),
            attainable=float(self.found.attainable_margin[self.at]),
            mde=self._margin_found(0.5 + 0.5 * self.question.settings.power),
            verdict="equivalent" if adjusted <= alpha else "undecided",
        )

    def not_worse(self, raw: float, adjusted: float, *, higher_is_better: bool) -> Claimed:
        """Is the system surely not worse by more than the margin."""
        alpha = self.question.settings.alpha
        bound = -self.margin if higher_is_better else self.margin

        def interval(p_value: float, tests: float) -> Interval:
            found = self._two_alpha(tests)
            if p_value <= alpha:
                return agreeing_interval(found, self.value, rejected=True, bound=bound)
            # One side was tested: a system that is surely worse still has its own upper end.
            if higher_is_better:
                return Interval(min(found.low, bound), found.high, found.level)
            return Interval(found.low, max(found.high, bound), found.level)

        return Claimed(
            claim="non-inferior",
            p_value=raw,
            p_adjusted=adjusted,
            p_equivalence=math.nan,
            interval=interval(adjusted, self.tests),
            interval_alone=interval(raw, 1.0),
            attainable=float(self.found.attainable_margin[self.at]),
            mde=self._margin_found(self.question.settings.power),
            verdict="non-inferior" if adjusted <= alpha else "undecided",
        )

    def _two_alpha(self, tests: float) -> Interval:
        """Return the interval at 1 − 2α, which shows both one-sided tests at α."""
        p, m = self.at
        alpha = self.question.settings.alpha
        found = self.found.interval_alone(p, m, 2.0 * alpha / tests)
        return Interval(found.low, found.high, 1.0 - 2.0 * alpha)

    def _within_margin(self, p_value: float) -> Interval:
        return self._bracketed(p_value, self.tests)

    def _bracketed(self, p_value: float, tests: float) -> Interval:
        """Return the interval with both margins outside if and only if equivalence is shown."""
        found = self._two_alpha(tests)
        margin = self.margin
        if p_value <= self.question.settings.alpha:
            low = agreeing_interval(found, self.value, rejected=True, bound=-margin)
            return agreeing_interval(low, self.value, rejected=True, bound=margin)
        if found.low > -margin and found.high < margin:
            nearer = math.copysign(margin, self.value)
            return agreeing_interval(found, self.value, rejected=False, bound=nearer)
        return found

    def _margin_found(self, power: float) -> float:
        """Return the margin that equal systems are shown to keep, with the asked power."""
        p, m = self.at
        cell = self.found.estimates[p][m]
        possible = self.found.attainable_margin[p, m] <= self.question.settings.alpha
        if not possible or not cell.standard_error > 0.0:
            return math.nan
        level = self.question.settings.alpha / self.tests
        critical = t_quantile(1.0 - level, cell.df)
        return cell.standard_error * shift_beyond(critical, cell.df, power=power)


def margins_of(names: tuple[str, ...], margins: dict[str, float]) -> FloatArray:
    """Return the margin of every metric; NaN where there is none."""
    return np.array([margins.get(name, math.nan) for name in names])
