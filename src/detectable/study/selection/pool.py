"""The pool that people's work is drawn from: its units, what they cost, and the seed that follows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from detectable.core.errors import InputError
from detectable.core.result import Signature
from detectable.core.rng import resolve
from detectable.core.types import ArrayLike, FloatArray, IntArray, Seed
from detectable.core.wording import count, listing
from detectable.data.factor import factor
from detectable.data.files.ledger_file import fingerprint
from detectable.data.scores.direction import direction_of
from detectable.data.scores.scores import Scores
from detectable.study.metric_pool import MetricSource, as_scores
from detectable.study.selection.guard import VarianceRatio
from detectable.study.selection.selection import (
    Selection,
    TakenGroup,
    drawn_names,
    pool_fingerprint,
)
from detectable.study.settings import SelectSettings

Lengths: TypeAlias = ArrayLike | Mapping[str, float]

_SEED_LETTERS = 32  # hexadecimal, 128 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Items with a score of every system, their units, and what these cost."""

    scores: Scores
    table: FloatArray  # (systems, items), as it was given
    length: FloatArray | None
    unit: IntArray
    cost: FloatArray
    cost_by: str
    by_document: bool
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls, source: MetricSource, lengths: Lengths | None, settings: SelectSettings
    ) -> "Pool":
        """Read a metric, and leave out what has no score of every system."""
        scores, notes = as_scores(source)
        scores = scores.of_one_task().averaged()
        each = None if lengths is None else _lengths(lengths, scores)
        gaps = set(scores.incomplete())
        if gaps:
            kept = [i for i, item in enumerate(scores.items) if item not in gaps]
            notes = (
                *notes,
                f"{count(len(gaps), 'item')} left out, without a score for every system: "
                f"{listing(sorted(gaps))}.",
            )
            each = None if each is None else each[kept]
            scores = scores.complete()
        if settings.cost == "time" and each is None:
            raise InputError("`cost='time'` needs `lengths`: how long each item is.")
        by_document = scores.documents is not None
        unit = np.arange(scores.n_items)
        if scores.documents is not None:
            unit = factor("document", list(scores.documents)).codes
        by_time = each is not None and settings.cost != "items"
        line = np.ones(scores.n_items)
        if by_time and each is not None:
            line = 0.5 + 0.5 * each / each.mean()
        return cls(
            scores=scores,
            table=np.stack([table.mean(axis=0) for table in scores.systems.values()]),
            length=each,
            unit=unit,
            cost=np.bincount(unit, line).astype(np.float64),
            cost_by="time" if by_time else "items",
            by_document=by_document,
            notes=notes,
        )

    @property
    def word(self) -> str:
        """What a unit is called."""
        return "document" if self.by_document else "item"

    @property
    def metric_sha256(self) -> str:
        """The fingerprint of the metric's scores."""
        rows = zip(self.scores.systems, self.table.tolist(), strict=True)
        return fingerprint(dict(rows))

    def oriented(self, *, higher: bool | None, needed: bool) -> FloatArray:
        """Return the scores with higher ones better, or ask which way they go."""
        return oriented(self.table, self.scores, higher=higher, needed=needed)

    def selection(
        self,
        settings: SelectSettings,
        by: str,
        *,
        batch_of: IntArray,
        seed: tuple[int, bool],
        first_metric: FloatArray | None = None,
        groups: tuple[TakenGroup, ...] = (),
        guard: VarianceRatio | None = None,
        is_flat: bool = False,
        **more: Any,
    ) -> Selection:
        """Return what was drawn, with all that a record holds."""
        documents = self.scores.documents or ()
        facts: dict[str, str | int | float] = {"by": settings.by, "cost": self.cost_by}
        facts |= {"floor": settings.floor, "steps": settings.steps, "unit": self.word}
        facts |= {} if settings.n_items is None else {"n": settings.n_items}
        return Selection(
            **drawn_names(self.word, self.scores.items, documents, self.unit, batch_of),
            asked=settings.by,
            by=by,
            unit=self.word,
            n_items=settings.n_items,
            metric=self.scores.metric or "the metric",
            guard=guard,
            batch=1,
            steps=settings.steps,
            cost=float(self.cost[batch_of > 0].sum() / self.cost.sum()),
            cost_by=self.cost_by,
            floor=settings.floor,
            is_flat=is_flat,
            groups=groups,
            seed_by_hand=seed[1],
            earlier=0,
            continues="",
            notes=self.notes,
            metric_sha256=self.metric_sha256,
            systems=tuple(self.scores.systems),
            pool_items=self.scores.items,
            pool_documents=documents,
            unit_of=self.unit,
            unit_cost=self.cost,
            batch_of=batch_of,
            first_metric=np.empty((len(self.table), 0))
            if first_metric is None
            else first_metric,
            signature=Signature("select", facts, str(seed[0])),
            **more,
        )


