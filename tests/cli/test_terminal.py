"""``--checkpoint`` and ``--scheduler``: the same answer, with less of it to do, or by others."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from detectable.cli import terminal as progress
from detectable.cli.terminal import Bars, shows_colours, terminal_width
from detectable.core.scheduler import scheduler
from tests.cli.test_options import LEAVES
from tests.frozen.cases import CASES
from tests.frozen.run import PLACES
from tests.helpers import spread

COMMANDS = {
    "compare-texts": 10,
    "compare-all-pairs": 6,
    "compare-bootstrap": 2,
    "reliability-texts": 5,
    "power-ratings": 10,
    "power-pilot --simulate": 1,
    "rank-segments": 10,
    "translationese-texts": 7,
    "savings": 20,
}
ACCURACY = [
    "power",
    "accuracy",
    "--n",
    "200",
    "--agreement",
    ".9",
    "--effect",
    ".05",
    "--simulate",
    "--trials",
    "4096",
]


def _words(name: str) -> list[str]:
    """Return the command line of a frozen case, with what is asked of it beside."""
    case, *more = name.split()
    (line,) = CASES[case]
    for place, path in PLACES.items():
        line = re.sub(rf"\b{place}/", f"{path}/", line)
    return [*line.split(), *more]


def _run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_commands_with_jobs_have_a_checkpoint_and_no_others() -> None:
    def names(command: click.Command) -> set[str]:
        return {name for param in command.params for name in param.opts}

    found = {path for path, command in LEAVES.items() if "--checkpoint" in names(command)}
    jobs = {path for path, command in LEAVES.items() if "--jobs" in names(command)}
    assert found == jobs
    assert jobs == {path for path, one in LEAVES.items() if "--scheduler" in names(one)}
    assert len(jobs) > 30


@pytest.mark.parametrize("name", spread(COMMANDS))
def test_a_run_that_was_cut_short_says_the_same(name: str, tmp_path: Path) -> None:
    words, kept = [*_words(name), "--json"], tmp_path / "kept"
    plain = _run(*words)
    assert plain.exit_code == 0, plain.output
    first = _run(*words, "--checkpoint", str(kept))
    assert first.stdout == plain.stdout
    many = f"{COMMANDS[name]} finished block{'s' * (COMMANDS[name] > 1)}"
    assert f"Note: {kept} holds {many}. Delete it when you are done." in first.stderr
    whole = kept.read_bytes()
    kept.write_bytes(whole[: len(whole) * 2 // 3])
    again = _run(*words, "--checkpoint", str(kept))
    assert again.stdout == plain.stdout
    assert kept.read_bytes() == whole
    last = _run(*words, "--checkpoint", str(kept))
    assert last.stdout == plain.stdout
    blocks = f"{COMMANDS[name]} block{'s' * (COMMANDS[name] > 1)}"
    assert f"Note: {COMMANDS[name]} of {blocks} were taken from {kept}." in last.stderr


@pytest.mark.alone
def test_a_killed_command_goes_on(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    words = [*ACCURACY, "--n", "3000", "--trials", "60000", "--json", "--checkpoint", str(kept)]
    command = [sys.executable, "-m", "detectable", *words]
    for wanted in (400, 1200):
        started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        until = time.monotonic() + 60
        while not kept.exists() or kept.stat().st_size < wanted:
            assert time.monotonic() < until
            assert started.poll() is None, started.communicate()
            time.sleep(0.002)
        started.send_signal(signal.SIGKILL)
        started.communicate()
    killed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "blocks were taken from" in killed.stderr
    seed = json.loads(killed.stdout)["signature"].split("seed:")[1].split("|")[0]
    plain = _run(*words[:-2], "--seed", seed)
    assert plain.stdout == killed.stdout


def test_another_seed_is_refused_in_one_sentence(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert _run(*ACCURACY, "--seed", "1", "--checkpoint", str(kept)).exit_code == 0
    content = kept.read_bytes()
    said = _run(*ACCURACY, "--seed", "2", "--checkpoint", str(kept))
    assert said.exit_code == 1
    assert said.stderr.splitlines() == [
        f"Error: --checkpoint must be a new file or one of the same job; got {kept}, where the "
        "step “simulating” belongs to another: its data, settings, seed or program differ. Name "
        "another file, or delete this one."
    ]
    assert kept.read_bytes() == content


def test_the_signature_does_not_tell(tmp_path: Path) -> None:
    plain = json.loads(_run(*ACCURACY, "--seed", "1", "--json").stdout)
    kept = json.loads(
        _run(*ACCURACY, "--seed", "1", "--json", "--checkpoint", str(tmp_path / "x")).stdout
    )
    assert plain["signature"] == kept["signature"]


def test_where_nothing_is_computed_in_blocks_it_is_said(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    words = ["power", "accuracy", "--n", "200", "--agreement", ".9", "--effect", ".05"]
    said = _run(*words, "--checkpoint", str(kept))
    assert said.exit_code == 0
    assert f"Nothing was computed in blocks, so {kept} has nothing to keep." in said.stderr
    assert not kept.exists()


def test_a_file_cannot_be_output_and_checkpoint(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    said = _run(*ACCURACY, "--checkpoint", path, "--out", path)
    assert said.exit_code == 1
    assert "can hold only one form" in said.stderr


def test_what_an_interrupted_run_leaves_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from detectable.planning import search as simulate

    real, calls = simulate._block, []

    def third(*given: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(simulate, "_block", third)
    said = _run(*ACCURACY, "--checkpoint", str(tmp_path / "x"))
    assert said.exit_code == 1
    assert "x holds 2 finished blocks. The same command goes on from there." in said.stderr
    assert "interrupted" in said.stderr


# On a cluster


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with scheduler("local:2") as cluster:
        yield cluster._client.scheduler.address


@pytest.mark.parametrize(
    "name",
    spread(
        [
            *("compare-texts", "reliability-texts", "power-ratings", "rank-segments"),
            *("translationese-texts", "savings"),
        ]
    ),
)
def test_a_cluster_says_the_same(name: str, address: str, tmp_path: Path) -> None:
    words, kept = [*_words(name), "--json"], tmp_path / "kept"
    plain = _run(*words)
    sent = _run(*words, "--scheduler", address, "--checkpoint", str(kept))
    assert sent.exit_code == 0, sent.output
    assert sent.stdout == plain.stdout
    assert f"holds {COMMANDS[name]} finished blocks" in sent.stderr
    assert "had nothing to do" not in sent.stderr


def test_a_cluster_with_nothing_to_do_is_said(address: str) -> None:
    words = ["power", "accuracy", "--n", "200", "--agreement", ".9", "--effect", ".05"]
    said = _run(*words, "--scheduler", address)
    assert said.exit_code == 0
    assert "Nothing was computed in blocks, so the cluster had nothing to do." in said.stderr


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_jobs_and_a_scheduler_do_not_go_together(jobs: str) -> None:
    said = _run(*ACCURACY, "--jobs", jobs, "--scheduler", "local:2")
    assert said.exit_code == 2
    assert "--scheduler takes the place of --jobs. Drop one of them." in said.stderr


def test_a_wrong_address_is_said_in_one_sentence() -> None:
    said = _run(*ACCURACY, "--scheduler", "there")
    assert said.exit_code == 1
    assert said.stderr.splitlines() == [
        "Error: --scheduler must be an address such as tcp://10.0.0.1:8786, or local:4 for four "
        "workers here; got 'there'."
    ]


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = _run(*ACCURACY, "--scheduler", "local:2")
    assert said.exit_code == 1
    assert said.stderr.splitlines() == [
        "Error: a cluster needs Dask. Install it: pip install 'detectable[cluster]'."
    ]


def test_dask_is_loaded_for_a_cluster_only() -> None:
    code = (
        "import sys; from detectable.cli import main\n"
        f"try: main({[*ACCURACY, '--json']})\n"
        "except SystemExit: pass\n"
        "sys.exit(' '.join(sorted({'distributed', 'dask', 'tornado'} & sys.modules.keys())) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


# --- What is known of the terminal ---


def test_the_width_is_that_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)
    assert terminal_width() == 80
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert terminal_width() == 50
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr("os.get_terminal_size", lambda *_: os.terminal_size((33, 9)))
    assert terminal_width() == 33


@pytest.mark.parametrize(
    ("terminal", "settings", "wanted"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),  # no-color.org: present and not empty
        (True, {"TERM": "dumb"}, False),
        (True, {"TERM": "xterm"}, True),
    ],
)
def test_colours(
    terminal: bool, settings: dict[str, str], wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("TERM", raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal, raising=False)
    assert shows_colours() is wanted


# --- Progress bars on a terminal: late, gone at the end, and nowhere else ---

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"  # the cursor goes while a bar is drawn, and comes back


class Clock:
    """A time that passes only when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=made))
    return made


