"""Battles of an arena: two models, and a vote for one of them."""

from collections.abc import Mapping
from typing import Any

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.core.wording import count
from detectable.data.files.content import FileContent
from detectable.data.files.missing import is_missing
from detectable.data.files.place import quote
from detectable.data.files.short_name import value_name
from detectable.data.files.table import Table, read_table
from detectable.data.human.battles import BOTH_BAD, NO_BATTLE, NOTE, SCALE, TIES, add_battle
from detectable.data.human.judgment_reader import JudgmentReader
from detectable.data.human.judgment_rows import JudgmentRows
from detectable.data.human.judgments import Judgments

_MODELS = ("model_a", "model_b")
_ONE_HOT = {"winner_model_a": 1.0, "winner_model_b": 0.0, "winner_tie": 0.5}
_ITEM = ("question_id", "id", "item")
_PROMPT = ("prompt", "question", "conversation_a")
_RATER = ("judge", "judge_hash", "evaluation_session_id", "voter", "rater")


def recognise(content: FileContent) -> bool:
    """Tell by two models and a winner, or by a column for each outcome."""
    words = content.first_line.replace(",", "\t").split("\t")
    header = {word.strip().strip('"').casefold() for word in words}
    keys = content.first_object.keys() | content.parquet_columns | header
    return keys >= {*_MODELS, "winner"} or keys >= {*_MODELS, *_ONE_HOT}


def read(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
) -> Judgments:
    """Read a table of battles: ``model_a, model_b, winner`` or a column for each outcome.

    A winner is ``model_a``, ``model_b``, ``tie``, or that both are bad, which counts as a tie. An
    item is ``question_id``, else the prompt, else the row. Battles in which the names of the
    models were shown (``anony`` is false) are left out and counted.

    Parameters
    ----------
    content : FileContent
        CSV, TSV, JSON, JSON lines or Parquet.
    scale : (float, float), optional
        0 and 1 by default.
    repeated : {'refuse', 'mark'}
        What to do with second votes by one person on one question.
    """
    table = read_table(content, several=True)
    for name in (*_MODELS, *(() if "winner" in table.columns else _ONE_HOT)):
        if name not in table.columns:
            raise table.missing(f"{name}, which battles of an arena have")
    rows = JudgmentRows(str(content), notes=[NOTE])
    roles = {"rater": _RATER, "language": ("language",), "item": (*_ITEM, *_PROMPT)}
    found = {role: names[0] for role, of in roles.items() if (names := table.find(of))}
    cells = {name: table.cells(name) for name in table.columns}
    both_bad = 0
    for row in range(table.n_rows):
        entry = {name: values[row] for name, values in cells.items()}
        if str(entry.get("anony", True)).strip().casefold() in ("false", "0"):
            rows.leave_out(
                "battles in which the names of the models were shown (anony is false)"
            )
            continue
        wins = _wins(table, row, entry)
        if wins is None:
            rows.leave_out(NO_BATTLE)
            continue
        both_bad += str(entry.get("winner")).strip().casefold() in BOTH_BAD
        named = {role: _text(entry[name]) for role, name in found.items()}
        named.setdefault("item", str(row + 1))
        line = row if table.lines is None else int(table.lines[row])
        systems = [str(entry[name]) for name in _MODELS]
        add_battle(rows, line, systems, wins, **named)
    if both_bad:
        rows.notes.append(f"{count(both_bad, 'battle')} in which both are bad counted as ties.")
    return rows.build(scale, repeated, usual_scale=SCALE)


def _text(value: Any) -> str | None:
    if is_missing(value):
        return None
    return value_name(value) if isinstance(value, str | list | dict) else str(value)


def _wins(table: Table, row: int, entry: Mapping[str, Any]) -> float | None:
    if "winner" in entry:
        winner = entry["winner"]
        if is_missing(winner):
            return None
        word = str(winner).strip().casefold()
        if word in _MODELS:
            return 1.0 if word == _MODELS[0] else 0.0
        if word in TIES:
            return 0.5
        raise DataError(
            f"{table.place(row, 'winner')}: expected model_a, model_b, tie or tie (bothbad), found "
            f"{quote(winner)}."
        )
    told = [
        value
        for name, value in _ONE_HOT.items()
        if str(entry[name]).strip().casefold() in ("1", "1.0", "true")
    ]
    if len(told) > 1:
        raise DataError(f"{table.place(row)}: {len(told)} outcomes are marked; expected one.")
    return told[0] if told else None


READER = JudgmentReader(
    name="arena",
    about="battles of an arena: model_a, model_b, winner",
    recognise=recognise,
    read=read,
    order=83,
)
