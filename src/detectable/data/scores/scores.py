"""Segment scores: one number per item, system and run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from detectable.core.check import LARGEST_SCORE
from detectable.core.errors import DataError
from detectable.core.types import ArrayLike, FloatArray
from detectable.core.wording import count, listing


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Scores of several systems on the same items, by any segment-level metric.

    Build it with `Scores.build`, which checks the shapes, or with a reader.

    Attributes
    ----------
    systems : mapping of str to array of shape (runs, items)
        Scores of every run of every system. NaN marks an item without a score.
    items : tuple of str
        Names of the items, in the order of the columns.
    documents : tuple of str or None
        The document of each item.
    metric : str or None
        What the numbers measure (COMET, say), for tables and messages.
    lower_is_better : bool or None
        The direction, where the reader of the file knows it; None leaves it to the name.
    """

    systems: Mapping[str, FloatArray]
    items: tuple[str, ...]
    documents: tuple[str, ...] | None = None
    metric: str | None = None
    lower_is_better: bool | None = None

    @classmethod
    def build(
        cls,
        systems: Mapping[str, ArrayLike],
        *,
        items: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
        metric: str | None = None,
        lower_is_better: bool | None = None,
    ) -> "Scores":
        """Check tables of numbers and freeze them; a vector is one run.

        Examples
        --------
        >>> Scores.build({"A": [0, 1, 1], "B": [1, 1, 1]}).n_items
        3
        """
        tables = {name: _table(name, values) for name, values in systems.items()}
        if not tables:
            raise DataError("there is no system to evaluate. Give scores of at least one.")
        sizes = {name: table.shape[1] for name, table in tables.items()}
        n = next(iter(sizes.values()))
        wrong = [f"{name!r} has {size}" for name, size in sizes.items() if size != n]
        if wrong or n == 0:
            raise DataError(
                "every system must be scored on the same items; the first has "
                f"{count(n, 'score')}, {listing(wrong) or 'so there is nothing to compare'}."
            )
        for label, labels in (("items", items), ("documents", documents)):
            if labels is not None and len(labels) != n:
                raise DataError(
                    f"`{label}` must name each of the {count(n, 'item')}; got {len(labels)}."
                )
        names = tuple(str(i + 1) for i in range(n)) if items is None else tuple(items)
        kept = None if documents is None else tuple(documents)
        return cls(
            systems=tables,
            items=names,
            documents=kept,
            metric=metric,
            lower_is_better=lower_is_better,
        )

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.items)

    @property
    def are_numbered(self) -> bool:
        """Whether items are called by their position, from 0 or 1, so that lines match them."""
        return any(
            self.items == tuple(map(str, range(first, first + len(self.items))))
            for first in (0, 1)
        )

    @property
    def outputs(self) -> tuple[tuple[str, int], ...]:
        """Every (system, run index), systems in order, runs within systems."""
        return tuple(
            (name, r) for name, table in self.systems.items() for r in range(len(table))
        )

    def incomplete(self) -> tuple[str, ...]:
        """Return the items that some run of some system has no score for."""
        missing = np.any(
            [np.isnan(table).any(axis=0) for table in self.systems.values()], axis=0
        )
        return tuple(item for item, gap in zip(self.items, missing, strict=True) if gap)

    def complete(self) -> "Scores":
        """Return the table cut to the items that every run of every system has a score for."""
        gaps = set(self.incomplete())
        if not gaps:
            return self
        keep = [i for i, item in enumerate(self.items) if item not in gaps]
        if not keep:
            raise DataError("no item has a score for every system, so nothing can be compared.")
        return Scores(
            systems={name: table[:, keep] for name, table in self.systems.items()},
            items=tuple(self.items[i] for i in keep),
            documents=None
            if self.documents is None
            else tuple(self.documents[i] for i in keep),
            metric=self.metric,
            lower_is_better=self.lower_is_better,
        )

    def n_runs(self, system: str) -> int:
        """Return the number of runs of `system`."""
        return len(self.systems[system])


def _table(name: str, values: ArrayLike) -> FloatArray:
    try:
        table = np.array(values, dtype=np.float64, ndmin=2)
    except (TypeError, ValueError) as error:
        raise DataError(f"scores of system {name!r} must be numbers ({error}).") from error
    if table.ndim != 2:
        raise DataError(
            f"scores of system {name!r} must be one row per run; got shape {table.shape}."
        )
    if (np.abs(table) > LARGEST_SCORE).any():
        run, item = np.argwhere(np.abs(table) > LARGEST_SCORE)[0]
        what = "infinite" if np.isinf(table[run, item]) else f"beyond ±{LARGEST_SCORE:g}"
        raise DataError(
            f"the score of system {name!r}, run {run + 1}, item {item + 1} is {what}."
        )
    table.setflags(write=False)
    return table
