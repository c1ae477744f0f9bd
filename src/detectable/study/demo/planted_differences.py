"""Every system against the baseline of the campaign: what was planted, and what a ranking finds."""

from detectable.core.interval import Interval
from detectable.core.verdict import Verdict
from detectable.data.example.example_campaign import PlantedTruth
from detectable.study.demo.story import PlantedDifference
from detectable.study.ranking.ranking import Ranking

_OPPOSITE: dict[Verdict, Verdict] = {"better": "worse", "worse": "better"}


def planted_differences(ranking: Ranking, truth: PlantedTruth) -> tuple[PlantedDifference, ...]:
    """Return the pairs with the baseline, system − baseline, in the order of the ranking."""
    return tuple(
        _difference(row.system, ranking, truth)
        for row in ranking.systems
        if row.system != truth.baseline
    )


def _difference(system: str, ranking: Ranking, truth: PlantedTruth) -> PlantedDifference:
    pair = ranking.pair(system, truth.baseline)
    first = pair.better == system
    return PlantedDifference(
        system=system,
        baseline=truth.baseline,
        planted=truth.difference(system),
        found=pair.difference if first else -pair.difference,
        interval=pair.interval if first else _turned(pair.interval),
        interval_alone=pair.interval_alone if first else _turned(pair.interval_alone),
        mde=pair.mde,
        verdict=pair.verdict if first else _OPPOSITE.get(pair.verdict, pair.verdict),
    )


def _turned(interval: Interval) -> Interval:
    return Interval(-interval.high, -interval.low, interval.level)
