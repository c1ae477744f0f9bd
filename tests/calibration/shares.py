"""Scores of 0 and 1 with few items that differ: false claims at the margin, Wald against Tango."""

import functools
import itertools
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from detectable.core.choices import Claim
from detectable.core.types import FloatArray
from detectable.inference.shares import PairedShares, tango_z
from detectable.sequential.look_statistic import look_boundaries, paired_mean, paired_shares
from detectable.study.monitoring.look_tests import margin_claim
from detectable.study.monitoring.plan import Plan, plan
from tests.calibration.effort import ALPHA, Effort, Rates

Cell = tuple[int, float, float]  # items, share broken, share fixed

# All pairs of a size and shares for which the rates were looked at.
SIZES = (50, 100, 200, 300, 500, 1000, 2000)
CHANGES = (
    *((0.005, 0.0), (0.01, 0.0), (0.02, 0.0), (0.04, 0.0), (0.1, 0.0)),
    *((0.02, 0.01), (0.03, 0.01), (0.04, 0.01), (0.06, 0.02), (0.1, 0.05)),
)
GRID: tuple[Cell, ...] = tuple((n, *change) for n, change in itertools.product(SIZES, CHANGES))
SHOWN: tuple[Cell, ...] = (
    *(
        (50, 0.04, 0.0),
        (100, 0.04, 0.01),
        (200, 0.02, 0.0),
        (200, 0.03, 0.01),
        (500, 0.01, 0.0),
    ),
    *((500, 0.02, 0.01), (1000, 0.01, 0.0), (300, 0.02, 0.0), (133, 0.02, 0.0)),
)
WALD, TANGO = "t of the mean (Wald)", "score test (Tango)"


@dataclass(frozen=True, slots=True)
class Exact:
    """What is counted over all tables: false claims at the margin, and coverage."""

    wald_inferior: float
    tango_inferior: float
    wald_equivalent: float
    tango_equivalent: float
    wald_cover: float
    tango_cover: float


def counted(n: int, broken: float, fixed: float, margin: float | None = None) -> Exact:
    """Count over all tables of `n` items that have a chance; the margin is the true loss."""
    margin = broken - fixed if margin is None else margin
    truth = fixed - broken
    most = min(n, int(stats.binom.isf(1e-13, n, broken + fixed)) + 1)
    b, c = np.nonzero(np.add.outer(np.arange(most + 1), np.arange(most + 1)) <= most)
    chance = stats.multinomial.pmf(
        np.stack([b, c, n - b - c], axis=1), n, [fixed, broken, 1.0 - broken - fixed]
    )
    d = (b - c) / n
    error = np.sqrt(np.maximum((b + c) / n - d**2, 0.0) / (n - 1.0))
    one, two = (float(stats.t.isf(tail, n - 1)) for tail in (ALPHA, ALPHA / 2))
    above, below = d - one * error > -margin, d + one * error < margin
    score_above, score_below = (
        sign * tango_z(b, c, n, -sign * margin) >= stats.norm.isf(ALPHA) for sign in (1, -1)
    )
    covered = np.abs(tango_z(b, c, n, truth)) <= stats.norm.isf(ALPHA / 2)
    hits = (
        *(above, score_above, above & below, score_above & score_below),
        *(np.abs(d - truth) <= two * error, covered),
    )
    return Exact(*(float(chance[hit].sum()) for hit in hits))


# Clusters


