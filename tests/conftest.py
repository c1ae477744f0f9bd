"""Settings that hold for all tests."""

import os

import pytest
from hypothesis import settings

# No test asserts a time: machines are noisy, and a first call may compile. On CI the examples
# are the same every time, so that a change is judged by what it changes; elsewhere they are fresh.
settings.register_profile("house", deadline=None)
settings.register_profile("ci", parent=settings.get_profile("house"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "house")


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, where it is installed
def pytest_xdist_auto_num_workers() -> int:
    """Return one process more than cores: at any time one waits for a server or a browser."""
    return (os.cpu_count() or 1) + 1
