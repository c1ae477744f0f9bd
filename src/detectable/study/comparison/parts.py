"""What few comparisons hold: rows of tasks, standings of many systems, samples, drawn runs."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from detectable.contrasts.contrast import Alias, Contrast
from detectable.core.choices import TaskCorrection, Tasks
from detectable.core.verdict import Verdict

RunChoice: TypeAlias = Literal["random", "unlucky", "median", "lucky"]

# --- What a comparison says about its tasks: the rows of a table, one per task ---


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow(Contrast):
    """One pair under one metric in one task, by t over its units; corrected for all its tasks.

    Attributes
    ----------
    score, baseline_score : float
        In this task.
    n_segments, n_units : int
        Items, and what was taken as independent.
    weight : float
        In the weighted mean.
    """

    LAYOUT = """
        task metric system baseline claim score baseline_score difference standard_error df
        interval p_value p_adjusted mde verdict n_segments n_units weight p_beyond
    """
    task, metric, n_units = Alias[str]("part"), Alias[str]("measure"), Alias[int]("n")

    verdict: Verdict
    score: float
    baseline_score: float
    n_segments: int
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRows:
    """What a comparison says about its tasks.

    Attributes
    ----------
    kind : {'fixed', 'random'}
        Whether the weighted mean is about these tasks, or about others like them.
    weighting : {'macro', 'items', 'given'}
        Tasks weigh alike, by their items, or as the user said.
    correction : {'holm', 'benjamini-hochberg', 'none'}
        Over the tasks of a pair.
    """

    kind: Tasks
    weighting: str
    correction: TaskCorrection
    names: tuple[str, ...]
    rows: tuple[TaskRow, ...]


# --- Many systems on many tasks: who may be best, in the mean and in each task ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The ranks that a system may have in the mean over tasks; all true ranks are in theirs at once."""

    metric: str
    system: str
    score: float
    rank_low: int
    rank_high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLeaders:
    """Who may be best in one task: who is not shown to be worse than another, over all tasks at once.

    Attributes
    ----------
    best, score : str, float
        The highest score (where lower is better, the lowest).
    leaders : tuple of str
        Who may be best, by score.
    """

    metric: str
    task: str
    n_segments: int
    best: str
    score: float
    leaders: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """Ranks in the mean over tasks, the best first, and the leaders of every task."""

    systems: tuple[Standing, ...]
    tasks: tuple[TaskLeaders, ...]


# --- What a comparison says about samples of an item: the rows of two tables ---


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSamples:
    """The samples of one system.

    Attributes
    ----------
    score : float
        The mean over items of the mean of their samples; items weigh alike.
    n_samples : int
        In all; `fewest` and `most` of an item.
    missing_share : float
        Of samples that should be there.
    standard_error, standard_error_clusters, standard_error_these : float
        Of the score: for other items like these, for other documents (with C/(C − 1)), for other
        samples of these very items.
    standard_error_rows : float
        What counting every sample as an item would say.
    variance_items, variance_samples : float
        Between items, and between samples of an item.
    """

    system: str
    score: float
    n_items: int
    n_samples: int
    fewest: int
    most: int
    missing_share: float
    n_clusters: int | None
    standard_error: float
    standard_error_clusters: float
    standard_error_these: float
    standard_error_rows: float
    variance_items: float
    variance_samples: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSamples:
    """One pair under one mean.

    Attributes
    ----------
    variance_differences : float
        Of true differences between items: ω², without the noise of sampling.
    mde_many_samples : float
        The floor: what endless samples of these items would find; only more items lower it. NaN
        where the noise of sampling explains all that is seen between items, so that no floor is.
    """

    metric: str
    system: str
    baseline: str
    variance_differences: float
    mde_many_samples: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """What a comparison says about samples."""

    systems: tuple[SystemSamples, ...]
    pairs: tuple[PairSamples, ...]


# --- What fewer runs would have said ---


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnRuns:
    """What so many runs of each system would have said of a pair.

    Attributes
    ----------
    which : {'random', 'unlucky', 'median', 'lucky'}
        Of one run each: the system's worst against the baseline's best, both medians, or the
        reverse.
    difference, p_value : float
        Medians over the draws; p of a t test over units, of these runs.
    differences, p_values : (float, float)
        2.5 and 97.5 % of the draws.
    opposite, significant : float
        Shares of the draws: the sign of all runs turned around; p at most α.
    n_draws : int
        All choices there are, where these are few.
    edges, counts : tuple
        How many differences lie between which edges; empty unless random.
    """

    metric: str
    system: str
    baseline: str
    n: int
    which: RunChoice
    difference: float
    differences: tuple[float, float]
    opposite: float
    p_value: float
    p_values: tuple[float, float]
    significant: float
    n_draws: int
    edges: tuple[float, ...]
    counts: tuple[int, ...]
