"""Battles of two systems at a time, as judgments on a scale from 0 to 1."""

from collections.abc import Callable
from typing import Any

import numpy as np

from detectable.core.choices import Repeated
from detectable.data.battles.battle_reader import BattleReader
from detectable.data.battles.battles import Battles
from detectable.data.factor import Factor
from detectable.data.files.content import FileContent
from detectable.data.human.judgment_roles import check_scale
from detectable.data.human.judgments import Judgments

SCALE = (0.0, 1.0)
NOTE = (
    "Each comparison became two judgments: 1 for the winner and 0 for the other, or ½ each. The "
    "mean of a system is its share of wins, which depends on its opponents."
)


def judgments_of(
    battles: Battles,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
) -> Judgments:
    """Return two judgments for every battle.

    Parameters
    ----------
    battles : Battles
        Their voters become raters, their prompts items, unless they name items of their own.
    scale : (float, float), optional
        0 and 1 by default.
    repeated : {'refuse', 'mark'}
        What to do with second votes by one person on one item.

    Examples
    --------
    >>> judgments = judgments_of(Battles.build(["A"], ["B"], [0.5], prompt=["q1"]))
    >>> judgments.system.labels(), judgments.score.tolist(), judgments.item.labels()
    (['A', 'B'], [0.5, 0.5], ['q1', 'q1'])
    """
    item = battles.names.get("item", battles.prompt)
    rows = np.arange(1, battles.n + 1) if battles.rows is None else battles.rows
    columns: dict[str, Any] = {
        "system": [
            battles.systems[i] for pair in zip(battles.a, battles.b, strict=True) for i in pair
        ],
        "item": _twice(item) if item is not None else np.repeat(rows, 2),
        "score": np.column_stack([battles.outcome, 1.0 - battles.outcome]).ravel(),
    }
    if battles.voter is not None:
        columns["rater"] = _twice(battles.voter)
    for role in ("document", "domain", "language"):
        if role in battles.names:
            columns[role] = _twice(battles.names[role])
    lines = None if battles.lines is None else np.repeat(np.asarray(battles.lines), 2).tolist()
    left_out = [note for note in battles.notes if " left out: " in note]
    others = [note for note in battles.notes if note not in left_out]
    return Judgments.build(
        columns,
        scale=SCALE if scale is None else check_scale(scale),
        repeated=repeated,
        path=battles.path,
        lines=lines,
        notes=[*left_out, NOTE, *others],
    )


def judgments_from(reader: BattleReader) -> Callable[..., Judgments]:
    """Return the function that reads a format of battles as judgments."""

    def read(
        content: FileContent,
        *,
        scale: tuple[float, float] | None = None,
        repeated: Repeated = "mark",
    ) -> Judgments:
        return judgments_of(reader.read(content), scale=scale, repeated=repeated)

    return read


def _twice(column: Factor) -> list[str]:
    return [label for label in column.labels() for _ in range(2)]
