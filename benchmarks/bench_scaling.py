"""How time and memory grow: tasks, unbalanced mixed models, a million segments of BLEU.

The exponent is the slope of log time over log size, by least squares: 1 is linear.
"""

import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import cpu
from detectable.data.texts.corpus import Corpus
from detectable.mixed.fit import fit_mixed
from detectable.study.tasks.make_tasks import make_tasks

SEGMENTS = 1_000_000
TASKS: tuple[dict[str, Any], ...] = (
    {"kind": "segment", "assignment": "paired"},
    {"kind": "segment", "assignment": "random"},
    {"kind": "document", "assignment": "paired"},
    {"kind": "document", "assignment": "random"},
)


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Return the slope of log time over log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def show(name: str, sizes: Sequence[int], work: Callable[[int], Callable[[], Any]]) -> None:
    """Measure at every size, and print seconds and exponent."""
    seconds = [cpu(work(size), repeats=2)[0] for size in sizes]
    cells = "  ".join(f"{n:>9,}: {s:7.2f} s" for n, s in zip(sizes, seconds, strict=True))
    print(f"{name:28} {cells}   exponent {exponent(sizes, seconds):.2f}", flush=True)


def corpus(n: int) -> Corpus:
    """Return two systems of n lines in documents of ten."""
    rng = random.Random(1)
    words = [f"w{i}" for i in range(2000)]
    lines = [" ".join(rng.choices(words, k=rng.randint(5, 25))) for _ in range(n)]
    documents = [f"d{i // 10}" for i in range(n)]
    return Corpus.build({"A": lines, "B": lines[::-1]}, lines, documents=documents)


def tasks(n: int, options: dict[str, Any]) -> Callable[[], Any]:
    """Return the work of making tasks of n lines."""
    texts = corpus(n)
    return lambda: make_tasks(texts, rng=1, **options)


def unbalanced(n: int) -> Callable[[], Any]:
    """Return the fit of n ratings of n/80 raters and n/10 items, in random cells."""
    rng = np.random.default_rng(1)
    raters, items = n // 80, n // 10
    rater, item = rng.integers(raters, size=n), rng.integers(items, size=n)
    system = rng.integers(2, size=n)
    score = rng.normal(size=raters)[rater] + rng.normal(size=items)[item] + rng.normal(size=n)
    data = {"system": system, "rater": rater, "item": item, "score": score + 0.2 * system}
    return lambda: fit_mixed(data, repeats="keep")


def bleu() -> None:
    """Compare two systems on a million segments of text from files, as the command does."""
    from click.testing import CliRunner

    from detectable.cli import main as command

    rng = random.Random(1)
    words = [f"w{i}" for i in range(5000)]
    with tempfile.TemporaryDirectory() as folder:
        names = ("ref", "a", "b")
        files = [(Path(folder) / name).open("w") for name in names]
        for _ in range(SEGMENTS):
            line = rng.choices(words, k=rng.randint(8, 24))
            for file, change in zip(files, (0.0, 0.2, 0.22), strict=True):
                text = (w if rng.random() >= change else "x" for w in line)
                file.write(" ".join(text) + "\n")
        for file in files:
            file.close()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        out = CliRunner().invoke(
            command,
            [
                *("compare", "--refs", f"{folder}/ref", "--metric", "bleu", "--seed", "1"),
                *("--system", f"a={folder}/a", "--system", f"b={folder}/b"),
                *("--resamples", "1000", "--json"),
            ],
        )
    used = resource.getrusage(resource.RUSAGE_SELF)
    if out.exit_code:
        raise SystemExit(out.output)
    print(
        f"BLEU of {SEGMENTS:,} segments x 2 systems from files, 1,000 swaps: "
        f"{used.ru_maxrss / 1024**2:.2f} GB at most (asked: 2), {used.ru_utime - before:.0f} s CPU",
        flush=True,
    )


def main() -> None:
    print("\nscaling", flush=True)
    for options in TASKS:
        name = f"tasks, {options['kind']}, {options['assignment']}"
        show(name, (12_500, 50_000, 200_000), lambda n, o=options: tasks(n, o))  # type: ignore[misc]
    show("mixed, unbalanced", (8_000, 16_000, 32_000, 64_000), unbalanced)
    subprocess.run([sys.executable, "-m", "benchmarks.bench_scaling", "bleu"], check=True)


if __name__ == "__main__":
    bleu() if sys.argv[1:] == ["bleu"] else main()
