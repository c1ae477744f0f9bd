"""Labels for F1 and Matthews' correlation: python -m replications.card2020.labels wmt23_mqm_metrics.parquet FILE.

The paper names F1 and Matthews' correlation for tasks whose predictions are not at hand here. These are real ones: which
translations of WMT23 English-German by one system hold a major error, as people marked them (MQM of −5 or worse), and as three
metrics tell them that mark as many as people did, the worst ones. Human judgments: google/wmt-mqm-human-evaluation; metrics:
mt-metrics-eval v2; both Apache-2.0.
"""

import sys
from pathlib import Path

import numpy as np
import polars as pl

LANGUAGE, SYSTEM, MAJOR = "en-de", "ONLINE-A", -5.0
METRICS = ("metricx23qe", "comet", "chrf")  # higher is better in all of them
FILE = Path(__file__).parent / "major_errors.tsv"


def labels(source: Path) -> pl.DataFrame:
    """Return a row per translation: document, what people say, what each metric says."""
    chosen = (
        pl.read_parquet(source)
        .filter((pl.col("language") == LANGUAGE) & (pl.col("system") == SYSTEM))
        .sort("item")
    )
    truth = chosen["mqm"].to_numpy() <= MAJOR + 1e-6
    columns = {"doc": chosen["document"].cast(pl.String), "ref": truth.astype(int)}
    for metric in METRICS:
        order = np.argsort(chosen[metric].to_numpy(), kind="stable")
        marked = np.zeros(truth.size, dtype=int)
        marked[order[: truth.sum()]] = 1
        columns[f"hyp:{metric}"] = marked
    return pl.DataFrame(columns)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    labels(Path(sys.argv[1])).write_csv(sys.argv[2], separator="\t")
