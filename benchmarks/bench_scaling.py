"""How time grows: tasks, and mixed models with ever more raters and items.

The exponent is the slope of log time over log size, by least squares: 1 is linear.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.timing import cpu, measured
from detectable.data.texts.corpus import Corpus
from detectable.mixed.fit import fit_mixed
from detectable.study.tasks.make_tasks import make_tasks

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
    cells = "  ".join(f"{n:,}: {s:.2f} s" for n, s in zip(sizes, seconds, strict=True))
    print(measured(name, f"exponent {exponent(sizes, seconds):.2f}", cells), flush=True)


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


def main() -> None:
    print("\nscaling", flush=True)
    for options in TASKS:
        name = f"tasks, {options['kind']}, {options['assignment']}"
        show(name, (12_500, 50_000, 200_000), lambda n, o=options: tasks(n, o))  # type: ignore[misc]
    show("mixed, unbalanced", (8_000, 16_000, 32_000, 64_000, 100_000), unbalanced)


if __name__ == "__main__":
    main()
