"""An invented release with the structure of Hassan et al. (2018), and planted effects."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

# Mean raw score on forward segments, and what reverse segments add to it: invented, of the size of
# the real ones.
LEVELS: dict[str, tuple[float, float]] = {
    "Reference-HT": (67.0, 3.0),
    "Combo-6": (64.0, 9.0),
    "Combo-5": (64.0, 8.0),
    "Combo-4": (63.5, 8.5),
    "Reference-PE": (64.0, 6.0),
    "Reference-WMT": (61.0, 2.0),
    "Sogou": (56.0, 12.5),
    "Online-A-1710": (51.0, 10.0),
    "Online-B-1710": (48.0, 11.5),
}
COMBOS = ("Combo-4", "Combo-5", "Combo-6")
FORWARD, REVERSE = 92, 89


@dataclass(frozen=True)
class Release:
    """Where it was written, and what it holds."""

    folder: Path
    n_judgments: int
    effects: dict[str, float]


def write_release(folder: Path, origins: Path, *, seed: int) -> Release:
    """Write rows of annotator, system, line, TGT or CHK, score, start and end.

    Tasks of ten segments; nine annotators judge all systems of a task, and some outputs a second
    time. Outputs that the three combined systems share are judged once and stand there for each.
    """
    rng = np.random.default_rng(seed)
    known = pl.read_parquet(origins)
    by = {
        code: known.filter(pl.col("origlang") == code)["line"].to_numpy()
        for code in ("zh", "en")
    }
    lines = np.concatenate(
        [
            rng.choice(by["zh"], FORWARD, replace=False),
            rng.choice(by["en"], REVERSE, replace=False),
        ]
    )
    reverse = np.repeat([False, True], [FORWARD, REVERSE])
    rows: list[str] = []
    clock = 1_520_000_000.0
    order = rng.permutation(lines.size)
    ease = rng.normal(0, 8, lines.size)
    quality = {name: rng.normal(0, 8, lines.size) for name in LEVELS}
    for task, start in enumerate(range(0, lines.size, 10)):
        inside = order[start : start + 10]
        for who in range(9):
            rater = f"zhoeng{task:x}{who:02d}"
            severity, noise = rng.normal(0, 6), rng.uniform(5, 10)
            for i in inside.tolist():
                shared = rng.random() < 0.3
                drawn: dict[str, int] = {}
                for name, (level, effect) in LEVELS.items():
                    same = next((c for c in COMBOS if c in drawn), None)
                    if shared and name in COMBOS and same is not None:
                        drawn[name] = drawn[same]
                    else:
                        mean = (
                            level + effect * reverse[i] + ease[i] + quality[name][i] + severity
                        )
                        drawn[name] = int(np.clip(round(rng.normal(mean, noise)), 0, 100))
                for name, score in drawn.items():
                    clock += 7.5
                    kinds = ["TGT", "CHK"] if rng.random() < 0.1 else ["TGT"]
                    for kind in kinds:
                        again = int(np.clip(score + rng.integers(-5, 6), 0, 100))
                        given = score if kind == "TGT" else again
                        times = f"{clock:.3f},{clock + 6.25:.3f}"
                        rows.append(f"{rater},{name},{lines[i]},{kind},{given},{times}")
    place = folder / "Translator-HumanParityData" / "Evaluations"
    place.mkdir(parents=True)
    name = "Translator-HumanParityData-Meta1-Subset1.csv"
    (place / name).write_text("\n".join(rows) + "\n")
    effects = {name: effect for name, (_, effect) in LEVELS.items()}
    return Release(folder, len(rows), effects)
