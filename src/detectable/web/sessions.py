"""Who is signed in: random secrets, kept by their hashes in the memory of this server.

A signed cookie would hold until it ends by itself; a record can be taken away. A server that is
started again knows nobody.
"""

import hashlib
import secrets
import time
from collections.abc import Callable

from detectable.web.per_minute import PerMinute

LIFETIME = 12 * 3600.0  # seconds
_BYTES = 32
_MOST = 1000  # sessions at a time; the oldest goes first

WRONG = 10  # wrong passwords from one address within a minute


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


class Attempts(PerMinute):
    """Wrong passwords, by the address that they came from."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(WRONG, clock)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
