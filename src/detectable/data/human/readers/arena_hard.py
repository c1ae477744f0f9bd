"""Judgments of Arena-Hard: each answer against the baseline's, in both orders."""

from typing import Any

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.missing import is_missing
from detectable.data.files.place import place, quote
from detectable.data.files.read_json import read_json_lines
from detectable.data.human.battles import NO_BATTLE, NOTE, SCALE, add_battle
from detectable.data.human.judgment_reader import JudgmentReader
from detectable.data.human.judgment_rows import JudgmentRows
from detectable.data.human.judgments import Judgments

_WINS = {"A>>B": 1.0, "A>B": 1.0, "A=B": 0.5, "B>A": 0.0, "B>>A": 0.0}
_BASELINE = "baseline"


def recognise(content: FileContent) -> bool:
    """Tell by a model with its games."""
    entry = content.first_object
    return "model" in entry and isinstance(entry.get("games"), list)


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
) -> Judgments:
    """Read JSON lines of Arena-Hard: one per model and question, with two games.

    In the first game the baseline is A, in the second the model. The outcome is the mean of both,
    one observation per question. ``A>>B`` counts like ``A>B``: Arena-Hard counts it as three
    games, which are not three observations.

    Parameters
    ----------
    content : FileContent
        The file.
    scale : (float, float), optional
        0 and 1 by default.
    repeated : {'refuse', 'mark'}
        What to do with second comparisons on one question.
    """
    rows = JudgmentRows(str(content), notes=[NOTE])
    half = 0
    for line, entry in read_json_lines(content):
        games = entry.get("games")
        if "model" not in entry or not isinstance(games, list) or len(games) > 2:
            raise DataError(
                f"{place(content, line)}: expected a model with two games, found "
                f"{quote(sorted(entry))}."
            )
        wins = [_wins(content, line, game) for game in games]
        # A is the baseline in the first game, so that the model wins what A does not.
        found = [w if n else 1.0 - w for n, w in enumerate(wins) if w is not None]
        if not found:
            rows.leave_out(NO_BATTLE)
            continue
        half += len(found) < len(games)
        systems = (str(entry["model"]), str(entry.get("baseline") or _BASELINE))
        item = entry.get("uid") if "uid" in entry else entry.get("question_id")
        outcome = sum(found) / len(found)
        add_battle(
            rows, line, systems, outcome, item=item, rater=entry.get("judge"),
            domain=entry.get("category"),
        )  # fmt: skip
    if half:
        rows.notes.append(f"{count(half, 'question')} with an outcome in one order only.")
    return rows.build(scale, repeated, usual_scale=SCALE)


def _wins(content: FileContent, line: int, game: Any) -> float | None:
    score = game.get("score") if isinstance(game, dict) else None
    if is_missing(score):
        return None
    verdict = str(score).strip()
    if verdict not in _WINS:
        raise DataError(
            f"{place(content, line)}: unknown outcome {quote(score)} of a game. Known are "
            f"{', '.join(_WINS)}."
        )
    return _WINS[verdict]


READER = JudgmentReader(
    name="arena-hard",
    about="judgments of Arena-Hard, JSON lines with games",
    recognise=recognise,
    read=read,
    order=81,
)
