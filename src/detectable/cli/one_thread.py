"""One thread of linear algebra for a whole command."""

import os
import sys

# What the builds of BLAS read when numpy loads them.
_VARIABLES = (
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_ASKED = "OMP_NUM_THREADS"  # who set it has chosen for all of them


def one_blas_thread() -> None:
    """Let linear algebra start with one thread, also in the processes that are started later.

    Starting a thread per core costs .05 s of CPU, and all work that is shared out runs with one
    thread anyway. Only the command line does this: a library must not set what belongs to the
    program that uses it. It has no effect once numpy is there, so it does nothing then; a number
    that the user has set stays.
    """
    if "numpy" in sys.modules or _ASKED in os.environ:
        return
    for variable in _VARIABLES:
        os.environ.setdefault(variable, "1")
