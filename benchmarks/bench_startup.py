"""What it costs to ask for help, and the compilation on first use."""

import os
import resource
import subprocess
import sys
import tempfile
import time

from benchmarks.texts import texts

WARM = (
    "from benchmarks.texts import texts; from detectable.metrics.registry import metric\n"
    "corpus = texts()[1]\n"
    "[metric(n).statistics(corpus) for n in ('bleu', 'chrf', 'ter')]"
)


def child_cpu(command: list[str], **environment: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **environment}
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    command = [sys.executable, "-m", "detectable", "--help"]
    best = min(child_cpu(command) for _ in range(5))
    print(f"\ndetectable --help: {best:.3f} s CPU (asked: below 0.2)")
    texts()
    with tempfile.TemporaryDirectory() as cache:
        start = time.perf_counter()
        child_cpu([sys.executable, "-c", WARM], NUMBA_CACHE_DIR=cache)
        first = time.perf_counter() - start
        start = time.perf_counter()
        child_cpu([sys.executable, "-c", WARM], NUMBA_CACHE_DIR=cache)
        again = time.perf_counter() - start
    print(
        f"BLEU + chrF + TER of 4 systems, new process: first use {first:.1f} s, later {again:.1f} s"
    )


if __name__ == "__main__":
    main()
