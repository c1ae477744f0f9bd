"""When the next look is to be expected, if raters go on as they do now."""

import time
from dataclasses import dataclass

from detectable.data.store.store import Store
from detectable.data.store.work_done import finished_at

_WINDOW = 6 * 3600.0  # seconds that are looked back
_FEWEST = 3  # pieces of work that make a pace


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The pace of a campaign.

    Attributes
    ----------
    works_per_hour : float or None
        Pieces of work finished, since the first within the last six hours; None for fewer than 3.
    next_look : float or None
        When the next look is to be expected, in unix seconds; None if it cannot be said.
    """

    works_per_hour: float | None
    next_look: float | None


def forecast(
    store: Store, name: str, *, n_units: int, wanted: int | None, now: float | None = None
) -> Forecast:
    """Return the pace, and when so many units are to be expected.

    Every piece of work so far brought ``n_units / done`` units, admission and all; the rest is
    taken to bring as much.

    Parameters
    ----------
    n_units : int
        That count so far.
    wanted : int, optional
        Units of the next look.
    """
    when = time.time() if now is None else now
    done = store.status(name)["works_done"]
    times = finished_at(store, name, when - _WINDOW)
    if len(times) < _FEWEST or when <= times[0]:
        return Forecast(works_per_hour=None, next_look=None)
    # The first one opens the clock: what led to it came before.
    per_second = (len(times) - 1) / (when - times[0])
    missing = None if wanted is None else max(0, wanted - n_units)
    next_look = None
    if missing is not None and n_units and done:
        next_look = when + missing / (per_second * n_units / done)
    return Forecast(works_per_hour=3600.0 * per_second, next_look=next_look)
