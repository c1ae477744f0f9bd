"""What a look knows before it tests: the plan, the past, and the judgments so far."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.choices import MixedUnit, UnitName
from detectable.core.errors import DataError
from detectable.core.types import IntArray
from detectable.core.wording import count
from detectable.data.human.cells import Cells
from detectable.data.human.judgments import Judgments
from detectable.data.scores.direction import span
from detectable.inference.margin_score import MarginKind, MarginScore, kind_of
from detectable.sequential.families import spending_families
from detectable.sequential.look_statistic import (
    LookStatistic,
    from_t,
    paired_mean,
    paired_shares,
    preference,
    proportions,
    rank_sum,
    signed_rank,
    two_means,
)
from detectable.study.monitoring.frozen_plan import Plan
from detectable.study.monitoring.ledger import LedgerState, Pair
from detectable.study.monitoring.look_input import (
    LookUnits,
    look_units,
    planned_cells,
    two_samples,
)
from detectable.study.monitoring.planned import PREFERENCES, UNPAIRED


class OneClusterError(DataError):
    """All units of a pair come from one document, or one rater, whatever was scored."""


@dataclass(frozen=True, kw_only=True)
class LookContext:
    """One look in the making.

    Attributes
    ----------
    judgments : Judgments
        All rows of the planned systems, ordinary items and repeats.
    seen : array of int
        The look (from 1) that saw each row first; 0 for rows that are new.
    unit : str
        What is independent: ``item``, ``document`` or ``rater``.
    """

    plan: Plan
    state: LedgerState
    judgments: Judgments
    seen: IntArray
    unit: UnitName
    final: bool
    all_work: Judgments | None = None  # admitted or not, where the plan admits

    @cached_property
    def number(self) -> int:
        """The number of this look, from 1."""
        return self.state.n_looks + 1

    def information(self, pair: Pair, n_units: int) -> tuple[float, ...]:
        """Return the shares of the planned maximum at all looks at a pair, this one last."""
        past = [float(look.information or 0.0) for look in self.state.tested(pair)]
        return (*past, self.plan.share(n_units))

    def is_idle(self, pair: Pair, n_units: int) -> bool:
        """Say whether a pair has no more units than at its last look."""
        past = self.state.tested(pair)
        return bool(past) and n_units <= past[-1].n_units

    def is_last(self, n_units: int) -> bool:
        """Say whether this is the last look at a pair with so many units."""
        return self.final or (self.plan.n_max is not None and n_units >= self.plan.n_max)

    def check_time(self, pair: Pair, n_units: int) -> None:
        """Refuse a look at a pair that comes when the plan has none, and say when it has."""
        if self.final:
            return
        plan = self.plan
        if plan.n_max is not None and n_units > plan.n_max:
            raise DataError(
                f"{pair[0]} and {pair[1]} have {n_units:,} {plan.unit_name}, and the plan ends at "
                f"{plan.n_max:,}. Declare this the last look with --final (final=True): the "
                "boundary then takes account of what was really collected."
            )
        allowed = plan.planned_units()
        if allowed is not None and n_units not in allowed:
            ahead = [str(n) for n in allowed if n > n_units]
            raise DataError(
                f"{pair[0]} and {pair[1]} have {n_units:,} {plan.unit_name}; the family "
                f"{plan.design['family']!r} looks at {', '.join(map(str, allowed))} only"
                + (f", next at {ahead[0]}. " if ahead else ". ")
                + f"Give just so many; a plan with {spending_families()} could look at any time."
            )

    @cached_property
    def cells(self) -> Cells:
        """What each rater gave each item of each planned system."""
        return planned_cells(self.judgments)

    def units(self, pair: Pair, rows: NDArray[np.bool_] | None = None) -> LookUnits:
        """Return the differences of a pair, of some rows only if asked."""
        cells = self.cells if rows is None else planned_cells(self.judgments.take(rows))
        unit = "item" if self.plan.test in PREFERENCES else self.unit
        return look_units(cells, *pair, unit=unit)

    def units_at(self, pair: Pair, look: int) -> LookUnits:
        """Return the differences of a pair as a look saw them, this one or an earlier one."""
        seen = np.where(self.seen == 0, self.number, self.seen)
        return self.units(pair, rows=seen <= look)

    def without(self, left_out: NDArray[np.bool_]) -> "LookContext":
        """Return the same look had some judgments never been made."""
        kept = ~left_out
        return replace(self, judgments=self.judgments.take(kept), seen=self.seen[kept])

    def statistic(self, pair: Pair) -> tuple[LookStatistic, int]:
        """Return the planned statistic of a pair, and the judgments behind it."""
        if self.plan.test in UNPAIRED:
            return self._unpaired(pair), self._rows_of(pair)
        units = self.units(pair)
        found = self._paired(pair, units)
        self._check_clusters(pair, found)
        return found, units.n_judgments

    def _unpaired(self, pair: Pair) -> LookStatistic:
        system, baseline = two_samples(self.cells, *pair)
        if min(system.size, baseline.size) < 2:
            raise DataError(
                f"{pair[0]} and {pair[1]} have {system.size} and {baseline.size} "
                f"{self.plan.unit_name}; a look needs two of each."
            )
        if self.plan.test == "rank-sum":
            return rank_sum(system, baseline)
        if self.plan.test == "two-means":
            return two_means(system, baseline)
        if not np.isin(np.concatenate([system, baseline]), (0.0, 1.0)).all():
            raise DataError(
                f"{self.judgments.path or 'the data'}: items of {pair[0]} or {pair[1]} were judged "
                "more than once, with different answers, so they are neither 0 nor 1. Keep one "
                "judgment per item, or plan two-means."
            )
        return proportions(system, baseline)

    def _paired(self, pair: Pair, units: LookUnits) -> LookStatistic:
        d = units.differences
        if d.size < 2:
            raise DataError(
                f"{pair[0]} and {pair[1]} were compared on {count(d.size, 'item')} so far; a look "
                "needs two."
            )
        if self.plan.test == "preference":
            return preference(int((d > 0).sum()), int((d < 0).sum()), int((d == 0).sum()))
        if self.plan.test == "signed-rank":
            return signed_rank(d)
        if self.plan.test == "mixed":
            return self._mixed(pair, d.size)
        clusters = None if units.clusters is None else units.clusters.codes
        if units.weights is not None:  # also of a margin: the score rule knows no weights
            return paired_mean(d, clusters, weights=units.weights)
        if self.plan.margin is None:
            return paired_mean(d, clusters)
        low, high = self.plan.scale
        kind = self.state.margin_kind(pair) or self._kind(units)
        if kind == "two-valued" and units.are_ends_of(self.plan.scale):
            return paired_shares(np.sign(d) * (high - low), clusters, span=high - low)
        # A plan has a scale: one item may lose all of it.
        length = max(span(self.plan.scale), float(np.abs(d).max()))
        score = MarginScore.of_scale(d, clusters, kind=kind, length=length)
        return paired_mean(d, clusters, score=score)

    def _kind(self, units: LookUnits) -> MarginKind:
        """Return what the score rule takes the scores for; the first look decides."""
        low, high = self.plan.scale
        scale = (low, high) if math.isfinite(high - low) else None
        return kind_of(units.paired.first, units.paired.second, scale)

    def _mixed(self, pair: Pair, n_units: int) -> LookStatistic:
        from detectable.mixed.fit import fit_mixed

        mask = np.isin(
            self.judgments.system.codes, [self.judgments.system.levels.index(p) for p in pair]
        )
        unit: MixedUnit = "item" if self.plan.unit == "item" else "auto"
        fit = fit_mixed(self.judgments.take(mask), baseline=pair[1], unit=unit)
        contrast = fit.contrasts[0]
        return from_t(contrast.estimate, contrast.standard_error, contrast.df, n_units=n_units)

    def _rows_of(self, pair: Pair) -> int:
        levels = [self.judgments.system.levels.index(name) for name in pair]
        return int(np.isin(self.judgments.system.codes, levels).sum())

    def _check_clusters(self, pair: Pair, found: LookStatistic) -> None:
        if found.n_clusters is not None and found.n_clusters < 2:
            raise OneClusterError(
                f"{pair[0]} and {pair[1]} were compared on {count(found.n_clusters, self.unit)} "
                f"so far, and one {self.unit} says nothing about the next. Collect more before "
                "this look."
            )


def rater_scope(context: LookContext) -> list[str]:
    """Say about which raters the claim is."""
    rater = context.judgments.rater
    if context.unit == "rater" or context.plan.test == "mixed":
        return ["The claim is about raters like these."]
    if rater is None:
        return []
    n = np.unique(rater.codes).size
    return [
        f"The claim is about {'this rater' if n == 1 else f'these {n:,} raters'}; a plan with "
        "raters as its units, or with the mixed model, is about raters like these."
    ]


# --- All complete pairs, admitted or not: what the evaluation says if nobody's work is left out ---


@dataclass(frozen=True, slots=True, kw_only=True)
class AllWork:
    """One pair with the work of all raters. It is no part of the decision."""

    system: str
    baseline: str
    n_units: int
    estimate: float
    standard_error: float
    df: float
    scale: str

    def statistic(self) -> LookStatistic:
        """Return it as what a boundary is compared with."""
        z = self.estimate / self.standard_error
        return LookStatistic(
            z=z,
            estimate=self.estimate,
            standard_error=self.standard_error,
            df=self.df,
            n_units=self.n_units,
            scale=self.scale,
        )


def kept_all_work(entry: Mapping[str, Any]) -> tuple[AllWork, ...]:
    """Return what a look wrote into the ledger; a value that JSON cannot hold is infinite."""
    rows: list[dict[str, Any]] = [
        {name: math.inf if value is None else value for name, value in one.items()}
        for one in entry["all_work"]
    ]
    return tuple(AllWork(**row) for row in rows)


def all_work(context: LookContext) -> tuple[AllWork, ...]:
    """Return every pair with all work so far, by the planned statistic."""
    if context.all_work is None:
        return ()
    everything = replace(
        context,
        judgments=context.all_work,
        seen=np.zeros(context.all_work.n_judgments, dtype=np.int64),
        all_work=None,
    )
    return work_of_pairs(everything)


def work_of_pairs(context: LookContext) -> tuple[AllWork, ...]:
    """Return every pair with the work of a context, by the planned statistic."""
    return tuple(_pair(pair, context) for pair in context.plan.pairs)


def _pair(pair: Pair, context: LookContext) -> AllWork:
    found: LookStatistic = context.statistic(pair)[0]
    return AllWork(
        system=pair[0],
        baseline=pair[1],
        n_units=found.n_units,
        estimate=found.estimate,
        standard_error=found.standard_error,
        df=found.df,
        scale=found.scale,
    )
