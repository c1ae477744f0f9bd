"""Run the command line and leave at once."""

import atexit
import os
import sys
from typing import NoReturn

from detectable.cli import main

# Whoever has started others waits for them in the usual way.
_WAITS = ("multiprocessing", "distributed")


def run() -> NoReturn:
    """Run the command line as a program of its own, and leave without taking it apart.

    At its end Python frees every object of every module, one by one: a tenth of the time of a short
    command, for memory that the system takes back anyway. What was printed is written out, and what
    was registered to be done at the end is done, as ever.
    """
    try:
        main()
    except SystemExit as left:
        code = left.code
    else:
        code = None
    if not (code is None or isinstance(code, int)) or any(
        name in sys.modules for name in _WAITS
    ):
        sys.exit(code)
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # as in a program without a terminal
                stream.flush()
    except (OSError, ValueError):  # nobody listens; Python says so in its own way
        sys.exit(code)
    os._exit(code or 0)
