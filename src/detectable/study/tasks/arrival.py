"""How early pairs are complete: the share of the work after which they can be compared."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from detectable.study.tasks.rows import TaskRow

SHARES = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Arrival:
    """What is complete after a share of the work.

    Attributes
    ----------
    share : float
        Texts judged among all texts, controls included. All raters work at the same pace.
    n_pairs : int
        Pairs of systems on one item, of which one rater has judged both.
    """

    share: float
    n_pairs: int


def arrivals(rows: Sequence[TaskRow], shares: Iterable[float] = SHARES) -> tuple[Arrival, ...]:
    """Return how many pairs are complete after these shares of the work.

    Two raters who judge the same two texts make two pairs.
    """
    at: dict[str, int] = {}
    turns: list[tuple[int, TaskRow]] = []
    for row in rows:
        turns.append((at.setdefault(row.rater, 0), row))
        at[row.rater] += 1
    turns.sort(key=lambda turn: turn[0])
    seen: dict[tuple[str, str], set[str]] = {}
    complete = [0]
    for _, row in turns:
        new = 0
        if row.kind == "system":
            systems = seen.setdefault((row.rater, row.item), set())
            if row.system not in systems:
                new = len(systems)
                systems.add(row.system)
        complete.append(complete[-1] + new)
    return tuple(Arrival(share, complete[round(share * len(turns))]) for share in shares)
