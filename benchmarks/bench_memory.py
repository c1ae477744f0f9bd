"""Memory of large comparisons: statistics in memory, texts from files.

The texts are 100,000 different lines, again and again: what is held does not depend on that.
"""

import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.timing import measured
from benchmarks.whole_command import whole_command

SEGMENTS, SYSTEMS, RESAMPLES = 1_000_000, 5, 1_000
TEXTS = ((1_000_000, 1.5), (10_000_000, 3.0))  # segments, and GB asked for
LINES = 100_000


def large() -> None:
    from detectable.inference.randomization import randomization_test
    from detectable.inference.sample import Sample
    from detectable.metrics.registry import metric

    rng = np.random.default_rng(1)
    statistics = rng.integers(1, 40, (SYSTEMS, SEGMENTS, 10)).astype(np.float64)
    statistics[..., 2:6] = np.minimum(statistics[..., 2:6], statistics[..., 6:10])
    sample = Sample(metric("bleu"), tuple("ABCDE"), (1,) * SYSTEMS, statistics)
    pairs = tuple((i, 0) for i in range(1, SYSTEMS))
    randomization_test((sample,), pairs, n_resamples=RESAMPLES, rng=1)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"{used.ru_maxrss / 1024**2:.2f} GB {used.ru_utime:.0f} s CPU")


def write_texts(folder: Path, n: int) -> list[str]:
    """Write a reference and two outputs of n lines; return the options that name them."""
    rng = random.Random(1)
    words = [f"w{i}" for i in range(5000)]
    blocks: dict[str, list[str]] = {"ref": [], "a": [], "b": []}
    for _ in range(LINES):
        line = rng.choices(words, k=rng.randint(8, 24))
        for lines, change in zip(blocks.values(), (0.0, 0.2, 0.22), strict=True):
            lines.append(" ".join(w if rng.random() >= change else "x" for w in line))
    for name, lines in blocks.items():
        text = "".join(f"{line}\n" for line in lines)
        with (folder / name).open("w") as file:
            for _ in range(n // LINES):
                file.write(text)
    systems = [word for s in "ab" for word in ("--system", f"{s}={folder / s}")]
    return ["--refs", str(folder / "ref"), *systems]


def main() -> None:
    print("\nmemory", flush=True)
    # In a process of its own: the peak is that of the comparison, not of earlier benchmarks.
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_memory", "large"],
        capture_output=True,
        text=True,
        check=True,
    )
    name = f"swaps, {SEGMENTS:,} segments x {SYSTEMS} systems"
    print(measured(name, done.stdout.strip(), "(asked: 4 GB)"), flush=True)
    for n, asked in TEXTS:
        with tempfile.TemporaryDirectory() as folder:
            given = write_texts(Path(folder), n)
            options = (
                "--metric",
                "bleu",
                "--resamples",
                str(RESAMPLES),
                "--seed",
                "1",
                "--json",
            )
            used = whole_command("compare", *given, *options)
        found = f"{used.peak:.2f} GB, {used.cpu:.0f} s CPU"
        name = f"BLEU from files, {n:,} segments x 2"
        print(measured(name, found, f"(asked: {asked:g} GB)", kind="whole command"), flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["large"]:
        large()
    else:
        main()
