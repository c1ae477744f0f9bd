"""Logs of evaluation harnesses: scores of samples by task, run and item."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.place import FilePath
from detectable.data.scores.score_cells import Cell


class Sample(NamedTuple):
    """The score of one sample in one epoch."""

    item: str
    epoch: int
    score: float
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SampleLog:
    """The samples of one log file."""

    path: FilePath
    task: str
    samples: Sequence[Sample]


def log_cells(logs: Mapping[str, Sequence[SampleLog]]) -> tuple[list[Cell], tuple[str, ...]]:
    """Return the scores of all logs of all systems, and a note if there are several tasks.

    Logs of the same task are runs of the system, and so are the epochs in a log. Logs of
    different tasks are parts of one evaluation: then an item is named ``task:item``, and the
    task is its document.
    """
    tasks = list(dict.fromkeys(log.task for of in logs.values() for log in of))
    several = len(tasks) > 1
    cells: list[Cell] = []
    for system, of in logs.items():
        done: Counter[str] = Counter()
        for log in of:
            for sample in log.samples:
                cells.append(  # noqa: PERF401  # as a comprehension it would not be readable
                    Cell(
                        system=system,
                        run=str(done[log.task] + sample.epoch),
                        item=f"{log.task}:{sample.item}" if several else sample.item,
                        score=sample.score,
                        path=str(log.path),
                        line=sample.line,
                        document=log.task if several else None,
                    )
                )
            done[log.task] += max((sample.epoch for sample in log.samples), default=0)
    note = f"{count(len(tasks), 'task')} joined, each as a document: {listing(tasks, most=20)}."
    return cells, (note,) if several else ()


def choose(where: str, noun: str, found: Sequence[str], wanted: str | None) -> str:
    """Return the one thing that a log holds, or the one that was asked for."""
    if not found:
        raise DataError(f"{where}: the log holds no {noun}. Run the evaluation again.")
    if wanted is None and len(found) == 1:
        return found[0]
    if wanted is None:
        raise DataError(
            f"{where}: the log holds {count(len(found), noun)}: {listing(list(found), most=20)}. "
            f"Choose one with {noun}='{found[0]}'."
        )
    if wanted not in found:
        raise DataError(
            f"{where}: there is no {noun} {wanted!r}. Found: {listing(list(found), most=20)}."
        )
    return wanted
