"""The METEOR 1.5 program: where it is, how to start it, how to talk to it.

The jar reads one request per line from standard input and answers each with one line (an EVAL
request with several). We wait for every answer before the next request, so that no pipe can
fill up and block both sides.
"""

import contextlib
import queue
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO, cast

from detectable.core.errors import DataError, InputError, MissingExtraError

SEPARATOR = "|||"  # between the fields of a request; there is no way to escape it
DOWNLOAD = "https://www.cs.cmu.edu/~alavie/METEOR/"

_PATIENCE = 600.0  # seconds for one answer; loading the English tables takes about ten
_GOODBYE = 2.0  # seconds for the program to leave after its input was closed
_LAST_LINES = 5  # of the program's complaints, quoted in an error
_STACK = re.compile(r"\s*at [\w.$]+\(")  # where in the jar; of no use to our reader
_LINE_BREAK = re.compile(r"\r\n|[\r\n]")
_LONG_BARS = re.compile(r"\|{3,}")


def find_jar(path: str | None) -> Path:
    """Return the jar at `path`, or the one that the package pycocoevalcap carries."""
    if path is not None:
        jar = Path(path)
        if not jar.is_file():
            raise InputError(
                f"`jar` must be the path of meteor-1.5.jar; got {path!r}, no file."
            )
        return jar
    package = find_spec("pycocoevalcap")
    for folder in (package and package.submodule_search_locations) or ():
        jar = Path(folder) / "meteor" / "meteor-1.5.jar"
        if jar.is_file():
            return jar
    raise MissingExtraError(
        "METEOR needs meteor-1.5.jar, which is not installed. "
        'Run `pip install "detectable[meteor]"`, or give the path of the jar as `jar`.'
    )


def find_java(java: str) -> str:
    """Return the path of the Java program."""
    found = shutil.which(java)
    if found is None:
        raise MissingExtraError(
            f"METEOR runs in Java, and there is no program {java!r} here. Install a Java "
            "runtime (Debian, Ubuntu: `apt install default-jre-headless`), or give its path "
            "as `java`."
        )
    return found


def find_paraphrases(jar: Path, name: str) -> Path:
    """Return the paraphrase table of the language that the jar calls `name`."""
    table = jar.parent / "data" / f"paraphrase-{name}.gz"
    if not table.is_file():
        raise MissingExtraError(
            f"METEOR needs the paraphrase table {table}, which is not there; the package "
            f"pycocoevalcap has the English one only. Unpack METEOR 1.5 from {DOWNLOAD} "
            "and give the path of its meteor-1.5.jar as `jar`."
        )
    return table


def score_request(references: Iterable[str], output: str) -> str:
    """Return the request for the statistics of one segment.

    A line break becomes a space, and three or more bars become two: the protocol knows no
    other way to carry them. The words around them and the number of words stay the same.
    """
    fields = [_one_field(text) for text in (*references, output)]
    # The spaces are needed: the jar drops empty fields at the end of a line, and would take
    # the last reference for the output of a system that printed nothing.
    return f" {SEPARATOR} ".join(["SCORE", *fields])


def _one_field(text: str) -> str:
    return _LONG_BARS.sub("||", _LINE_BREAK.sub(" ", text))


class MeteorProcess:
    """A running METEOR program; made by `meteor_process`, which also ends it."""

    def __init__(self, process: subprocess.Popen[bytes], complaints: IO[bytes]) -> None:
        self._process = process
        self._complaints = complaints
        self._input = cast("IO[bytes]", process.stdin)
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        # A thread reads, because only a queue can be waited for with a time limit everywhere:
        # Windows has no such thing for pipes.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def ask(self, request: str) -> str:
        """Send one request and return the one line of its answer."""
        self.send(request)
        return self.receive()

    def send(self, request: str) -> None:
        """Send one request."""
        try:
            line = request.encode()
        except UnicodeEncodeError as error:
            raise DataError(f"text for METEOR must be valid Unicode: {error}.") from error
        try:
            self._input.write(line + b"\n")
            self._input.flush()
        except OSError as error:
            raise self._stopped() from error

    def receive(self) -> str:
        """Return the next line of the program."""
        try:
            line = self._answers.get(timeout=_PATIENCE)
        except queue.Empty:
            self._process.kill()
            self._process.wait()
            raise DataError(
                f"METEOR gave no answer for {_PATIENCE:g} seconds and was stopped. "
                f"{self._last_words()}"
            ) from None
        if line is None:
            raise self._stopped()
        return line.decode(errors="replace").strip()

    def close(self) -> None:
        """End the program, politely at first."""
        with contextlib.suppress(OSError):  # what is left in the buffer has no reader any more
            self._input.close()
        try:
            self._process.wait(_GOODBYE)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._reader.join()

    def _read(self) -> None:
        for line in cast("IO[bytes]", self._process.stdout):
            self._answers.put(line)
        self._answers.put(None)

    def _stopped(self) -> DataError:
        self._process.kill()
        code = self._process.wait()
        return DataError(f"METEOR stopped with exit code {code}. {self._last_words()}")

    def _last_words(self) -> str:
        # Only after the program has ended: it shares the position in this file with us.
        self._complaints.seek(0)
        text = self._complaints.read().decode(errors="replace")
        lines = [line.strip() for line in text.splitlines() if not _STACK.match(line)]
        lines = [line for line in lines if line][-_LAST_LINES:]
        said = f"It said: {' / '.join(lines)}" if lines else "It said nothing."
        if "OutOfMemoryError" in text:
            said += " Give it more memory with `memory`."
        return said


@contextlib.contextmanager
def meteor_process(
    jar: Path, *, java: str, memory: str, options: Sequence[str]
) -> Iterator[MeteorProcess]:
    """Start METEOR for requests on standard input, and end it in every case."""
    command = [
        java,
        f"-Xmx{memory}",
        "-XX:+UseSerialGC",  # one thread works; a parallel collector only took cores from it
        # Lower case and word lists must not depend on the locale of the machine.
        "-Dfile.encoding=UTF-8",
        "-Duser.language=en",
        "-jar",
        str(jar),
        *("-", "-", "-stdio"),
        *options,
    ]
    with (
        tempfile.TemporaryFile() as complaints,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints
        ) as process,
    ):
        running = MeteorProcess(process, complaints)
        try:
            yield running
        finally:
            running.close()
