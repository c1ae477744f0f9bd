"""The planner of ``detectable serve``: CPU of the server for one move of a slider, per scenario."""

import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import numpy as np

from benchmarks.timing import measured
from detectable.report.planner.forms import forms

MOVES = 12
QUICK, SLOW = 50, 300  # milliseconds that were asked for: closed forms, and Likert scales
_TICK = os.sysconf("SC_CLK_TCK")
_STARTED = re.compile(r"is at (http://\S+?)/ ")


def _cpu(process: int) -> float:
    """Return the seconds of CPU that a process has used."""
    parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / _TICK


def _moves(address: str, name: str, more: str) -> list[str]:
    """Return addresses as a slider of the size gives them, none asked before."""
    size = forms()[name].size
    low, high = size.slider
    steps = np.geomspace(2.0 * low, 0.5 * high, MOVES).round().astype(int)
    return [f"{address}/plan?s={name}&n={n + 1}{more}" for n in steps]


def main() -> None:
    print(
        "\ndetectable serve: CPU of the server per move of a slider, page and all; mean of 12"
    )
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "detectable", "serve", folder, "--port", "0"]
        with subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            try:
                assert server.stdout is not None
                found = _STARTED.search(server.stdout.readline())
                assert found is not None
                _measure(found[1], server.pid)
            finally:
                server.kill()


def _measure(address: str, process: int) -> None:
    urllib.request.urlopen(f"{address}/static/vega.js", timeout=120).read()
    for name in forms():
        for label, more in ((name, ""), (f"{name}, 5 looks", "&k=5")):
            urllib.request.urlopen(f"{address}/plan?s={name}{more}", timeout=120).read()
            before = _cpu(process)
            for move in _moves(address, name, more):
                urllib.request.urlopen(move, timeout=120).read()
            each = 1000.0 * (_cpu(process) - before) / MOVES
            note = f"(asked: {SLOW if name == 'likert' else QUICK} ms)"
            print(measured(f"planner, {label}", f"{each:.0f} ms", note, kind="in process"))


if __name__ == "__main__":
    main()
