"""Section 3: accuracy on GLUE. Table 2, the regression behind it, and the look back."""

import csv
from pathlib import Path
from typing import Any

import numpy as np

import detectable as dt
from detectable.core.types import IntArray
from detectable.data.files.table import read_table
from detectable.kernels.distributions import normal_quantile
from detectable.planning.accuracy import lachenbruch_disagreement
from detectable.study.audit.benchmark_audit import (
    Assumption,
    BenchmarkAudit,
    LookBack,
    fit_gains,
    look_back,
)
from detectable.study.audit.survey_audit import claim_table

# Task and accuracy of the best system at the time (Table 2).
BASELINES = {
    "WNLI": 0.945,
    "MRPC": 0.92,
    "SST-2": 0.972,
    "RTE": 0.917,
    "QNLI": 0.975,
    "MNLI-m": 0.916,
    "MNLI-mm": 0.913,
    "QQP": 0.91,
}


def numbers(folder: Path) -> dict[str, float]:
    """Return every number of the section that the public data allow."""
    columns = claim_columns(folder)
    audit = dt.audit(columns)
    if not isinstance(audit, BenchmarkAudit):
        raise TypeError(type(audit))
    found = {"figure 1, 100 tosses": _toss(100), "figure 1, 25 tosses": _toss(25)}
    for task in audit.tasks:
        name, n, base = f"table 2, {task.task}", task.n_items, BASELINES[task.task]
        unpaired = dt.mde(dt.scenarios.UnpairedAccuracy(base), n_items=n, drawn=0)
        found |= {
            f"{name}, normal": _points(task.mde_normal),
            f"{name}, exact": _points(task.mde),
            f"{name}, lachenbruch": 100 * _simple_mde(base, n),
            f"{name}, mean claim": 100 * task.mean_improvement,
            f"{name}, predicted gain": 100 * task.predicted_improvement,
            f"{name}, unpaired": 100 * unpaired.effect,
        }
    found["table 2, WNLI, all disagreement is gain"] = 100 * _all_gain(147)
    found["gain on accuracy and task, R squared"] = audit.r_squared
    found |= _labelled(folder)
    found |= _look_back("look back", published_look_back(folder))
    found |= _look_back("look back, mended", audit.look_back[1])
    found |= _lachenbruch()
    return found


def claim_columns(folder: Path) -> dict[str, list[Any]]:
    """Return the claims of a new best system as a table that `dt.audit` takes."""
    sizes = _sizes(folder)
    rows = [row for _, row in _claims(folder)]
    return {
        "task": [row["Task"] for row in rows],
        "n": [sizes[row["Task"]] for row in rows],
        "baseline": [float(row["Previous Best"]) for row in rows],
        "accuracy": [float(row["Model Accuracy"]) for row in rows],
        "best": [100 * BASELINES[row["Task"]] for row in rows],
    }


def published_left_out(folder: Path) -> IntArray:
    """Return which claim the authors leave out while predicting each: row i of the whole table.

    Row i is in most cases no claim, or another one than the i-th; −1 says that none is left out.
    """
    claim_of_row = {row: claim for claim, (row, _) in enumerate(_claims(folder))}
    return np.array([claim_of_row.get(i, -1) for i in range(len(claim_of_row))])


def published_look_back(folder: Path) -> LookBack:
    """Return the look back as the authors' code computes it."""
    claims = claim_table(read_table(claim_columns(folder)))
    regression = fit_gains(claims)
    if regression is not None:
        back = look_back(
            claims,
            regression,
            Assumption(prior="glue"),
            method="normal",
            left_out=published_left_out(folder),
        )
        if back is not None:
            return back
    raise ValueError("the claims allow no look back")


def _look_back(name: str, back: LookBack) -> dict[str, float]:
    return {
        f"{name}, claims": float(back.n_claims),
        f"{name}, underpowered": back.underpowered,
        f"{name}, adequate power": back.powered,
        f"{name}, significant": back.significant,
        f"{name}, powered and significant": back.powered_and_significant,
        f"{name}, significant among powered": back.significant_among_powered,
    }


def _points(fraction: float | None) -> float:
    return float("nan") if fraction is None else 100 * fraction


def _toss(n: int) -> float:
    return dt.power(dt.scenarios.Preference(), n_items=n, effect=0.65, drawn=0).power


def _simple_mde(base: float, n: int) -> float:
    """Return the MDE by the simple formula of appendix E.3, with the middle of the possible."""
    z = normal_quantile(0.975) + normal_quantile(0.8)
    return float(z * np.sqrt(lachenbruch_disagreement(base, 0.001) / n))


def _all_gain(n: int) -> float:
    """Return the MDE by the normal formula if the baseline is never right alone (pd = D)."""
    z, target = normal_quantile(0.975), normal_quantile(0.8)
    low, high = 1e-6, 0.5
    for _ in range(100):
        d = 0.5 * (low + high)
        reached = (np.sqrt(n) * d - z * np.sqrt(d)) / np.sqrt(d - d * d)
        low, high = (d, high) if reached < target else (low, d)
    return high


def _sizes(folder: Path) -> dict[str, int]:
    with (folder / "GlueTaskTestSetSizes.csv").open(newline="") as file:
        return {row["Dataset"].strip(): int(row["size"]) for row in csv.DictReader(file)}


def _labelled(folder: Path) -> dict[str, float]:
    """Return how many comparisons the authors' table holds, and of how many papers."""
    rows = _annotations(folder)
    # Four systems «on stilts» stand in one paper (Phang et al. 2018).
    papers = {"stilts" if row["Model"].endswith("stilts") else row["Model"] for row in rows}
    return {
        "look back, comparisons labelled": float(len(rows)),
        "look back, papers": float(len(papers)),
    }


def _annotations(folder: Path) -> list[dict[str, str]]:
    with (folder / "Glue-Paper-Annotations.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def _claims(folder: Path) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of the table that claim a new best system, with their numbers."""
    claimed = "Claimed Improvement (Bolded or in text)"
    return [
        (i, row)
        for i, row in enumerate(_annotations(folder))
        if row["SOTA.Comparison"] == "Y" and row[claimed] == "Y"
    ]


def _lachenbruch() -> dict[str, float]:
    """Return the sizes of the example in appendix E.3: .8 against .9 with power .9."""
    z = normal_quantile(0.975) + normal_quantile(0.9)
    disagreements = {
        "smallest": 0.1,
        "middle": lachenbruch_disagreement(0.8, 0.1),
        "largest": 0.3,
    }
    return {
        f"appendix E.3, {name} disagreement": z**2 * decided / 0.1**2
        for name, decided in disagreements.items()
    }
