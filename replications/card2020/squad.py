"""Section 3: SQuAD 2.0. The chain of best systems, its regressions, and the detectable effect."""

import math
from pathlib import Path

import detectable as dt
from detectable.study.audit.benchmark_audit import BenchmarkAudit

N_DEV, N_TEST = 11_873, 8_862


def numbers(folder: Path) -> dict[str, float]:
    """Return every number of the section that the public data allow.

    The disagreement on the private test set is not public; that on the development set
    stands in for it.
    """
    audit = leaderboard(folder)
    if audit.two_sets is None:
        raise TypeError(type(audit))
    [task] = audit.tasks
    return {
        "squad, best systems": float(task.n_claims),
        "squad, mean gain": 100 * task.mean_improvement,
        "squad, gains on both sets, r": audit.two_sets.r_difference,
        "squad, gain on accuracy, R squared": audit.r_squared,
        "squad, agreement, R squared": audit.two_sets.agreement_r_squared,
        "table 2, SQuAD 2.0, normal": 100 * (task.mde_normal or math.nan),
        "table 2, SQuAD 2.0, exact": 100 * (task.mde or math.nan),
    }


def leaderboard(folder: Path) -> BenchmarkAudit:
    """Return the audit of the leaderboard: audit models.tsv --pairs pairs_dev.tsv."""
    found = dt.audit(
        folder / "models.tsv",
        pairs=folder / "pairs_dev.tsv",
        columns={"accuracy": "test_em"},
        n_items=N_TEST,
        pairs_n=N_DEV,
    )
    if not isinstance(found, BenchmarkAudit):
        raise TypeError(type(found))
    return found
