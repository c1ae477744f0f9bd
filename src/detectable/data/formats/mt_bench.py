"""Judgments of MT-bench: grades of single answers, or pairs in both orders."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.factor import factor
from detectable.data.files.content import FileContent
from detectable.data.files.numbers import parse_score
from detectable.data.files.place import FilePath, place, quote
from detectable.data.files.read_json import read_json_lines
from detectable.data.names import Runs
from detectable.data.reader import BattleReader, JudgmentReader, ScoreReader
from detectable.data.scores.scores import Scores

if TYPE_CHECKING:
    from detectable.data.battles.battles import Battles
    from detectable.data.human.judgments import Judgments
    from detectable.data.scores.sample_log import ReadLog

PAIR = frozenset(("question_id", "model_1", "model_2", "g1_winner", "g2_winner"))
_WINS = {"model_1": 1.0, "model_2": 0.0, "tie": 0.5}


def recognise_battles(content: FileContent) -> bool:
    """Tell by the keys of a pair."""
    return content.first_object.keys() >= PAIR


def read_battles(content: FileContent) -> "Battles":
    """Read JSON lines of pairs: two answers shown in both orders; a disagreement is a tie.

    The prompt is the question: two turns of one conversation are not independent. An item is a
    question and its turn.
    """
    from detectable.data.battles.battles import (
        NO_BATTLE,
        Battles,
        left_out_notes,
        refuse_none,
    )

    rows: list[tuple[int, str, str, tuple[float, float], str, str, str | None]] = []
    failed = 0
    for line, entry in read_json_lines(content):
        if not entry.keys() >= PAIR:
            raise DataError(
                f"{place(content, line)}: expected {', '.join(sorted(PAIR))}, found "
                f"{quote(sorted(entry))}. Do not mix single answers and pairs."
            )
        wins = _games(content, line, entry)
        if wins is None:
            failed += 1
            continue
        question = str(entry["question_id"])
        item = f"{question}:{entry.get('turn', 1)}"
        systems = (str(entry["model_1"]), str(entry["model_2"]))
        rows.append((line, *systems, wins, question, item, judge_name(entry.get("judge"))))
    notes = left_out_notes({NO_BATTLE: failed})
    refuse_none(str(content), len(rows), notes)
    lines, a, b, games, asked, items, judges = (
        list(column) for column in zip(*rows, strict=True)
    )
    return Battles.build(
        a,
        b,
        [first if first == second else _WINS["tie"] for first, second in games],
        orders=np.array(games),
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


def _games(
    content: FileContent, line: int, entry: dict[str, Any]
) -> tuple[float, float] | None:
    """Return what the first model has where it was shown first, and where second."""
    winners = [str(entry[f"g{game}_winner"]).strip() for game in (1, 2)]
    if "error" in winners:
        return None
    for winner in winners:
        if winner not in _WINS:
            raise DataError(
                f"{place(content, line)}: unknown winner {quote(winner)}. Known are "
                f"{', '.join(_WINS)} and error."
            )
    return _WINS[winners[0]], _WINS[winners[1]]


BATTLES = BattleReader(
    name="mt-bench",
    about="pairwise judgments of MT-bench, JSON lines in both orders",
    recognise=recognise_battles,
    read=read_battles,
    order=82,
)


# --- Grades of single answers in MT-bench ---

_KEYS = frozenset(("question_id", "model", "score", "turn"))
_FAILED = -1.0


def recognise_scores(content: FileContent) -> bool:
    """Tell by the keys of a grade."""
    return content.first_object.keys() >= _KEYS


def read_scores(
    files: FilePath | Mapping[str, Runs],
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
) -> Scores:
    """Read JSON lines of MT-bench with a grade of every turn, all systems in one file or a file each.

    An item is a question; its turns are samples of it, so that the score of a question is the mean
    of its turns, as on the leaderboard. A grade of -1, where the judge failed, is missing.

    Parameters
    ----------
    files : path, or mapping of str to path or paths
        The file, which names its systems, or a file for each.
    metric : str, optional
        A name for the grades; ``grade`` by default.
    systems : sequence of str, optional
        Which systems to take.
    """
    from detectable.data.scores.sample_log import gather_logs

    return gather_logs(
        files, lambda path: _read(path, metric), systems=systems, lower_is_better=False
    )


def _read(path: FilePath, metric: str | None) -> "ReadLog":
    from detectable.data.scores.sample_log import ReadLog, Sample, SampleLog

    found: dict[str, list[Sample]] = {}
    judges: dict[str, None] = {}
    failed = 0
    for line, row in read_json_lines(path):
        if not row.keys() >= _KEYS or not isinstance(row["turn"], int):
            raise DataError(
                f"{place(path, line)}: expected {', '.join(sorted(_KEYS))}, with a whole turn; found "
                f"{quote(row)}."
            )
        judges[str(row.get("judge"))] = None
        score = parse_score(row["score"], path, line, "score", truth=False)
        failed += score == _FAILED
        found.setdefault(str(row["model"]), []).append(
            Sample(
                str(row["question_id"]),
                row["turn"],
                float("nan") if score == _FAILED else score,
                line,
            )
        )
    if len(judges) > 1:
        raise DataError(
            f"{path}: the file holds grades of {len(judges)} judges: {listing(list(judges))}. They "
            "are not comparable; give a file of one."
        )
    note = f"{path}: {count(failed, 'answer')} that the judge failed to grade (-1)."
    logs = {name: SampleLog(path, "mt-bench", samples) for name, samples in found.items()}
    return ReadLog(metric or "grade", logs, [note] if failed else [])


SCORES = ScoreReader(
    name="mt-bench",
    about="grades of single answers of MT-bench, JSON lines",
    recognise=recognise_scores,
    read=read_scores,
    order=37,
)


# --- Judgments of MT-bench: scores of single answers, or of pairs in both orders ---

_GRADES = (1.0, 10.0)


def recognise_judgments(content: FileContent) -> bool:
    """Tell by the keys of a single answer or of a pair."""
    return content.first_object.keys() >= _KEYS or recognise_battles(content)


def read_judgments(
    content: FileContent,
    *,
    scale: tuple[float, float] | None = None,
    repeated: Repeated = "mark",
) -> "Judgments":
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
    from detectable.data.human.judgment_table import JudgmentRows
    from detectable.data.human.preferences import judgments_of

    if recognise_battles(content):
        return judgments_of(read_battles(content), scale=scale, repeated=repeated)
    rows = JudgmentRows(str(content))
    for line, entry in read_json_lines(content):
        if not entry.keys() >= _KEYS:
            raise DataError(
                f"{place(content, line)}: expected {', '.join(sorted(_KEYS))}, found "
                f"{quote(sorted(entry))}. Do not mix single answers and pairs."
            )
        if entry["score"] == _FAILED:
            rows.leave_out("answers that the judge failed to grade (-1)")
            continue
        question = str(entry["question_id"])
        rows.add(
            line,
            system=entry["model"],
            score=entry["score"],
            item=f"{question}:{entry['turn']}",
            document=question,
            rater=judge_name(entry.get("judge")),
        )
    return rows.build(scale, repeated, usual_scale=_GRADES)


JUDGMENTS = JudgmentReader(
    name="mt-bench",
    about="judgments of MT-bench, JSON lines of single answers or pairs",
    recognise=recognise_judgments,
    read=read_judgments,
    order=82,
)
