"""The choices of a ranking, and other people's rankings as presets."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from detectable.core import choices
from detectable.core.errors import InputError
from detectable.core.options import alpha, check_settings, option, power, resamples_of_family

Zeros: TypeAlias = Literal["pratt", "drop"]

PAIRED = ("signed-rank", "permutation", "stouffer", "stouffer-unsigned")
MATCHED = (*PAIRED, "t")  # tests that use matched differences where there are any
NEEDS_DOMAINS = ("stouffer", "stouffer-unsigned")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSettings:
    """How to rank; see `rank_systems` for what each choice means.

    The last five are the choices of the presets and have no option of their own: how WMT treats
    zeros and continuity, tests in the observed direction, and waves.
    """

    preset: choices.RankingPreset | None = option(
        None, "Rank as WMT did that year, and say where that is weak."
    )
    test: choices.RankingTest = option(
        "auto", "auto: sign flips of matched differences where the design allows."
    )
    standardise: choices.Standardise = option("auto", "How to take out the severity of raters.")
    over: choices.Over = option(
        "all",
        "What z is standardised over: ordinary leaves out references and degraded copies.",
    )
    unit: choices.RankingUnit = option(
        "auto", "What is independent; auto: documents where known."
    )
    level: choices.RankingLevel = option(
        "item",
        "Test items (n); document: ratings of whole documents; judgment: N for n, which is wrong.",
    )
    correction: choices.PairCorrection = option("auto", "For the number of pairs.")
    cluster_rule: choices.ClusterRule = option(
        "all-pairs", "Where a line is drawn between clusters."
    )
    average: choices.Average = option(
        "auto", "Mean over items, or mean of the means of domains."
    )
    claim: choices.Claim = option("better", "What is to be shown; the last two need --margin.")
    margin: float | None = option(
        None, "Differences below this do not matter (units tested).", kind="positive"
    )
    n_resamples: int | None = resamples_of_family("Sign patterns")
    alpha: float = alpha()
    power: float = power()
    one_sided: bool = False  # in the direction of the means, as WMT does
    zeros: Zeros = "pratt"
    continuity: bool = True
    waves_as_items: bool = False
    within_raters: bool = True  # pair within raters where the design allows

    def __post_init__(self) -> None:
        check_settings(self)
        self._check_claim()
        self._check_combinations()

    def _check_claim(self) -> None:
        if self.claim == "better":
            return
        if self.margin is None:
            raise InputError(
                f"`claim={self.claim!r}` needs a margin, in the units tested. Give `margin`."
            )
        if self.preset is not None or self.alpha >= 0.5:
            why = "a preset tests for a difference" if self.preset else "it is one-sided"
            raise InputError(
                f"`claim={self.claim!r}` goes without a preset and with alpha below .5: {why}."
            )

    def _check_combinations(self) -> None:
        if self.level == "judgment":
            if self.test not in ("auto", "rank-sum"):
                raise InputError(
                    f"`level='judgment'` goes with the rank-sum test only; got test={self.test!r}. "
                    "All other tests work on items."
                )
            if self.unit == "document":
                raise InputError(
                    "`level='judgment'` counts every judgment as independent, `unit='document'` "
                    "whole documents. Choose one."
                )
        if self.test == "mixed" and self.standardise in ("z", "mixed"):
            raise InputError(
                f"`test='mixed'` models the severity of raters itself; drop "
                f"`standardise={self.standardise!r}`."
            )
        if self.test in NEEDS_DOMAINS and self.average == "items":
            raise InputError(
                f"`test={self.test!r}` gives every domain the same weight; drop `average='items'`."
            )

    @property
    def needs_all_judgments(self) -> bool:
        """Whether judgments cannot be taken in blocks of items."""
        return needs_all_judgments(self.preset, self.level, self.test, self.standardise)

    @property
    def plain(self) -> bool:
        """Whether tests are two-sided and judged as such, as they are without a preset."""
        return self.preset is None

    @property
    def level_of_intervals(self) -> float:
        """The confidence level of intervals."""
        return 1.0 - self.alpha


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatSettings:
    """What is asked about a repeat of a ranking; see `Ranking.repeat`."""

    repeat: choices.RepeatKind | None = option(
        None,
        "Would a repeat keep these claims? With other raters, documents, both, or the same pool "
        "of raters dealt anew.",
    )
    n_documents: int | None = option(
        None,
        "Documents of the repeat (default: as many as here).",
        flag="--repeat-documents",
        least=2,
    )
    n_raters: int | None = option(
        None,
        "Raters of each document of the repeat (default: as here).",
        flag="--repeat-raters",
    )
    keep: float = option(
        0.9,
        "Chance of keeping all claims that a safer repeat is to reach.",
    )


def needs_all_judgments(
    preset: str | None,
    level: str,
    test: str,
    standardise: str,
    repeat: str | None = None,
    systems: object = None,
    **_: object,
) -> bool:
    """Return whether these choices need all judgments at once, not some items at a time."""
    return (
        bool(repeat or systems)
        or level in ("judgment", "document")
        or "mixed" in (test, standardise)
        or preset == "wmt25"
    )


# --- Other people's rankings, number for number, with what is weak about them ---

_CHOICES: Mapping[choices.RankingPreset, Mapping[str, Any]] = {
    "wmt21": {
        "standardise": "z",
        "over": "all",
        "test": "rank-sum",
        "cluster_rule": "wmt-last",
        "average": "items",
    },
    "wmt24": {
        "standardise": "none",
        "test": "stouffer-unsigned",
        "cluster_rule": "all-pairs",
        "average": "domains",
        "zeros": "drop",
        "continuity": False,
    },
    "wmt25": {
        "standardise": "none",
        "test": "signed-rank",
        "cluster_rule": "rank-ranges",
        "average": "items",
        "zeros": "drop",
        "continuity": False,
        "waves_as_items": True,
    },
}

WEAKNESSES: Mapping[choices.RankingPreset, str] = {
    "wmt21": (
        "preset wmt21: one-sided tests in the direction of the means have twice the error rate "
        "they claim, nothing corrects for the number of pairs, items that both systems share are "
        "not paired, sentences of a document count as independent, and a cluster ends where its "
        "last system alone beats all below it."
    ),
    "wmt24": (
        "preset wmt24: two-sided p-values of the domains are combined, so that a win in one domain "
        "and a loss in another add up; nothing corrects for the number of pairs, and sentences of "
        "a document count as independent."
    ),
    "wmt25": (
        "preset wmt25: the two judgments of an item count as two items, and with two waves each "
        "is paired with both of the other system, so every judgment is used twice; sentences of a "
        "document count as independent, and nothing corrects for the number of pairs."
    ),
}


def with_preset(settings: RankSettings, given: Mapping[str, Any]) -> RankSettings:
    """Return the settings of a preset; an option of its own next to it is refused.

    Parameters
    ----------
    settings : RankSettings
        As asked for.
    given : mapping
        The options that a preset fixes, as the caller wrote them; None where not written.
    """
    if settings.preset is None:
        return settings
    clash = [name for name, value in given.items() if value is not None]
    if clash:
        raise InputError(
            f"`preset={settings.preset!r}` fixes the method; drop {', '.join(clash)}."
        )
    common: dict[str, Any] = {
        "unit": "item",
        "level": "document" if settings.level == "document" else "item",
        "correction": "none",
        "within_raters": False,
        "one_sided": settings.preset != "wmt24",
    }
    return replace(settings, **common, **_CHOICES[settings.preset])
