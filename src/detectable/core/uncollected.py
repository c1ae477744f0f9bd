"""Work without the search for cycles: many small values hold none."""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Pause Python's search for cycles while very many small values are made.

    It would look through all of them again and again: a third of the time of reading a table of
    80,000 scores.

    Examples
    --------
    >>> with uncollected():
    ...     gc.isenabled()
    False
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
