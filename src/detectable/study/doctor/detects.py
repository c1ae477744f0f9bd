"""What the tests of this package would find in some data, without saying who is ahead."""

import math
import statistics
import warnings
from collections.abc import Sequence

from detectable.core.errors import DetectableWarning
from detectable.study.arena.result import Arena
from detectable.study.comparison.result import Comparison
from detectable.study.doctor.examination import Detectable
from detectable.study.ranking.ranking import Ranking

SEED = 0  # of the tests behind it; the differences that they would find hardly depend on it


def quietly() -> warnings.catch_warnings:
    """Return a context in which no warnings come: what they say, the suspicions say."""
    return warnings.catch_warnings(action="ignore", category=DetectableWarning)


def of_comparison(found: Comparison) -> tuple[Detectable, ...]:
    """Return what a comparison could have seen, metric by metric."""
    made = []
    for about in found.metrics:
        name = about["metric"]
        most = 1.0 if name == "accuracy" else math.inf  # shares differ by less than 1
        values = [pair.mde for pair in found.pairs if pair.metric == name]
        values = [value if value < most else math.nan for value in values]
        made.append(
            Detectable(
                metric=found.label(name),
                **_spread(values),
                n_pairs=len(values),
                unit=found.unit_word,
                n_units=found.n_units,
                test=found.test,
                correction=found.correction,
                alpha=found.alpha,
                power=found.power,
            )
        )
    return tuple(made)


def of_ranking(found: Ranking) -> tuple[Detectable, ...]:
    """Return what a ranking could have seen."""
    values = [pair.mde for pair in found.pairs]
    return (
        Detectable(
            metric=f"{found.scale} score",
            **_spread(values),
            n_pairs=len(values),
            unit=found.unit,
            n_units=found.n_units,
            test=found.test,
            correction=found.correction,
            alpha=found.alpha,
            power=found.power,
        ),
    )


def of_arena(found: Arena) -> tuple[Detectable, ...]:
    """Return what the battles of an arena could have seen, in points of Elo."""
    values = [pair.mde_elo for pair in found.pairs]
    unit, n_units = min(found.clusters.items(), key=lambda one: one[1], default=("votes", 0))
    return (
        Detectable(
            metric="points of Elo",
            **_spread(values),
            n_pairs=len(values),
            unit=unit.removesuffix("s"),
            n_units=n_units or found.n_votes,
            test=found.test,
            correction="max-t" if found.test == "max-t" else "none",
            alpha=found.alpha,
            power=found.power,
        ),
    )


def _spread(values: Sequence[float]) -> dict[str, float]:
    known = [value for value in values if not math.isnan(value)]
    nothing = float("nan")
    if len(known) * 2 <= len(values):  # for most pairs nothing could be found
        return {"smallest": min(known, default=nothing), "median": nothing, "largest": nothing}
    return {
        "smallest": min(known),
        "median": statistics.median(known),
        "largest": max(known),
    }
