"""Other people's rankings, number for number, with what is weak about them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from detectable.core.choices import RankingPreset
from detectable.core.errors import InputError
from detectable.study.ranking.settings import RankSettings

_CHOICES: Mapping[RankingPreset, Mapping[str, Any]] = {
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

WEAKNESSES: Mapping[RankingPreset, str] = {
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
        "level": "item",
        "correction": "none",
        "within_raters": False,
        "one_sided": settings.preset != "wmt24",
    }
    return replace(settings, **common, **_CHOICES[settings.preset])
