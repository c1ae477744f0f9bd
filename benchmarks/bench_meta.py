"""Metrics against people: accuracy with calibrated ties of 13 systems × 529 segments."""

import numpy as np

from benchmarks.timing import HEADER, cpu, line, measured
from detectable.core.types import FloatArray
from detectable.data.scores.scores import Scores
from detectable.inference.correlation import TieCalibration
from detectable.study.meta.meta import meta

SYSTEMS, SEGMENTS = 13, 529
FEW = 40  # thresholds of the loop that are timed


def data() -> tuple[FloatArray, FloatArray]:
    """Return human scores with many ties, and a metric: (segments, systems)."""
    rng = np.random.default_rng(1)
    truth = rng.normal(0, 1, (SEGMENTS, SYSTEMS)) + rng.normal(0, 1, (SEGMENTS, 1))
    return -np.round(np.maximum(0, 1 - truth)), truth + rng.normal(0, 1, truth.shape)


def accuracy(human: FloatArray, metric: FloatArray, epsilon: float) -> float:
    """Return the accuracy at one threshold, segment by segment."""
    i, j = np.triu_indices(SYSTEMS, 1)
    total = 0.0
    for h, m in zip(human, metric, strict=True):
        gap = m[i] - m[j]
        tied = np.abs(gap) <= epsilon
        same = np.sign(h[i] - h[j]) == np.sign(np.where(tied, 0.0, gap))
        total += float(same.mean())
    return total / SEGMENTS


def main() -> None:
    print("\nmetrics against people")
    print(HEADER)
    human, metric = data()
    ours, (value, epsilon) = cpu(lambda: TieCalibration.of(human, metric).best(), repeats=3)
    found = TieCalibration.of(human, metric)
    candidates = np.unique(found.distance)
    some = candidates[:: max(1, candidates.size // FEW)][:FEW]
    peer, _ = cpu(lambda: max(accuracy(human, metric, e) for e in some))
    apart = abs(accuracy(human, metric, epsilon) - value)
    note = f"{candidates.size:,} thresholds ({FEW} timed), {apart:.0e} apart"
    print(
        line(
            "acc_eq, all thresholds",
            peer * candidates.size / FEW,
            ours,
            note=note,
            against="Python loop",
        )
    )
    systems = [f"s{k}" for k in range(SYSTEMS)]
    tables = [
        Scores.build(dict(zip(systems, values.T, strict=True))) for values in (human, metric)
    ]
    other = Scores.build(
        dict(
            zip(
                systems,
                (metric + np.random.default_rng(2).normal(size=metric.shape)).T,
                strict=True,
            )
        )
    )
    ours, _ = cpu(lambda: meta(tables[0], {"a": tables[1], "b": other}, level="segment", rng=1))
    print(measured("meta with intervals and swaps, two metrics", f"{ours:.3f} s"))


if __name__ == "__main__":
    main()
