"""How much differences vary, as a pilot shows it."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from detectable.core.choices import PlanTest
from detectable.core.errors import DataError
from detectable.study.monitoring.frozen_plan import Plan
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.look_context import LookContext
from detectable.study.monitoring.look_data import chosen_unit, planned_judgments

# A detectable effect is in points, also that of ranks.
_AS_MEANS: dict[PlanTest, PlanTest] = {
    "signed-rank": "paired-mean",
    "sign-flip": "paired-mean",
    "rank-sum": "two-means",
    "proportions": "two-means",
}


def pilot_sd(plan: Plan, data: Any) -> float:
    """Return the standard deviation that a pilot shows, on the scale of means.

    It is the standard error of the planned comparison times the root of the items, so that what
    documents or raters share is counted in. Of several pairs the largest.
    """
    as_means = replace(plan, test=_AS_MEANS.get(plan.test, plan.test))
    judgments = planned_judgments(as_means, data)
    context = LookContext(
        plan=as_means,
        state=LedgerState(
            plan=as_means, entries=(), lines=(), history=dict.fromkeys(plan.pairs, ())
        ),
        judgments=judgments,
        seen=np.zeros(judgments.n_judgments, dtype=np.int64),
        unit=chosen_unit(as_means, judgments),
        final=False,
    )
    found = [context.statistic(pair)[0] for pair in plan.pairs]
    widest = max(one.standard_error * math.sqrt(one.n_units) for one in found)
    if not (math.isfinite(widest) and widest > 0.0):
        raise DataError(
            f"{judgments.path or 'the pilot'}: its differences do not vary, so it says nothing "
            "about the spread of others. Give `sd` instead."
        )
    return widest
