"""Section 5: the survey of human evaluations (Figure 5)."""

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np

import detectable as dt
from detectable.study.audit.survey_audit import SurveyAudit

_OUTLIER = -0.4  # the paper leaves out two comparisons below
_KEY = ("Link", "Eval number", "Dataset", "Metric")


def numbers(folder: Path) -> dict[str, float]:
    """Return what the table of comparisons says about size and effect."""
    rows = _rows(folder)
    known = np.array([float(r["Examples"]) for r in rows if _given(r["Examples"])])
    raters = [float(r["Ann.Per.Ex"]) for r in rows if _given(r["Ann.Per.Ex"])]
    published, mended = _audit(survey_columns(folder)), _audit(corrected_columns(folder))
    return {
        "survey, comparisons": float(len(rows)),
        "survey, papers": float(len({r["Link"] for r in rows})),
        "survey, spread of differences": float(
            np.std([float(r["diff"]) for r in rows], ddof=1)
        ),
        "survey, at most 100 items": float((known <= 100).mean()),
        "survey, more than 200 items": float((known > 200).mean()),
        "survey, ratings per item not stated": _missing(rows, "Ann.Per.Ex"),
        "survey, raters not stated": _missing(rows, "Tot.Ann"),
        "survey, items not stated": _missing(rows, "Examples"),
        "survey, three ratings per item": float(np.mean(np.array(raters) == 3)),
        "survey, Kendall's tau": published.tau_unrounded,
        "survey, Kendall's tau, p": published.p_unrounded,
        "survey, Kendall's tau, rounded": published.tau,
        "survey, Kendall's tau, rounded, p": published.p_value,
        "survey, scaled by the range, Kendall's tau": mended.tau_unrounded,
        "survey, scaled by the range, Kendall's tau, p": mended.p_unrounded,
        "survey, scaled by the range, Kendall's tau, rounded": mended.tau,
        "survey, scaled by the range, Kendall's tau, rounded, p": mended.p_value,
    }


def survey_columns(folder: Path, *, outliers: bool = False) -> dict[str, list[Any]]:
    """Return n and effect of each comparison as published, as a table that `dt.audit` takes."""
    rows = [
        r
        for r in _rows(folder)
        if _given(r["Examples"]) and (outliers or float(r["diff"]) > _OUTLIER)
    ]
    return {
        "n": [float(r["Examples"]) for r in rows],
        "effect": [float(r["diff"]) for r in rows],
    }


def corrected_columns(folder: Path) -> dict[str, list[Any]]:
    """Return the same with scores scaled by their range: the paper divides by the maximum."""
    scores: dict[tuple[str, ...], dict[str, list[float]]] = {}
    # The table has the line ends of old Macs.
    text = (folder / "likert_ratings.csv").read_bytes().decode().replace("\r", "\n")
    for row in csv.DictReader(text.splitlines()):
        low, high = (float(end) for end in re.findall(r"-?\d+", row["Response"]))
        # «new + RL» and ablations are neither.
        role = re.fullmatch(r"(baseline|new)\d*", row["Category"].lower())
        if role and _given(row["Value"]):
            own = scores.setdefault(tuple(row[name] for name in _KEY), {})
            own.setdefault(role[1], []).append((float(row["Value"]) - low) / (high - low))
    n, effect = [], []
    for row in _rows(folder):
        own = scores[tuple(row[name] for name in _KEY)]
        gain = max(own["new"]) - max(own["baseline"])
        if _given(row["Examples"]) and gain > _OUTLIER:
            n.append(float(row["Examples"]))
            effect.append(gain)
    return {"n": n, "effect": effect}


def _audit(columns: dict[str, list[Any]]) -> SurveyAudit:
    found = dt.audit(columns)
    if not isinstance(found, SurveyAudit):
        raise TypeError(type(found))
    return found


def _rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "num_items_vs_effect_size.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def _given(text: str) -> bool:
    return text not in ("", "NA")


def _missing(rows: list[dict[str, str]], column: str) -> float:
    return float(np.mean([not _given(r[column]) for r in rows]))
