"""Memory of rankings: large tables of judgments, scanned from Parquet."""

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.timing import measured
from benchmarks.whole_command import whole_command

JUDGMENTS = ((5_000_000, 1.0), (50_000_000, 3.0))  # rows of a table, and GB asked for
RATERS, PER_ITEM, RANKED = 1_000, 50, 10  # each of 50 raters judges all 10 systems of an item


def write_judgments(path: Path, n: int) -> None:
    """Write a Parquet table of n judgments in no order, items in documents of 20."""
    import polars as pl

    k = (pl.int_range(n, dtype=pl.Int64) * 48_271 + 11) % n
    cell, system = k // RANKED, k % RANKED
    item = cell // PER_ITEM
    rater = (item * 7 + cell % PER_ITEM * 13) % RATERS
    noise = (k.hash(1) % 4000).cast(pl.Float64) / 100 + (item.hash(2) % 2000) / 100
    frame = pl.LazyFrame().select(
        system=pl.lit("system-") + system.cast(pl.String),
        document=pl.lit("document-") + (item // 20).cast(pl.String),
        item=pl.lit("item-") + item.cast(pl.String),
        rater=pl.lit("rater-") + rater.cast(pl.String),
        score=(20 + noise + 0.02 * system + (rater % 7)).round(2),
    )
    frame.sink_parquet(path)


def judgments(n: int, asked: float) -> None:
    """Rank systems from a table of n judgments, by the whole command."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judgments.parquet"
        # In a process of its own, whose memory is not that of the command.
        module = "benchmarks.bench_memory_judgments"
        subprocess.run([sys.executable, "-m", module, "write", str(path), str(n)], check=True)
        used = whole_command("rank", str(path), "--seed", "1", "--json")
    found = f"{used.peak:.2f} GB, {used.cpu:.0f} s CPU"
    name = f"rank, {n:,} judgments from Parquet"
    print(measured(name, found, f"(asked: {asked:g} GB)", kind="whole command"), flush=True)


def main() -> None:
    print("\nmemory of rankings", flush=True)
    for n, asked in JUDGMENTS:
        judgments(n, asked)


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write_judgments(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