def oriented(
    table: FloatArray, scores: Scores, *, higher: bool | None, needed: bool
) -> FloatArray:
    """Return scores with higher ones better, or ask which way they go."""
    known = direction_of(scores) if higher is None else ("higher" if higher else "lower")
    if known == "unknown" and needed:
        raise InputError(
            f"which way does {scores.metric or 'the metric'} go? Say `higher_is_better` true or false: "
            "items with bad scores are drawn more often."
        )
    return -table if known == "lower" else table


def _lengths(lengths: Lengths, scores: Scores) -> FloatArray:
    """Return the length of every item, in the order of the scores."""
    if isinstance(lengths, Mapping):
        absent = [item for item in scores.items if item not in lengths]
        if absent:
            raise InputError(
                f"`lengths` must hold every item; {count(len(absent), 'item')} are missing: "
                f"{listing(absent)}."
            )
        lengths = [float(lengths[item]) for item in scores.items]
    found = np.asarray(lengths, dtype=np.float64)
    if found.shape != (scores.n_items,):
        raise InputError(
            f"`lengths` must hold one number for each of the {scores.n_items:,} items; got "
            f"{found.size:,}."
        )
    if not (np.isfinite(found).all() and (found >= 0.0).all() and found.sum() > 0.0):
        raise InputError("`lengths` must be 0 or more, and not all 0.")
    return found


def lengths_of_lines(lines: Sequence[str], scores: Scores) -> dict[str, float]:
    """Return the characters of the source of every item, from a text with a line for each.

    Lines are matched in order, or by their numbers where the items are numbers of lines.

    Examples
    --------
    >>> lengths_of_lines(["ab", "abcd", "a"], Scores.build({"A": [1, 2]}, items=["1", "3"]))
    {'1': 2.0, '3': 1.0}
    """
    size = [float(len(line)) for line in lines]
    if len(lines) == scores.n_items:
        return dict(zip(scores.items, size, strict=True))
    numbers = [int(item) if item.isdecimal() else 0 for item in scores.items]
    if min(numbers) >= 1 and max(numbers) <= len(lines):
        return {item: size[n - 1] for item, n in zip(scores.items, numbers, strict=True)}
    raise InputError(
        f"`sources` must have a line for each of the {scores.n_items:,} items, or items must be "
        f"numbers of its lines; got {len(lines):,} lines."
    )


# --- Seeds ---


def seeded(
    rng: Seed, pool: Pool, settings: SelectSettings, take: object
) -> tuple[np.random.Generator, int, bool]:
    """Return a generator with its seed, and whether a person chose it."""
    if isinstance(rng, np.random.Generator):
        raise InputError(
            "`rng` must be a whole number or None, so that the record can name it."
        )
    if rng is not None:
        resolve(rng)  # which refuses a number below 0
        return np.random.default_rng(rng), int(rng), True
    seed = int(fingerprint(_question(pool, settings, take))[:_SEED_LETTERS], 16)
    return np.random.default_rng(seed), seed, False


def _question(pool: Pool, settings: SelectSettings, take: object) -> dict[str, Any]:
    """Return what the seed is made from: the pool and the settings."""
    return {
        "pool": pool_fingerprint(pool.scores.items, pool.scores.documents or ()),
        "metric": pool.metric_sha256,
        "cost": pool.cost.tolist(),
        "n_items": settings.n_items,
        "by": settings.by,
        "floor": settings.floor,
        "steps": settings.steps,
        "take": take,
    }