class Screen:
    """The other end of a pseudo-terminal: what a person would have seen."""

    def __init__(self, end: int) -> None:
        self._end = end
        os.set_blocking(end, False)

    def read(self) -> str:
        """Return what was written since the last time."""
        parts, deadline = [], time.perf_counter() + 0.2
        while time.perf_counter() < deadline:
            try:
                parts.append(os.read(self._end, 65_536))
            except BlockingIOError:
                if parts:
                    break
                time.sleep(0.005)
        return b"".join(parts).decode()


@contextmanager
def terminal() -> Iterator[Screen]:
    """Put a pseudo-terminal where stderr is; no fixture, since pytest has its own stderr."""
    person, program = pty.openpty()
    with pytest.MonkeyPatch.context() as patch, os.fdopen(program, "w") as stream:
        patch.setenv("TERM", "xterm")
        for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
            patch.delenv(name, raising=False)
        patch.setattr(sys, "stderr", stream)
        yield Screen(person)
    os.close(person)


def test_short_work_stays_quiet(clock: Clock) -> None:
    with terminal() as screen:
        with Bars() as bars:
            bars("resampling", 0, 10)
            clock.now += 1.0
            bars("resampling", 9, 10)
        assert screen.read() == ""


def test_the_bar_appears_after_a_second(clock: Clock) -> None:
    with terminal() as screen, Bars() as bars:
        bars("resampling", 3, 10)
        assert screen.read() == ""
        clock.now += 1.01
        bars("resampling", 4, 10)
        shown = screen.read()
        assert HIDE in shown
        assert "resampling" in shown


