"""A plan as it was frozen, with what it can show and what it takes."""

from dataclasses import dataclass
from typing import Any

from detectable.core.result import Result
from detectable.study.monitoring.plan_outlook import PlanOutlook, outlook, sentences
from detectable.study.monitoring.planned import Planned


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Planned):
    """A frozen plan. Make it with `plan`, read it with `read_plan`."""

    def summary(self) -> str:
        """Say what was planned, what it can show and what it takes."""
        return "\n".join([self.planned(), *sentences(self)])

    def outlook(self) -> PlanOutlook:
        """Return power, detectable effect, expected judgments and cost."""
        return outlook(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan with its outlook, as JSON values."""
        return {**Result.to_dict(self), **self.outlook().to_json()}
