"""Scores of 0 and 1: claims at the margin stay at the level where the t test's do not."""

import numpy as np
import pytest

from tests.calibration import shares
from tests.calibration.effort import Effort

WIDE = 3.0  # standard errors


def test_over_a_grid_the_score_test_claims_little_more_than_the_level() -> None:
    found = {cell: shares.counted(*cell) for cell in shares.GRID if cell[0] <= 300}
    worst = max(found, key=lambda cell: found[cell].tango_inferior)
    assert worst == (300, 0.02, 0.0)
    assert found[worst].tango_inferior == pytest.approx(0.0602, abs=5e-5)
    # Where something is fixed as well, there are more tables, and it stays at the level.
    fixed = [rates.tango_inferior for cell, rates in found.items() if cell[2] > 0.0]
    assert max(fixed) == pytest.approx(0.0499, abs=5e-5)
    # The t test claims up to .78: with no item broken it is sure.
    assert max(rates.wald_inferior for rates in found.values()) == pytest.approx(
        0.778, abs=5e-4
    )
    # Equivalence is claimed no more often than its lower half.
    assert all(r.tango_equivalent <= r.tango_inferior for r in found.values())


@pytest.mark.slow
def test_clusters_keep_the_level() -> None:
    found = shares.clusters(Effort(500))
    ours = found.shares[:, found.columns.index("Tango, clusters")]
    assert ours.max() <= found.nominal + WIDE * found.error
    # What it is for: each of the others claims far too much somewhere.
    for name in shares.CLUSTER_TESTS[:3]:
        assert found.shares[:, found.columns.index(name)].max() > 0.15


@pytest.mark.slow
def test_clusters_can_show_equivalence() -> None:
    found = shares.cluster_power(Effort(500))
    ours = found.shares[:, found.columns.index("Tango, clusters")]
    error = np.sqrt(0.25 / 500)
    # Those of the reference, on other random numbers.
    assert ours == pytest.approx([0.66, 0.52, 0.66, 0.79], abs=WIDE * np.sqrt(2.0) * error)


@pytest.mark.slow
def test_looks_keep_the_level() -> None:
    found = shares.looks(Effort(2000))
    for claim in shares.CLAIMS:
        ours = found.shares[:, found.columns.index(f"{claim}: {shares.TANGO}")]
        assert ours.max() <= found.nominal + WIDE * found.error
        wald = found.shares[:, found.columns.index(f"{claim}: {shares.WALD}")]
        assert wald.max() > 0.15
