"""Annotation tasks that are ready to be handed out."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from detectable.core.choices import Assignment, TaskKind
from detectable.core.result import Result
from detectable.core.wording import count, number
from detectable.study.tasks.arrival import Arrival
from detectable.study.tasks.rows import TaskRow

# Judgments saved by judging both systems of a sentence with one rater: the median over 706
# pairs of systems of the human evaluations published by Kocmi et al. (2021), and quartiles.
PAIRING_GAIN = (1.43, 1.81, 2.41)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks(Result):
    """Annotation tasks.

    Attributes
    ----------
    rows : tuple of TaskRow
        What is shown, in order, task by task.
    n_tasks, n_raters : int
        Tasks, and the slots of raters that they are shared out to.
    counts : mapping of kind to int
        Outputs, repeats, degraded copies and references.
    degraded_by_system : mapping of system to int
        Degraded copies of each system, over all raters.
    control_share : float
        Controls among all texts.
    distance_min, distance_mean : float
        Texts from a control to its original in the same task; NaN without controls.
    n_units, n_whole : int
        Sentences or documents, and those of which one rater sees all systems.
    n_items, n_shared : int
        Lines that are judged, and those of which two raters see all systems.
    n_filled : int
        Outputs that are shown a second time to fill up a task.
    arrival : tuple of Arrival
        Pairs of systems on an item, judged by one rater, that are complete after a quarter,
        half, three quarters and all of the work.
    """

    rows: tuple[TaskRow, ...] = field(repr=False, metadata={"bulk": "rows"})
    task_kind: TaskKind
    assignment: Assignment
    n_tasks: int
    n_raters: int
    n_systems: int
    counts: Mapping[str, int]
    degraded_by_system: Mapping[str, int]
    control_share: float
    distance_min: float
    distance_mean: float
    n_units: int
    n_whole: int
    n_items: int
    n_shared: int
    n_filled: int
    arrival: tuple[Arrival, ...]
    notes: tuple[str, ...] = ()

    def summary(self) -> str:
        """Say what is handed out, what the controls are, and what pairing buys."""
        kinds = self.counts
        lines = [
            f"{count(self.n_tasks, 'task')} for {count(self.n_raters, 'rater')}: "
            f"{sum(kinds.values()):,} texts, {kinds['system']:,} outputs of "
            f"{count(self.n_systems, 'system')} and {self.control_share:.0%} controls "
            f"({kinds['degraded']:,} degraded, {kinds['repeat']:,} repeated, "
            f"{count(kinds['reference'], 'reference')}).",
            f"A control stands {number(self.distance_mean, digits=0)} texts from its original "
            f"on average, and {number(self.distance_min, digits=0)} at least, in the same task.",
            self._pairing(),
        ]
        if self.n_pairs:
            first, *later, _ = self.arrival
            lines.append(
                f"{first.n_pairs:,} of {count(self.n_pairs, 'pair')} of outputs are complete "
                f"after {first.share:.0%} of the work"
                + "".join(f", {after.n_pairs:,} after {after.share:.0%}" for after in later)
                + "."
            )
        if self.n_shared:
            lines.append(
                f"Two raters judge {self.n_shared:,} of {count(self.n_items, 'line')}: "
                "agreement between raters and components of variance are estimated from these."
            )
        return "\n".join(lines)

    @property
    def n_pairs(self) -> int:
        """Pairs of systems on an item that one rater judges both of, over all raters."""
        return self.arrival[-1].n_pairs

    def _pairing(self) -> str:
        unit = "sentence" if self.task_kind == "segment" else "document"
        low, middle, high = PAIRING_GAIN
        gain = f"{middle:.1f} times the judgments (quartiles {low:.1f} to {high:.1f})"
        whole = f"{self.n_whole:,} of {count(self.n_units, unit)}"
        if self.assignment == "paired":
            return (
                f"One rater sees all systems of {whole}. Compared in pairs they are worth "
                f"{gain}: the difficulty of the {unit} and the rater's severity cancel."
            )
        return (
            f"Outputs are shared out at random: one rater sees all systems of {whole}. "
            f'With assignment="paired" the same work would be worth {gain}.'
        )

    def by_task(self) -> dict[str, list[TaskRow]]:
        """Return the rows of each task."""
        found: dict[str, list[TaskRow]] = {}
        for row in self.rows:
            found.setdefault(row.task, []).append(row)
        return found


def count_kinds(rows: tuple[TaskRow, ...]) -> dict[str, int]:
    """Return how many texts there are of each kind."""
    found = Counter(row.kind for row in rows)
    return {kind: found[kind] for kind in ("system", "repeat", "degraded", "reference")}


def count_degraded(rows: tuple[TaskRow, ...], systems: Iterable[str]) -> dict[str, int]:
    """Return how many degraded copies there are of each system."""
    found = Counter(row.system for row in rows if row.kind == "degraded")
    return {name: found[name] for name in systems}


def count_shared(rows: tuple[TaskRow, ...], n_systems: int) -> int:
    """Return how many lines two raters or more see in all systems."""
    seen: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        if row.kind == "system":
            seen.setdefault((row.item, row.rater), set()).add(row.system)
    raters = Counter(item for (item, _), systems in seen.items() if len(systems) == n_systems)
    return sum(n > 1 for n in raters.values())
