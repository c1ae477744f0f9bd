"""What a comparison says about its tasks: the rows of a table, one per task."""

from dataclasses import dataclass

from detectable.core.choices import Claim, TaskCorrection, Tasks
from detectable.core.interval import Interval
from detectable.core.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """One pair under one metric in one task, by t over its units.

    Attributes
    ----------
    score, baseline_score : float
        In this task.
    interval : Interval
        Corrected for all tasks of the pair, like `p_adjusted`.
    n_segments, n_units : int
        Items, and what was taken as independent.
    weight : float
        In the weighted mean.
    """

    task: str
    metric: str
    system: str
    baseline: str
    claim: Claim
    score: float
    baseline_score: float
    difference: float
    standard_error: float
    df: float
    interval: Interval
    p_value: float
    p_adjusted: float
    mde: float
    verdict: Verdict
    n_segments: int
    n_units: int
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

    def scope(self) -> str:
        """Say what the weighted mean is about."""
        how = {
            "macro": "each weighs the same",
            "items": "each weighs by its items",
            "given": "with the weights given",
        }[self.weighting]
        about = "other tasks like these" if self.kind == "random" else "these tasks"
        return (
            f"The mean of {len(self.names)} tasks ({how}), tested by t: a claim about {about}."
        )
