"""What judging metrics by people gives: a value per metric, and metrics against each other."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from detectable.contrasts.contrast import Alias, Contrast
from detectable.core.choices import AverageBy, MetaLevel, MetaStatistic, UndefinedGroups
from detectable.core.interval import Interval
from detectable.core.result import Result
from detectable.core.verdict import Verdict, opposite

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
        What an uninformative metric gets: .5 of the pairs, or no correlation, or, with ties,
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
class MetricDifference(Contrast):
    """Two metrics: which agrees more with people, by swaps of whole segments or documents.

    Attributes
    ----------
    interval : Interval or None
        None where the draws have no spread.
    mde : float
        The difference that this test would find with 80 % power, corrected for all pairs. NaN where no
        swap changes anything, as of two metrics whose calibrated ties leave nothing but ties.
    p_cells, p_williams : float
        What swapping every output by itself (PERM-BOTH) and Williams' test would say; NaN where
        they were not computed.
    """

    LAYOUT = """
        metric other statistic difference interval p_value p_adjusted verdict mde p_cells
        p_williams
    """
    metric, other = Alias[str]("system"), Alias[str]("baseline")
    statistic = Alias[MetaStatistic]("measure")

    interval: Interval | None  # type: ignore[assignment]  # here alone it may be missing
    verdict: Verdict
    p_cells: float
    p_williams: float


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

    def beats(self, best: str, row: MetaRow) -> bool:
        """Say whether a metric was shown to be better than that of a row."""
        for pair in self.pairs:
            if pair.statistic != row.statistic:
                continue
            if (pair.metric, pair.other) == (best, row.metric):
                return pair.verdict == "better"
            if (pair.metric, pair.other) == (row.metric, best):
                return opposite(pair.verdict) == "better"
        return False
