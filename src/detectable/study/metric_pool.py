"""The scores of people and of a metric on the same pool of items, matched by their names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.factor import factor
from detectable.data.files.table import TableSource
from detectable.data.human.cells import Cells
from detectable.data.human.judgments import Judgments, one_evaluation
from detectable.data.scores.read_score_table import ROLES
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.scores import Scores

MetricSource: TypeAlias = Scores | Mapping[str, Mapping[str, float]] | TableSource


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricPool:
    """Scores of systems (rows) on the items of a pool (columns).

    Attributes
    ----------
    human : array of shape (systems, items)
        Mean of the judgments, NaN where there is none.
    metric : array of shape (systems, items)
        NaN where the metric has no score.
    documents : array of int or None
        The document of each item.
    whole_documents : bool
        Whether the documents of all items are known, so that one can tell which were judged whole.
    weights : array or None
        How many items of the pool each judged item stands for, where these differ; NaN for others.
    """

    systems: tuple[str, ...]
    items: tuple[str, ...]
    human: FloatArray
    metric: FloatArray
    documents: IntArray | None
    name: str  # of the metric
    notes: tuple[str, ...]
    whole_documents: bool = True
    weights: FloatArray | None = None


def as_scores(source: MetricSource) -> tuple[Scores, tuple[str, ...]]:
    """Return scores from a table in memory, a file or ``{system: {item: score}}``."""
    if isinstance(source, Scores):
        return source, source.notes
    if isinstance(source, Mapping) and not {*source} & {*ROLES["item"]}:
        return _from_mapping(source), ()
    loaded = read_scores(source)
    return loaded, loaded.notes


def _from_mapping(source: Mapping[str, Any]) -> Scores:
    if not all(isinstance(scores, Mapping) for scores in source.values()):
        raise InputError(
            "`metric_scores` must map every system to a mapping of items to scores, or be Scores "
            "or a file; got something else. Items must be named, or they cannot be matched."
        )
    items = list(dict.fromkeys(str(item) for scores in source.values() for item in scores))
    tables = {}
    for system, scores in source.items():
        named = {str(item): float(value) for item, value in scores.items()}
        tables[str(system)] = [named.get(item, np.nan) for item in items]
    return Scores.build(tables, items=items)


def metric_pool(judgments: Judgments, source: MetricSource) -> MetricPool:
    """Match judgments and metric by the names of systems and items.

    Judgments of one evaluation only: items of different campaigns are not the same.
    """
    scores, notes = as_scores(source)
    judgments = one_evaluation(judgments)
    cells = judgments.cells().without_raters()
    kept = cells.judgments
    systems = tuple(name for name in kept.system.levels if name in scores.systems)
    absent = [name for name in kept.system.levels if name not in scores.systems]
    if not systems:
        raise DataError(
            f"no judged system has metric scores. Judged: {listing(list(kept.system.levels))}; "
            f"with scores: {listing(list(scores.systems))}."
        )
    tables = scores.of_one_task().averaged().systems
    metric = np.stack([_mean_of_runs(tables[name]) for name in systems])
    column = pool_columns(kept, scores.items, scores.documents)
    human, gaps = _human(cells, systems, column, metric)
    documents, unknown = _documents(kept, scores, column)
    remarks = (*notes, *cells.notes, *unknown)
    if absent:
        remarks = (*remarks, f"Left out, without metric scores: {listing(absent)}.")
    if gaps:
        remarks = (
            *remarks,
            f"{count(len(gaps), 'judged translation')} left out, without a metric score: "
            f"{listing(gaps)}.",
        )
    return MetricPool(
        systems=systems,
        items=scores.items,
        human=human,
        metric=metric,
        documents=documents,
        name=scores.metric or "the metric",
        notes=(*judgments.notes, *remarks),
        whole_documents=not unknown,
        weights=_weights(cells, column, len(scores.items)),
    )


def _weights(cells: Cells, column: IntArray, n_items: int) -> FloatArray | None:
    """Return what each judged item of the pool stands for."""
    if cells.weight is None:
        return None
    found = np.full(n_items, np.nan)
    known = (column >= 0) & np.isfinite(cells.weight)
    found[column[known]] = cells.weight[known]
    return found


def joined_pools(pools: Sequence[MetricPool]) -> MetricPool:
    """Return the items and systems that several metrics share; `metric` has a third axis.

    Human scores are those of the first pool; an item without a score by some metric is left out of
    the fit, as it is of a pool of one metric.
    """
    first = pools[0]
    systems = tuple(name for name in first.systems if all(name in p.systems for p in pools))
    shared = set.intersection(*(set(pool.items) for pool in pools))
    items = [item for item in first.items if item in shared]
    if not systems or not items:
        raise DataError(
            "the metrics share no system and item, so they cannot be used together."
        )
    tables, humans = [], []
    for pool in pools:
        row = [pool.systems.index(name) for name in systems]
        place = {item: i for i, item in enumerate(pool.items)}
        column = [place[item] for item in items]
        tables.append(pool.metric[np.ix_(row, column)])
        humans.append(pool.human[np.ix_(row, column)])
    place = {item: i for i, item in enumerate(first.items)}
    lost = len(first.items) - len(items)
    notes = (f"{count(lost, 'item')} left out, not scored by all metrics.",) if lost else ()
    return replace(
        first,
        systems=systems,
        items=tuple(items),
        human=np.where(np.isnan(humans).any(axis=0), np.nan, humans[0]),
        metric=np.stack(tables, axis=2),
        documents=None
        if first.documents is None
        else first.documents[[place[item] for item in items]],
        name=" and ".join(pool.name for pool in pools),
        notes=tuple(dict.fromkeys([*(note for pool in pools for note in pool.notes), *notes])),
    )


def _mean_of_runs(table: FloatArray) -> FloatArray:
    mean: FloatArray = table.mean(axis=0)
    return mean


def pool_columns(
    judgments: Judgments, items: tuple[str, ...], documents: tuple[str, ...] | None
) -> IntArray:
    """Return the pool's column for every item of the judgments, -1 where there is none.

    Items are matched by name, or by ``document:name`` where that matches more of them.
    """
    choices = []
    if len(set(items)) == len(items):
        choices.append(items)
    if documents is not None:
        pairs = zip(documents, items, strict=True)
        choices.append(tuple(f"{document}:{item}" for document, item in pairs))
    best = np.full(judgments.item.n_levels, -1)
    for names in choices:
        position = {name: i for i, name in enumerate(names)}
        found = np.array([position.get(level, -1) for level in judgments.item.levels])
        if (found >= 0).sum() > (best >= 0).sum():
            best = found
    if not (best >= 0).any():
        raise DataError(
            f"no judged item has a metric score. Judged items are called "
            f"{listing(list(judgments.item.levels), most=3)}; scored ones "
            f"{listing(list(items), most=3)}."
        )
    return best


def _human(
    cells: Cells, systems: tuple[str, ...], column: IntArray, metric: FloatArray
) -> tuple[FloatArray, list[str]]:
    """Return the mean judgment of every item of the pool, and who is judged but not scored."""
    row = np.array([systems.index(name) if name in systems else -1 for name in cells.systems])
    row, place = row[cells.system], column[cells.item]
    has_system = row >= 0
    scored = has_system & (place >= 0)
    scored[scored] = np.isfinite(metric[row[scored], place[scored]])
    human = np.full(metric.shape, np.nan)
    human[row[scored], place[scored]] = cells.mean[scored]
    lost = np.flatnonzero(has_system & ~scored)
    lost = lost[np.argsort(cells.row[lost])]
    gaps = [
        f"{cells.systems[int(cells.system[cell])]} {cells.items[int(cells.item[cell])]}"
        for cell in lost.tolist()
    ]
    return human, gaps


def _documents(
    judgments: Judgments, scores: Scores, column: IntArray
) -> tuple[IntArray | None, tuple[str, ...]]:
    if scores.documents is not None:
        return factor("document", list(scores.documents)).codes, ()
    if judgments.document is None:
        return None, ()
    codes = np.full(scores.n_items, -1)
    places = column[judgments.item.codes]
    known = places >= 0
    codes[places[known]] = judgments.document.codes[known]
    alone = np.flatnonzero(codes < 0)
    codes[alone] = judgments.document.n_levels + np.arange(alone.size)
    if not alone.size:
        return codes, ()
    note = (
        f"The document of {count(alone.size, 'item')} of the pool without a judgment is not "
        "known; each counts as a document of its own."
    )
    return codes, (note,)
