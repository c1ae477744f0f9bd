"""Section 5: power of Likert ratings, beside the numbers the authors stored for Figure 6."""

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import detectable as dt

SIMULATIONS = 200  # behind every stored number
PRESETS: dict[str, Literal["card-high", "card-low"]] = {
    "High var. settings": "card-high",
    "Low var. settings": "card-low",
}


class Cell(NamedTuple):
    """One stored power and ours."""

    settings: str
    raters: int
    items: int
    difference: float  # the true one, twice the β of the file
    stored: float
    ours: float

    @property
    def error(self) -> float:
        """The standard error of the stored power."""
        return math.sqrt(max(self.ours * (1.0 - self.ours), 1e-4) / SIMULATIONS)


def cells(folder: Path) -> list[Cell]:
    """Return all stored powers and ours.

    The file gives β; the true difference is 2β, which is what `Likert` takes.
    """
    with (folder / "highvar_lowmer_lmer.csv").open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    found = []
    for row in rows:
        raters, items, difference = int(row["num.workers"]), int(row["ex"]), float(row["diff"])
        preset = PRESETS[row["settings"]]
        plan = dt.scenarios.Likert(n_raters=raters, preset=preset, test="card")
        ours = dt.power(plan, n_items=items, effect=2.0 * difference, drawn=0).power
        stored = float(row["power"])
        found.append(Cell(row["settings"], raters, items, 2.0 * difference, stored, ours))
    return found


def numbers(found: Sequence[Cell]) -> dict[str, float]:
    """Return how far our power lies from the stored one, and three cells in full."""
    three = dt.scenarios.Likert(n_raters=3, preset="card-high", test="card")
    safe = dt.scenarios.Likert(n_raters=3, preset="card-high")
    authors = dt.power(three, n_items=100, effect=0.4, drawn=0)
    return {
        "figure 6, cells": float(len(found)),
        "figure 6, mean difference of power": sum(c.ours - c.stored for c in found)
        / len(found),
        "figure 6, largest difference in standard errors": max(
            abs(c.ours - c.stored) / c.error for c in found
        ),
        "figure 6, high variance, 3 x 100, β = .2": authors.power,
        "the same, real type I error": float(authors.details["type_i_error"]),
        "the same with Satterthwaite's df": dt.power(
            safe, n_items=100, effect=0.4, drawn=0
        ).power,
    }
