"""Section 3: SQuAD 2.0. The chain of best systems, its regressions, and the detectable effect."""

import csv
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

import detectable as dt
from detectable.core.types import FloatArray
from detectable.inference.classic_tests import sign_test_p
from detectable.inference.correlation import pearson
from detectable.study.audit.benchmark_audit import BenchmarkAudit

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
    audit = dt.audit(
        {
            "n": [N_TEST] * len(steps),
            "baseline": before.tolist(),
            "improvement": gain.tolist(),
            "best": [BASELINE] * len(steps),
        },
        prior="squad",
    )
    if not isinstance(audit, BenchmarkAudit):
        raise TypeError(type(audit))
    [task] = audit.tasks
    return {
        "squad, best systems": float(task.n_claims),
        "squad, mean gain": 100 * task.mean_improvement,
        "squad, gains on both sets, r": _gains_on_both_sets(folder),
        "squad, gain on accuracy, R squared": audit.r_squared,
        "squad, agreement, R squared": _r_squared(
            np.column_stack([np.ones_like(before), before, gain]), agreement
        ),
        "table 2, SQuAD 2.0, normal": 100 * (task.mde_normal or math.nan),
        "table 2, SQuAD 2.0, exact": 100 * (task.mde or math.nan),
    }


def _chain(folder: Path) -> list[Step]:
    """Return the systems that beat the best so far: powered on dev, significant on test.

    The disagreement on the private test set is not public; that on the development set
    stands in for it.
    """
    test, pairs = _test_accuracies(folder), _pairs(folder)
    best, steps = 0, []
    for new in range(1, len(test)):
        gained, differing = pairs[best, new]
        gain = test[new] - test[best]
        if gained <= 0 or gain <= 0.0 or not _powered(gained, differing):
            continue
        if _significant(gain, differing / N_DEV):
            steps.append(Step(test[best], gain, differing / N_DEV, new))
            best = new
    return steps


def _gains_on_both_sets(folder: Path) -> float:
    """Correlate the differences in accuracy of all pairs on the development and the test set."""
    test, pairs = _test_accuracies(folder), _pairs(folder)
    on_dev = np.array([gained / N_DEV for gained, _ in pairs.values()])
    on_test = np.array([test[j] - test[i] for i, j in pairs])
    return float(pearson(on_dev, on_test))


def _test_accuracies(folder: Path) -> list[float]:
    with (folder / "models.tsv").open(newline="") as file:
        return [float(m["test_em"]) / 100 for m in csv.DictReader(file, delimiter="\t")]


def _pairs(folder: Path) -> dict[tuple[int, int], tuple[int, int]]:
    """Return by how many items the second system is ahead on the development set, and on how many they differ."""
    with (folder / "pairs_dev.tsv").open(newline="") as file:
        return {
            (int(r["i"]), int(r["j"])): (int(r["dev_delta"]), int(r["dev_disagree"]))
            for r in csv.DictReader(file, delimiter="\t")
        }


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
