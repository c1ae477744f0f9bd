"""One section in a process of its own: ``python -m benchmarks.section NAME``."""

import os
import sys
import threading
from importlib import import_module

from benchmarks.results import code_of, keep
from benchmarks.timing import ROWS

_EVERY = 10.0  # seconds between two looks at the load of the machine


def main(name: str) -> None:
    """Run a section, and keep its rows if it comes to its end."""
    code = code_of(name)
    loads, over = [os.getloadavg()[0]], threading.Event()

    def look() -> None:
        while not over.wait(_EVERY):
            loads.append(os.getloadavg()[0])

    watching = threading.Thread(target=look, daemon=True)
    watching.start()
    import_module(f"benchmarks.bench_{name}").main()
    over.set()
    keep(name, ROWS, loads, code)


if __name__ == "__main__":
    main(sys.argv[1])
