"""Who is signed in: random secrets, kept by their hashes in the memory of this server.

A signed cookie would hold until it ends by itself; a record can be taken away. A server that is
started again knows nobody.
"""

import hashlib
import secrets
import time
from collections import deque
from collections.abc import Callable

LIFETIME = 12 * 3600.0  # seconds
_BYTES = 32
_MOST = 1000  # sessions at a time; the oldest goes first

WRONG = 10  # wrong passwords from one address within a minute
_MINUTE = 60.0
_ADDRESSES = 10_000  # that are remembered


class Sessions:
    """The sessions of one server."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends: dict[str, float] = {}

    def begin(self) -> str:
        """Return the secret of a new session."""
        secret = secrets.token_urlsafe(_BYTES)
        self._drop_ended()
        while len(self._ends) >= _MOST:
            del self._ends[next(iter(self._ends))]
        self._ends[_hash(secret)] = self._clock() + LIFETIME
        return secret

    def knows(self, secret: str) -> bool:
        """Say whether a session goes on."""
        return self._ends.get(_hash(secret), -1.0) > self._clock()

    def end(self, secret: str) -> None:
        """End a session, whatever cookies are still around."""
        self._ends.pop(_hash(secret), None)

    def _drop_ended(self) -> None:
        now = self._clock()
        self._ends = {key: end for key, end in self._ends.items() if end > now}


class Attempts:
    """Wrong passwords, by the address that they came from."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: dict[str, deque[float]] = {}

    def wait(self, address: str) -> float:
        """Return the seconds until this address may try again; 0 if now."""
        times = self._recent(address)
        return 0.0 if len(times) < WRONG else times[0] + _MINUTE - self._clock()

    def note(self, address: str) -> None:
        """Note a try, before it is known whether it is wrong: many may come at once."""
        times = self._recent(address)
        times.append(self._clock())
        self._wrong[address] = times
        while len(self._wrong) > _ADDRESSES:
            del self._wrong[next(iter(self._wrong))]

    def forgive(self, address: str) -> None:
        """Forget the last try: it was right."""
        times = self._recent(address)
        if times:
            times.pop()
        if not times:
            self._wrong.pop(address, None)

    def _recent(self, address: str) -> deque[float]:
        times = self._wrong.get(address, deque())
        while times and times[0] <= self._clock() - _MINUTE:
            times.popleft()
        return times


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
