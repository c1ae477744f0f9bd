"""Drawing in a process of its own: what the package that draws cannot bear ends that process alone.

vl-convert is a JavaScript engine in a library. A text that it does not expect can end the process
without a word, and names of systems are texts of strangers: a server, or a result that took hours,
must not end with a picture. So specifications go through a pipe to a child that draws, is asked
again and again, and is started anew if it died or took too long.
"""

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from typing import IO, Any, Final

from detectable.core.errors import InputError
from detectable.report.charts.theme import visible

LIMIT: Final = 120.0  # seconds for one picture; the engine itself needs a few to start

# A request is its length in eight bytes, then JSON: the method, the specification, its options.
# An answer is a letter (o for drawn, e for an error), its length and its bytes.
_PROGRAM = """
import json, sys
import vl_convert
asked, answers = sys.stdin.buffer, sys.stdout.buffer
while True:
    size = asked.read(8)
    if len(size) < 8:
        break
    method, spec, options = json.loads(asked.read(int.from_bytes(size, "big")))
    try:
        made = getattr(vl_convert, method)(spec, **options)
        state, made = b"o", made.encode() if isinstance(made, str) else bytes(made)
    except Exception as error:
        state, made = b"e", str(error).encode("utf-8", "replace")
    answers.write(state + len(made).to_bytes(8, "big") + made)
    answers.flush()
"""


def drawn(ending: str, made: dict[str, Any] | str, **options: Any) -> bytes:
    """Return a specification of Vega-Lite, or a picture in SVG, as a picture.

    Parameters
    ----------
    ending : {'svg', 'png', 'pdf'}
        What it becomes.
    made : dict or str
        Characters that no picture can hold become signs for them.
    options : optional
        Of vl-convert.

    Raises
    ------
    InputError
        If it cannot be drawn. Nothing else is lost.
    """
    method = f"{'svg' if isinstance(made, str) else 'vegalite'}_to_{ending}"
    request = json.dumps([method, visible(made), options]).encode()
    with _ONE_AT_A_TIME:
        state, answer = _CHILD.ask(request)
    if state == b"o":
        return answer
    why = (
        " ".join(answer.decode("utf-8", "replace").split())[:300]
        or "the program that draws ended"
    )
    raise InputError(
        f"the picture cannot be drawn: {why}. All else is there; a chart that ends in .json needs "
        "no drawing."
    )


class _Child:
    """The process that draws, started when it is first asked."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(self, request: bytes) -> tuple[bytes, bytes]:
        """Return state and answer; the state is empty where the process died or was ended."""
        process = self._running()
        stdin, stdout = process.stdin, process.stdout
        if stdin is None or stdout is None:
            return b"", b""
        slow = threading.Timer(LIMIT, process.kill)
        slow.daemon = True
        slow.start()
        try:
            stdin.write(len(request).to_bytes(8, "big") + request)
            stdin.flush()
            state = stdout.read(1)
            answer = (
                _exactly(stdout, int.from_bytes(_exactly(stdout, 8), "big")) if state else b""
            )
        except (OSError, EOFError):
            state, answer = b"", b""
        finally:
            slow.cancel()
        if not state:
            self.end()
        return state, answer

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._owner != os.getpid():  # after a fork the child is that of the parent
            self._process = None
        if self._process is None or self._process.poll() is not None:
            self.end()
            # -P: a folder with data is no place to import programs from.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the command, which then ends its child
            )
            self._owner = os.getpid()
        return self._process

    def end(self) -> None:
        """End the process, and wait until it is gone."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was not sent is sent to nobody
                    pipe.close()
        process.wait()


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    found = pipe.read(size)
    if len(found) < size:
        raise EOFError
    return found


_CHILD = _Child()
_ONE_AT_A_TIME = threading.Lock()
atexit.register(_CHILD.end)
