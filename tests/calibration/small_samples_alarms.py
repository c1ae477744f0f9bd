"""False alarms with few documents: ours, and what other tools say of the same data."""

from collections.abc import Iterator

import numpy as np

from detectable.core.types import FloatArray
from detectable.inference.few_units import units_to_swap
from tests.calibration.decisions import decide
from tests.calibration.effort import ALPHA, Effort, Rates
from tests.calibration.peers import (
    cluster_robust_p,
    rank_sum_p,
    sacrebleu_bootstrap_p,
    signed_rank_p,
    t_p,
)
from tests.calibration.small_samples import (
    EFFECTS,
    SIZES,
    Documents,
    differences,
    document_of_items,
)

COUNTS = (3, 5, 7, 10, 20, 40)
OURS = "`compare`"
SWAPS = "`compare`, swaps asked for"
MEANS = "t over document means (scipy)"
CR1 = "cluster-robust regression (statsmodels)"
ITEMS_T = "paired t over items (scipy)"
ITEMS_RANKS = "signed ranks over items (scipy)"
WMT = "WMT's rule, rank sums over items"
SACREBLEU = "sacreBLEU's paired bootstrap over items"
ROWS = (OURS, SWAPS, MEANS, CR1, ITEMS_T, ITEMS_RANKS, WMT, SACREBLEU)
FEWER = 199  # resamples where they are slow


def false_alarms(effort: Effort) -> Iterator[Rates]:
    """Two equal systems: how often each test tells them apart, a table for each kind of effect."""
    for sizes in SIZES:
        for kind in EFFECTS:
            designs = [Documents(n, sizes, kind) for n in COUNTS]
            shares = [
                effort.repeat(alarms, design, f"alarms, {design.label}, {design.n}").mean(
                    axis=0
                )
                for design in designs
            ]
            title = f"Two equal systems, {designs[0].label}: found to differ"
            columns = tuple(f"{n} documents" for n in COUNTS)
            table = np.stack(shares, axis=-1)
            yield Rates(title, ROWS, columns, table, effort.trials)


def alarms(design: Documents, rng: np.random.Generator) -> FloatArray:
    """Return 1 for each test that rejects on one data set."""
    documents = document_of_items(design, rng)
    apart = differences(design, documents, rng)
    baseline = rng.normal(size=apart.size)
    system = baseline + apart
    sums, sizes = np.bincount(documents, apart)[:, None], np.bincount(documents).astype(float)
    ours = asked = float(decide(sums, sizes, rng).p_adjusted[0])
    if design.n < units_to_swap(ALPHA):
        asked = float(decide(sums, sizes, rng, swap=True).p_adjusted[0])
    peers = (
        t_p(np.bincount(documents, apart) / np.bincount(documents)),
        cluster_robust_p(apart, documents),
        t_p(apart),
        signed_rank_p(apart),
        rank_sum_p(system, baseline),
        sacrebleu_bootstrap_p(apart, FEWER, rng),
    )
    return (np.array([ours, asked, *peers]) <= ALPHA).astype(np.float64)
