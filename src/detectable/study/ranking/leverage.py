"""One document, one rater, or raters who failed their check: what the ranking would say without them."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from detectable.contrasts.claim import WithoutRater
from detectable.core.errors import DetectableError
from detectable.core.execute import Engine
from detectable.core.types import FloatArray, IntArray
from detectable.core.verdict import Verdict
from detectable.core.wording import count, listing
from detectable.data.human.cells import CellBlocks
from detectable.data.human.judgments import Judgments
from detectable.study.ranking.prepare import (
    PairedBlock,
    Pairs,
    Prepared,
    paired_blocks,
    prepare,
)
from detectable.study.ranking.ranking import Influential
from detectable.study.ranking.run import Outcome, Retested, retest, run
from detectable.study.ranking.settings import RankSettings
from detectable.study.ranking.verdicts import Verdicts, beats_matrix, cluster, decide_pairs

_FEWEST = 3  # with two units, one is left, which says nothing
MOST_FOLLOWED = 10_000  # pairs; more would be tested again for hours
_FOLLOWED = 5  # documents, and raters, without which the whole ranking is tested again

Kind = Literal["document", "rater"]


def influential(
    prepared: Prepared,
    outcome: Outcome,
    verdicts: Verdicts,
    settings: RankSettings,
    engine: Engine,
) -> tuple[Influential, ...]:
    """Name the documents and raters without which a verdict, or the clusters, would change.

    First every pair is tested without the document (the rater) that moves it most. Those that
    cost a pair its verdict are then left out of the whole ranking, five at most, most pairs
    first. Only where systems are compared on matched differences and no preset fixes the method,
    and not among very many pairs.
    """
    told = any(verdict != "undecided" for verdict in verdicts)
    if prepared.differences is None or settings.preset is not None or not told:
        return ()
    if prepared.test not in ("permutation", "t") or len(prepared.pairs) > MOST_FOLLOWED:
        return ()
    follow = _Follow(prepared, outcome, verdicts, settings, engine)
    found: list[Influential] = []
    if prepared.clusters is not None and prepared.scores.document is not None:
        found += follow.up("document", prepared.scores.document.levels, _documents(prepared))
    if prepared.matching == "rater" and prepared.by_rater is not None:
        by_rater = prepared.by_rater
        found += follow.up("rater", by_rater.raters, _raters(prepared, by_rater))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Units:
    """Documents, or raters: what each moves, and what is left without it.

    Attributes
    ----------
    moved : array of shape (units, pairs)
        The mean difference without each; NaN where a pair does not have it, or little else.
    counts : array of shape (units, pairs)
        Comparisons that each holds.
    without : callable
        The differences of all pairs, each without a unit: gets the unit of every pair, −1 for none.
    """

    moved: FloatArray
    counts: FloatArray
    without: Callable[[IntArray], FloatArray]

    def movers(self, values: FloatArray) -> IntArray:
        """Return the unit that moves each pair most; −1 where none can be left out."""
        apart = np.abs(self.moved - values)
        known = np.isfinite(apart).sum(axis=0) >= _FEWEST
        found: IntArray = np.where(np.isfinite(apart), apart, -1.0).argmax(axis=0)
        return np.where(known, found, -1)


def _documents(prepared: Prepared) -> _Units:
    differences, documents = _known(prepared)
    size = int(documents.max()) + 1
    strata = (
        np.zeros(len(differences), np.int64) if prepared.strata is None else prepared.strata
    )
    seen = np.isfinite(differences)
    each = _each(prepared)[:, None]
    sums = _tally(np.where(seen, each * differences, 0.0), strata, documents, size)
    counts = _tally(np.where(seen, each, 0.0), strata, documents, size)
    left = _mean_without(sums, counts)

    def without(units: IntArray) -> FloatArray:
        return np.where(documents[:, None] == units, np.nan, differences)

    return _Units(left, counts.sum(axis=0), without)


def _each(prepared: Prepared) -> FloatArray:
    """Return what each item stands for: 1, where none stands for more than another."""
    if prepared.weights is not None:
        return prepared.weights
    return np.ones(len(prepared.tested))


def _tally(values: FloatArray, strata: IntArray, units: IntArray, size: int) -> FloatArray:
    """Return sums by stratum, unit and pair."""
    n_strata = int(strata.max()) + 1
    found = np.zeros((n_strata * size, values.shape[1]))
    np.add.at(found, strata * size + units, values)
    return found.reshape(n_strata, size, values.shape[1])


def _mean_without(sums: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the mean of the means of the strata without each unit, (units, pairs)."""
    rest = counts.sum(axis=1, keepdims=True) - counts
    means = (sums.sum(axis=1, keepdims=True) - sums) / np.where(rest > 0.0, rest, np.nan)
    known = np.isfinite(means)
    total = np.where(known, means, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(known.any(axis=0) & (counts.sum(axis=0) > 0.0), total, np.nan)


def _raters(prepared: Prepared, blocks: CellBlocks) -> _Units:
    """Leave raters out; what others judged of the same items stays."""
    pairs, size = prepared.pairs, len(blocks.raters)
    differences, _ = _known(prepared)
    strata = (
        np.zeros(len(differences), np.int64) if prepared.strata is None else prepared.strata
    )
    n_strata = int(strata.max()) + 1
    weight = _each(prepared)
    # Carried on from block to block in one order, so that blocks do not change a digit.
    sums, lost = np.zeros((2, len(pairs), n_strata * size))
    base, n = np.zeros((2, len(pairs), n_strata))
    counts = np.zeros((size, len(pairs)))
    for block in paired_blocks(blocks, pairs):
        here, each = strata[block.items], weight[block.items]
        for k, item, who, value in _comparisons(block):
            left = WithoutRater.of(item, value, block.n_items)
            cell = here[item] * size + who
            np.add.at(sums[k], cell, each[item] * left.change)
            np.add.at(lost[k], cell, each[item] * left.alone)
            present = left.judged > 0
            np.add.at(base[k], here[present], each[present] * left.mean[present])
            n[k] += np.bincount(here[present], each[present], minlength=n_strata)
            counts[:, k] += np.bincount(who, minlength=size)
    moved = np.full((size, len(pairs)), np.nan)
    for k in range(len(pairs)):
        rest = n[k][:, None] - lost[k].reshape(n_strata, size)
        means = (base[k][:, None] + sums[k].reshape(n_strata, size)) / np.where(
            rest > 0.0, rest, np.nan
        )
        known = np.isfinite(means)
        average = np.where(known, means, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        moved[:, k] = np.where(known.any(axis=0) & (counts[:, k] > 0.0), average, np.nan)

    def without(units: IntArray) -> FloatArray:
        found = np.where(units < 0, differences, np.nan)
        for block in paired_blocks(blocks, pairs):
            for k, item, who, value in _comparisons(block):
                if units[k] < 0:
                    continue
                kept = who != units[k]
                judged = np.bincount(item[kept], minlength=block.n_items)
                total = np.bincount(item[kept], value[kept], minlength=block.n_items)
                found[block.items, k] = np.where(
                    judged > 0, total / np.maximum(judged, 1), np.nan
                )
        return found

    return _Units(moved, counts, without)


def _comparisons(block: PairedBlock) -> Iterator[tuple[int, IntArray, IntArray, FloatArray]]:
    """Give each pair of a block: its number, and the item, rater and difference of comparisons."""
    matched = block.matched
    if matched.rater is None:
        raise ValueError("differences within raters need raters")
    for p, k in enumerate(block.columns.tolist()):
        rows = slice(int(matched.starts[p]), int(matched.starts[p + 1]))
        difference = matched.score_first[rows] - matched.score_second[rows]
        yield k, matched.item[rows], matched.rater[rows], difference


def _known(prepared: Prepared) -> tuple[FloatArray, IntArray]:
    if prepared.differences is None:
        raise ValueError("nothing is matched")
    if prepared.clusters is None:
        return prepared.differences, np.arange(len(prepared.differences))
    return prepared.differences, prepared.clusters


@dataclass(frozen=True, slots=True)
class _Follow:
    """Test again without something, and say what changes."""

    prepared: Prepared
    outcome: Outcome
    verdicts: Verdicts
    settings: RankSettings
    engine: Engine

    def up(self, kind: Kind, names: tuple[str, ...], units: _Units) -> list[Influential]:
        """Return the pairs whose verdict would change, and the clusters that change with them."""
        pairs: Pairs = self.outcome.pairs
        values = np.array([row[0].value for row in self.outcome.analysis.estimates])
        movers = units.movers(values)
        again = self._again(units.without(movers))
        if again is None:
            return []
        lost = [
            k
            for k, unit in enumerate(movers.tolist())
            if unit >= 0 and self._changes(k, again.verdicts[k])
        ]
        most = [unit for unit, _ in Counter(movers[lost].tolist()).most_common(_FOLLOWED)]
        found: list[Influential] = []
        for unit in most:
            rest = self._again(units.without(np.full(len(pairs), unit)))
            if rest is not None:
                found += self._told(kind, names[unit], units, unit, rest)
        for k in lost:
            if movers[k] not in most:
                found.append(self._row(kind, names[movers[k]], units, int(movers[k]), k, again))
        return found

    def _again(self, differences: FloatArray) -> Retested | None:
        return retest(
            replace(self.prepared, differences=differences), self.settings, self.engine
        )

    def _changes(self, k: int, after: Verdict) -> bool:
        before = self.verdicts[k]
        return before not in ("undecided", after)

    def _told(
        self, kind: Kind, name: str, units: _Units, unit: int, rest: Retested
    ) -> list[Influential]:
        """Return clusters and pairs that are others without one document or rater."""
        rule, outcome = self.settings.cluster_rule, self.outcome
        before = cluster(beats_matrix(outcome, self.verdicts), rule)
        after = cluster(beats_matrix(outcome, rest.verdicts), rule)
        found = []
        if after != before:
            order = [self.prepared.scores.systems[s] for s in outcome.order]
            found.append(
                Influential(
                    kind=kind,
                    name=name,
                    share=float(units.counts[unit].sum() / units.counts.sum()),
                    clusters=tuple(tuple(order[i] for i in group) for group in after),
                )
            )
        changed = [k for k, v in enumerate(rest.verdicts) if self._changes(k, v)]
        return found + [self._row(kind, name, units, unit, k, rest) for k in changed]

    def _row(
        self, kind: Kind, name: str, units: _Units, unit: int, k: int, rest: Retested
    ) -> Influential:
        systems, (a, b) = self.prepared.scores.systems, self.outcome.pairs[k]
        return Influential(
            kind=kind,
            name=name,
            share=float(units.counts[unit, k] / units.counts[:, k].sum()),
            better=systems[a],
            worse=systems[b],
            difference=float(rest.values[k]),
            p_adjusted=float(rest.p_adjusted[k]),
            verdict=rest.verdicts[k],
        )


# --- Raters who failed the check on degraded copies: what the ranking would say without them ---

_CHECK_LEVEL = 0.05  # of WMT's rule for raters
_NAMED = 3

Named = dict[frozenset[str], tuple[str, Verdict]]  # pair → (system it is about, verdict)


def failed_raters(judgments: Judgments) -> tuple[str, ...]:
    """Return the raters who do not score degraded copies below their originals.

    By WMT's rule, a one-sided paired t test at .05. Who judged too few copies to be tested is not
    among them.
    """
    if judgments.rater is None or not judgments.is_kind("degraded").any():
        return ()
    from detectable.study.raters.quality_control import pair_up
    from detectable.study.raters.rater_check import check_rater

    pairs = pair_up(judgments)
    found = []
    for code, name in enumerate(judgments.rater.levels):
        p = check_rater(*pairs.of(code), "paired-t", _CHECK_LEVEL).p_value
        if p > _CHECK_LEVEL:  # not a number is no failure
            found.append(name)
    return tuple(found)


def without_failed_raters(
    judgments: Judgments, verdicts: Named, settings: RankSettings, engine: Engine
) -> tuple[str, ...]:
    """Rank again without the raters who failed, and say whether a verdict depends on them.

    The ranking itself keeps them: whom to leave out must be decided before the results are seen.
    """
    failed = failed_raters(judgments)
    if not failed or judgments.rater is None:
        return ()
    who = (
        f"{len(failed):,} of {count(judgments.rater.n_levels, 'rater')} who failed the check on "
        f"degraded copies ({listing(list(failed))})"
    )
    codes = [judgments.rater.levels.index(name) for name in failed]
    kept = judgments.take(~np.isin(judgments.rater.codes, codes))
    try:
        prepared = prepare(kept, settings)
        outcome = run(prepared, settings, engine)
    except DetectableError:
        return (f"{who}: without them there is too little left to rank.",)
    again = decide_pairs(outcome, settings)
    names = prepared.scores.systems
    changed = []
    for (a, b), one in zip(outcome.pairs, again, strict=True):
        verdict = one.verdict or "undecided"
        before = verdicts.get(frozenset((names[a], names[b])))
        if before is None:
            continue
        # The order of two close systems may turn, and with it who is called better.
        now = verdict if before[0] == names[a] else _TURNED.get(verdict, verdict)
        if now != before[1]:
            other = names[b] if before[0] == names[a] else names[a]
            changed.append(
                f"{before[0]} against {other}: with them {before[1]}, without them {now}"
            )
    if not changed:
        return (f"{who}: without them every verdict is the same.",)
    more = "" if len(changed) <= _NAMED else f"; and {len(changed) - _NAMED} more"
    verb = "The verdict depends" if len(changed) == 1 else f"{len(changed)} verdicts depend"
    return (f"{verb} on {who}. {'; '.join(changed[:_NAMED])}{more}.",)


_TURNED: dict[Verdict, Verdict] = {"better": "worse", "worse": "better"}
