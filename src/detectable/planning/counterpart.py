"""The same evaluation with pairs instead of without, or the reverse: means with means, ranks with ranks.

A planner who compares the two must not compare two tests as well: Mann-Whitney's test without
pairs can need fewer judgments than a t-test with them, only because ranks suit the scores.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from detectable.core.choices import RatingMethod, RatingTest
from detectable.core.errors import InputError
from detectable.planning.scenario import Scenario

if TYPE_CHECKING:
    from detectable.planning.accuracy import Accuracy, UnpairedAccuracy
    from detectable.planning.margins import RatingsMargin
    from detectable.planning.ratings import Ratings

# Of the two ratings of an item, where nobody said: in ShipData it is about .67.
CORRELATION = 0.5
_PAIRED: dict[RatingTest, RatingTest] = {"two-means": "paired-mean", "rank-sum": "signed-rank"}
_UNPAIRED: dict[RatingTest, RatingTest] = {b: a for a, b in _PAIRED.items()}


class Counterpart(NamedTuple):
    """The other way to collect the same judgments."""

    scenario: Scenario
    words: str  # what is different, to begin a sentence with


def counterpart(scenario: Scenario) -> Counterpart | None:
    """Return the scenario with pairs for one without, and the reverse; None where none is known.

    Found by the name of the class or of one it derives from, so that no scenario imports the
    others.

    Examples
    --------
    >>> from detectable.planning.ratings import Ratings
    >>> counterpart(Ratings(mean=80, sd=20, test="rank-sum")).words
    'With both systems judged on the same items (signed-rank, correlation 0.5)'
    """
    for kind in type(scenario).__mro__:
        if kind.__name__ in _MAKERS:
            return _MAKERS[kind.__name__](scenario)
    return None


def _ratings(scenario: "Ratings") -> Counterpart | None:
    if scenario.test in _UNPAIRED:
        test = _UNPAIRED[scenario.test]
        other = replace(scenario, test=test, correlation=None, method="closed-form")
        return Counterpart(other, f"With every system judged on items of its own ({test})")
    test = _PAIRED[scenario.test]
    # A sentence needs no simulation, except for the signed-rank test, which has no closed form.
    method: RatingMethod = "simulated" if test == "signed-rank" else "closed-form"
    other = replace(scenario, test=test, correlation=CORRELATION, method=method)
    return Counterpart(
        other,
        f"With both systems judged on the same items ({test}, correlation {CORRELATION:g})",
    )


def _ratings_margin(scenario: "RatingsMargin") -> Counterpart | None:
    from detectable.planning.ratings import Ratings

    other = _ratings(scenario.ratings)
    if other is None or not isinstance(other.scenario, Ratings):
        return None
    return Counterpart(replace(scenario, ratings=other.scenario), other.words)


def _accuracy(scenario: "Accuracy") -> Counterpart | None:
    from detectable.planning.accuracy import UnpairedAccuracy

    if scenario.baseline_accuracy is None:
        return None
    return Counterpart(
        UnpairedAccuracy(scenario.baseline_accuracy),
        "With every system tested on items of its own (proportions)",
    )


def _unpaired_accuracy(scenario: "UnpairedAccuracy") -> Counterpart | None:
    from detectable.planning.accuracy import Accuracy

    try:
        other = Accuracy(baseline_accuracy=scenario.baseline_accuracy, prior="lachenbruch")
    except InputError:
        return None
    return Counterpart(
        other,
        "With both systems tested on the same items (sign test, agreement in the middle of what is "
        "possible)",
    )


_MAKERS: dict[str, Callable[[Any], Counterpart | None]] = {
    "Accuracy": _accuracy,
    "Ratings": _ratings,
    "RatingsMargin": _ratings_margin,
    "UnpairedAccuracy": _unpaired_accuracy,
}
