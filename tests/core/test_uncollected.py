"""The search for cycles is paused, and goes on as it was."""

import gc

import pytest

from detectable.core.interpreter import uncollected


def test_it_goes_on_afterwards_also_after_an_error() -> None:
    assert gc.isenabled()
    with uncollected():
        assert not gc.isenabled()
    with pytest.raises(ValueError, match="no"), uncollected():
        raise ValueError("no")
    assert gc.isenabled()


def test_what_was_paused_stays_so() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
