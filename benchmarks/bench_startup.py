"""Short commands, as they are typed: what it costs to start, to plan, to rank and to look."""

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.commands import cost
from benchmarks.installed import program
from benchmarks.timing import measured

TURNS = 5
ACCURACY = ["accuracy", "--agreement", ".9", "--n", "500"]


def _ratings(path: Path) -> str:
    """Write 3 systems x 60 items x 4 raters, one judgment per line."""
    rng = np.random.default_rng(1)
    rows = ["system,item,rater,score"]
    for system in range(3):
        for item in range(60):
            for rater in range(4):
                score = round(float(np.clip(rng.normal(70 + 2 * system, 15), 0, 100)))
                rows.append(f"s{system},i{item},r{rater},{score}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return str(path)


def main() -> None:
    print("\nshort commands: CPU of the whole process, median of five")
    detectable = program("detectable")
    with tempfile.TemporaryDirectory() as made:
        judgments = _ratings(Path(made, "j.csv"))
        rows = (
            ("--help", ["--help"], 0.2),
            ("mde accuracy", ["mde", *ACCURACY], 0.25),
            ("power accuracy", ["power", *ACCURACY, "--effect", ".03"], 0.26),
            ("design", ["design", "--looks", "5"], 0.4),
            ("rank, 720 judgments", ["rank", judgments, "--seed", "1"], 0.45),
        )
        for name, words, asked in rows:
            seconds = float(np.median([cost([detectable, *words]).cpu for _ in range(TURNS)]))
            note = f"(asked: {asked:g} s on a quiet machine)"
            print(
                measured(f"detectable {name}", f"{seconds:.3f} s", note, kind="whole command")
            )
        looks = []
        for turn in range(TURNS):
            plan = str(Path(made, f"{turn}.json"))
            new = ["plan", "new", plan, "--systems", "s1,s0", "--n-max", "60", "--unit", "item"]
            cost([detectable, *new])
            looks.append(cost([detectable, "look", plan, judgments]).cpu)
        found = f"{float(np.median(looks)):.3f} s"
        print(measured("detectable look, 720 judgments", found, kind="whole command"))


if __name__ == "__main__":
    main()
