"""The answer of `gate`: pass, fail or inconclusive, row by row, and the rules that decide."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Literal, TypeAlias

import numpy as np

from detectable.contrasts.contrast import Alias, Contrast
from detectable.core.choices import Decides, GateRule, Inconclusive
from detectable.core.interval import Interval
from detectable.core.result import ADDED, ADDED_IF_KNOWN, Result
from detectable.study.gate.matching import ONLY_TASK, MatchedTask
from detectable.study.reverse_share import ReverseShare

Outcome: TypeAlias = Literal["pass", "fail", "inconclusive"]

FEWEST_CLUSTERS = 10  # below, the tests are not trusted with a pass
FEW_CLUSTERS = 30  # below, the result says that they are rough
_CODES: dict[Outcome, int] = {"pass": 0, "fail": 3, "inconclusive": 4}


def decide(
    rule: GateRule,
    *,
    p_margin: float,
    p_better: float,
    p_worse: float,
    p_worse_adjusted: float,
    could_see: bool,
    may_pass: bool,
    alpha: float,
) -> Outcome:
    """Return the outcome of one row.

    Parameters
    ----------
    p_margin : float
        Of “the loss is the margin or more”.
    p_better, p_worse : float
        Of “there is no gain”, “there is no loss”, one-sided and uncorrected.
    p_worse_adjusted : float
        The latter, corrected over the rows that decide.
    could_see : bool
        Whether a loss of the tolerance would have been seen (no-regression).
    may_pass : bool
        Whether there are clusters enough for a pass.

    Examples
    --------
    >>> common = {"p_better": 0.9, "could_see": False, "may_pass": True, "alpha": 0.05}
    >>> decide("non-inferiority", p_margin=0.01, p_worse=0.03, p_worse_adjusted=0.03, **common)
    'pass'
    >>> decide("non-inferiority", p_margin=0.4, p_worse=0.03, p_worse_adjusted=0.09, **common)
    'inconclusive'
    """
    fails = p_worse_adjusted <= alpha
    if rule == "non-inferiority":
        within = p_margin <= alpha
        if within:
            return "pass" if may_pass else "inconclusive"
        return "fail" if fails else "inconclusive"
    if fails:
        return "fail"
    if rule == "superiority":
        return "pass" if p_better <= alpha and may_pass else "inconclusive"
    return "pass" if p_worse > alpha and could_see and may_pass else "inconclusive"


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome of all rows that decide.

    Examples
    --------
    >>> together(["pass", "inconclusive"]), together(["inconclusive", "fail"]), together(["pass"])
    ('inconclusive', 'fail', 'pass')
    """
    found = set(outcomes)
    if "fail" in found:
        return "fail"
    return "inconclusive" if "inconclusive" in found else "pass"


def exit_code(outcome: Outcome, inconclusive: Inconclusive | None) -> int:
    """Return 0 for a pass, 3 for a fail, 4 for neither; or what `inconclusive` makes of that.

    Examples
    --------
    >>> [exit_code("inconclusive", as_) for as_ in (None, "pass", "fail")]
    [4, 0, 3]
    """
    if outcome == "inconclusive" and inconclusive is not None:
        return _CODES[inconclusive]
    return _CODES[outcome]


