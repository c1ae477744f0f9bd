"""Whole commands, as a person types them: CPU seconds and peak memory of the process tree."""

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took: CPU seconds (user and system, with children) and megabytes."""

    cpu: float
    peak_mb: float


def cost(command: Sequence[str], **environment: str) -> Cost:
    """Run a command once and return what it cost; what it says goes nowhere."""
    # Where it is set, an editable tree would be compiled again at every start.
    known = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    child = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**known, **environment},
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def side_by_side(
    commands: Mapping[str, Sequence[str]], *, repeats: Mapping[str, int], fresh: bool = False
) -> dict[str, Cost]:
    """Return the median cost of commands that take turns, so that both meet the same machine.

    Parameters
    ----------
    fresh : bool
        Without any compiled file of Python, as in an image that was just unpacked.
    """
    found: dict[str, list[Cost]] = {name: [] for name in commands}
    for turn in range(max(repeats.values())):
        for name, command in commands.items():
            if turn >= repeats[name]:
                continue
            with tempfile.TemporaryDirectory() as empty:
                clean = {"PYTHONPYCACHEPREFIX": empty, "PYTHONDONTWRITEBYTECODE": "1"}
                found[name].append(cost(command, **(clean if fresh else {})))
    return {
        name: Cost(median(c.cpu for c in costs), max(c.peak_mb for c in costs))
        for name, costs in found.items()
    }
