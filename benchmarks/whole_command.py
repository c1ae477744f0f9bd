"""A whole command in a process of its own: CPU seconds and the most memory of all its processes."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_EVERY = 0.02  # seconds between two looks at the memory


@dataclass(frozen=True, slots=True)
class Used:
    """What a command used.

    Attributes
    ----------
    cpu : float
        Seconds, user and system, with all child processes.
    peak : float
        GB (1e9 bytes) resident at the same time in the command and its child processes.
    output : str
        What it printed.
    """

    cpu: float
    peak: float
    output: str


def whole_command(*arguments: str) -> Used:
    """Run ``detectable`` with these arguments, and measure it from outside.

    All processes together are looked at fifty times a second. What the command itself held between
    two looks the system knows, so the larger of both counts. Needs ``/proc``, that is Linux.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    peak = 0
    with tempfile.TemporaryFile("w+") as printed:
        process = subprocess.Popen(
            [sys.executable, "-m", "detectable", *arguments],
            stdout=printed,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        while process.poll() is None:
            together = sum(_kilobytes(pid, "VmRSS") for pid in _tree(process.pid))
            peak = max(peak, together, _kilobytes(process.pid, "VmHWM"))
            time.sleep(_EVERY)
        printed.seek(0)
        output = printed.read()
    if process.returncode:
        raise RuntimeError(f"detectable {' '.join(arguments)} ended with {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Used(cpu=cpu, peak=peak * 1024 / 1e9, output=output)


def _tree(pid: int) -> list[int]:
    """Return a process and all that it has started."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            children = (task / "children").read_text().split()
        except OSError:  # it has just ended
            continue
        found += [one for child in children for one in _tree(int(child))]
    return found


def _kilobytes(pid: int, name: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)
