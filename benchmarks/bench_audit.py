"""The audit of an archive: 4,004 comparisons from 2.3 million judgments, the whole command."""

import json
import os
import resource
import subprocess
from pathlib import Path

from benchmarks.installed import program
from benchmarks.timing import HEADER, line

MOST_SECONDS = {"shipdata_judgments.parquet": 5.0, "shipdata_hist.npz": 2.0}


PEER = r"""
import sys
from itertools import combinations
import numpy as np, polars as pl
from scipy.stats import mannwhitneyu
frame = pl.read_parquet(sys.argv[1], columns=["campaign", "system", "score"])
found = []
for _, part in frame.group_by("campaign", maintain_order=True):
    scores = [own["score"].to_numpy() for _, own in part.group_by("system", maintain_order=True)]
    found += [mannwhitneyu(a, b).pvalue for a, b in combinations(scores, 2)]
print(len(found), int((np.array(found) < 0.05).sum()))
"""


def command(*words: str) -> tuple[float, str]:
    """Run a command; return its CPU seconds, user and system, and what it says."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    one = {**os.environ, "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
    ran = subprocess.run(words, capture_output=True, check=True, text=True, env=one)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ran.stdout


def audited(path: Path) -> float:
    """Return the CPU seconds of the audit of an archive, after a look at its answer."""
    spent, said = command(
        program("detectable"), "audit", str(path), "--by", "language-pair", "--json"
    )
    overall = json.loads(said)["overall"]
    assert (overall["total"], overall["significant"]) == (4004, 1544)
    return spent


def by_scipy(path: Path) -> float:
    """Return the CPU seconds of a script that tests pair by pair with scipy, and no more."""
    spent, said = command(program("python"), "-c", PEER, str(path))
    assert said.split() == ["4004", "1544"]
    return spent


def main() -> None:
    data = os.environ.get("DETECTABLE_REFERENCE_DATA")
    print("\naudit of past comparisons")
    if not data:
        print("DETECTABLE_REFERENCE_DATA is not set: no archive to audit")
        return
    folder = Path(data) / "data" / "shipdata"
    print(HEADER)
    times: dict[str, float] = {}
    peer = min(by_scipy(folder / "shipdata_judgments.parquet") for _ in range(3))
    for name in MOST_SECONDS:
        times[name] = min(audited(folder / name) for _ in range(3))
    note = "peer: a script with Mann-Whitney alone; ours also pairs and groups"
    for what, name in (
        ("audit, 2.3 million judgments", "shipdata_judgments.parquet"),
        ("audit, their histograms", "shipdata_hist.npz"),
    ):
        print(line(what, peer, times[name], note=note, against="scipy", kind="whole command"))
    for name, spent in times.items():
        print(f"{'':42} {name}: {spent:.2f} s CPU, asked: below {MOST_SECONDS[name]:g} s")


if __name__ == "__main__":
    main()