@dataclass(frozen=True, slots=True)
class Clustered:
    """Clusters that turn as a whole with chance `whole`, else item by item."""

    n_clusters: int
    size: int
    broken: float
    fixed: float
    whole: float
    unequal: bool = False  # Poisson sizes, a fifth of them doubled
    margin: float | None = None  # the true loss unless given; then equivalence is asked for

    def draw(self, rng: np.random.Generator) -> tuple[NDArray[np.int64], ...]:
        """Return fixed, broken and all items of every cluster."""
        n = np.full(self.n_clusters, self.size)
        if self.unequal:
            n = np.maximum(1, rng.poisson(self.size, self.n_clusters))
            n = np.where(rng.random(self.n_clusters) < 0.2, 2 * n, n)
        u = rng.random(self.n_clusters)
        turned = u < self.fixed, (u >= self.fixed) & (u < self.fixed + self.broken)
        fixed = rng.binomial(n, self.fixed)
        broken = rng.binomial(n - fixed, self.broken / (1.0 - self.fixed))
        whole = rng.random(self.n_clusters) < self.whole
        return np.where(whole, turned[0] * n, fixed), np.where(whole, turned[1] * n, broken), n


CLUSTER_TESTS = ("cluster t, G − 1", "cluster t, CR2", "Tango, items", "Tango, clusters")


def _clustered(setting: Clustered, rng: np.random.Generator) -> FloatArray:
    """Return 1 for every test that claims the margin."""
    b, c, n = setting.draw(rng)
    both = setting.margin is not None
    margin = setting.broken - setting.fixed if setting.margin is None else setting.margin
    total, h = float(n.sum()), n / n.sum()
    d = float((b - c).sum()) / total
    squares = np.square((b - c - n * d) / total)
    w = np.square(h) / (1.0 - h)
    freedom = 1.0 / (np.square(h).sum() + w.sum() ** 2 - np.square(w).sum())
    groups = n.size
    hits = []
    for variance, df in (
        (squares.sum() * groups / (groups - 1.0), groups - 1.0),
        ((squares / (1.0 - h)).sum(), freedom),
    ):
        reach = stats.t.isf(ALPHA, df) * math.sqrt(variance)
        hits.append(d - reach > -margin and (not both or d + reach < margin))
    for shares in (
        PairedShares(int(b.sum()), int(c.sum()), int(n.sum())),
        PairedShares.of_clusters(b, c, n),
    ):
        p = shares.equivalence_p(margin) if both else shares.noninferiority_p(margin)
        hits.append(p <= ALPHA)
    return np.array(hits, dtype=np.float64)


GROUPS = ((10, 20), (20, 5), (20, 10), (50, 4), (50, 10), (100, 5))
WHOLE, FIXES = (0.0, 0.3, 0.6), (0.0, 0.02)
FRESH = {
    "150 × 6, unequal, 2 % broken": Clustered(150, 6, 0.02, 0.0, 0.6, unequal=True),
    "250 × 4, unequal, 2 % broken": Clustered(250, 4, 0.02, 0.0, 0.7, unequal=True),
    "500 × 8, unequal, 0.8 % broken": Clustered(500, 8, 0.008, 0.0, 0.5, unequal=True),
}


def clusters(effort: Effort) -> Rates:
    """Return the false claims «not worse» at the margin, the worst of six settings for some."""
    rows: dict[str, FloatArray] = {}
    for groups, size in GROUPS:
        found = [
            effort.repeat(
                _clustered,
                Clustered(groups, size, 0.06, fixed, whole),
                f"{groups} clusters of {size}, {fixed}, {whole}",
            ).mean(axis=0)
            for whole, fixed in itertools.product(WHOLE, FIXES)
        ]
        rows[f"{groups} × {size}, 6 % broken"] = np.max(found, axis=0)
    for name, setting in FRESH.items():
        rows[name] = effort.repeat(_clustered, setting, name).mean(axis=0)
    title = "0/1 scores in clusters, true loss at the margin: called not worse"
    return Rates(
        title, tuple(rows), CLUSTER_TESTS, np.stack(list(rows.values())), effort.trials
    )


EQUAL = {
    "50 × 10, margin 6 %": Clustered(50, 10, 0.02, 0.02, 0.2, unequal=True, margin=0.06),
    "100 × 5, margin 4 %": Clustered(100, 5, 0.02, 0.02, 0.3, unequal=True, margin=0.04),
    "200 × 5, margin 3 %": Clustered(200, 5, 0.02, 0.02, 0.3, unequal=True, margin=0.03),
    "500 × 5, margin 2 %": Clustered(500, 5, 0.02, 0.02, 0.3, unequal=True, margin=0.02),
}


