"""What is known of the terminal."""

import os

import pytest

from detectable.cli.terminal import shows_colours, terminal_width


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
