"""All judgments of a scan, sorted by item: second scores, and the rows of one evaluation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import Factor
from detectable.data.files.problems import Problems
from detectable.data.human.judgments import (
    SECOND_REMEDY,
    Judgments,
    first_score,
    no_column,
    no_level,
    second_score,
    second_scores,
)
from detectable.data.human.one_evaluation import several
from detectable.data.human.scanned_judgments import ScannedJudgments

OF_ROWS = ("system", "rater", "wave", "task", "language", "campaign")  # beside the item
_ROWS = 1 << 20  # that are looked at together


@dataclass(frozen=True, slots=True)
class HeldJudgments:
    """All rows, sorted by item."""

    path: str
    columns: dict[str, NDArray[Any]]
    levels: dict[str, tuple[str, ...]]
    starts: IntArray

    def second_scores(self, order: IntArray | None, repeated: Repeated, where: Any) -> int:
        """Refuse or count second scores by one rater for one item of a system."""
        if "rater" not in self.columns:
            return 0
        n, worst = 0, None
        for rows in self._parts():
            block = self._judgments(rows)
            again = second_scores(block)
            n += again.size
            if again.size and repeated == "refuse":
                back = np.arange(rows.start, rows.stop) if order is None else order[rows]
                row = int(again[back[again].argmin()])
                if worst is None or back[row] < worst[0]:
                    first = where(int(back[first_score(block, row)]))
                    worst = int(back[row]), second_score(block, row, first)
        if worst is not None:
            problems = Problems(self.path)
            rows_again = range(
                worst[0], worst[0] + n
            )  # only the first and their number are said
            problems.add_rows(rows_again, where, worst[1], SECOND_REMEDY)
            problems.stop()
        return n

    def _parts(self) -> Iterator[slice]:
        """Give whole items, about a million rows at a time."""
        first, n_items = 0, self.starts.size - 1
        while first < n_items:
            end = int(np.searchsorted(self.starts, self.starts[first] + _ROWS, side="right"))
            end = max(end - 1, first + 1)
            yield slice(int(self.starts[first]), int(self.starts[end]))
            first = end

    def _judgments(self, rows: slice) -> Judgments:
        """Return some rows with all that tells a second score from a first."""
        kind = self.columns.get("kind")
        n = rows.stop - rows.start
        factors: dict[str, Any] = {
            role: Factor(
                name=role,
                levels=self.levels[role],
                codes=self.columns[role][rows].astype(np.int64),
            )
            for role in (*OF_ROWS, "item")
            if role in self.columns
        }
        return Judgments(
            score=self.columns["score"][rows],
            kind=np.zeros(n, dtype=np.int64) if kind is None else kind[rows].astype(np.int64),
            path=self.path,
            **factors,
        )

    def cut(
        self,
        counted: NDArray[np.bool_] | None,
        *,
        of_items: dict[str, IntArray],
        spread: tuple[FloatArray | None, FloatArray | None],
        evaluation: str,
        scale: tuple[float, float],
        notes: tuple[str, ...],
    ) -> ScannedJudgments:
        """Return the rows that count, without names that are gone."""
        columns, levels = self.columns, self.levels
        roles = [role for role in ("system", "rater", "item") if role in columns]
        if counted is not None:
            columns = {role: columns[role][counted] for role in (*roles, "score")}
        kept = {role: _present(columns[role], len(levels[role])) for role in roles}
        for role in roles:
            if not kept[role].all():
                position = np.cumsum(kept[role]) - 1
                columns = {**columns, role: position.astype(columns[role].dtype)[columns[role]]}
        items = columns["item"]
        named = {role: _of_levels(levels[role], kept[role]) for role in roles}
        mean, deviation = spread
        if mean is not None and deviation is not None:
            mean, deviation = mean[kept["rater"]], deviation[kept["rater"]]
        factors = {
            role: Factor(name=role, levels=levels[role], codes=of[kept["item"]]).take(
                np.arange(int(kept["item"].sum()))
            )
            for role, of in of_items.items()
        }
        return ScannedJudgments(
            score=columns["score"],
            system=columns["system"],
            rater=columns.get("rater"),
            starts=np.searchsorted(items, np.arange(len(named["item"]) + 1)),
            systems=named["system"],
            items=named["item"],
            raters=named.get("rater"),
            document=factors.get("document"),
            domain=factors.get("domain"),
            mean=mean,
            spread=deviation,
            evaluation=evaluation,
            scale=scale,
            path=self.path,
            notes=notes,
        )


def order_by_item(item: NDArray[np.int32]) -> IntArray | None:
    """Return the rows sorted by item, in the order of the file within one; None if they are."""
    if (item[1:] >= item[:-1]).all():
        return None
    order: IntArray = np.argsort(item, kind="stable")
    return order.astype(np.int32) if item.size < np.iinfo(np.int32).max else order


def _present(codes: NDArray[np.integer], n: int) -> NDArray[np.bool_]:
    found = np.zeros(n, dtype=bool)
    found[codes] = True
    return found


def _of_levels(levels: tuple[str, ...], kept: NDArray[np.bool_]) -> tuple[str, ...]:
    if kept.all():
        return levels
    return tuple(name for name, there in zip(levels, kept, strict=True) if there)


def one_evaluation_of(
    path: str,
    columns: Mapping[str, NDArray[Any]],
    levels: Mapping[str, tuple[str, ...]],
    choice: Mapping[str, str | None],
) -> tuple[NDArray[np.bool_] | None, str]:
    """Return which rows are of the evaluation that was chosen (None: all), and what it is called."""
    counted: NDArray[np.bool_] | None = None
    for role, name in choice.items():
        if name is None:
            continue
        if role not in columns:
            raise no_column(path, role)
        if name not in levels[role]:
            raise no_level(role, name, levels[role])
        mask = columns[role] == levels[role].index(name)
        counted = mask if counted is None else counted & mask
    called: list[str] = []
    for role in choice:
        if role not in columns:
            continue
        codes = columns[role] if counted is None else columns[role][counted]
        left = _of_levels(levels[role], _present(codes, len(levels[role])))
        if len(left) > 1:
            raise DataError(several(path, role, left))
        called += left
    return None if counted is None or counted.all() else counted, ":".join(called)
