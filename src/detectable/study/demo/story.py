"""The demo as a result: chapters with what was planted and what was found."""

from dataclasses import dataclass, field

from detectable.core.interval import Interval
from detectable.core.result import Result
from detectable.core.verdict import Verdict
from detectable.data.example.bundled import PlantedTruth
from detectable.study.ranking.ranking import Ranking


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """One step of an evaluation.

    Attributes
    ----------
    commands : tuple of str
        What to type for it in the folder that ``detectable demo --keep FOLDER`` writes.
    planted, found : str
        What is true, and what the step says about it.
    agrees : bool
        Whether it says what is true, or that these data cannot show it.
    """

    title: str
    commands: tuple[str, ...]
    planted: str
    found: str
    agrees: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedDifference:
    """A system against the baseline, in points: what is true and what the ranking finds.

    Attributes
    ----------
    interval : Interval
        At the level of the verdict, over all pairs.
    interval_alone : Interval
        Of this pair by itself.
    mde : float
        Smallest difference that could have been detected.
    """

    system: str
    baseline: str
    planted: float
    found: float
    interval: Interval
    interval_alone: Interval
    mde: float
    verdict: Verdict

    @property
    def holds(self) -> bool:
        """Whether the interval holds what is true."""
        return self.interval.low <= self.planted <= self.interval.high


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoStory(Result):
    """A campaign with a known truth, from plan to conclusion.

    Attributes
    ----------
    chapters : tuple of Chapter
        In the order of an evaluation's life.
    differences : tuple of PlantedDifference
        Every system against the baseline, the best first.
    campaign : str
        What the campaign consists of, in one sentence.
    n_documents : int
        What there was to judge.
    results : tuple of Result
        What the chapters are about, in the same order; neither in `to_dict` nor in a file.
    """

    chapters: tuple[Chapter, ...]
    differences: tuple[PlantedDifference, ...]
    campaign: str
    n_documents: int
    results: tuple[Result, ...] = field(
        default=(), repr=False, compare=False, metadata={"bulk": "rows"}
    )

    @property
    def n_agreeing(self) -> int:
        """Chapters that say what is true, or that it cannot be shown."""
        return sum(chapter.agrees for chapter in self.chapters)

    def commands(self) -> str:
        """Return all that is typed, line by line, for a shell."""
        steps = [f"# {one.title}\n" + "\n".join(one.commands) for one in self.chapters]
        return "\n\n".join(steps) + "\n"


# --- Every system against the baseline of the campaign: what was planted, and what a ranking finds ---

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
