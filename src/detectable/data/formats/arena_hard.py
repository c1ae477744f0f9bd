"""Judgments of Arena-Hard: each answer against the baseline's, in both orders."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.battles.battles import NO_BATTLE, Battles, left_out_notes, refuse_none
from detectable.data.factor import factor
from detectable.data.files.content import FileContent
from detectable.data.files.place import is_missing, place, quote
from detectable.data.files.read_json import read_json_lines
from detectable.data.human.preferences import judgments_from
from detectable.data.reader import BattleReader

# What A has of a game, and how often Arena-Hard counts it.
_WINS = {"A>>B": (1.0, 3), "A>B": (1.0, 1), "A=B": (0.5, 1), "B>A": (0.0, 1), "B>>A": (0.0, 3)}
_BASELINE = "baseline"
_GAMES = 2


class _Question(NamedTuple):
    line: int
    model: str
    baseline: str
    item: Any
    judge: Any
    category: Any
    games: list[tuple[float, int]]  # what the model has, and how often Arena-Hard counts it


def recognise(content: FileContent) -> bool:
    """Tell by a model with its games."""
    entry = content.first_object
    return "model" in entry and isinstance(entry.get("games"), list)


def read(content: FileContent) -> Battles:
    """Read JSON lines of Arena-Hard: one per model and question, with two games.

    In the first game the baseline is A, in the second the model. The outcome is the mean of both,
    one observation per question. ``A>>B`` counts like ``A>B``: Arena-Hard counts it as three
    games, which are not three observations; how it counts is in ``counted_by_tool``.
    """
    found: list[_Question] = []
    empty = half = 0
    for line, entry in read_json_lines(content):
        games = entry.get("games")
        if "model" not in entry or not isinstance(games, list) or len(games) > 2:
            raise DataError(
                f"{place(content, line)}: expected a model with two games, found "
                f"{quote(sorted(entry))}."
            )
        played = [_game(content, line, number, game) for number, game in enumerate(games)]
        known = [game for game in played if game is not None]
        if not known:
            empty += 1
            continue
        half += len(known) < len(games)
        item = entry.get("uid") if "uid" in entry else entry.get("question_id")
        names = (str(entry["model"]), str(entry.get("baseline") or _BASELINE))
        further = (item, entry.get("judge"), entry.get("category"))
        found.append(_Question(line, *names, *further, known))
    notes = left_out_notes({NO_BATTLE: empty})
    refuse_none(str(content), len(found), notes)
    if half:
        notes.append(f"{count(half, 'question')} with an outcome in one order only.")
    outcomes = [sum(share for share, _ in one.games) / len(one.games) for one in found]
    return _battles(content, found, outcomes, notes=notes, counted=_as_counted(content, found))


def _as_counted(content: FileContent, found: list[_Question]) -> Battles:
    """Return every game by itself, as often as Arena-Hard counts it."""
    each = [(one, game) for one in found for game in one.games]
    questions = [one for one, _ in each]
    battles = _battles(content, questions, [share for _, (share, _) in each])
    return Battles.build(
        [one.model for one in questions],
        [one.baseline for one in questions],
        battles.outcome,
        weight=[float(times) for _, (_, times) in each],
        prompt=battles.prompt,
        path=str(content),
    )


def _battles(
    content: FileContent,
    found: list[_Question],
    outcomes: Sequence[float],
    *,
    notes: Sequence[str] = (),
    counted: Battles | None = None,
) -> Battles:
    columns = {
        "prompt": [one.item for one in found],
        "voter": [one.judge for one in found],
        "domain": [one.category for one in found],
    }
    known = {
        role: factor(role, values)
        for role, values in columns.items()
        if any(value is not None for value in values)
    }
    domain = known.pop("domain", None)
    return Battles.build(
        [one.model for one in found],
        [one.baseline for one in found],
        outcomes,
        names={} if domain is None else {"domain": domain},
        orders=np.array([_orders(one) for one in found]),
        counted_by_tool=counted,
        path=str(content),
        lines=[one.line for one in found],
        notes=tuple(notes),
        **known,
    )


def _orders(one: _Question) -> tuple[float, float]:
    """Return what the model has where it was shown first, and where second: the first game."""
    if len(one.games) < _GAMES:
        return math.nan, math.nan
    (second, _), (first, _) = one.games
    return first, second


def _game(content: FileContent, line: int, number: int, game: Any) -> tuple[float, int] | None:
    """Return what the model has of a game; it is B in the first, A in the second."""
    score = game.get("score") if isinstance(game, dict) else None
    if is_missing(score):
        return None
    verdict = str(score).strip()
    if verdict not in _WINS:
        raise DataError(
            f"{place(content, line)}: unknown outcome {quote(score)} of a game. Known are "
            f"{', '.join(_WINS)}."
        )
    of_a, times = _WINS[verdict]
    return (of_a if number else 1.0 - of_a), times


BATTLES = BattleReader(
    name="arena-hard",
    about="judgments of Arena-Hard, JSON lines with games",
    recognise=recognise,
    read=read,
    order=81,
)


# --- Judgments of Arena-Hard, as preferences between two systems ---

JUDGMENTS = judgments_from(BATTLES)
