"""The audit of an archive: 4,004 comparisons from 2.3 million judgments, the whole command."""

import json
import os
import resource
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import stats

from benchmarks.timing import HEADER, cpu, line

PEER_PAIRS = 200  # of 4,004; scaled up
MOST_SECONDS = {"shipdata_judgments.parquet": 5.0, "shipdata_hist.npz": 2.0}


def command(path: Path) -> tuple[float, Any]:
    """Run the command as people type it; return its CPU seconds, user and system, and its JSON."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "detectable",
            "audit",
            str(path),
            "--by",
            "language-pair",
            "--json",
        ],
        capture_output=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, json.loads(ran.stdout)


def by_scipy(path: Path, most: int) -> tuple[int, list[float]]:
    """Test pair by pair with scipy; return how many were significant, and all p-values."""
    frame = pl.read_parquet(path, columns=["campaign", "system", "score"])
    found: list[float] = []
    for _, part in frame.group_by("campaign", maintain_order=True):
        scores = [own["score"].to_numpy() for _, own in part.group_by("system")]
        for a, b in combinations(scores, 2):
            if len(found) == most:
                break
            found.append(float(stats.mannwhitneyu(a, b).pvalue))
    return int((np.array(found) < 0.05).sum()), found


def main() -> None:
    data = os.environ.get("DETECTABLE_REFERENCE_DATA")
    print("\naudit of past comparisons")
    if not data:
        print("DETECTABLE_REFERENCE_DATA is not set: no archive to audit")
        return
    folder = Path(data) / "data" / "shipdata"
    judgments = folder / "shipdata_judgments.parquet"
    print(HEADER)
    times: dict[str, float] = {}
    for name in MOST_SECONDS:
        command(folder / name)  # compiles once per machine
        runs = [command(folder / name) for _ in range(3)]
        times[name], answer = min(runs, key=lambda run: run[0])
        assert answer["overall"]["total"] == 4004
        assert answer["overall"]["significant"] == 1544
    reading, _ = cpu(lambda: by_scipy(judgments, 1))
    peer, _ = cpu(lambda: by_scipy(judgments, PEER_PAIRS + 1))
    whole = reading + (peer - reading) / PEER_PAIRS * 4004
    note = f"peer: Mann-Whitney alone, {PEER_PAIRS} pairs scaled to 4,004; ours also pairs"
    print(
        line(
            "audit, 2.3 million judgments",
            whole,
            times[judgments.name],
            note=note,
            against="scipy",
        )
    )
    print(line("audit, their histograms", whole, times["shipdata_hist.npz"], against="scipy"))
    for name, spent in times.items():
        print(f"{'':42} {name}: {spent:.2f} s CPU, asked: below {MOST_SECONDS[name]:g} s")


if __name__ == "__main__":
    main()
