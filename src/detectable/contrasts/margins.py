"""Claims against margins by the score rule, and what is to be said of its assumptions."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from detectable.contrasts.analysis import Analysis, Margins
from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.core.wording import capital, significant
from detectable.inference.margin_score import MarginScore
from detectable.inference.margin_test import StratifiedScore

AgainstMargins: TypeAlias = Mapping[tuple[int, int], MarginScore | StratifiedScore]

FLAT = "every {item} has the same difference, so nothing is known about its spread"
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class KnownRange:
    """What is known of the scores of a metric beyond the data.

    Attributes
    ----------
    scale : (float, float) or None
        The least and the largest possible score.
    largest_loss : float or None
        What one item may lose at most.
    of : str
        What says so, where it is a format: MQM.
    """

    scale: tuple[float, float] | None = None
    largest_loss: float | None = None
    of: str = ""


UNKNOWN = KnownRange()


def with_margin_scores(
    found: Analysis,
    scores: AgainstMargins,
    margins: FloatArray,
) -> Analysis:
    """Take what is said about margins from the score rule, wherever it is known.

    A mean over its standard error claims margins that do not hold where few items differ, and
    a test by swaps at a margin would need differences that are symmetric about it.

    Parameters
    ----------
    scores : mapping of (pair, metric) to MarginScore or StratifiedScore
    """
    if not scores:
        return found
    old = found.margins
    above, below, beyond_low, beyond_high = (
        array.copy() for array in (old.above, old.below, old.beyond_low, old.beyond_high)
    )
    attainable = found.attainable_margin.copy()
    for at, known in scores.items():
        margin = float(margins[at[1]])
        if math.isnan(margin):
            continue
        attainable[at] = 0.0
        above[at], below[at] = known.p_above(-margin), known.p_below(margin)
        beyond_low[at], beyond_high[at] = known.p_below(-margin), known.p_above(margin)

    def interval(p: int, m: int, a: float) -> Interval:
        known = scores.get((p, m))
        return old.interval(p, m, a) if known is None else known.interval(a)

    def passable(p: int, m: int, a: float, power: float) -> float:
        known = scores.get((p, m))
        return old.passable(p, m, a, power) if known is None else known.passable(a, power)

    return found._replace(
        margins=Margins(
            above=above,
            below=below,
            beyond_low=beyond_low,
            beyond_high=beyond_high,
            interval=interval,
            passable=passable,
        ),
        attainable_margin=attainable,
    )


# --- What the score rule assumes, for people to check ---


def margin_notes(
    found: MarginScore | StratifiedScore,
    known: KnownRange,
    *,
    margin: float,
    alpha: float,
    item: str = "item",
) -> list[str]:
    """Say what a claim about a margin rests on, where most scores did not change.

    Parameters
    ----------
    item : str
        What an item is called.
    """
    if isinstance(found, StratifiedScore):
        found = found.pooled
    if math.isnan(found.df):
        return []
    if found.kind == "dense":
        if found.speaks:
            return []
        said = FLAT.format(item=item)
        return [f"{capital(said)}."]
    if found.kind != "sparse":
        return []
    reach = significant(found.reach)
    if known.largest_loss is not None or _is_whole(found, known.scale):
        needed = math.ceil(found.reach * -math.log(alpha) / margin - _CLOSE)
        why = f" ({known.of})" if known.of else ""
        return [
            f"Most scores did not change, so one loss can weigh {reach} points{why}. With no "
            f"change at all, a margin of {significant(margin)} needs {needed:,} {item}s."
        ]
    twice = 2.0 * found.range_seen
    if known.scale is None and math.isclose(found.reach, twice, rel_tol=_CLOSE):
        return [
            f"Most scores did not change. The scale is not known; twice the range seen "
            f"({significant(found.range_seen)}) was taken. --scale LOW:HIGH sharpens this."
        ]
    return [
        f"Most scores did not change. This assumes that no {item} loses more than {reach} points "
        f"(largest change seen: {significant(found.largest)}); --largest-loss sets it."
    ]


def _is_whole(found: MarginScore, scale: tuple[float, float] | None) -> bool:
    if scale is None:
        return False
    return math.isclose(found.reach, scale[1] - scale[0], rel_tol=_CLOSE)
