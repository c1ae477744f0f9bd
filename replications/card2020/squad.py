"""Section 3: SQuAD 2.0. The chain of best systems, its regressions, and the detectable effect."""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np

import detectable as dt
from detectable.core.types import FloatArray
from detectable.inference.sign_test import sign_test_p

N_DEV, N_TEST = 11_873, 8_862
BASELINE = 0.90724  # the last best system of the paper


class Step(NamedTuple):
    """A new best system: accuracy before, gain, disagreement with the old one, number."""

    before: float
    gain: float
    disagreement: float
    model: int


def numbers(folder: Path) -> dict[str, float]:
    """Return every number of the section that the public data allow."""
    steps = _chain(folder)
    before = np.array([s.before for s in steps])
    gain = np.array([s.gain for s in steps])
    agreement = np.array([1.0 - s.disagreement for s in steps])
    ones = np.ones_like(before)
    found = {
        "squad, best systems": float(len(steps)),
        "squad, mean gain": 100 * float(gain.mean()),
        "squad, gain on accuracy, R squared": _r_squared(np.column_stack([ones, before]), gain),
        "squad, agreement, R squared": _r_squared(
            np.column_stack([ones, before, gain]), agreement
        ),
    }
    for method in ("normal", "exact"):
        scenario = dt.scenarios.Accuracy(
            baseline_accuracy=BASELINE, prior="squad", method=method
        )
        found[f"table 2, SQuAD 2.0, {method}"] = 100 * dt.mde(scenario, n_items=N_TEST).effect
    return found


def _chain(folder: Path) -> list[Step]:
    """Return the systems that beat the best so far: powered on dev, significant on test.

    The disagreement on the private test set is not public; that on the development set
    stands in for it.
    """
    with (folder / "models.tsv").open(newline="") as file:
        models = list(csv.DictReader(file, delimiter="\t"))
    with (folder / "pairs_dev.tsv").open(newline="") as file:
        pairs = {
            (int(r["i"]), int(r["j"])): (int(r["dev_delta"]), int(r["dev_disagree"]))
            for r in csv.DictReader(file, delimiter="\t")
        }
    test = [float(m["test_em"]) / 100 for m in models]
    best, steps = 0, []
    for new in range(1, len(models)):
        gained, differing = pairs[best, new]
        gain = test[new] - test[best]
        if gained <= 0 or gain <= 0.0 or not _powered(gained, differing):
            continue
        if _significant(gain, differing / N_DEV):
            steps.append(Step(test[best], gain, differing / N_DEV, new))
            best = new
    return steps


def _powered(gained: int, differing: int) -> bool:
    scenario = dt.scenarios.Accuracy(agreement=1.0 - differing / N_DEV)
    return scenario.closed_form(N_DEV, gained / N_DEV, alpha=0.05).power >= 0.8


def _significant(gain: float, disagreement: float) -> bool:
    decided = round(disagreement * N_TEST)
    wins = min(round((decided + gain * N_TEST) / 2), decided)
    return float(sign_test_p(wins, decided - wins)) <= 0.05


def _r_squared(design: FloatArray, values: FloatArray) -> float:
    rest = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return 1.0 - float(rest @ rest) / float(np.square(values - values.mean()).sum())
