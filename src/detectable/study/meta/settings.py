"""What is asked of metrics: level, statistics and their options, checked together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from detectable.core import check, choices
from detectable.core.errors import InputError
from detectable.core.options import option

Threshold: TypeAlias = float | Literal["best", "two-fold"]

SYSTEM: tuple[choices.MetaStatistic, ...] = (
    "spa", "pairwise-accuracy", "pearson", "spearman", "kendall", "kendall-c",
)  # fmt: skip
SEGMENT: tuple[choices.MetaStatistic, ...] = (
    "acc-eq", "pearson", "spearman", "kendall", "kendall-c", "tau23", "acc23",
)  # fmt: skip
_THRESHOLD = ("acc-eq", "acc23", "tau23")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaSettings:
    """The question; options that say nothing at this level are None."""

    level: choices.MetaLevel = option("system", "Order systems, or the outputs for a segment.")
    statistics: tuple[choices.MetaStatistic, ...]
    average_by: choices.AverageBy | None = option(
        None,
        "Of segments: a value per segment (default), per system, or one for all outputs.",
    )
    undefined: choices.UndefinedGroups | None = option(
        None, "Of segments with one score throughout: leave them out (default), or count 0."
    )
    epsilon: Threshold | None
    pair_p: choices.PairP | None = option(
        None, "Of spa: p-values of two systems (default: normal, without random numbers)."
    )
    draw_systems: bool = option(False, "Intervals for other systems as well.")

    @classmethod
    def check(
        cls,
        *,
        level: str,
        statistic: str | Sequence[str] | None,
        average_by: str | None,
        undefined: str | None,
        epsilon: Threshold | None,
        pair_p: str | None,
        draw_systems: bool,
    ) -> "MetaSettings":
        """Refuse what does not exist or would have no effect."""
        check.one_of(level, choices.words(choices.MetaLevel), "level")
        known = SYSTEM if level == "system" else SEGMENT
        statistics = _statistics(statistic, level, known)
        segment = level == "segment"
        for name, value in (("average_by", average_by), ("undefined", undefined)):
            if value is not None and not segment:
                raise InputError(
                    f"`{name}` has no effect at level 'system', where every system has one mean; "
                    f"got {value!r}. Drop it, or ask at level 'segment'."
                )
        average = check.one_of(
            average_by or "item", choices.words(choices.AverageBy), "average_by"
        )
        counted = check.one_of(
            undefined or "skip", choices.words(choices.UndefinedGroups), "undefined"
        )
        if "acc-eq" in statistics and average != "item":
            raise InputError(
                "`average_by` must be 'item' for acc-eq: its pairs are systems on one segment; "
                f"got {average!r}."
            )
        if pair_p is not None:
            check.one_of(pair_p, choices.words(choices.PairP), "pair_p")
            if "spa" not in statistics:
                raise InputError("`pair_p` has no effect without the statistic spa. Drop it.")
        if draw_systems and "kendall-c" in statistics:
            raise InputError(
                "`draw_systems` does not go with kendall-c, which counts different scores; ask for "
                "kendall."
            )
        pairs = set(statistics) & {"kendall", "kendall-c", "tau23", "acc23"}
        if draw_systems and segment and average != "item" and pairs:
            raise InputError(
                "`draw_systems` needs average_by='item' for statistics of pairs; got "
                f"{average!r}."
            )
        return cls(
            level=cast("choices.MetaLevel", level),
            statistics=statistics,
            average_by=cast("choices.AverageBy", average) if segment else None,
            undefined=cast("choices.UndefinedGroups", counted) if segment else None,
            epsilon=_threshold(epsilon, statistics, average),
            pair_p=cast("choices.PairP", pair_p or "normal") if "spa" in statistics else None,
            draw_systems=draw_systems,
        )


def _statistics(
    statistic: str | Sequence[str] | None, level: str, known: tuple[choices.MetaStatistic, ...]
) -> tuple[choices.MetaStatistic, ...]:
    if statistic is None or not statistic:
        return known[:1]
    asked = [statistic] if isinstance(statistic, str) else list(statistic)
    names = [name.replace("_", "-") for name in asked]
    for name, given in zip(names, asked, strict=True):
        if name not in known:
            raise InputError(
                f"`statistic` must be one of {', '.join(known)} at level {level!r}; got {given!r}."
            )
    return cast("tuple[choices.MetaStatistic, ...]", tuple(dict.fromkeys(names)))


def _threshold(
    epsilon: Threshold | None, statistics: tuple[choices.MetaStatistic, ...], average_by: str
) -> Threshold | None:
    if epsilon is None:
        return None
    if not set(statistics) & set(_THRESHOLD):
        raise InputError(
            f"`epsilon` has no effect without one of {', '.join(_THRESHOLD)}. Drop it."
        )
    if isinstance(epsilon, str):
        check.one_of(epsilon, ("best", "two-fold"), "epsilon")
        if "acc-eq" not in statistics:
            raise InputError(
                f"`epsilon` must be a number for acc23 and tau23; got {epsilon!r}. The statistic "
                "acc-eq chooses it."
            )
        return epsilon
    value = float(epsilon)
    if not 0.0 <= value <= check.LARGEST_SCORE:
        raise InputError(
            f"`epsilon` must be a number ≥ 0, 'best' or 'two-fold'; got {epsilon!r}."
        )
    if "acc-eq" in statistics:
        raise InputError(
            "`epsilon` must be 'best' or 'two-fold' for acc-eq, which chooses it; got "
            f"{epsilon!r}. The statistic acc23 takes a given one."
        )
    if value > 0.0 and average_by != "item":
        raise InputError(
            f"`epsilon` above 0 needs average_by='item'; got {average_by!r} and {epsilon!r}."
        )
    return value
