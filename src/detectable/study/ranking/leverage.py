"""One document or one rater that makes a verdict, or moves a line between clusters."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from detectable.core.execute import Engine
from detectable.core.types import FloatArray, IntArray
from detectable.data.human.cells import Cells
from detectable.study.ranking.clusters import cluster
from detectable.study.ranking.estimates import system_estimate
from detectable.study.ranking.paired_cells import Pairs
from detectable.study.ranking.prepare import Prepared
from detectable.study.ranking.ranking import Influential
from detectable.study.ranking.run import Outcome, run
from detectable.study.ranking.settings import RankSettings
from detectable.study.ranking.verdicts import Decided, beats_matrix, decide_pairs

_FEWEST = 3  # with two units, one is left, which says nothing
_LINES = 3  # units whose absence is followed up to the clusters


def influential(
    prepared: Prepared,
    outcome: Outcome,
    decided: Decided,
    settings: RankSettings,
    engine: Engine,
) -> tuple[Influential, ...]:
    """Leave out of every pair the document, and the rater, that moves it most; test the rest.

    Only where systems are compared on matched differences and no preset fixes the method.
    """
    told = any(verdict != "undecided" for verdict in decided.verdicts)
    if prepared.differences is None or settings.preset is not None or not told:
        return ()
    if prepared.test not in ("permutation", "t"):
        return ()
    found: list[Influential] = []
    follow = _Follow(prepared, outcome, decided, settings, engine)
    documents = prepared.scores.document
    if prepared.clusters is not None and documents is not None:
        left = _without_documents(prepared.differences, prepared.clusters)
        found += follow.up("document", documents.levels, left)
    if prepared.matching == "rater" and prepared.by_rater is not None:
        left = _without_raters(prepared.differences, prepared.by_rater, prepared.pairs)
        found += follow.up("rater", prepared.by_rater.raters or (), left)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Left:
    """Differences without the unit that moves each pair most, and without any one unit."""

    table: FloatArray  # (items, pairs)
    unit: IntArray  # of each pair; −1 where none can be left out
    share: FloatArray
    without: Callable[[int], FloatArray]


def _without_documents(differences: FloatArray, documents: IntArray) -> _Left:
    table = differences.copy()
    units, shares = np.full(differences.shape[1], -1), np.zeros(differences.shape[1])
    size = int(documents.max()) + 1
    for k, column in enumerate(differences.T):
        known = np.isfinite(column)
        sizes = np.bincount(documents[known], minlength=size)
        sums = np.bincount(documents[known], weights=column[known], minlength=size)
        if (sizes > 0).sum() < _FEWEST:
            continue
        n, total = int(sizes.sum()), float(sums.sum())
        moved = np.abs((total - sums) / np.maximum(n - sizes, 1) - total / n)
        units[k] = int(np.argmax(np.where(sizes > 0, moved, -1.0)))
        shares[k] = sizes[units[k]] / n
        table[documents == units[k], k] = np.nan

    def without(unit: int) -> FloatArray:
        return np.where((documents == unit)[:, None], np.nan, differences)

    return _Left(table, units, shares, without)


def _without_raters(differences: FloatArray, cells: Cells, pairs: Pairs) -> _Left:
    """Leave the rater who moves it most out of every pair; what others judged stays."""
    matched = cells.matched([(cells.systems[a], cells.systems[b]) for a, b in pairs])
    d, raters = matched.score_first - matched.score_second, matched.rater
    if raters is None:
        raise ValueError("differences within raters need raters")

    def means(k: int, unit: int) -> FloatArray:
        here = slice(int(matched.starts[k]), int(matched.starts[k + 1]))
        kept = raters[here] != unit
        return _means(matched.item[here][kept], d[here][kept], len(differences))

    table = differences.copy()
    units, shares = np.full(len(pairs), -1), np.zeros(len(pairs))
    for k in range(len(pairs)):
        own = raters[int(matched.starts[k]) : int(matched.starts[k + 1])]
        present, counts = np.unique(own, return_counts=True)
        if present.size < _FEWEST:
            continue
        before = float(np.nanmean(differences[:, k]))
        columns = [means(k, int(unit)) for unit in present]
        worst = int(np.argmax([abs(float(np.nanmean(x)) - before) for x in columns]))
        units[k], shares[k] = present[worst], counts[worst] / own.size
        table[:, k] = columns[worst]

    def without(unit: int) -> FloatArray:
        return np.stack([means(k, unit) for k in range(len(pairs))], axis=1)

    return _Left(table, units, shares, without)


def _means(item: IntArray, d: FloatArray, n_items: int) -> FloatArray:
    """Return the mean difference of every item; NaN where nobody is left."""
    counts = np.bincount(item, minlength=n_items)
    sums = np.bincount(item, weights=d, minlength=n_items)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


@dataclass(frozen=True, slots=True)
class _Follow:
    """Test again without something, and say what changes."""

    prepared: Prepared
    outcome: Outcome
    decided: Decided
    settings: RankSettings
    engine: Engine

    def up(
        self, kind: Literal["document", "rater"], names: tuple[str, ...], left: _Left
    ) -> list[Influential]:
        """Return the pairs whose verdict is lost, and the clusters that change with them."""
        again = self._verdicts(left.table)
        systems = self.prepared.scores.systems
        found = []
        for k, (a, b) in enumerate(self.outcome.pairs):
            before, after = self.decided.verdicts[k], again.verdicts[k]
            if before == "undecided" or before == after or left.unit[k] < 0:
                continue
            found.append(
                Influential(
                    kind=kind,
                    name=names[int(left.unit[k])],
                    share=float(left.share[k]),
                    better=systems[a],
                    worse=systems[b],
                    difference=system_estimate(
                        left.table[:, k], self.prepared.strata, None
                    ).value,
                    p_adjusted=again.claims[k].p_adjusted,
                )
            )
        named = Counter(row.name for row in found)
        lines = [self._lines(kind, names, name, left) for name, _ in named.most_common(_LINES)]
        return [*(line for line in lines if line is not None), *found]

    def _verdicts(self, differences: FloatArray) -> Decided:
        left = replace(self.prepared, differences=differences)
        return decide_pairs(run(left, self.settings, self.engine), self.settings)

    def _lines(
        self, kind: Literal["document", "rater"], names: tuple[str, ...], name: str, left: _Left
    ) -> Influential | None:
        """Return the clusters without one document or rater, where they are others."""
        differences = left.without(names.index(name))
        if (np.isfinite(differences).sum(axis=0) < _FEWEST).any():
            return None
        rule = self.settings.cluster_rule
        before = cluster(beats_matrix(self.outcome, self.decided.verdicts), rule)
        again = self._verdicts(differences)
        after = cluster(beats_matrix(self.outcome, again.verdicts), rule)
        if after == before:
            return None
        order = [self.prepared.scores.systems[s] for s in self.outcome.order]
        lost = np.isfinite(self.prepared.differences).sum() - np.isfinite(differences).sum()  # type: ignore[arg-type]
        return Influential(
            kind=kind,
            name=name,
            share=float(lost / np.isfinite(self.prepared.differences).sum()),  # type: ignore[arg-type]
            clusters=tuple(tuple(order[i] for i in group) for group in after),
        )
