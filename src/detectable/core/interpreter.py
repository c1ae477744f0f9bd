"""How Python and BLAS run: one thread of linear algebra, and no search for cycles where none can be."""

import contextlib
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

# What the builds of BLAS read when numpy loads them.
_VARIABLES = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_CHOSEN = "DETECTABLE_ONE_THREAD"  # tells the processes that are started later


def start_with_one_thread() -> None:
    """Let linear algebra start with one thread, also in the processes that are started later.

    Starting a thread per core costs .05 s of CPU, and all work that is shared out runs with one
    thread anyway. A number that the user has set does not count: with several threads sums are added
    in another order, and a result would differ in its last bit from what `verify` computes. Only the
    command line may call this: a library must not set what belongs to the program that uses it. It
    has no effect once numpy is there, so it does nothing then.
    """
    if "numpy" in sys.modules:
        return
    for variable in (*_VARIABLES, _CHOSEN):
        os.environ[variable] = "1"


def one_thread() -> AbstractContextManager[object]:
    """Hold linear algebra to one thread; where it started with one, there is nothing to do.

    Examples
    --------
    >>> with one_thread():
    ...     pass
    """
    if os.environ.get(_CHOSEN) == "1":
        return nullcontext()
    from threadpoolctl import threadpool_limits  # which looks at every library that is loaded

    limits: AbstractContextManager[object] = threadpool_limits(limits=1)
    return limits


# --- Work that makes many objects which live on ---


@contextlib.contextmanager
def many_objects() -> Iterator[None]:
    """Disable the cyclic garbage collector in this block.

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


# --- Work without the search for cycles: many small values hold none ---


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
