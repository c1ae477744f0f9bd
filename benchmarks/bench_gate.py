"""A gate of 20 tasks × 1,000 questions × 4 samples, and one of a suite with five metrics."""

import csv
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.commands import cost
from benchmarks.installed import program
from benchmarks.timing import measured

TASKS, QUESTIONS, SAMPLES = 20, 1000, 4
ASKED = 1.0  # CPU seconds
TURNS = 5


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        old, new = _written(Path(made, "old.csv"), 1), _written(Path(made, "new.csv"), 2)
        baseline = str(Path(made, "baseline.json"))
        start = [program("detectable"), "gate"]
        cost([*start, str(old), "--baseline", baseline, "--accept"])
        size = Path(baseline).stat().st_size
        gated = [*start, str(new), "--baseline", baseline, "--margin", "accuracy=0.05"]
        gated += ["--inconclusive", "pass", "--json"]
        best = min(cost(gated).cpu for _ in range(TURNS))
        both = Path(made, "both.csv")
        both.write_text(old.read_text() + new.read_text().split("\n", 1)[1])
        one_table = [*start, str(both), "--baseline", "old", "--system", "new"]
        one_table += ["--margin", "accuracy=0.05", "--inconclusive", "pass", "--json"]
        together = min(cost(one_table).cpu for _ in range(TURNS))
        suite = _suite(Path(made, "suite.csv"))
        of_suite = [*start, str(suite), "--baseline", "old", "--system", "new", "--json"]
        of_suite += ["--inconclusive", "pass", *_MARGINS]
        many = min(cost(of_suite).cpu for _ in range(TURNS))
        loop = min(cost([program("python"), "-c", _LOOP]).cpu for _ in range(TURNS))
    answers = f"{TASKS * QUESTIONS * SAMPLES:,} answers"
    note = f"(asked: {ASKED:g} s; ten million additions take {loop:.2f} s here)"
    print(f"\ngate of {TASKS} tasks x {QUESTIONS:,} questions x {SAMPLES} samples")
    print(measured(f"gate, {answers}", f"{best:.2f} s", note, kind="whole command"))
    note = f"baseline {size / 1e3 / TASKS:.0f} kB per 1,000 questions"
    print(measured("gate, both in one table", f"{together:.2f} s", note, kind="whole command"))
    note = "200 tasks × 5 metrics, two margins in percent"
    print(measured("gate, 400,000 scores", f"{many:.2f} s", note, kind="whole command"))


_LOOP = "x = 0\nfor i in range(10_000_000): x += i"


_MARGINS = [
    word
    for margin in ("acc=0.1", "f1=0.1", "rouge=0.1", "latency=20%", "cost=20%")
    for word in ("--margin", margin)
]


def _suite(path: Path) -> Path:
    """Write 200 questions of 200 tasks by two systems, with five metrics each: 80,000 answers."""
    rng = np.random.default_rng(3)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "task", "item", "acc", "f1", "rouge", "latency", "cost"])
        for system in ("old", "new"):
            for task in range(200):
                right = (rng.random(200) < 0.8).astype(int)
                others = rng.beta(5.0, 2.0, (200, 2)).round(4)
                spent = np.exp(rng.normal((0.0, -5.0), 0.4, (200, 2))).round(7)
                for i, row in enumerate(
                    zip(right, others.tolist(), spent.tolist(), strict=True)
                ):
                    writer.writerow([system, f"t{task:03d}", f"q{i}", row[0], *row[1], *row[2]])
    return path


def _written(path: Path, seed: int) -> Path:
    """Write answers with the same difficulties whatever the seed."""
    chance = np.random.default_rng(0).beta(2.0, 1.0, (TASKS, QUESTIONS))
    rng = np.random.default_rng(seed)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "task", "item", "sample", "score"])
        for t in range(TASKS):
            for k in range(SAMPLES):
                right = rng.random(QUESTIONS) < chance[t]
                writer.writerows(
                    [path.stem, f"task{t:02d}", f"q{i:04d}", k + 1, int(right[i])]
                    for i in range(QUESTIONS)
                )
    return path


if __name__ == "__main__":
    main()
