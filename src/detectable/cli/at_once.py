"""Run the command line and leave at once."""

import atexit
import gc


def run() -> None:
    """Run the command line as a program of its own, and end without looking for cycles.

    At its end Python searches all objects of all modules for cycles, several times: a tenth of the
    time of a short command, for memory that the system takes back anyway. Frozen objects are not
    searched. All else that is due at the end is done as ever.
    """
    from detectable.cli import main

    atexit.register(gc.freeze)
    main()
