"""Preferences and battles of two systems, as judgments on a scale from 0 to 1."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.battles.battles import Battles
from detectable.data.battles.read_battles import COLUMNS, battles_of, is_battles, read_battles
from detectable.data.factor import Factor
from detectable.data.files.content import FileContent
from detectable.data.files.place import Problems, is_missing, quote
from detectable.data.files.table import is_path, read_table
from detectable.data.human.judgment_table import check_scale
from detectable.data.human.judgments import Judgments
from detectable.data.reader import BattleReader, JudgmentReader

_NEITHER = ("tie", "equal", "neither", "both")
_ROLES = ("rater", "document", "domain", "wave", "task")


def read_preferences(source: Any, systems: Sequence[str]) -> Judgments:
    """Read a table with one comparison per row: columns ``item`` and ``winner``.

    A winner is the name of one of the two systems; a missing one or ``tie`` means neither. The
    columns ``rater``, ``document``, ``domain``, ``wave`` and ``task`` are kept where they are.
    Each row becomes two judgments on a scale from 0 to 1: 1 for the winner and 0 for the other,
    or ½ each. Battles of an arena and of what else `read_battles` knows are read as well; those
    of other systems are left out and counted.

    Examples
    --------
    >>> table = {"item": [1, 2], "winner": ["A", "tie"]}
    >>> read_preferences(table, ["A", "B"]).score.tolist()
    [1.0, 0.0, 0.5, 0.5]
    """
    if len(systems) != 2:
        raise DataError(
            f"preferences compare two systems; the plan has {listing(list(systems))}."
        )
    if is_path(source):
        source = FileContent.of(source)
        if is_battles(source):
            return _of_battles(read_battles(source), systems)
    table = read_table(source, several=True)
    if all(table.find(COLUMNS[side]) for side in ("a", "b")):
        return _of_battles(battles_of(table), systems)
    for name in ("item", "winner"):
        if name not in table.columns:
            raise table.missing(f"the {name}")
    problems = Problems(table.path)
    columns: dict[str, list[Any]] = {role: [] for role in ("system", "item", "score")}
    kept = [role for role in _ROLES if role in table.columns]
    columns |= {role: [] for role in kept}
    lines: list[int] = []
    cells = {name: table.cells(name) for name in ("item", "winner", *kept)}
    for row, winner in enumerate(cells["winner"]):
        name = "" if winner is None else str(winner).strip()
        scores = _scores(name, systems)
        if scores is None:
            problems.add(
                f"{table.place(row, 'winner')}: expected {systems[0]!r}, {systems[1]!r} or “tie”, "
                f"found {quote(name)}. Write the name as in the plan."
            )
            continue
        columns["system"] += list(systems)
        columns["score"] += scores
        for role in ("item", *kept):
            columns[role] += [cells[role][row]] * 2
        lines += [row if table.lines is None else table.lines[row]] * 2
    problems.stop()
    return Judgments.build(columns, scale=(0.0, 1.0), path=table.path, lines=lines)


def _of_battles(battles: Battles, systems: Sequence[str]) -> Judgments:
    """Return the battles of two systems as judgments."""
    known = [battles.systems.index(name) for name in systems if name in battles.systems]
    between = np.isin(battles.a, known) & np.isin(battles.b, known)
    if len(known) < 2 or not between.any():
        raise DataError(
            f"{battles.path or 'the battles'}: no battle of {systems[0]!r} and {systems[1]!r}; found "
            f"{listing(list(battles.systems), most=10)}. Write the names as in the plan."
        )
    chosen = battles.take(between)
    others = battles.n - chosen.n
    if others:
        note = f"{count(others, 'battle')} left out: battles of other systems."
        chosen = replace(chosen, notes=(*chosen.notes, note))
    return judgments_of(chosen)


def _scores(name: str, systems: Sequence[str]) -> list[float] | None:
    if is_missing(name) or name.lower() in _NEITHER:
        return [0.5, 0.5]
    if name not in systems:
        return None
    return [1.0, 0.0] if name == systems[0] else [0.0, 1.0]


# --- Battles of two systems at a time, as judgments on a scale from 0 to 1 ---

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


def judgments_from(reader: BattleReader) -> JudgmentReader:
    """Return a format of battles as one of judgments: preferences between two systems."""

    def read(
        content: FileContent,
        *,
        scale: tuple[float, float] | None = None,
        repeated: Repeated = "mark",
    ) -> Judgments:
        return judgments_of(reader.read(content), scale=scale, repeated=repeated)

    return JudgmentReader(
        name=reader.name,
        about=reader.about,
        recognise=reader.recognise,
        read=read,
        order=reader.order,
    )


def _twice(column: Factor) -> list[str]:
    return [label for label in column.labels() for _ in range(2)]
