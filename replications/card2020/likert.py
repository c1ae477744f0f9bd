"""Section 5: power of Likert ratings, beside the numbers the authors stored for Figure 6."""

import csv
import math
from pathlib import Path
from typing import Literal

import detectable as dt

SIMULATIONS = 200  # behind every stored number
PRESETS: dict[str, Literal["card-high", "card-low"]] = {
    "High var. settings": "card-high",
    "Low var. settings": "card-low",
}


def numbers(folder: Path) -> dict[str, float]:
    """Return how far our power lies from the stored one, and three cells in full.

    The file gives β; the true difference is 2β, which is what `Likert` takes.
    """
    with (folder / "highvar_lowmer_lmer.csv").open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    gaps = []
    for row in rows:
        plan = dt.scenarios.Likert(
            n_raters=int(row["num.workers"]), preset=PRESETS[row["settings"]], test="card"
        )
        ours = dt.power(plan, n_items=int(row["ex"]), effect=2.0 * float(row["diff"])).power
        error = math.sqrt(max(ours * (1.0 - ours), 1e-4) / SIMULATIONS)
        gaps.append((ours - float(row["power"]), error))
    three = dt.scenarios.Likert(n_raters=3, preset="card-high", test="card")
    safe = dt.scenarios.Likert(n_raters=3, preset="card-high")
    authors = dt.power(three, n_items=100, effect=0.4)
    return {
        "figure 6, cells": float(len(gaps)),
        "figure 6, mean difference of power": sum(gap for gap, _ in gaps) / len(gaps),
        "figure 6, largest difference in standard errors": max(
            abs(gap) / error for gap, error in gaps
        ),
        "figure 6, high variance, 3 x 100, β = .2": authors.power,
        "the same, real type I error": float(authors.details["type_i_error"]),
        "the same with Satterthwaite's df": dt.power(safe, n_items=100, effect=0.4).power,
    }
