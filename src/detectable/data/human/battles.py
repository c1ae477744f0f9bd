"""Comparisons of two systems at a time, as judgments on a scale from 0 to 1."""

from collections.abc import Sequence
from typing import Any

from detectable.data.human.judgment_rows import JudgmentRows

SCALE = (0.0, 1.0)
BOTH_BAD = ("tie (bothbad)", "both_bad", "bothbad", "tie(bothbad)")
TIES = ("tie", *BOTH_BAD)
NO_BATTLE = "comparisons without an outcome"
NOTE = (
    "Each comparison became two judgments: 1 for the winner and 0 for the other, or ½ each. The "
    "mean of a system is its share of wins, which depends on its opponents."
)


def add_battle(
    rows: JudgmentRows, line: int, systems: Sequence[str], wins: float, **roles: Any
) -> None:
    """Add a comparison; `wins` is 1 where the first system won, 0 where the second did.

    Examples
    --------
    >>> rows = JudgmentRows("battles.csv")
    >>> add_battle(rows, 2, ("A", "B"), 0.5, item="q1")
    >>> [(row["system"], row["score"]) for row in rows.rows]
    [('A', 0.5), ('B', 0.5)]
    """
    for system, score in zip(systems, (wins, 1.0 - wins), strict=True):
        rows.add(line, system=system, score=score, **roles)
