"""One thread of linear algebra: for a whole command, or for as long as a block of work takes."""

import os
import sys
from contextlib import AbstractContextManager, nullcontext

# What the builds of BLAS read when numpy loads them.
_VARIABLES = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_ALL = "OMP_NUM_THREADS"  # who set it has chosen for all of them
_CHOSEN = "DETECTABLE_ONE_THREAD"  # tells the processes that are started later


def start_with_one_thread() -> None:
    """Let linear algebra start with one thread, also in the processes that are started later.

    Starting a thread per core costs .05 s of CPU, and all work that is shared out runs with one
    thread anyway. Only the command line may call this: a library must not set what belongs to the
    program that uses it. It has no effect once numpy is there, so it does nothing then; a number
    that the user has set stays.
    """
    if "numpy" in sys.modules or os.environ.get(_ALL, "1") != "1":
        return
    for variable in _VARIABLES:
        os.environ.setdefault(variable, "1")
    if all(os.environ[variable] == "1" for variable in _VARIABLES):
        os.environ[_CHOSEN] = "1"


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
