"""The terminal: how wide it is, whether it shows colours, and progress on it."""

import os
import stat
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


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


def terminal_kind() -> str:
    """Say what standard output goes to: a terminal, its width and colours, or something else."""
    where = "a step of GitHub Actions" if in_actions() else "a file or another program"
    if not sys.stdout.isatty():
        return where
    colours = "colours" if shows_colours() else "no colours"
    return f"a terminal, {terminal_width()} columns, {colours}"


def in_actions() -> bool:
    """Say whether this is a step of GitHub Actions, whose runner obeys lines that are printed."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def obeyed() -> bool:
    """Say whether a runner may read what is printed: in Actions, unless it goes into a file."""
    try:
        return in_actions() and not stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):  # no file at all
        return True


# --- Progress on the terminal, for anything that takes longer than a moment ---

_PATIENCE = 1.0  # seconds without a bar: short work stays quiet


class Bars:
    """A progress callback with a bar per step; gone from the screen when the work is done."""

    def __init__(self) -> None:
        self._display: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._started = time.monotonic()
        self._wanted = sys.stderr.isatty()

    def __enter__(self) -> "Bars":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._display is not None:
            self._display.stop()

    def __call__(self, step: str, done: int, total: int | None) -> None:
        """Show one step."""
        if not self._wanted or (self._display is None and not self._due(done, total)):
            return
        display = self._display or self._open()
        if step not in self._tasks:
            self._tasks[step] = display.add_task(step, total=total)
        display.update(self._tasks[step], completed=done, total=total)

    def _due(self, done: int, total: int | None) -> bool:
        """Say whether to show something: a step of unknown length blocks, so show it at once."""
        return total is None or (done < total and time.monotonic() - self._started > _PATIENCE)

    def _open(self) -> "Progress":
        from rich.console import Console
        from rich.progress import Progress

        self._display = Progress(console=Console(stderr=True), transient=True)
        self._display.start()
        return self._display
