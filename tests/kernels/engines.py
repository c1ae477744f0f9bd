"""Kernels both ways: as compiled, and as they run where there is no library."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from detectable.kernels.native import library
from tests.helpers import require

ENGINES = ("native", "numpy")


@contextmanager
def engine(name: str) -> Iterator[None]:
    """Run kernels natively (skipped where nothing was compiled) or by numpy."""
    with pytest.MonkeyPatch.context() as patch:
        if name == "numpy":
            patch.setenv("DETECTABLE_NATIVE", "0")
        else:
            patch.delenv("DETECTABLE_NATIVE", raising=False)
        _forget()
        try:
            if name == "native" and library.native("count_draws") is None:
                require("native", "the C kernels are not compiled; install with a compiler")
            _forget()
            yield
        finally:
            _forget()


def _forget() -> None:
    library.native.cache_clear()
    library._library.cache_clear()
