"""All ways to swap a few units."""

import numpy as np
import pytest

from detectable.core.rng import BLOCK
from detectable.inference.few_units import sign_patterns


@pytest.mark.parametrize("n_units", [1, 2, 5, 11, 12])
def test_each_way_to_swap_comes_once_and_none_is_the_mirror_of_another(n_units: int) -> None:
    blocks = list(sign_patterns(n_units))
    assert all(len(block) <= BLOCK for block in blocks)
    rows = np.concatenate(blocks)
    assert rows.shape == (2 ** (n_units - 1) - 1, n_units)
    assert set(np.unique(rows)) <= {0, 1}
    seen = {tuple(row) for row in rows.tolist()}
    mirrored = {tuple(1 - x for x in row) for row in seen}
    data, all_swapped = (0,) * n_units, (1,) * n_units
    # With the data and their mirror image these are all there are.
    assert len(seen | mirrored | {data, all_swapped}) == 2**n_units


def test_the_last_unit_stays() -> None:
    assert not np.concatenate(list(sign_patterns(6)))[:, -1].any()
