"""Judgments of one evaluation in few bytes each, given out in blocks of whole items."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import Factor
from detectable.data.human.judgments import Judgments

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
