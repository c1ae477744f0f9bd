"""Judgments of one evaluation in few bytes each, given out in blocks of whole items."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.choices import Repeated
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import Factor
from detectable.data.files.place import Problems
from detectable.data.human.judgments import (
    SECOND_REMEDY,
    Judgments,
    first_score,
    no_column,
    no_level,
    second_score,
    second_scores,
    several,
)

_MATCHED = 1 << 22  # comparisons of two systems in a block; no answer depends on it


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScannedJudgments:
    """Ordinary judgments, sorted by item. Make them with `scan_judgments`.

    A judgment takes 11 to 20 bytes here; as `Judgments` it takes some 60, and as many again on
    the way to a test.

    Attributes
    ----------
    score, system, rater : arrays
        Of each judgment; `rater` is None where raters are not known.
    starts : array of int
        Those of item i are ``starts[i] … starts[i + 1]``, in the order of the file.
    systems, items, raters : tuple of str
        Names, in the order in which the file first has them.
    document, domain : Factor or None
        Of each item.
    mean, spread : array or None
        Of each rater, to standardise by; the spread is NaN where there is no z.
    """

    score: FloatArray = field(repr=False)
    system: NDArray[np.integer] = field(repr=False)
    rater: NDArray[np.integer] | None = field(repr=False)
    starts: IntArray = field(repr=False)
    systems: tuple[str, ...]
    items: tuple[str, ...] = field(repr=False)
    raters: tuple[str, ...] | None = field(repr=False)
    document: Factor | None = field(repr=False)
    domain: Factor | None = field(repr=False)
    mean: FloatArray | None = field(repr=False)
    spread: FloatArray | None = field(repr=False)
    evaluation: str  # campaign and language pair, empty where neither is known
    scale: tuple[float, float]
    path: str
    notes: tuple[str, ...]

    @property
    def n_judgments(self) -> int:
        """The number of judgments."""
        return int(self.score.size)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.items)

    @property
    def n_raters(self) -> int | None:
        """The number of raters; None where they are not known."""
        return None if self.raters is None else len(self.raters)

    @property
    def is_penalty(self) -> bool:
        """Whether scores are penalties, as in MQM: 0 is the highest, and there is no lowest."""
        return self.scale == (-np.inf, 0.0)

    def blocks(self, *, raters: bool = True) -> Iterator[tuple[int, Judgments]]:
        """Give whole items, some at a time: the number of the first, and their judgments.

        Systems and raters have the same numbers in all blocks, items are numbered from 0 on.

        Parameters
        ----------
        raters : bool
            Whether blocks say who judged.
        """
        rows = 2 * _MATCHED // max(len(self.systems) - 1, 1)
        first = 0
        while first < self.n_items:
            end = int(np.searchsorted(self.starts, self.starts[first] + rows, side="right")) - 1
            end = max(end, first + 1)
            yield first, self._items(first, end, raters=raters)
            first = end

    def _items(self, first: int, end: int, *, raters: bool) -> Judgments:
        rows = slice(int(self.starts[first]), int(self.starts[end]))
        sizes = np.diff(self.starts[first : end + 1])
        rater = None
        if raters and self.rater is not None and self.raters is not None:
            codes = self.rater[rows].astype(np.int64)
            rater = Factor(name="rater", levels=self.raters, codes=codes)
        return Judgments(
            score=self.score[rows],
            system=Factor(
                name="system", levels=self.systems, codes=self.system[rows].astype(np.int64)
            ),
            item=Factor(
                name="item",
                levels=self.items[first:end],
                codes=np.repeat(np.arange(end - first), sizes),
            ),
            kind=np.zeros(rows.stop - rows.start, dtype=np.int64),
            rater=rater,
            scale=self.scale,
            path=self.path,
        )

    def z(self, first: int, block: Judgments) -> FloatArray:
        """Return the standard scores of a block, which begins with the item `first`."""
        if self.rater is None or self.mean is None or self.spread is None:
            raise ValueError("z needs raters")
        start = int(self.starts[first])
        who: Any = self.rater[start : start + block.n_judgments]
        standard: FloatArray = (block.score - self.mean[who]) / self.spread[who]
        return standard

    def without_z(self) -> tuple[tuple[str, ...], int]:
        """Return the raters without a standard score, and the number of their judgments."""
        if self.spread is None or self.rater is None or self.raters is None:
            return (), 0
        fine = np.isfinite(self.spread)
        if fine.all():
            return (), 0
        ending = f":{self.evaluation}" if self.evaluation else ""
        names = (
            name + ending for name, usable in zip(self.raters, fine, strict=True) if not usable
        )
        return tuple(names), int((~fine)[self.rater].sum())


# --- All judgments of a scan, sorted by item: second scores, and the rows of one evaluation ---

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
