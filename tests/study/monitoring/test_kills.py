"""Killed at every step that writes: nothing is lost, nothing is in the way, nothing is half.

A shim counts the system calls that change a file and ends the process at the k-th, for every k:
with SIGKILL, as by a power cut, and with SIGINT and SIGTERM, as by a person or a scheduler. It also
ends processes at any moment, between two such calls or in one.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from detectable.data.files.ledger_file import read_entries
from tests.study.monitoring.plan_tables import differences_with, judged, write_csv

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a shim ends forked processes")

# One process imports everything once; each attempt is a fork of it that dies at its k-th step.
SHIM = """
import builtins, contextlib, io, os, signal, sys, time

STEPS = ("fsync", "replace", "rename", "link", "unlink", "fchmod", "fchown", "ftruncate")
how = getattr(signal, sys.argv[1])
from detectable.cli import main
# Imported here, a fork need not; nothing is run, so no thread is lost at the fork.
import importlib, pkgutil, detectable
for found in pkgutil.walk_packages(detectable.__path__, "detectable."):
    if "meteor" not in found.name and not found.name.endswith("__main__"):
        importlib.import_module(found.name)
import polars, msgspec, scipy.stats, scipy.optimize, scipy.special, scipy.integrate

def count_down(k):
    left = [k]
    def wrap(own):
        def step(*given, **named):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), how)
            return own(*given, **named)
        return step
    for name in STEPS:
        setattr(os, name, wrap(getattr(os, name)))
    plain, stepping = os.open, wrap(os.open)
    os.open = lambda path, flags, *more: (
        (stepping if flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR) else plain)(path, flags, *more)
    )
    own_open = io.open
    def opened(file, mode="r", *more, **named):
        if any(letter in mode for letter in "wax+"):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), how)
        return own_open(file, mode, *more, **named)
    builtins.open = io.open = opened

