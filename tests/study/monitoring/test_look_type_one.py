"""The whole tool where nothing differs: plan, look, look, … from files to decision."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detectable as dt
from tests.helpers import reference_data

RUNS = 1_000
LOOKS = (60, 120, 180, 240, 300)


def _real_pairs() -> tuple[np.ndarray, np.ndarray]:
    """Return the matched scores of the largest comparison in the archive, and their raters."""
    import polars as pl

    path = reference_data("data", "shipdata", "shipdata_judgments.parquet")
    frame = pl.read_parquet(path, columns=["campaign", "system", "user", "segment", "score"])
    first = frame.group_by("campaign", "system").len().sort("len", "campaign", "system")[-1]
    rows = frame.filter(pl.col("campaign") == first["campaign"][0])
    cells = rows.group_by("system", "user", "segment").agg(pl.col("score").mean())
    systems = cells["system"].unique().sort()[:2]
    one, two = (cells.filter(pl.col("system") == name) for name in systems)
    matched = one.join(two, on=("user", "segment"), suffix="_2").sort("user", "segment")
    return matched.select("score", "score_2").to_numpy(), matched["user"].to_numpy()


def _table(scores: np.ndarray, n: int) -> dict[str, Any]:
    return {
        "system": ["A"] * n + ["B"] * n,
        "item": list(range(n)) * 2,
        "score": scores[:n].T.ravel().tolist(),
    }


@pytest.mark.slow
@pytest.mark.parametrize("test", ["paired-mean", "signed-rank", "sign-flip"])
def test_five_looks_at_equal_systems_keep_the_error_rate(tmp_path: Path, test: Any) -> None:
    """Draw items of a real comparison, swap the systems at random, and look five times."""
    pool, _ = _real_pairs()
    rng = np.random.default_rng(6)
    alarms = 0
    for run in range(RUNS):
        drawn = pool[rng.integers(0, len(pool), LOOKS[-1])]
        swapped = rng.random(LOOKS[-1]) < 0.5
        scores = np.where(swapped[:, None], drawn[:, ::-1], drawn)
        plan = dt.plan(tmp_path / f"{run}.json", systems=["A", "B"], n_max=300, test=test)
        for n in LOOKS:
            look = dt.look(plan, _table(scores, n), overrule_futility=True)
            if look.decision in ("stop: better", "stop: worse"):
                alarms += 1
            if look.decision not in ("continue", "stop: futile"):
                break
    error = (0.05 * 0.95 / RUNS) ** 0.5
    assert alarms / RUNS <= 0.05 + 3.0 * error
    assert alarms / RUNS >= 0.05 - 3.0 * error
