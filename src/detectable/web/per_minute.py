"""How often somebody may ask within a minute."""

import time
from collections import deque
from collections.abc import Callable

_MINUTE = 60.0  # seconds
_MOST_KEYS = 10_000  # that are remembered; who asked longest ago goes first


class PerMinute:
    """Counts what came within the last minute, by an address or the hash of a secret.

    Parameters
    ----------
    most : int
        How many may come.
    clock : callable
        Seconds that never go back.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._times: dict[str, deque[float]] = {}

    def wait(self, key: str) -> float:
        """Return the seconds until this one may come again; 0 if now."""
        times = self._recent(key)
        return 0.0 if len(times) < self._most else times[0] + _MINUTE - self._clock()

    def note(self, key: str) -> None:
        """Note that it came, before it is known what becomes of it: many may come at once."""
        times = self._recent(key)
        times.append(self._clock())
        self._times.pop(key, None)
        self._times[key] = times
        while len(self._times) > _MOST_KEYS:
            del self._times[next(iter(self._times))]

    def forgive(self, key: str) -> None:
        """Forget the last one."""
        times = self._recent(key)
        if times:
            times.pop()
        if not times:
            self._times.pop(key, None)

    def _recent(self, key: str) -> deque[float]:
        times = self._times.get(key, deque())
        while times and times[0] <= self._clock() - _MINUTE:
            times.popleft()
        return times
