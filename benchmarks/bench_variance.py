"""Decomposition of variance and agreement on a million judgments, against plain loops."""

import numpy as np

from benchmarks.timing import HEADER, cpu, line, measured
from detectable.data.human.judgments import Judgments
from detectable.inference.agreement import alpha_sums
from detectable.study.precision.rater_agreement import agreement
from detectable.study.precision.variance_components import variance_components

FEW = 5  # resamples of the loop that are timed


def judgments(translations: int) -> Judgments:
    """Return judgments of many items, a quarter of them by two raters."""
    rng = np.random.default_rng(1)
    raters = np.where(rng.random(translations) < 0.25, 2, 1)
    item = np.repeat(np.arange(translations), raters)
    score = 50 + rng.normal(0, 8, translations)[item] + rng.normal(0, 14, item.size)
    # Two scores of an item come from different halves of the raters.
    rater = rng.integers(0, 2000, item.size) * 2 + np.arange(item.size) % 2
    columns = {
        "system": item % 40,
        "item": item,
        "rater": rater,
        "score": np.clip(np.rint(score), 0, 100),
    }
    return Judgments.build(columns)


def resample_once(table: Judgments, rng: np.random.Generator) -> float:
    """Return the share of quality of one resample, items drawn and variances computed anew."""
    n = table.item.n_levels
    weight = np.bincount(rng.integers(0, n, n), minlength=n)[table.item.codes]
    score = table.score
    system = table.system.codes
    mean = np.bincount(system, weight * score) / np.bincount(system, weight)
    total = (weight * np.square(score - mean[system])).sum() / weight.sum()
    size = np.bincount(table.item.codes)
    centre = (np.bincount(table.item.codes, score) / size)[table.item.codes]
    noise = (weight * np.square(score - centre)).sum()
    degrees = (weight * (1 - 1 / size[table.item.codes])).sum()
    return float(1 - noise / degrees / total)


def coincidences(values: np.ndarray, unit: np.ndarray) -> float:
    """Return interval alpha by the matrix of coincidences of 101 scores."""
    order = np.argsort(unit, kind="stable")
    groups = np.split(values[order], np.flatnonzero(np.diff(unit[order])) + 1)
    matrix = np.zeros((101, 101))
    for group in groups:
        if group.size > 1:
            counts = np.bincount(group.astype(np.int64), minlength=101)
            matrix += (np.outer(counts, counts) - np.diag(counts)) / (group.size - 1)
    margin, distance = matrix.sum(0), np.square(np.subtract.outer(*[np.arange(101.0)] * 2))
    n = margin.sum()
    expected = (np.outer(margin, margin) * distance).sum() / (n - 1)
    return float(1 - (matrix * distance).sum() / expected)


def main() -> None:
    print("\nvariance and agreement of human judgments")
    print(HEADER)
    table = judgments(800_000)
    rng = np.random.default_rng(2)
    loop, _ = cpu(lambda: [resample_once(table, rng) for _ in range(FEW)])
    ours, found = cpu(lambda: variance_components(table))
    left_out = found.n_clusters + found.n_raters
    note = f"{found.n_judgments:,} judgments, {left_out:,} left out in turn ({FEW} timed)"
    print(
        line(
            "noise and quality, items and raters left out",
            loop * left_out / FEW,
            ours,
            note=note,
            against="numpy",
        )
    )
    small = judgments(40_000)
    values, unit = small.score, small.item.codes
    peer, want = cpu(lambda: coincidences(values, unit))
    ours, got = cpu(lambda: alpha_sums(values, unit, level="interval").alpha(), repeats=3)
    note = f"{small.n_judgments:,} judgments, {abs(want - got):.0e} apart"
    print(line("Krippendorff's alpha", peer, ours, note=note, against="numpy"))
    ours, whole = cpu(lambda: agreement(table))
    note = f"a million judgments, alpha {whole.alpha:.3f}"
    print(measured("agreement with interval and pairs", f"{ours:.3f} s", note))


if __name__ == "__main__":
    main()
