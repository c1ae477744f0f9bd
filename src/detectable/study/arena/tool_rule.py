"""What the tool that wrote a file would say, where it counts otherwise."""

import math
from collections.abc import Sequence

import numpy as np

from detectable.core.wording import number
from detectable.data.battles.battles import Battles
from detectable.study.arena.result import ArenaPair


def tool_rule(battles: Battles, pairs: Sequence[ArenaPair]) -> str:
    """Say what Arena-Hard would: both games as rows, strong verdicts three times.

    Its standard error is that of rows that are independent, three copies of one among them.
    """
    counted = battles.counted_by_tool
    if counted is None or len(counted.systems) != 2:
        return ""
    pair = pairs[0]
    first = counted.a == counted.systems.index(pair.better)
    won = np.where(first, counted.outcome, 1.0 - counted.outcome)
    rows = counted.weights
    share = float(rows @ won / rows.sum())
    error = math.sqrt(float(rows @ (won - share) ** 2)) / float(rows.sum())
    ours = pair.standard_error * pair.share * (1.0 - pair.share)
    return (
        "Arena-Hard's rule (two games a question, strong verdicts three times, all rows "
        f"independent) would say {number(100 * share, digits=1)}% of wins with a standard error of "
        f"{number(100 * error, digits=2)}; one observation per question has "
        f"{number(100 * ours, digits=2)}."
    )
