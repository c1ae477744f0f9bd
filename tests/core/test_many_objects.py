"""The garbage collector rests while many objects are made, and is as it was afterwards."""

import gc

import pytest

from detectable.core.interpreter import many_objects


def test_it_rests_inside_and_runs_again_afterwards() -> None:
    assert gc.isenabled()
    with many_objects():
        assert not gc.isenabled()
        with many_objects():
            pass
        assert not gc.isenabled()  # whoever is outside decides
    assert gc.isenabled()


def test_it_runs_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="it"), many_objects():
        raise ValueError("it")
    assert gc.isenabled()
