"""All scenarios under one name: ``dt.scenarios.Bleu()``, ``dt.scenarios.Accuracy(…)``.

>>> import detectable as dt
>>> round(dt.power(dt.scenarios.Accuracy(agreement=.975), n_items=500, effect=.02).power, 4)
0.7976
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from detectable.planning.accuracy import Accuracy as Accuracy
    from detectable.planning.bleu import Bleu as Bleu
    from detectable.planning.likert import Likert as Likert
    from detectable.planning.margins import AccuracyMargin as AccuracyMargin
    from detectable.planning.margins import RatingsMargin as RatingsMargin
    from detectable.planning.pilot import Pilot as Pilot
    from detectable.planning.preference import Preference as Preference
    from detectable.planning.rank_sum import RankSum as RankSum
    from detectable.planning.ratings import Ratings as Ratings
    from detectable.planning.scenario import Closed as Closed
    from detectable.planning.scenario import EffectRange as EffectRange
    from detectable.planning.scenario import Scenario as Scenario
    from detectable.planning.scenario import Trials as Trials
    from detectable.planning.swap_effects import SwapFit as SwapFit
    from detectable.planning.unpaired_accuracy import UnpairedAccuracy as UnpairedAccuracy

_WHERE = {
    "Accuracy": "detectable.planning.accuracy",
    "AccuracyMargin": "detectable.planning.margins",
    "Bleu": "detectable.planning.bleu",
    "Closed": "detectable.planning.scenario",
    "EffectRange": "detectable.planning.scenario",
    "Likert": "detectable.planning.likert",
    "Pilot": "detectable.planning.pilot",
    "Preference": "detectable.planning.preference",
    "RankSum": "detectable.planning.rank_sum",
    "Ratings": "detectable.planning.ratings",
    "RatingsMargin": "detectable.planning.margins",
    "Scenario": "detectable.planning.scenario",
    "SwapFit": "detectable.planning.swap_effects",
    "Trials": "detectable.planning.scenario",
    "UnpairedAccuracy": "detectable.planning.unpaired_accuracy",
}
__all__ = [
    "Accuracy",
    "AccuracyMargin",
    "Bleu",
    "Closed",
    "EffectRange",
    "Likert",
    "Pilot",
    "Preference",
    "RankSum",
    "Ratings",
    "RatingsMargin",
    "Scenario",
    "SwapFit",
    "Trials",
    "UnpairedAccuracy",
]


def __getattr__(name: str) -> Any:
    """Import a scenario on first use: some of them need scipy, others numba."""
    if name not in _WHERE:
        message = f"module 'detectable.scenarios' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
