"""All complete pairs, admitted or not: what the evaluation says if nobody's work is left out."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from detectable.sequential.look_statistic import LookStatistic
from detectable.study.monitoring.ledger import Pair
from detectable.study.monitoring.look_context import LookContext


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
