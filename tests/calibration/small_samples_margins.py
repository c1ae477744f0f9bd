"""Equivalence and non-inferiority of means: the true difference lies exactly at the margin."""

import math

import numpy as np

from detectable.core.types import FloatArray
from detectable.inference.standard_errors import estimate
from tests.calibration.decisions import decide
from tests.calibration.effort import ALPHA, Effort, Rates
from tests.calibration.small_samples import (
    BETWEEN,
    EFFECTS,
    N_ITEMS,
    SIZES,
    Documents,
    differences,
    document_of_items,
)

COUNTS = (5, 7, 12, 20)
_MARGIN = 4.0  # standard errors of the difference with equal sizes: the other side is far away
EQUIVALENT, INFERIOR = "equivalent", "not inferior, effects mirrored"
PLAIN = "equivalent, plain t over documents"
CLAIMS = (EQUIVALENT, INFERIOR, PLAIN)


def at_the_margin(effort: Effort) -> list[Rates]:
    """Return the shares of false claims, one table for equal and one for unequal documents."""
    tables = []
    for sizes in SIZES:
        shares = np.array(
            [
                [
                    effort.repeat(
                        claims, Documents(n, sizes, kind), f"margin, {sizes} {kind} {n}"
                    ).mean(axis=0)
                    for n in COUNTS
                ]
                for kind in EFFECTS
            ]
        )  # (effects, documents, claims)
        rows = tuple(f"{kind} effects: {what}" for kind in EFFECTS for what in CLAIMS)
        title = f"True difference at the margin, {sizes} documents: claimed"
        columns = tuple(f"{n} documents" for n in COUNTS)
        values = np.swapaxes(shares, 1, 2).reshape(len(rows), -1)
        tables.append(Rates(title, rows, columns, values, effort.trials))
    return tables


def claims(design: Documents, rng: np.random.Generator) -> FloatArray:
    """Return 1 for each claim that is made although the difference is at the margin."""
    documents = document_of_items(design, rng)
    apart = differences(design, documents, rng)
    margin = _MARGIN * math.sqrt((BETWEEN + (1.0 - BETWEEN) / N_ITEMS) / design.n)
    sizes = np.bincount(documents).astype(float)
    up, down = (np.bincount(documents, side - margin)[:, None] for side in (apart, -apart))
    # The far margin is eight standard errors away: «equivalent» errs where «not inferior» does.
    both = decide(up, sizes, rng).p_equivalent(margin)
    one = decide(down, sizes, rng).p_above(margin)
    mean = float(apart.mean())
    plain = estimate(mean - margin, np.bincount(documents, apart - mean) / apart.size)
    found = [both, one, plain.equivalence_p(margin)]
    return (np.array(found) <= ALPHA).astype(np.float64)
