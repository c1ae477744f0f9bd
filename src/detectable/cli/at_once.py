"""Run the command line as a program: its streams at the start, and how it leaves at the end."""

import atexit
import gc
import io
import os
import sys
from typing import Any

# New objects after which Python looks for cycles. By default 700: while a command loads its modules,
# and compiles them where no .pyc is there, it would look hundreds of times for what modules never
# hold. So many objects take some 20 MB, which a command that makes cycles may hold in vain.
_OBJECTS = 200_000

_DONE: list[str] = []  # what this run has written, in sentences


def remember(sentence: str) -> None:
    """Keep a sentence on what is done and where it is, in case that the answer cannot be shown."""
    _DONE.append(sentence)


def run() -> None:
    """Run the command line as a program of its own, and rarely look for cycles, at the end never.

    At its end Python searches all objects of all modules for cycles, several times: a tenth of the
    time of a short command, for memory that the system takes back anyway. Frozen objects are not
    searched. All else that is due at the end is done as ever.

    A character that the terminal cannot show is replaced, and a stream that cannot be written is
    one sentence: work that is done is not lost with its answer.
    """
    gc.set_threshold(_OBJECTS)
    _prepare_streams()
    from detectable.cli import main

    atexit.register(gc.freeze)
    try:
        try:
            main()
        finally:
            sys.stdout.flush()
    except OSError as error:
        if error.filename is not None:  # of a file, which is a fault of ours
            raise
        _leave(error)


def _prepare_streams() -> None:
    # Both may be closed (>&-). Then no file of ours may get their numbers, and writing must fail.
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: SIM115
    elif isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    if sys.stderr is None:
        sys.stderr = open(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")  # noqa: SIM115
    elif isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr = _Quiet(
            open(sys.stderr.fileno(), "wb", closefd=False),  # noqa: SIM115
            encoding=sys.stderr.encoding,
            errors="replace",
            line_buffering=True,
        )


class _Quiet(io.TextIOWrapper):
    """Notes and progress: where they cannot be written, the answer still can."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except (OSError, ValueError):
            return

    def close(self) -> None:
        try:
            super().close()
        except OSError:
            return


def _leave(error: OSError) -> None:
    """Say that the answer could not be written, and leave with 1."""
    # What is still waiting to be written cannot be: nobody shall try again at the end.
    lost: Any = sys.stdout
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    atexit.register(lambda: _forget(lost))
    why = error.strerror or type(error).__name__
    print(  # noqa: T201 (click would ask the stream that failed)
        " ".join([f"Error: the answer cannot be written to standard output ({why}).", *_DONE]),
        file=sys.stderr,
    )
    raise SystemExit(1)


def _forget(stream: Any) -> None:
    try:
        stream.close()
    except OSError:
        return
