"""Judgments that give a plan just the statistics a test needs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtri

from detectable.sequential.look_statistic import paired_mean
from detectable.study.monitoring.plan import Plan, plan

Table = dict[str, list[Any]]


def judged(
    differences: Sequence[float] | NDArray[np.float64],
    *,
    systems: tuple[str, str] = ("new", "old"),
    rater: str | None = "ann",
    per_document: int | None = None,
    first: int = 0,
    spread: bool = True,
) -> Table:
    """Return one judgment of each system per item, with the given differences."""
    table: Table = {"system": [], "item": [], "score": []}
    for name in ("rater",) * (rater is not None) + ("document",) * (per_document is not None):
        table[name] = []
    for i, difference in enumerate(np.asarray(differences, dtype=float).tolist(), start=first):
        # Items differ in what they are worth, so that scores fill their scale: dense ones.
        middle = 50.0 + (i * 37 % 61 - 30 if spread and abs(difference) < 40.0 else 0)
        for system, sign in zip(systems, (0.5, -0.5), strict=True):
            table["system"].append(system)
            table["item"].append(f"i{i}")
            table["score"].append(middle + sign * difference)
            if rater is not None:
                table["rater"].append(rater)
            if per_document is not None:
                table["document"].append(f"d{i // per_document}")
    return table


def joined(*tables: Table) -> Table:
    """Return all rows, in order."""
    return {name: [x for table in tables for x in table[name]] for name in tables[0]}


def reordered(table: Table, seed: int = 1) -> Table:
    """Return the rows in another order."""
    order = np.random.default_rng(seed).permutation(len(table["score"])).tolist()
    return {name: [values[i] for i in order] for name, values in table.items()}


def differences_with(*z: tuple[int, float]) -> NDArray[np.float64]:
    """Return differences whose paired statistic is z at n items, for each (n, z) in turn."""
    done = np.zeros(0)
    for n, wanted in z:
        size = n - done.size
        shape = ndtri((np.arange(size) + 0.5) / size) * 5.0
        so_far = done

        def excess(
            shift: float, shape: Any = shape, so_far: Any = so_far, z: float = wanted
        ) -> float:
            return paired_mean(np.concatenate([so_far, shape + shift])).z - z

        shift = brentq(excess, -40.0, 40.0, xtol=1e-13)
        done = np.concatenate([done, shape + shift])
    return done


def new_plan(folder: Path, n_max: int | None = 100, **options: Any) -> Plan:
    """Return a plan of two systems in a folder."""
    options.setdefault("systems", ["new", "old"])
    return plan(folder / "ship.json", n_max=n_max, **options)


def write_csv(path: Path, table: Table) -> Path:
    """Write a table as CSV."""
    rows = [
        ",".join(table),
        *(",".join(map(str, r)) for r in zip(*table.values(), strict=True)),
    ]
    path.write_text("\n".join(rows) + "\n")
    return path


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files that a plan keeps; the lock holds no results."""
    return {
        p.name: p.read_bytes() for p in sorted(folder.iterdir()) if not p.name.endswith(".lock")
    }
