"""Judgments gathered one by one, with a count of what is left out and why."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.human.judgment_roles import UNBOUNDED, check_scale
from detectable.data.human.judgments import ROLES, Judgments

PENALTY_SCALE = (UNBOUNDED[0], 0.0)  # of MQM: no error is 0, and there is no worst


@dataclass(slots=True)
class JudgmentRows:
    """The rows of a file so far.

    Examples
    --------
    >>> rows = JudgmentRows("log.jsonl")
    >>> rows.add(1, system="A", item="1", score=70)
    >>> rows.leave_out("items of a tutorial", 3)
    >>> rows.build(None, "mark").notes
    ('3 judgments left out: items of a tutorial.',)
    """

    path: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    left_out: "Counter[str]" = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def add(self, line: int, **roles: Any) -> None:
        """Add one judgment, which stands in the given line."""
        self.rows.append(roles)
        self.lines.append(line)

    def leave_out(self, reason: str, n: int = 1) -> None:
        """Count judgments that are left out."""
        self.left_out[reason] += n

    def drop_copies(self) -> None:
        """Leave out rows that are the same in all they say, times included."""
        seen: set[tuple[Any, ...]] = set()
        kept = []
        for index, row in enumerate(self.rows):
            key = tuple(str(row.get(role)) for role in ROLES)
            if key not in seen:
                kept.append(index)
                seen.add(key)
        if len(kept) < len(self.rows):
            self.leave_out("exact copies of another row", len(self.rows) - len(kept))
            self.rows = [self.rows[index] for index in kept]
            self.lines = [self.lines[index] for index in kept]

    def build(
        self,
        scale: tuple[float, float] | None,
        repeated: Repeated,
        *,
        usual_scale: tuple[float, float] | None = None,
    ) -> Judgments:
        """Return the checked table; roles that no row knows are absent."""
        dropped = [
            f"{count(n, 'judgment')} left out: {reason}." for reason, n in self.left_out.items()
        ]
        if not self.rows:
            why = f" {' '.join(dropped)}" if dropped else ""
            raise DataError(f"{self.path}: there is no judgment in the file.{why}")
        known = [r for r in ROLES if any(row.get(r) is not None for row in self.rows)]
        for role in ("system", "item", "score"):
            if role not in known:
                raise DataError(f"{self.path}: no judgment says its {role}.")
        return Judgments.build(
            {role: [row.get(role) for row in self.rows] for role in known},
            scale=usual_scale if scale is None else check_scale(scale),
            repeated=repeated,
            path=self.path,
            lines=self.lines,
            notes=[*dropped, *self.notes],
        )
