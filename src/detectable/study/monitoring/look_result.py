"""What one look at a plan says, and how it is written into the ledger."""

from dataclasses import dataclass, field
from typing import Any

from detectable.core.result import Result, to_json
from detectable.core.wording import count, listing
from detectable.study.monitoring.pair_look import Decision, PairLook, describe_pair
from detectable.study.monitoring.plan_history import PlanHistory


@dataclass(frozen=True, slots=True, kw_only=True)
class Look(Result):
    """One look at a plan.

    Attributes
    ----------
    decision : str
        ``continue`` or ``stop: …``; with several pairs ``stop`` once none is open.
    pairs : tuple of PairLook
        Those that were open before this look and have new data.
    judgments, new_judgments : int
        Rows of the planned systems so far, and since the last look.
    judgments_planned : int or None
        Still to come if it goes on to the planned end; None without an end.
    expected_judgments : int or None
        Of these, how many are expected to be needed if the trend stays what it is; None where
        the plan has a margin or no planned looks.
    saved : int or None
        Planned judgments that a stop makes unnecessary.
    """

    look: int
    time: str
    decision: Decision
    pairs: tuple[PairLook, ...]
    judgments: int
    new_judgments: int
    judgments_planned: int | None
    expected_judgments: int | None
    saved: int | None
    unit: str
    final: bool  # no further look is allowed
    declared: bool  # the user declared it the last
    overruled: bool
    still_needed: tuple[str, ...]  # systems that must be judged further
    margin: float | None = None  # of the plan, for the words of the verdict
    influential: tuple[
        str, ...
    ] = ()  # what a decision of this look hangs on; also in the notes
    notes: tuple[str, ...] = ()
    # The plan with all looks so far, this one last: what pictures are made of.
    history: PlanHistory | None = field(
        default=None, repr=False, compare=False, metadata={"bulk": "private"}
    )

    def summary(self) -> str:
        """Say the decision first, then where each pair stands."""
        head = f"Look {self.look}, {count(self.judgments, 'judgment')}: {self.decision}."
        return "\n".join(
            [
                head + self._outlook(),
                *(describe_pair(p, margin=self.margin) for p in self.pairs),
            ]
        )

    def entry(self) -> dict[str, Any]:
        """Return what goes into the ledger."""
        content: dict[str, Any] = to_json(self)
        return content

    def _outlook(self) -> str:
        if self.decision != "continue":
            return f" {count(self.saved, 'planned judgment')} not needed." if self.saved else ""
        if self.judgments_planned is None:
            return ""
        text = f" {count(self.judgments_planned, 'judgment')} still planned"
        if self.expected_judgments is not None:
            text += f", about {self.expected_judgments:,} expected to be needed at this trend"
        needed = listing(list(self.still_needed), most=12)
        return f"{text}. Still to be judged: {needed}."