for line in sys.stdin:
    k, *words = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        count_down(int(k))
        try:
            main(words)
        except SystemExit as end:
            os._exit(int(end.code or 0))
        os._exit(0)
    if int(k) < 0:  # microseconds
        time.sleep(-int(k) / 1e6)
        os.kill(child, how)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Shim:
    """A process whose forks die at a given step."""

    def __init__(self, how: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(SHIM), how],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, k: int, *words: object) -> int:
        """Run a command that dies at step k, and return its exit code."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\t".join(map(str, (k, *words))) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def close(self) -> None:
        """End it."""
        self.process.communicate()


def _died(how: str, code: int) -> bool:
    # Ctrl-C is caught: the command says so and ends with 1.
    return code == 1 if how == "SIGINT" else code == -getattr(signal, how)


def _left(folder: Path) -> list[str]:
    return sorted(
        path.name for path in folder.iterdir() if path.name.startswith(".detectable-")
    )


STREAM = judged(differences_with((30, 0.9), (60, 3.3)))
FIRST = {name: values[:60] for name, values in STREAM.items()}
NEVER = 10**9


@pytest.mark.parametrize(
    ("how", "steps"),
    [
        ("SIGKILL", 3),
        *(
            pytest.param(how, 1, marks=pytest.mark.slow)
            for how in ("SIGKILL", "SIGINT", "SIGTERM")
        ),
    ],
)
def test_a_life_killed_at_every_step(
    tmp_path: Path, how: str, steps: int, record_property: Callable[[str, object], None]
) -> None:
    """Die at step 1, 2, 3 … of plan, look and conclude; then the same command must work.

    Every change dies at each third step, and begins with another one in each command.
    """
    shim = Shim(how)
    start = tmp_path / "start"
    start.mkdir()
    commands = _life(tmp_path)
    killed = 0
    for number, command in enumerate(commands):
        k = 1 + number % steps - steps
        while True:
            k += steps
            folder = tmp_path / f"{number}-{k}"
            shutil.copytree(start, folder)
            before = _state(folder)
            code = shim.run(k, *(word.format(folder) for word in command))
            if code == 0:  # there was no k-th step
                break
            assert _died(how, code), (command, k, code)
            killed += 1
            after = _state(folder)
            done = after != before
            again = shim.run(NEVER, *(word.format(folder) for word in command))
            # What was finished before the kill is refused now (it exists, or nothing is new);
            # what was not is done now. Either way the state is the one without a kill.
            assert again == (1 if done and command[0] != "conclude" else 0), (command, k)
            assert _state(folder) == _expected(number), (command, k)
            if not done:
                assert not _left(folder), (command, k)
            shutil.rmtree(folder)
        shutil.rmtree(start)
        shutil.move(folder, start)
    shim.close()
    assert killed * steps > 30  # so many steps there are, at least
    record_property("kills", killed)


def _life(folder: Path) -> list[tuple[str, ...]]:
    """Return the commands from a plan to its conclusion."""
    first = write_csv(folder / "first.csv", FIRST)
    everything = write_csv(folder / "all.csv", STREAM)
    return [
        ("plan", "new", "{}/ship.json", "--systems", "new,old", "--n-max", "100"),
        ("look", "{}/ship.json", str(first)),
        ("look", "{}/ship.json", str(everything)),
        ("conclude", "{}/ship.json"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT", "SIGTERM"])
def test_lives_killed_at_random_moments(
    tmp_path: Path, how: str, record_property: Callable[[str, object], None]
) -> None:
    """Forty deaths or more, at moments drawn over the time that each command takes.

    The shim's sleep only chooses the moment. What is asserted holds at any, also on a machine that
    is slower or faster: then more of them die early, or more lives are needed.
    """
    shim, draw = Shim(how), random.Random(f"2031 {how}")
    commands, killed = _life(tmp_path), 0
    while killed < 40:
        folder = tmp_path / f"life-{killed}"
        folder.mkdir()
        for number, command in enumerate(commands):
            words = [word.format(folder) for word in command]
            before = _state(folder)
            code = shim.run(-draw.randrange(1, 400_000), *words)
            if code:
                assert _died(how, code), (command, code)
                killed += 1
            after = _state(folder)
            assert after in (before, _expected(number)), (command, code)
            if after == before:
                assert shim.run(NEVER, *words) == 0, command
            assert _state(folder) == _expected(number), (command, code)
        shutil.rmtree(folder)
    shim.close()
    record_property("kills", killed)


def _state(folder: Path) -> tuple[bool, int, bool]:
    """Return what is there: a plan, so many entries that are checked, a conclusion."""
    plan, conclusion = folder / "ship.json", folder / "ship.conclusion.json"
    if plan.exists():
        json.loads(plan.read_text())  # whole
    if conclusion.exists():
        json.loads(conclusion.read_text())
    n = len(read_entries(folder / "ship.ledger.jsonl"))
    return plan.exists(), n if plan.exists() else 0, conclusion.exists()


def _expected(number: int) -> tuple[bool, int, bool]:
    return [(True, 1, False), (True, 2, False), (True, 3, False), (True, 3, True)][number]


@pytest.mark.parametrize("n", [2, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("what", ["plan", "look"])
def test_a_race_has_one_winner(tmp_path: Path, n: int, what: str) -> None:
    plan, data = tmp_path / "ship.json", write_csv(tmp_path / "data.csv", FIRST)
    make = ["plan", "new", str(plan), "--systems", "new,old", "--n-max", "100"]
    command = [sys.executable, "-m", "detectable"]
    if what == "look":
        subprocess.run([*command, *make], check=True, capture_output=True)
        make = ["look", str(plan), str(data)]
    racers = [
        subprocess.Popen(
            [*command, *make], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(n)
    ]
    ends = [(racer.communicate()[1], racer.returncode) for racer in racers]
    assert sorted(code for _, code in ends) == [0] + [1] * (n - 1)
    for said, code in ends:
        if code:
            assert said.count("Error: ") == 1
            assert any(
                reason in said
                for reason in ("another process", "exists already", "no judgment is new")
            )
    assert len(read_entries(tmp_path / "ship.ledger.jsonl")) == (1 if what == "plan" else 2)


def test_who_reads_while_others_write_is_told_nothing_wrong(tmp_path: Path) -> None:
    """Readers without a lock, all the time, while a writer adds entry after entry."""
    ledger = tmp_path / "a.ledger.jsonl"
    writer = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from detectable.data.files.ledger_file import append_entry
        entries = []
        for number in range(200):
            entries.append(append_entry(Path(sys.argv[1]), {"look": number}, entries))
        """
    )
    process = subprocess.Popen([sys.executable, "-c", writer, str(ledger)])
    seen = [0]
    while process.poll() is None:
        seen.append(len(read_entries(ledger)))
    assert process.returncode == 0
    assert len(read_entries(ledger)) == 200
    assert seen == sorted(seen)
    assert len(set(seen)) > 5  # they met
