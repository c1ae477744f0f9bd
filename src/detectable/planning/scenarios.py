"""All scenarios under one name: ``dt.scenarios.Bleu()``, ``dt.scenarios.Accuracy(…)``.

A scenario is found by the name of its class: `RankSum` in ``planning/rank_sum.py``. What
someone needs to write one of their own is here too.

>>> import detectable as dt
>>> round(dt.power(dt.scenarios.Accuracy(agreement=.975), n_items=500, effect=.02).power, 4)
0.7976
"""

import pkgutil
import re
from importlib import import_module, util
from typing import TYPE_CHECKING, Any

from detectable import planning

if TYPE_CHECKING:
    from detectable.planning.accuracy import Accuracy as Accuracy
    from detectable.planning.arena import Arena as Arena
    from detectable.planning.bleu import Bleu as Bleu
    from detectable.planning.likert import Likert as Likert
    from detectable.planning.margins import AccuracyMargin as AccuracyMargin
    from detectable.planning.margins import RatingsMargin as RatingsMargin
    from detectable.planning.pilot import Pilot as Pilot
    from detectable.planning.preference import Preference as Preference
    from detectable.planning.rank_sum import RankSum as RankSum
    from detectable.planning.ratings import Ratings as Ratings
    from detectable.planning.samples import Samples as Samples
    from detectable.planning.scenario import Closed as Closed
    from detectable.planning.scenario import EffectRange as EffectRange
    from detectable.planning.scenario import Scenario as Scenario
    from detectable.planning.scenario import Trials as Trials
    from detectable.planning.swap_effects import SwapFit as SwapFit
    from detectable.planning.unpaired_accuracy import UnpairedAccuracy as UnpairedAccuracy

# Classes that share a file with another.
_ELSEWHERE = {
    **dict.fromkeys(("AccuracyMargin", "RatingsMargin"), "margins"),
    **dict.fromkeys(("Closed", "EffectRange", "Trials"), "scenario"),
    "SwapFit": "swap_effects",
}
_WORD = re.compile(r"(?<!^)(?=[A-Z])")


def __getattr__(name: str) -> Any:
    """Import a scenario on first use: some of them need scipy."""
    home = _ELSEWHERE.get(name, _WORD.sub("_", name).lower())
    path = f"{planning.__name__}.{home}"
    if path != __name__ and name[:1].isupper() and util.find_spec(path) is not None:
        found = getattr(import_module(path), name, None)
        if found is not None:
            return found
    message = f"module 'detectable.scenarios' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    """Return the names of all scenarios; this imports the whole layer."""
    base = import_module(f"{planning.__name__}.scenario").Scenario
    names = {*_ELSEWHERE, "Scenario"}
    for found in pkgutil.iter_modules(planning.__path__):
        name = "".join(part.capitalize() for part in found.name.split("_"))
        kind = getattr(import_module(f"{planning.__name__}.{found.name}"), name, None)
        if isinstance(kind, type) and issubclass(kind, base):
            names.add(name)
    return sorted(names)
