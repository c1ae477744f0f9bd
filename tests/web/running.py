"""A server in a process of its own, on a free port, ended whatever happens."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_STARTED = re.compile(r"is at (http://\S+?)/ ")


@dataclass
class Running:
    """Where it listens, its process, and the file of its log."""

    address: str
    process: "subprocess.Popen[str]"
    log: Path

    def logged(self, request: str) -> str:
        """Return the line of this request: it is written after the answer has left."""
        for _ in range(600):
            for line in self.log.read_text().splitlines():
                if request in line:
                    return line
            time.sleep(0.05)
        raise AssertionError(f"no line of {request} in\n{self.log.read_text()}")

    def resident(self) -> float:
        """Return its memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]

    def cpu(self) -> float:
        """Return the seconds of CPU it has used."""
        parts = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(parts[11]) + int(parts[12])) / 100.0


@contextmanager
def running(
    folder: Path, log: Path, *more: str, start: Sequence[str] = ("-m", "detectable")
) -> Iterator[Running]:
    """Start a server and wait until it listens."""
    words = [sys.executable, *start, "serve", str(folder), "--port", "0", *more]
    with log.open("w") as lines:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=lines, text=True)
        try:
            assert process.stdout is not None
            found = _STARTED.search(process.stdout.readline())
            assert found, log.read_text()
            yield Running(found[1], process, log)
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