# --- One row of a gate: a task under a metric ---


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRow(Contrast):
    """What one task under one metric says.

    Attributes
    ----------
    old, new : float
        Scores: means over the questions that both have.
    difference : float
        New − old, never turned round: below zero is a gain where lower is better.
    interval : Interval
        Of the difference, by both one-sided tests together, at 1 − 2α. Losses are corrected over
        rows, and where that decides, the end next to 0 or to −margin follows.
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
    n_items, n_clusters : int
        Questions that both have, and the independent groups that they form.
    samples_old, samples_new : float
        Samples per question, on average.
    method : {'score', 't'}
        By which rule it was tested: gates of earlier versions by t, unless scores were 0 and 1.
    unchanged : bool
        Whether every question has the same difference.
    too_few : bool
        Whether it would pass, if there were enough groups of questions.
    higher_is_better : bool
        Which way the metric goes.
    p_inferior : float
        Of “the loss is the margin at most”, corrected over the rows that decide; NaN without a
        margin.
    kind : str
        Of scores, as the score rule sees them: two-valued, sparse or dense.
    reach, largest_change : float
        What one question may lose, and the largest change seen.
    slice : str
        The kind of questions, where a row is about some questions of a task. With fewer than ten
        it is watched, open, and has no verdict.
    relative : bool
        Whether margin, difference and interval are shares of the old score.
    top_share : float
        How much of the spread one question holds, in such rows; above a fifth it cannot pass.
    """

    LAYOUT = """
        task metric old new difference interval outcome margin margin_passable n_needed watched
        p_margin p_better p_worse p_worse_adjusted standard_error df n_items n_clusters
        samples_old samples_new method unchanged too_few higher_is_better p_inferior kind reach
        largest_change slice relative top_share
    """
    task, metric = Alias[str]("part"), Alias[str]("measure")
    margin_passable, n_needed = Alias[float]("mde"), Alias[int | None]("units_needed")
    p_worse, p_worse_adjusted = Alias[float]("p_value"), Alias[float]("p_adjusted")
    n_items = Alias[int]("n")

    n_clusters: int
    old: float
    new: float
    outcome: Outcome
    margin: float
    watched: bool
    p_margin: float
    p_better: float
    samples_old: float
    samples_new: float
    method: str
    unchanged: bool
    too_few: bool
    higher_is_better: bool | None = None  # None only in files of version 0.1.0: see below
    p_inferior: float = field(default=math.nan, metadata=ADDED)
    kind: str = field(default="", metadata=ADDED)
    reach: float = field(default=math.nan, metadata=ADDED)
    largest_change: float = field(default=math.nan, metadata=ADDED)
    slice: str = field(default="", metadata=ADDED)
    relative: bool = field(default=False, metadata=ADDED)
    top_share: float = field(default=math.nan, metadata=ADDED)

    def __post_init__(self) -> None:
        """Bring rows of version 0.1.0, whose differences were turned round, to the present form."""
        if self.higher_is_better is not None:
            return
        turned = (self.new - self.old) * self.difference < 0.0
        object.__setattr__(self, "higher_is_better", not turned)
        if turned:
            low, high = -self.interval.high, -self.interval.low
            object.__setattr__(self, "difference", -self.difference)
            object.__setattr__(self, "interval", Interval(low, high, self.interval.level))

    def is_inferior(self, alpha: float) -> bool:
        """Whether the loss is shown to be larger than the margin."""
        return self.outcome == "fail" and self.p_inferior <= alpha

    @property
    def untested(self) -> bool:
        """Whether a slice has too few questions for a verdict."""
        return bool(self.slice) and self.n_items < FEWEST_CLUSTERS

    @property
    def name(self) -> str:
        """Task and metric, as JUnit names the test."""
        return f"{self.task}/{self.metric}"

    def is_within(self, alpha: float) -> bool:
        """Whether it passed with a loss that is shown to exist, and to be within the margin."""
        return self.outcome == "pass" and self.p_worse <= alpha


# --- The questions that lost most: where to look first ---

MOST = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLoss:
    """A question whose score fell."""

    task: str
    metric: str
    item: str
    old: float
    new: float


def largest_losses(rows: Iterable[tuple[str, float, MatchedTask]]) -> tuple[QuestionLoss, ...]:
    """Return the questions that lost most, from (metric, sign, task); at most ten.

    Equal losses stay in the order of the data. Losses of different metrics are compared as shares
    of the largest of their own metric.
    """
    given = [
        (metric, task, sign * (task.old.means - task.new.means)) for metric, sign, task in rows
    ]
    largest: dict[str, float] = {}
    for metric, _, lost in given:
        largest[metric] = max(largest.get(metric, 0.0), float(np.abs(lost).max()))
    found = [
        (
            float(lost[place]) / largest[metric],
            QuestionLoss(
                task=task.task,
                metric=metric,
                item=task.new.items[place],
                old=float(task.old.means[place]),
                new=float(task.new.means[place]),
            ),
        )
        for metric, task, lost in given
        for place in np.argsort(-lost, kind="stable")[:MOST].tolist()
        if lost[place] > 0.0
    ]
    found.sort(key=lambda pair: -pair[0])
    return tuple(loss for _, loss in found[:MOST])


