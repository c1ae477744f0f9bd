"""Single scores by columns, with names as whole numbers: 80,000 of them in a few milliseconds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import NamedTuple

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import Factor, cross_codes, factor_of_texts
from detectable.data.files.place import place

NONE = -1  # the code of a row that names no document, or no task


class Cell(NamedTuple):
    """One score, and where it stands; `run` is the label of a run or of a sample."""

    system: str
    run: str
    item: str
    score: float
    path: str
    line: int | None = None
    document: str | None = None
    task: str | None = None
    question: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellColumns:
    """Scores one by one, a row each, and where they stand.

    Attributes
    ----------
    system, run, item : Factor
        Whose score it is, of which run or sample, and of what.
    document, task : Factor or None
        What the item belongs to; `NONE` is the code of a row without. None where no row has any.
    question : sequence of str or None, or None
        The question behind each item, where it is known.
    """

    system: Factor
    run: Factor
    item: Factor
    score: FloatArray
    path: Sequence[str]
    line: Sequence[int | None]
    document: Factor | None = None
    task: Factor | None = None
    question: Sequence[str | None] | None = None

    def place(self, row: int) -> str:
        """Return where a score stands, for messages."""
        return place(self.path[row], self.line[row])

    def take(self, rows: IntArray) -> "CellColumns":
        """Return some rows in an order of their own; names are numbered as they now come."""
        listed = rows.tolist()
        question = self.question
        return CellColumns(
            system=_taken(self.system, rows),
            run=_taken(self.run, rows),
            item=_taken(self.item, rows),
            score=self.score[rows],
            path=[self.path[row] for row in listed],
            line=[self.line[row] for row in listed],
            document=None if self.document is None else _taken(self.document, rows),
            task=None if self.task is None else _taken(self.task, rows),
            question=None if question is None else [question[row] for row in listed],
        )

    def cells(self) -> list[Cell]:
        """Return the scores one by one; for columns in which every row has all its names."""
        return list(
            map(
                Cell,
                self.system.labels(),
                self.run.labels(),
                self.item.labels(),
                self.score.tolist(),
                self.path,
                self.line,
                repeat(None) if self.document is None else self.document.labels(),
                repeat(None) if self.task is None else self.task.labels(),
            )
        )

    def with_item(self, item: Factor) -> "CellColumns":
        """Return the same scores of items with other names."""
        return replace(self, item=item)


def columns_of(cells: Sequence[Cell]) -> CellColumns:
    """Return single scores by columns; there must be at least one."""
    system, run, item, score, path, line, document, task, question = zip(*cells, strict=True)
    return CellColumns(
        system=factor_of_texts("system", system),
        run=factor_of_texts("run", run),
        item=factor_of_texts("item", item),
        score=np.array(score, dtype=np.float64),
        path=path,
        line=line,
        document=part_of("document", document),
        task=part_of("task", task),
        question=question if any(question) else None,
    )


def part_of(name: str, labels: Sequence[str | None]) -> Factor | None:
    """Return what items belong to, or None where nothing is known of any.

    Examples
    --------
    >>> part_of("document", ["d1", None, "d1"]).codes.tolist()
    [0, -1, 0]
    """
    known = [label for label in labels if label is not None]
    if not known:
        return None
    if len(known) == len(labels):
        return factor_of_texts(name, known)
    codes = np.full(len(labels), NONE, dtype=np.int64)
    found = factor_of_texts(name, known)
    codes[[row for row, label in enumerate(labels) if label is not None]] = found.codes
    return Factor(name=name, levels=found.levels, codes=codes)


def _taken(column: Factor, rows: IntArray) -> Factor:
    codes = column.codes[rows]
    known = codes != NONE
    dense, first = cross_codes(Factor(name="", levels=column.levels, codes=codes[known]))
    levels = tuple(column.levels[code] for code in codes[known][first].tolist())
    numbered = np.full(codes.size, NONE, dtype=np.int64)
    numbered[known] = dense
    return Factor(name=column.name, levels=levels, codes=numbered)
