"""One row of a gate: a task under a metric."""

import math
from dataclasses import dataclass

from detectable.core.choices import GateRule
from detectable.core.interval import Interval
from detectable.core.wording import count, number, significant
from detectable.study.gate.rules import FEWEST_CLUSTERS, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRow:
    """What one task under one metric says.

    Attributes
    ----------
    old, new : float
        Scores: means over the questions that both have.
    difference : float
        New − old, turned so that more is better.
    interval : Interval
        Of both one-sided tests together, at 1 − 2α.
    outcome : {'pass', 'fail', 'inconclusive'}
        By the rule; a watched row has one too, and does not decide.
    margin : float
        That was given; NaN for none.
    margin_passable : float
        The smallest margin that an unchanged system passes four times in five (at `power`): by
        *no-regression* the smallest loss that would have been seen. NaN where nothing follows, and
        for *superiority*.
    n_needed : int or None
        About how many questions the given margin needs for that.
    p_margin, p_better, p_worse, p_worse_adjusted : float
        One-sided p-values: of a loss of the margin, of no gain, of no loss, and that corrected.
    standard_error, df : float
        Of the difference; infinite degrees of freedom where answers are counted.
    n_items, n_clusters : int
        Questions that both have, and the independent groups that they form.
    samples_old, samples_new : float
        Samples per question, on average.
    method : {'score', 't'}
        For scores of 0 and 1, and for all others.
    unchanged : bool
        Whether every question has the same difference.
    too_few : bool
        Whether it would pass, if there were enough groups of questions.
    """

    task: str
    metric: str
    old: float
    new: float
    difference: float
    interval: Interval
    outcome: Outcome
    margin: float
    margin_passable: float
    n_needed: int | None
    watched: bool
    p_margin: float
    p_better: float
    p_worse: float
    p_worse_adjusted: float
    standard_error: float
    df: float
    n_items: int
    n_clusters: int
    samples_old: float
    samples_new: float
    method: str
    unchanged: bool
    too_few: bool

    @property
    def name(self) -> str:
        """Task and metric, as JUnit names the test."""
        return f"{self.task}/{self.metric}"

    def is_within(self, alpha: float) -> bool:
        """Whether it passed with a loss that surely exists, and surely is within the margin."""
        return self.outcome == "pass" and self.p_worse <= alpha

    def reason(self, rule: GateRule, *, power: float) -> str:
        """Say why a row that did not pass did not, and what would help."""
        if self.outcome == "fail":
            return f"there surely is a loss (p = {_p(self.p_worse_adjusted)})"
        if self.n_clusters == 1:
            alone = (
                "there is one question"
                if self.n_items == 1
                else "all questions are in one group"
            )
            return f"{alone}, so nothing is known about chance"
        if math.isnan(self.margin_passable) and self.method == "t" and self.unchanged:
            return (
                "every question has the same difference, so nothing is known about its spread"
            )
        if self.too_few:
            what = "question" if self.n_clusters == self.n_items else "group"
            return f"{count(self.n_clusters, what)} are too few to pass; {FEWEST_CLUSTERS} are the least"
        size = count(self.n_items, "question")
        if self.n_clusters < self.n_items:
            size += f" in {count(self.n_clusters, 'group')}"
        if math.isnan(self.margin_passable) or self.n_needed is None:
            return size
        often = "4 times in 5" if power == 0.8 else f"with a chance of {power:.0%}"
        if rule == "no-regression":
            return (
                f"{size}; it would have seen a loss of {significant(self.margin_passable)} or more "
                f"{often}, not one of {significant(self.margin)}. About {self.n_needed:,} questions "
                "would"
            )
        if self.n_needed <= self.n_items:
            return f"{size}; an unchanged system would pass {often}"
        return (
            f"{size}. About {self.n_needed:,} questions (or a margin of "
            f"{number(self.margin_passable, digits=3)}) would pass {often} if nothing changed"
        )


def _p(value: float) -> str:
    return f"{value:.4f}".lstrip("0") if value >= 0.0001 else "<.0001"
