"""Section 5: the survey of human evaluations (Figure 5)."""

import csv
from pathlib import Path

import numpy as np


def numbers(folder: Path) -> dict[str, float]:
    """Return what the table of comparisons says about size and effect."""
    from scipy.stats import kendalltau

    with (folder / "num_items_vs_effect_size.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    known = np.array(
        [[float(r["Examples"]), float(r["diff"])] for r in rows if _given(r["Examples"])]
    )
    inside = known[known[:, 1] > -0.4]  # the paper leaves out two comparisons
    tau = kendalltau(inside[:, 0], inside[:, 1])
    raters = [float(r["Ann.Per.Ex"]) for r in rows if _given(r["Ann.Per.Ex"])]
    return {
        "survey, comparisons": float(len(rows)),
        "survey, papers": float(len({r["Link"] for r in rows})),
        "survey, spread of differences": float(
            np.std([float(r["diff"]) for r in rows], ddof=1)
        ),
        "survey, at most 100 items": float((known[:, 0] <= 100).mean()),
        "survey, more than 200 items": float((known[:, 0] > 200).mean()),
        "survey, ratings per item not stated": _missing(rows, "Ann.Per.Ex"),
        "survey, raters not stated": _missing(rows, "Tot.Ann"),
        "survey, items not stated": _missing(rows, "Examples"),
        "survey, three ratings per item": float(np.mean(np.array(raters) == 3)),
        "survey, Kendall's tau": float(tau.statistic),
        "survey, Kendall's tau, p": float(tau.pvalue),
    }


def _given(text: str) -> bool:
    return text not in ("", "NA")


def _missing(rows: list[dict[str, str]], column: str) -> float:
    return float(np.mean([not _given(r[column]) for r in rows]))
