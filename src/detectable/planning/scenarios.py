"""All scenarios under one name: ``dt.scenarios.Bleu()``, ``dt.scenarios.Accuracy(…)``.

A scenario is found by the name of its class. What someone needs to write one of their own is
here too.

>>> import detectable as dt
>>> round(dt.power(dt.scenarios.Accuracy(agreement=.975), n_items=500, effect=.02).power, 4)
0.7976
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from detectable.planning.accuracy import Accuracy as Accuracy
    from detectable.planning.accuracy import UnpairedAccuracy as UnpairedAccuracy
    from detectable.planning.arena import Arena as Arena
    from detectable.planning.bleu import Bleu as Bleu
    from detectable.planning.documents import AssumedDocuments as AssumedDocuments
    from detectable.planning.documents import DocumentSpread as DocumentSpread
    from detectable.planning.likert import Likert as Likert
    from detectable.planning.margins import AccuracyMargin as AccuracyMargin
    from detectable.planning.margins import RatingsMargin as RatingsMargin
    from detectable.planning.pilot import Pilot as Pilot
    from detectable.planning.rank_sum import Preference as Preference
    from detectable.planning.rank_sum import RankSum as RankSum
    from detectable.planning.ratings import Ratings as Ratings
    from detectable.planning.samples import Samples as Samples
    from detectable.planning.scenario import Closed as Closed
    from detectable.planning.scenario import EffectRange as EffectRange
    from detectable.planning.scenario import Scenario as Scenario
    from detectable.planning.scenario import Trials as Trials
    from detectable.planning.swap_effects import SwapFit as SwapFit

_PLACES = {
    "Accuracy": "detectable.planning.accuracy",
    "Arena": "detectable.planning.arena",
    "AssumedDocuments": "detectable.planning.documents",
    "Bleu": "detectable.planning.bleu",
    "DocumentSpread": "detectable.planning.documents",
    "Likert": "detectable.planning.likert",
    "AccuracyMargin": "detectable.planning.margins",
    "RatingsMargin": "detectable.planning.margins",
    "Pilot": "detectable.planning.pilot",
    "Preference": "detectable.planning.rank_sum",
    "RankSum": "detectable.planning.rank_sum",
    "Ratings": "detectable.planning.ratings",
    "Samples": "detectable.planning.samples",
    "Closed": "detectable.planning.scenario",
    "EffectRange": "detectable.planning.scenario",
    "Scenario": "detectable.planning.scenario",
    "Trials": "detectable.planning.scenario",
    "SwapFit": "detectable.planning.swap_effects",
    "UnpairedAccuracy": "detectable.planning.accuracy",
}


def __getattr__(name: str) -> Any:
    """Import a scenario on first use: some of them need scipy."""
    if name not in _PLACES:
        message = f"module 'detectable.scenarios' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    """Return the names of all scenarios."""
    return sorted(_PLACES)
