"""Judgments of MT-bench: scores of single answers, or of pairs in both orders."""

from typing import Any

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.data.files.content import FileContent
from detectable.data.files.place import place, quote
from detectable.data.files.read_json import read_json_lines
from detectable.data.human.battles import NO_BATTLE, NOTE, SCALE, add_battle
from detectable.data.human.judgment_reader import JudgmentReader
from detectable.data.human.judgment_rows import JudgmentRows
from detectable.data.human.judgments import Judgments

_SINGLE = frozenset(("question_id", "model", "score", "turn"))
_PAIR = frozenset(("question_id", "model_1", "model_2", "g1_winner", "g2_winner"))
_GRADES = (1.0, 10.0)
_FAILED = -1.0
_WINS = {"model_1": 1.0, "model_2": 0.0, "tie": 0.5}


def recognise(content: FileContent) -> bool:
    """Tell by the keys of a single answer or of a pair."""
    keys = content.first_object.keys()
    return keys >= _SINGLE or keys >= _PAIR


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
) -> Judgments:
    """Read JSON lines of MT-bench.

    An item is a question and its turn, the document is the question: two turns of one
    conversation are not independent. A single answer has a grade from 1 to 10, and -1 where the
    judge failed. Two answers are shown in both orders; where the orders disagree it is a tie.

    Parameters
    ----------
    content : FileContent
        The file.
    scale : (float, float), optional
        1 and 10 by default, 0 and 1 for pairs.
    repeated : {'refuse', 'mark'}
        What to do with second judgments of one answer.
    """
    rows = JudgmentRows(str(content))
    pairs = content.first_object.keys() >= _PAIR
    keys = _PAIR if pairs else _SINGLE
    for line, entry in read_json_lines(content):
        if not entry.keys() >= keys:
            raise DataError(
                f"{place(content, line)}: expected {', '.join(sorted(keys))}, found "
                f"{quote(sorted(entry))}. Do not mix single answers and pairs."
            )
        question = str(entry["question_id"])
        roles = {
            "item": f"{question}:{entry.get('turn', 1)}",
            "document": question,
            "rater": _judge(entry.get("judge")),
        }
        if pairs:
            wins = _outcome(content, line, entry)
            if wins is None:
                rows.leave_out(NO_BATTLE)
            else:
                systems = (str(entry["model_1"]), str(entry["model_2"]))
                add_battle(rows, line, systems, wins, **roles)
        elif entry["score"] == _FAILED:
            rows.leave_out("answers that the judge failed to grade (-1)")
        else:
            rows.add(line, system=entry["model"], score=entry["score"], **roles)
    if pairs:
        rows.notes.append(NOTE)
    return rows.build(scale, repeated, usual_scale=SCALE if pairs else _GRADES)


def _judge(value: Any) -> str | None:
    """Return the name of the judge, which FastChat writes with that of its prompt."""
    if isinstance(value, list):
        return str(value[0]) if value else None
    return None if value is None else str(value)


def _outcome(content: FileContent, line: int, entry: dict[str, Any]) -> float | None:
    winners = [str(entry[f"g{game}_winner"]).strip() for game in (1, 2)]
    if "error" in winners:
        return None
    for winner in winners:
        if winner not in _WINS:
            raise DataError(
                f"{place(content, line)}: unknown winner {quote(winner)}. Known are "
                f"{', '.join(_WINS)} and error."
            )
    return _WINS[winners[0]] if winners[0] == winners[1] else _WINS["tie"]


READER = JudgmentReader(
    name="mt-bench",
    about="judgments of MT-bench, JSON lines of single answers or pairs",
    recognise=recognise,
    read=read,
    order=82,
)
