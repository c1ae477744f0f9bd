"""Clocks of stores that do not wait."""

import itertools
import time
from types import SimpleNamespace

import pytest

STEP = (
    64.0  # seconds between a page and its save: a power of two, so that differences are exact
)


@pytest.fixture
def people_take_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a minute pass whenever a page is given or saved."""
    now = itertools.count(float(int(time.time())), STEP)
    clock = SimpleNamespace(time=lambda: next(now))
    monkeypatch.setattr("detectable.data.store.claims.time", clock)
