"""Run the command line and leave at once."""

import atexit
import gc

# New objects after which Python looks for cycles. By default 700: while a command loads its modules,
# and compiles them where no .pyc is there, it would look hundreds of times for what modules never
# hold. So many objects take some 20 MB, which a command that makes cycles may hold in vain.
_OBJECTS = 200_000


def run() -> None:
    """Run the command line as a program of its own, and rarely look for cycles, at the end never.

    At its end Python searches all objects of all modules for cycles, several times: a tenth of the
    time of a short command, for memory that the system takes back anyway. Frozen objects are not
    searched. All else that is due at the end is done as ever.
    """
    gc.set_threshold(_OBJECTS)
    from detectable.cli import main

    atexit.register(gc.freeze)
    main()
