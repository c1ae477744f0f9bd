"""Section 5: the survey of human evaluations (Figure 5)."""

import csv
import re
from pathlib import Path
from typing import Any

import detectable as dt
from detectable.study.audit.survey_audit import SurveyAudit

TABLE = "num_items_vs_effect_size.csv"
_OUTLIER = -0.4  # the paper leaves out two comparisons below
_KEY = ("Link", "Eval number", "Dataset", "Metric")


def numbers(folder: Path) -> dict[str, float]:
    """Return what the table of comparisons says about size and effect."""
    published = audit_survey(folder)
    mended = _audit(corrected_columns(folder))
    said = published.reporting
    if said is None or said.ratings_missing is None or said.raters_missing is None:
        raise ValueError(f"{TABLE} lacks a column")
    three = (said.usual_ratings_share or 0.0) if said.usual_ratings == 3 else 0.0
    return {
        "survey, comparisons": float(said.n_studies),
        "survey, papers": float(said.n_papers or 0),
        "survey, spread of differences": said.effect_sd,
        "survey, at most 100 items": said.small,
        "survey, more than 200 items": said.large,
        "survey, ratings per item not stated": said.ratings_missing,
        "survey, raters not stated": said.raters_missing,
        "survey, items not stated": said.items_missing,
        "survey, three ratings per item": three,
        "survey, Kendall's tau": published.tau_unrounded,
        "survey, Kendall's tau, p": published.p_unrounded,
        "survey, Kendall's tau, rounded": published.tau,
        "survey, Kendall's tau, rounded, p": published.p_value,
        "survey, scaled by the range, Kendall's tau": mended.tau_unrounded,
        "survey, scaled by the range, Kendall's tau, p": mended.p_unrounded,
        "survey, scaled by the range, Kendall's tau, rounded": mended.tau,
        "survey, scaled by the range, Kendall's tau, rounded, p": mended.p_value,
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


def audit_survey(folder: Path) -> SurveyAudit:
    """Return the audit of the survey, without the two comparisons that the paper leaves out."""
    return _audit(folder / TABLE, at_least=_OUTLIER)


def _audit(source: Any, at_least: float | None = None) -> SurveyAudit:
    found = dt.audit(source, at_least=at_least)
    if not isinstance(found, SurveyAudit):
        raise TypeError(type(found))
    return found


def _rows(folder: Path) -> list[dict[str, str]]:
    with (folder / TABLE).open(newline="") as file:
        return list(csv.DictReader(file))


def _given(text: str) -> bool:
    return text not in ("", "NA")
