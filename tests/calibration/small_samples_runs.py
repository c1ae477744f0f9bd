"""Runs as a sample: false alarms about systems whose runs differ."""

from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray
from detectable.data.scores.scores import Scores
from tests.calibration.effort import ALPHA, Effort, Rates
from tests.calibration.small_samples import NAMES, NO_SWAPS, compared

RUNS = (2, 3, 5)
SPREADS = (0.0, 0.1, 0.3)
N_ITEMS = 100
_UNSTABLE = 3.0
_FEWER = 199  # swaps where they are slow
OWN, POOLED, POOLED_FIVE = (
    "new runs (default)",
    "new runs, pooled",
    "new runs, pooled over five",
)
FIXED, MULTEVAL = "these runs", "MultEval's swaps"
ROWS = (OWN, POOLED, POOLED_FIVE, FIXED, MULTEVAL)


@dataclass(frozen=True, slots=True)
class Runs:
    """Two equal systems among several, with runs; one may be less stable than all others."""

    n_runs: int
    spread: float
    unstable: bool = False

    @property
    def label(self) -> str:
        more = ", one three times as unstable" if self.unstable else ""
        return f"{self.n_runs} runs, run sd {self.spread:g}{more}"


def scores(runs: Runs, rng: np.random.Generator) -> dict[str, FloatArray]:
    """Return five systems: half of an item's variance is shared by the runs of a system."""
    shared = rng.normal(0.0, 0.5, (5, 1, N_ITEMS))
    noise = rng.normal(0.0, 0.5, (5, runs.n_runs, N_ITEMS))
    spread = np.full((5, 1, 1), runs.spread)
    spread[1] *= _UNSTABLE if runs.unstable else 1.0
    table = shared + noise + spread * rng.normal(size=(5, runs.n_runs, 1))
    return dict(zip(NAMES, table, strict=False))


def alarms(runs: Runs, rng: np.random.Generator) -> FloatArray:
    """Return 1 for each way to say that the first two systems differ."""
    tables = scores(runs, rng)
    two = Scores.build({name: tables[name] for name in "AB"})
    five = Scores.build(tables)
    own = compared(two, rng).pairs[0]
    pooled = compared(two, rng, NO_SWAPS, run_variance="pooled").pairs[0]
    of_five = compared(
        five, rng, NO_SWAPS, run_variance="pooled", baseline="A", correction="none"
    ).pairs[0]
    theirs = compared(two, rng, _FEWER, compat="multeval").pairs[0]
    assert own.these_runs is not None
    p = [own.p_value, pooled.p_value, of_five.p_value, own.these_runs.p_value, theirs.p_value]
    return (np.array(p) <= ALPHA).astype(np.float64)


def false_alarms(effort: Effort) -> Rates:
    """Return the shares of data sets that tell equal systems apart."""
    cells = [Runs(r, s) for r in RUNS for s in SPREADS] + [Runs(r, 0.3, True) for r in RUNS]
    found = [effort.repeat(alarms, cell, f"runs, {cell.label}").mean(axis=0) for cell in cells]
    title = f"Two equal systems, {N_ITEMS} items, new runs and new items: found to differ"
    columns = tuple(cell.label for cell in cells)
    return Rates(title, ROWS, columns, np.stack(found, axis=-1), effort.trials)
