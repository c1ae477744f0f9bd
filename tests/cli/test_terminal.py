"""What is known of the terminal."""

import os
import pty
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from detectable.cli import terminal as progress
from detectable.cli.terminal import Bars, shows_colours, terminal_width


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
