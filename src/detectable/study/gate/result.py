"""The answer of `gate`: pass, fail or inconclusive, row by row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from detectable.core.choices import GateRule, Inconclusive
from detectable.core.result import Result
from detectable.core.wording import listing, number, significant
from detectable.study.gate.losses import QuestionLoss
from detectable.study.gate.row import GateRow
from detectable.study.gate.rules import Outcome
from detectable.study.gate.self_test_result import SelfTest


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
        The rule that decides; see `study.gate.rules`.
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
    self_test : SelfTest or None
        How often the gate would end how if nothing changed.
    losses : tuple of QuestionLoss
        The questions of deciding rows that lost most: where to look first.
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
        return self._labels([row])[0]

    def _labels(self, rows: Sequence[GateRow]) -> list[str]:
        several = len(self.metrics) > 1  # looked up once: there may be thousands of rows
        return [row.name if several else row.task for row in rows]

    def summary(self) -> str:
        """Say the outcome, and which rows it is due to."""
        return " ".join((self.headline(), *self.details()))

    def headline(self) -> str:
        """Say the outcome in one sentence."""
        rows = [row for row in self.deciding if row.outcome == self.outcome]
        named = listing(self._labels(rows))
        if self.outcome == "fail":
            return f"Gate: fail. {self.system} is worse than {self.baseline} on {named}."
        if self.outcome == "inconclusive":
            return f"Gate: inconclusive. These questions cannot tell on {named}."
        many = f" on all {len(rows)} rows" if len(rows) > 1 else ""
        if self.rule == "superiority":
            return f"Gate: pass. {self.system} is better than {self.baseline}{many}."
        if self.rule == "no-regression":
            return (
                f"Gate: pass. No loss of {self.system} against {self.baseline} was found{many}, "
                "and one that matters would have been."
            )
        margins = listing(
            [significant(margin) for margin in dict.fromkeys(self.margin.values())]
        )
        return (
            f"Gate: pass. {self.system} is not worse than {self.baseline} by more than "
            f"{margins}{many}."
        )

    def details(self) -> tuple[str, ...]:
        """Say one sentence about every deciding row that needs one."""
        said = []
        rows = self.deciding
        for row, name in zip(rows, self._labels(rows), strict=True):
            if row.outcome == "inconclusive":
                said.append(f"{name} cannot tell: {row.reason(self.rule, power=self.power)}.")
            elif row.outcome == "fail":
                said.append(
                    f"{name} fails: {number(row.old, digits=3)} before, "
                    f"{number(row.new, digits=3)} now; {row.reason(self.rule, power=self.power)}."
                )
            elif self.rule == "non-inferiority" and row.is_within(self.alpha):
                said.append(f"{name} is worse, but surely by less than the margin.")
        return tuple(said)

    def to_markdown(self) -> str:
        """Return the outcome and its table, for the summary of a step or a comment."""
        made: str = import_module("detectable.report.gate.markdown").gate_markdown(self)
        return made

    def to_junit(self) -> str:
        """Return JUnit XML: a suite per metric, a test case per task."""
        made: str = import_module("detectable.report.gate.junit").gate_junit(self)
        return made
