"""What judging metrics by people gives: a value per metric, and metrics against each other."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from detectable.core.choices import AverageBy, MetaLevel, MetaStatistic, UndefinedGroups
from detectable.core.interval import Interval
from detectable.core.result import Result
from detectable.core.verdict import Verdict, in_numbers, in_words, opposite
from detectable.core.wording import count, interval, listing, number

Above: TypeAlias = Literal["yes", "no", "undecided"]

NAMES: dict[MetaStatistic, str] = {
    "spa": "soft pairwise accuracy",
    "pairwise-accuracy": "pairwise accuracy",
    "pearson": "Pearson's correlation",
    "spearman": "Spearman's correlation",
    "kendall": "Kendall's τ-b",
    "kendall-c": "Kendall's τ-c",
    "tau23": "τ with ties",
    "acc23": "accuracy with ties",
    "acc-eq": "accuracy with calibrated ties",
}
DIGITS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaRow:
    """How far one metric agrees with people.

    Attributes
    ----------
    interval : Interval or None
        Of the value, for other segments like these (and other systems, if they were drawn).
    floor : float
        What a metric that says nothing gets: .5 of the pairs, or no correlation, or, with ties,
        the more of the share of pairs that people tie and half of the others (a coin).
    above_floor : {'yes', 'no', 'undecided'}
        Whether the interval of the value less the floor lies above 0; 'no' if the value does not.
    epsilon : float or None
        The difference up to which the metric was taken to call a tie.
    n_groups, n_undefined : int
        Segments or systems over which it was averaged, and those without a value.
    negated : bool
        Lower scores are better.
    """

    metric: str
    statistic: MetaStatistic
    level: MetaLevel
    value: float
    interval: Interval | None
    floor: float
    above_floor: Above
    epsilon: float | None
    n_groups: int
    n_undefined: int
    negated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDifference:
    """Two metrics: which agrees more with people.

    Attributes
    ----------
    p_value, p_adjusted : float
        Two-sided, by swaps of whole segments or documents; Holm over the pairs of metrics.
    mde : float
        The difference that this test would find with 80 % power, corrected for all pairs. NaN where no
        swap changes anything, as of two metrics whose calibrated ties leave nothing but ties.
    p_cells, p_williams : float
        What swapping every output by itself (PERM-BOTH) and Williams' test would say; NaN where
        they were not computed.
    """

    metric: str
    other: str
    statistic: MetaStatistic
    difference: float
    interval: Interval | None
    p_value: float
    p_adjusted: float
    verdict: Verdict
    mde: float
    p_cells: float
    p_williams: float

    def words(self) -> str:
        """Say the verdict."""
        return f"{in_words(self.verdict, self.metric, self.other)} at {NAMES[self.statistic]}"

    def numbers(self) -> str:
        """Say the numbers."""
        return in_numbers(self.difference, self.interval, p=self.p_adjusted, digits=DIGITS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta(Result):
    """Metrics judged by human scores of the same outputs.

    Attributes
    ----------
    rows : tuple of MetaRow
        By statistic, the best metric first.
    pairs : tuple of MetricDifference
        The metric with the higher value first.
    human_ties : float
        Share of pairs of systems that people tie on a segment.
    unit : str
        What was drawn and swapped as one piece.
    exact : bool
        Whether all patterns of swaps were counted.
    """

    rows: tuple[MetaRow, ...]
    pairs: tuple[MetricDifference, ...]
    level: MetaLevel
    statistics: tuple[MetaStatistic, ...]
    average_by: AverageBy | None
    undefined: UndefinedGroups | None
    n_systems: int
    n_segments: int
    n_outputs: int
    n_documents: int | None
    human_ties: float
    unit: str
    n_clusters: int
    draw_systems: bool
    n_resamples: int
    exact: bool
    references: tuple[str, ...]
    alpha: float
    notes: tuple[str, ...]

    def of(self, statistic: MetaStatistic) -> tuple[MetaRow, ...]:
        """Return the rows of one statistic, the best metric first."""
        return tuple(row for row in self.rows if row.statistic == statistic)

    def headline(self, statistic: MetaStatistic | None = None) -> str:
        """Say which metric agrees best with people, or that this is not known."""
        chosen = self.statistics[0] if statistic is None else statistic
        rows, name = self.of(chosen), NAMES[chosen]
        best = rows[0]
        if len(rows) == 1:
            said = f"{best.metric} agrees with people at {name} {self._value(best)}"
            return f"{said}; {_floor_words(best)}."
        if best.above_floor == "no":
            return (
                f"No metric is above what a metric gets that says nothing: {best.metric} leads at "
                f"{name} {self._value(best)}, and the floor is {number(best.floor, digits=DIGITS)}."
            )
        open_ = [row.metric for row in rows[1:] if not self._beats(best.metric, row)]
        if not open_:
            others = " and ".join(row.metric for row in rows[1:])
            if len(rows) > 3:
                others = f"all {len(rows) - 1} others"
            return f"{best.metric} is better than {others} at {name}, {self._value(best)}."
        return (
            f"Undecided which metric agrees best with people: {best.metric} leads at {name} "
            f"{self._value(best)}, but {listing(open_)} could be as good."
        )

    def summary(self) -> str:
        """Say which metric agrees best with people, and what this rests on."""
        return f"{self.headline()}\n{self.basis()}"

    def basis(self) -> str:
        """Say how many systems, segments and documents the values rest on."""
        rests = f"{count(self.n_systems, 'system')} × {count(self.n_segments, 'segment')}"
        if self.n_documents is not None:
            rests += f" in {count(self.n_documents, 'document')}"
        drawn = f"{self.unit}s and systems" if self.draw_systems else f"{self.unit}s"
        return f"From {rests}; intervals draw {drawn}, tests swap whole {self.unit}s."

    def _value(self, row: MetaRow) -> str:
        ends = "" if row.interval is None else f" {interval(row.interval, digits=DIGITS)}"
        return f"{number(row.value, digits=DIGITS)}{ends}"

    def _beats(self, best: str, row: MetaRow) -> bool:
        for pair in self.pairs:
            if pair.statistic != row.statistic:
                continue
            if (pair.metric, pair.other) == (best, row.metric):
                return pair.verdict == "better"
            if (pair.metric, pair.other) == (row.metric, best):
                return opposite(pair.verdict) == "better"
        return False


def _floor_words(row: MetaRow) -> str:
    floor = number(row.floor, digits=DIGITS)
    if math.isnan(row.value) or row.above_floor == "no":
        return f"that is not above {floor}, which a metric gets that says nothing"
    if row.above_floor == "undecided":
        return f"not shown to be above {floor}, which a metric gets that says nothing"
    return f"a metric that says nothing gets {floor}"
