"""Benjamini and Hochberg."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from detectable.core.errors import InputError
from detectable.inference.false_discovery import benjamini_hochberg


@given(st.lists(st.floats(0.0, 1.0, allow_subnormal=False), min_size=1, max_size=30))
def test_adjusted_p_values_are_those_of_statsmodels(p: list[float]) -> None:
    expected = multipletests(p, method="fdr_bh")[1]
    np.testing.assert_allclose(benjamini_hochberg(p), expected, rtol=1e-12)


@pytest.mark.golden
def test_the_example_of_the_paper() -> None:
    # Benjamini and Hochberg (1995), section 3.2: 15 tests, of which 4 are found at .05.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    p += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    assert int((benjamini_hochberg(p) <= 0.05).sum()) == 4


def test_no_p_value_lies_outside_zero_and_one() -> None:
    with pytest.raises(InputError, match="between 0 and 1; got"):
        benjamini_hochberg([0.5, 1.5])