def cluster_power(effort: Effort) -> Rates:
    """Return how often equal systems that differ on 4 % of the items are called equivalent."""
    found = [
        effort.repeat(_clustered, s, f"equal: {name}").mean(axis=0) for name, s in EQUAL.items()
    ]
    title = "0/1 scores in clusters, no true difference, 4 % of items differ: called equivalent"
    return Rates(
        title, tuple(EQUAL), CLUSTER_TESTS, np.stack(found), effort.trials, nominal=1.0
    )


# Looks

LOOKS: tuple[Cell, ...] = (
    *((100, 0.04, 0.0), (200, 0.02, 0.0), (300, 0.02, 0.0), (500, 0.01, 0.0)),
    *((100, 0.04, 0.01), (500, 0.02, 0.01), (1000, 0.03, 0.01)),
)
CLAIMS: tuple[Claim, ...] = ("non-inferior", "equivalent")
N_LOOKS = 5


def looks(effort: Effort, cells: tuple[Cell, ...] = LOOKS) -> Rates:
    """Return the false claims at the margin over five looks, the true loss being the margin."""
    shares = np.array([_looked(effort, cell) for cell in cells])
    columns = tuple(f"{claim}: {test}" for claim in CLAIMS for test in (WALD, TANGO))
    rows = tuple(cell_name(cell) for cell in cells)
    title = "0/1 scores, five looks, true loss at the margin: claimed at any look"
    return Rates(title, rows, columns, shares, effort.trials)


def cell_name(cell: Cell) -> str:
    n, broken, fixed = cell
    return f"{n:,} items, {100 * broken:g} % broken, {100 * fixed:g} % fixed"


def _looked(effort: Effort, cell: Cell) -> list[float]:
    n_max, broken, fixed = cell
    ends = [n_max * k // N_LOOKS for k in range(1, N_LOOKS + 1)]
    drawn = effort.repeat(_answers, cell, f"looks: {cell}").astype(np.int64)
    found = []
    for claim in CLAIMS:
        with tempfile.TemporaryDirectory() as folder:
            frozen = plan(
                Path(folder) / "plan.json",
                systems=["new", "old"],
                n_max=n_max,
                claim=claim,
                margin=100.0 * (broken - fixed),
            )
        one_sided = frozen.design_at(ALPHA, sided=1, futility="none")
        bounds = look_boundaries(one_sided, [n / n_max for n in ends]).z
        for statistic in (paired_mean, functools.partial(paired_shares, span=100.0)):
            claimed = _claims(frozen, statistic)
            wrong = [
                any(
                    claimed(won, lost, n, z)
                    for (won, lost), n, z in zip(row.tolist(), ends, bounds, strict=True)
                )
                for row in drawn
            ]
            found.append(float(np.mean(wrong)))
    return found


def _answers(cell: Cell, rng: np.random.Generator) -> FloatArray:
    """Return the items fixed and broken at every look."""
    n_max, broken, fixed = cell
    u = rng.random(n_max)
    won, lost = u < fixed, (u >= fixed) & (u < fixed + broken)
    ends = n_max * np.arange(1, N_LOOKS + 1) // N_LOOKS - 1
    return np.stack([np.cumsum(won)[ends], np.cumsum(lost)[ends]], axis=1).astype(np.float64)


def _claims(frozen: Plan, statistic: Any) -> Any:
    @functools.cache  # few tables are possible, and they come again and again
    def claimed(won: int, lost: int, n: int, bound: float) -> bool:
        d = np.repeat([100.0, -100.0, 0.0], [won, lost, n - won - lost])
        return margin_claim(frozen, statistic(d), bound) is not None

    return claimed