# --- How often a gate would end how on an unchanged system ---


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeShares:
    """How often a gate passes, fails and ends without an answer."""

    passed: float
    failed: float
    inconclusive: float

    @property
    def flips(self) -> float:
        """The chance that two evaluations end differently: 1 − Σ p².

        Examples
        --------
        >>> round(OutcomeShares(passed=0.8, failed=0.05, inconclusive=0.15).flips, 3)
        0.335
        """
        return 1.0 - self.passed**2 - self.failed**2 - self.inconclusive**2


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """A/A: the gate, run on many pairs of evaluations of one unchanged system.

    Attributes
    ----------
    simulated : OutcomeShares
        Among the simulated evaluations.
    formula : OutcomeShares
        By the normal distribution, tasks taken as independent.
    naive : OutcomeShares
        Of “fail if the score is lower”, on the same evaluations.
    n_simulations : int
        How many.
    noise : str
        Where the noise of a rerun is from.
    """

    simulated: OutcomeShares
    formula: OutcomeShares
    naive: OutcomeShares
    n_simulations: int
    noise: str


# --- The answer of `gate`: pass, fail or inconclusive, row by row ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate(Result):
    """Whether a new system may take the place of the one in use.

    Attributes
    ----------
    outcome : {'pass', 'fail', 'inconclusive'}
        Of all rows that decide: any fail fails; else any that cannot tell leaves it open.
    exit_code : int
        0, 3 or 4 for the three; `inconclusive` may make 0 or 3 of 4.
    rows : tuple of GateRow
        Tasks within metrics.
    system, baseline : str
        The new one, and the one in use.
    rule : str
        The rule that decides; see `dt.gate`.
    margin : mapping of str to float
        For every metric that has one.
    alpha : float
        One-sided level of every test: half of the nominal one for the first of counted tries, a
        quarter for the second.
    attempt : int or None
        Which try of this candidate it is, where tries are counted.
    power : float
        At which passable margins are stated.
    baseline_sha256, baseline_commit, baseline_created : str
        Which baseline it was.
    new_sha256 : str or None
        Of the new scores, by which tries are distinguished, where they are counted.
    self_test : SelfTest or None
        How often the gate would end how if nothing changed.
    losses : tuple of QuestionLoss
        The questions of deciding rows that lost most: where to look first.
    decide : {'tasks', 'slices', 'overall'}
        Which rows decide. Under overall the tasks of the mean are watched, but for those that fail.
    by : str
        What questions are sliced by, in rows of slices; empty without them.
    reverse : ReverseShare or None
        How much of the data was created in reverse, and what changes without it; None where the
        original languages are not known.
    """

    outcome: Outcome
    exit_code: int
    rows: tuple[GateRow, ...]
    system: str
    baseline: str
    rule: GateRule
    margin: Mapping[str, float]
    alpha: float
    nominal_alpha: float
    attempt: int | None
    power: float
    inconclusive: Inconclusive | None
    baseline_sha256: str
    baseline_commit: str = ""
    baseline_created: str = ""
    self_test: SelfTest | None = None
    losses: tuple[QuestionLoss, ...] = ()
    notes: tuple[str, ...] = ()
    decide: Decides = field(default="tasks", metadata=ADDED)
    by: str = field(default="", metadata=ADDED)
    new_sha256: str | None = field(default=None, metadata=ADDED_IF_KNOWN)
    reverse: ReverseShare | None = field(default=None, metadata=ADDED_IF_KNOWN)

    @property
    def deciding(self) -> tuple[GateRow, ...]:
        """The rows that decide: those that are not only watched."""
        return tuple(row for row in self.rows if not row.watched)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics, in the order of the rows."""
        return tuple(dict.fromkeys(row.metric for row in self.rows))

    def label(self, row: GateRow) -> str:
        """Return what a row is called: the task, with its metric where there are several."""
        return self.labels([row])[0]

    def labels(self, rows: Sequence[GateRow]) -> list[str]:
        """Return what rows are called."""
        several = len(self.metrics) > 1  # looked up once: there may be thousands of rows
        unnamed = several and all(row.task == ONLY_TASK for row in self.rows)
        if unnamed:
            return [row.metric for row in rows]
        return [row.name if several else row.task for row in rows]

    def to_markdown(self) -> str:
        """Return the outcome and its table, for the summary of a step or a comment."""
        made: str = import_module("detectable.report.shown.gate_words").gate_markdown(self)
        return made

    def to_junit(self) -> str:
        """Return JUnit XML: a suite per metric, a test case per task."""
        made: str = import_module("detectable.report.shown.gate_words").gate_junit(self)
        return made
