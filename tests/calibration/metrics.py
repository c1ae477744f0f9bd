"""Metrics against people: false alarms between equal metrics, and coverage of intervals."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.data.scores.scores import Scores
from detectable.study.meta.meta import meta
from tests.calibration.effort import LEVEL, Effort, Rates

SYSTEMS, SEGMENTS, SWAPS, DRAWS = 13, 150, 199, 400
# What a metric adds to each system on all segments; neighbours are .1 apart in quality.
FAVOURED = 0.3 * np.array([1, -1, 0.5, -1.5, 1, 0, 1.5, -1, 0.5, -0.5, -1, 1.5, -1])
CELLS, WILLIAMS = "outputs one by one (PERM-BOTH)", "Williams"
# Statistic, level, average.
ASKED: dict[str, dict[str, Any]] = {
    "Pearson, all outputs": {"statistic": "pearson", "level": "segment", "average_by": "none"},
    "Pearson, by segment": {"statistic": "pearson", "level": "segment"},
    "acc_eq": {"statistic": "acc-eq", "level": "segment"},
    "SPA": {"statistic": "spa"},
    "pairwise accuracy": {"statistic": "pairwise-accuracy"},
    "Pearson, systems": {"statistic": "pearson"},
}


@dataclass(frozen=True, slots=True)
class World:
    """Equally good metrics whose errors are half shared by the outputs for a segment."""

    asked: dict[str, Any]
    documents: int = 0  # 0: segments are independent; else they share half of all effects
    new_systems: bool = False


def false_alarms(effort: Effort) -> Rates:
    """Two equal metrics: how often each test calls them different."""
    whole, naive = [], []
    for name, asked in ASKED.items():
        p = effort.repeat(_p_values, World(asked), f"equal metrics, {name}")
        whole.append((p[:, 0] <= 0.05).mean())
        naive.append(
            [(p[:, k] <= 0.05).mean() if np.isfinite(p[0, k]) else np.nan for k in (1, 2)]
        )
    shares = np.column_stack([whole, np.array(naive)]).T
    title = f"Two equal metrics, {SYSTEMS} systems × {SEGMENTS} segments, half of each metric's error shared within a segment"
    rows = ("whole segments", CELLS, WILLIAMS)
    return Rates(title, rows, tuple(ASKED), shares, effort.trials)


def coverage(effort: Effort) -> Rates:
    """How often an interval holds the mean of the statistic over data sets of this size."""
    worlds: dict[str, dict[str, Any]] = {
        f"{SEGMENTS} segments": {},
        "12 documents": {"documents": 12},
        "30 documents": {"documents": 30},
        "segments and systems drawn": {"new_systems": True},
    }
    shares = np.empty((len(worlds), len(ASKED)))
    for row, (label, options) in enumerate(worlds.items()):
        for column, (name, asked) in enumerate(ASKED.items()):
            asked = {**asked, "draw_systems": True} if "new_systems" in options else asked
            world = World(asked, **options)
            shares[row, column] = _held(
                effort.repeat(_interval, world, f"interval, {label}, {name}")
            )
    title = f"95 % intervals of one metric's statistic, {SYSTEMS} systems"
    return Rates(title, tuple(worlds), tuple(ASKED), shares, effort.trials, LEVEL, "coverage")


def coverage_of_favourites(effort: Effort) -> Rates:
    """The same of a metric that sets some systems higher than people do, others lower."""
    shares = [
        _held(effort.repeat(_of_favourites, World(asked), f"interval, favourites, {name}"))
        for name, asked in ASKED.items()
    ]
    title = f"95 % intervals of a metric with favourites, {SYSTEMS} systems"
    rows = (f"{SEGMENTS} segments",)
    return Rates(
        title, rows, tuple(ASKED), np.array([shares]), effort.trials, LEVEL, "coverage"
    )


def _held(found: FloatArray) -> float:
    truth = found[:, 0].mean()
    return float(((found[:, 1] <= truth) & (truth <= found[:, 2])).mean())


def _p_values(world: World, rng: np.random.Generator) -> FloatArray:
    human, one, other, documents = _draw(world, rng)
    found = meta(
        _scores(human, documents),
        {"comet": _scores(one, documents), "bleu": _scores(other, documents)},
        n_resamples=SWAPS,
        rng=rng,
        **world.asked,
    )
    [pair] = found.pairs
    return np.array([pair.p_value, pair.p_cells, pair.p_williams])


def _interval(world: World, rng: np.random.Generator) -> FloatArray:
    human, one, _, documents = _draw(world, rng)
    return _ends(world, human, one, documents, rng)


def _of_favourites(world: World, rng: np.random.Generator) -> FloatArray:
    human, one, _, documents = _draw(world, rng)
    return _ends(world, human, one + FAVOURED[:, None], documents, rng)


def _ends(
    world: World,
    human: FloatArray,
    metric: FloatArray,
    documents: list[str] | None,
    rng: np.random.Generator,
) -> FloatArray:
    found = meta(
        _scores(human, documents),
        {"comet": _scores(metric, documents)},
        n_resamples=DRAWS,
        rng=rng,
        **world.asked,
    )
    [row] = found.rows
    assert row.interval is not None
    return np.array([row.value, row.interval.low, row.interval.high])


def _draw(
    world: World, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray, list[str] | None]:
    """Return human scores in steps, as people give them, and two metrics; (systems, segments)."""
    fixed = np.linspace(-0.6, 0.6, SYSTEMS)
    quality = rng.normal(0, 0.4, SYSTEMS) if world.new_systems else fixed
    document: IntArray | None = None
    if world.documents:
        document = np.arange(SEGMENTS) * world.documents // SEGMENTS
    shape = (SYSTEMS, SEGMENTS)
    truth = quality[:, None] + _effects((1,), document, rng) + rng.normal(0, 0.7, shape)
    human = np.round(truth + rng.normal(0, 0.5, shape))
    metrics = [
        truth + _effects((1,), document, rng) + rng.normal(0, 1.0, shape) for _ in range(2)
    ]
    names = None if document is None else [f"d{d}" for d in document.tolist()]
    return human, metrics[0], metrics[1], names


def _effects(
    lead: tuple[int, ...], document: IntArray | None, rng: np.random.Generator
) -> FloatArray:
    """Return effects of segments; with documents, half of their variance is shared there."""
    own = rng.normal(0, 1.0, (*lead, SEGMENTS))
    if document is None:
        return own
    shared = rng.normal(0, 1.0, (*lead, int(document.max()) + 1))[..., document]
    both: FloatArray = np.sqrt(0.5) * (own + shared)
    return both


def _scores(values: FloatArray, documents: list[str] | None) -> Scores:
    systems = {f"s{i}": row for i, row in enumerate(values)}
    return Scores.build(systems, documents=documents)
