"""Pairwise judgments of MT-bench, in both orders."""

from typing import Any

from detectable.core.errors import DataError
from detectable.data.battles.battle_reader import BattleReader
from detectable.data.battles.battles import TIE, Battles
from detectable.data.battles.left_out import NO_BATTLE, left_out_notes, refuse_none
from detectable.data.factor import factor
from detectable.data.files.content import FileContent
from detectable.data.files.place import place, quote
from detectable.data.files.read_json import read_json_lines

PAIR = frozenset(("question_id", "model_1", "model_2", "g1_winner", "g2_winner"))
_WINS = {"model_1": 1.0, "model_2": 0.0, "tie": TIE}


def recognise(content: FileContent) -> bool:
    """Tell by the keys of a pair."""
    return content.first_object.keys() >= PAIR


def read(content: FileContent) -> Battles:
    """Read JSON lines of pairs: two answers shown in both orders; a disagreement is a tie.

    The prompt is the question: two turns of one conversation are not independent. An item is a
    question and its turn.
    """
    rows: list[tuple[int, str, str, float, str, str, str | None]] = []
    failed = 0
    for line, entry in read_json_lines(content):
        if not entry.keys() >= PAIR:
            raise DataError(
                f"{place(content, line)}: expected {', '.join(sorted(PAIR))}, found "
                f"{quote(sorted(entry))}. Do not mix single answers and pairs."
            )
        wins = _outcome(content, line, entry)
        if wins is None:
            failed += 1
            continue
        question = str(entry["question_id"])
        item = f"{question}:{entry.get('turn', 1)}"
        systems = (str(entry["model_1"]), str(entry["model_2"]))
        rows.append((line, *systems, wins, question, item, judge_name(entry.get("judge"))))
    notes = left_out_notes({NO_BATTLE: failed})
    refuse_none(str(content), len(rows), notes)
    lines, a, b, won, asked, items, judges = (
        list(column) for column in zip(*rows, strict=True)
    )
    return Battles.build(
        a,
        b,
        won,
        prompt=asked,
        voter=None if all(name is None for name in judges) else judges,
        names={"item": factor("item", items), "document": factor("document", asked)},
        path=str(content),
        lines=lines,
        notes=tuple(notes),
    )


def judge_name(value: Any) -> str | None:
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
    return _WINS[winners[0]] if winners[0] == winners[1] else TIE


READER = BattleReader(
    name="mt-bench",
    about="pairwise judgments of MT-bench, JSON lines in both orders",
    recognise=recognise,
    read=read,
    order=82,
)
