"""Section 3: accuracy on GLUE. Table 2, the regression behind it, and the look back."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import detectable as dt
from detectable.core.types import FloatArray
from detectable.planning.agreement_priors import REGRESSIONS, lachenbruch_disagreement
from detectable.planning.normal import quantile

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
_CHI_SQUARE = 3.841458820694124  # .95 quantile with one degree of freedom


class Claim(NamedTuple):
    """A claimed improvement over the state of the art, in percent, and its row in the table."""

    task: str
    before: float
    after: float
    row: int

    @property
    def gain(self) -> float:
        """The improvement."""
        return self.after - self.before


def numbers(folder: Path) -> dict[str, float]:
    """Return every number of the section that the public data allow."""
    sizes = _sizes(folder)
    claims = _claims(folder)
    found = {"figure 1, 100 tosses": _toss(100), "figure 1, 25 tosses": _toss(25)}
    for task, base in BASELINES.items():
        for method in ("normal", "exact"):
            scenario = dt.scenarios.Accuracy(
                baseline_accuracy=base, prior="glue", method=method
            )
            answer = dt.mde(scenario, n_items=sizes[task])
            found[f"table 2, {task}, {method}"] = 100 * answer.effect
        found[f"table 2, {task}, lachenbruch"] = 100 * _simple_mde(base, sizes[task])
        gains = [claim.gain for claim in claims if claim.task == task]
        found[f"table 2, {task}, mean claim"] = float(np.mean(gains))
        ahead = Claim(task, 100 * base, 0.0, -1)
        found[f"table 2, {task}, predicted gain"] = float((_design([ahead]) @ _fit(claims))[0])
        unpaired = dt.mde(dt.scenarios.UnpairedAccuracy(base), n_items=sizes[task])
        found[f"table 2, {task}, unpaired"] = 100 * unpaired.effect
    found["table 2, WNLI, all disagreement is gain"] = 100 * _all_gain(147)
    found["gain on accuracy and task, R squared"] = _r_squared(claims)
    found |= _look_back(claims, sizes, as_published=True)
    found |= _look_back(claims, sizes, as_published=False)
    found |= _lachenbruch()
    return found


def _toss(n: int) -> float:
    return dt.power(dt.scenarios.Preference(), n_items=n, effect=0.65).power


def _simple_mde(base: float, n: int) -> float:
    """Return the MDE by the simple formula of appendix E.3, with the middle of the possible."""
    z = quantile(0.975) + quantile(0.8)
    return float(z * np.sqrt(lachenbruch_disagreement(base, 0.001) / n))


def _all_gain(n: int) -> float:
    """Return the MDE by the normal formula if the baseline is never right alone (pd = D)."""
    z, target = quantile(0.975), quantile(0.8)
    low, high = 1e-6, 0.5
    for _ in range(100):
        d = 0.5 * (low + high)
        reached = (np.sqrt(n) * d - z * np.sqrt(d)) / np.sqrt(d - d * d)
        low, high = (d, high) if reached < target else (low, d)
    return high


def _sizes(folder: Path) -> dict[str, int]:
    with (folder / "GlueTaskTestSetSizes.csv").open(newline="") as file:
        return {row["Dataset"].strip(): int(row["size"]) for row in csv.DictReader(file)}


def _claims(folder: Path) -> list[Claim]:
    with (folder / "Glue-Paper-Annotations.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    claimed = "Claimed Improvement (Bolded or in text)"
    return [
        Claim(r["Task"], float(r["Previous Best"]), float(r["Model Accuracy"]), i)
        for i, r in enumerate(rows)
        if r["SOTA.Comparison"] == "Y" and r[claimed] == "Y"
    ]


def _design(claims: Sequence[Claim]) -> FloatArray:
    tasks = sorted(BASELINES)[1:]
    return np.array([[1.0, c.before, *(float(c.task == t) for t in tasks)] for c in claims])


def _fit(claims: Sequence[Claim]) -> FloatArray:
    gains = np.array([c.gain for c in claims])
    line: FloatArray = np.linalg.lstsq(_design(claims), gains, rcond=None)[0]
    return line


def _r_squared(claims: Sequence[Claim]) -> float:
    gains = np.array([c.gain for c in claims])
    rest = gains - _design(claims) @ _fit(claims)
    return 1.0 - float(rest @ rest) / float(np.square(gains - gains.mean()).sum())


def _look_back(
    claims: Sequence[Claim], sizes: Mapping[str, int], *, as_published: bool
) -> dict[str, float]:
    """Return how many claims had power, and how many were significant.

    The authors leave out row i of the *whole* table while predicting claim i of the filtered
    one; `as_published` repeats that, otherwise claim i itself is left out.
    """
    powers, significant = [], []
    for i, claim in enumerate(claims):
        others = [c for k, c in enumerate(claims) if (c.row if as_published else k) != i]
        predicted = float((_design([claim]) @ _fit(others))[0]) / 100
        if predicted <= 0.0 or claim.gain <= 0.0:
            continue
        n, gain = sizes[claim.task], claim.gain / 100
        decided = REGRESSIONS["glue"].disagreement(claim.before / 100, predicted)
        scenario = dt.scenarios.Accuracy(agreement=1.0 - decided, method="normal")
        powers.append(scenario.closed_form(n, predicted, alpha=0.05).power)
        seen = REGRESSIONS["glue"].disagreement(claim.before / 100, gain)
        significant.append(n * gain**2 / seen > _CHI_SQUARE)
    low, shown = np.array(powers) < 0.8, np.array(significant)
    name = "look back" if as_published else "look back, mended"
    return {
        f"{name}, claims": float(low.size),
        f"{name}, underpowered": float(low.mean()),
        f"{name}, adequate power": float((~low).mean()),
        f"{name}, significant": float(shown.mean()),
        f"{name}, powered and significant": float((shown & ~low).mean()),
        f"{name}, significant among powered": float(shown[~low].mean()),
    }


def _lachenbruch() -> dict[str, float]:
    """Return the sizes of the example in appendix E.3: .8 against .9 with power .9."""
    z = quantile(0.975) + quantile(0.9)
    disagreements = {
        "smallest": 0.1,
        "middle": lachenbruch_disagreement(0.8, 0.1),
        "largest": 0.3,
    }
    return {
        f"appendix E.3, {name} disagreement": z**2 * decided / 0.1**2
        for name, decided in disagreements.items()
    }
