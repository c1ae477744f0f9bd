"""What is known of the terminal: how wide it is, and whether it shows colours."""

import os
import sys


def terminal_width() -> int:
    """Return the width of the terminal; 80 where the output goes elsewhere."""
    if not sys.stdout.isatty():
        return 80
    import shutil

    return shutil.get_terminal_size((80, 24)).columns


def shows_colours() -> bool:
    """Say whether colours are wanted: on a terminal, unless NO_COLOR says otherwise."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain
