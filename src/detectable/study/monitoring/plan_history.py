"""A plan with all looks at it: the audit trail as one result."""

from dataclasses import dataclass
from typing import Any

from detectable.core.result import Result, Signature, to_json
from detectable.core.wording import count
from detectable.data.files.place import FilePath
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.look_result import PairLook
from detectable.study.monitoring.plan import Plan, read_plan


@dataclass(frozen=True, slots=True, kw_only=True)
class LookRow:
    """One pair at one look."""

    look: int
    time: str
    pair: PairLook

    def to_json(self) -> dict[str, Any]:
        """Return one flat row, ready for a chart."""
        pair: dict[str, Any] = to_json(to_json(self.pair))  # once more for open intervals
        return {"look": self.look, "time": self.time, **pair}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanHistory(Result):
    """What was planned and what happened since."""

    plan: Plan
    looks: tuple[LookRow, ...]
    n_looks: int
    decision: str | None  # of the last look

    def summary(self) -> str:
        """Say the plan, then where it stands."""
        if not self.looks:
            return f"{self.plan.planned()}\nNot looked at yet."
        done = f"{count(self.n_looks, 'look')} so far; the last said «{self.decision}»."
        return f"{self.plan.planned()}\n{done}"


def plan_history(plan: Plan | FilePath) -> PlanHistory:
    """Return a plan with all looks in its ledger, checked entry by entry."""
    frozen = plan if isinstance(plan, Plan) else read_plan(plan)
    state = LedgerState.read(frozen)
    rows = tuple(
        LookRow(look=number, time=str(entry["time"]), pair=PairLook.from_entry(row))
        for number, entry in enumerate(state.entries, start=1)
        for row in entry["pairs"]
    )
    return PlanHistory(
        plan=frozen,
        looks=rows,
        n_looks=state.n_looks,
        decision=str(state.entries[-1]["decision"]) if state.entries else None,
        signature=Signature("plan-history", {"plan": frozen.fingerprint[:12]}),
    )
