"""Work that makes many objects which live on."""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def many_objects() -> Iterator[None]:
    """Let Python not look for garbage in here.

    It looks through all objects again whenever a quarter more are there. Where they all live on, the
    search finds nothing, takes half of the time, and makes linear work grow faster than the data.
    Objects that nobody holds go as ever; only circles of them wait until the end.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