def test_a_step_that_is_done_needs_no_bar(clock: Clock) -> None:
    with terminal() as screen, Bars() as bars:
        clock.now += 5.0
        bars("resampling", 10, 10)
        assert screen.read() == ""


def test_a_step_of_unknown_length_is_shown_at_once(clock: Clock) -> None:
    with terminal() as screen, Bars() as bars:
        bars("compiling", 0, None)
        assert "compiling" in screen.read()


def test_the_bar_is_gone_at_the_end(clock: Clock) -> None:
    with terminal() as screen:
        with Bars() as bars:
            clock.now += 2.0
            bars("resampling", 4, 10)
            screen.read()
        left = screen.read()
    assert SHOW in left
    assert left.rstrip().endswith("\x1b[2K")  # the line is wiped out, not left behind


def test_the_bar_is_gone_after_an_error_too(clock: Clock) -> None:
    def work() -> None:
        with Bars() as bars:
            clock.now += 2.0
            bars("resampling", 4, 10)
            raise ValueError("broken")

    with terminal() as screen:
        with pytest.raises(ValueError, match="broken"):
            work()
        assert SHOW in screen.read()


def test_every_step_has_a_bar_of_its_own(clock: Clock) -> None:
    with terminal(), Bars() as bars:
        clock.now += 2.0
        bars("bleu", 1, 4)
        bars("bleu", 2, 4)
        bars("bootstrap", 3, 4)
        display = bars._display
        assert display is not None
        assert [(t.description, t.completed, t.total) for t in display.tasks] == [
            ("bleu", 2, 4),
            ("bootstrap", 3, 4),
        ]


def test_once_open_the_bar_follows_to_the_end(clock: Clock) -> None:
    with terminal(), Bars() as bars:
        clock.now += 2.0
        bars("bleu", 1, 4)
        bars("bleu", 4, 4)
        display = bars._display
        assert display is not None
        assert display.finished


def test_the_length_may_become_known_later(clock: Clock) -> None:
    with terminal(), Bars() as bars:
        bars("reading", 0, None)
        bars("reading", 5, 20)
        display = bars._display
        assert display is not None
        assert (display.tasks[0].completed, display.tasks[0].total) == (5, 20)


def test_nothing_is_shown_where_stderr_is_no_terminal(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with Bars() as bars:
        clock.now += 10.0
        bars("compiling", 0, None)
        bars("resampling", 1, 2)
    assert capsys.readouterr() == ("", "")
    assert bars._display is None
