"""Williams' test against the unit test of mt-metrics-eval."""

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.inference.correlation import williams
from tests.gold_evals import evals


@pytest.mark.golden
def test_the_unit_test_of_mt_metrics_eval() -> None:
    human = np.array([1.0, 2, 3, 4, 5])
    one, other = np.array([1.1, 2, 3.1, 4, 5.1]), np.array([1.5, 2, 3.1, 4, 5.5])
    r = [
        float(np.corrcoef(a, b)[0, 1]) for a, b in ((one, human), (other, human), (one, other))
    ]
    found = [williams(r[0], r[1], r[2], 5), r[0], r[1]]
    assert found == pytest.approx(evals("mtme.williams_tiny"), rel=1e-6)


def test_both_sides_add_up_to_one() -> None:
    assert williams(0.6, 0.5, 0.7, 30) + williams(0.5, 0.6, 0.7, 30) == pytest.approx(1.0)
    assert williams(0.5, 0.5, 1.0, 30) == 0.5


def test_too_few() -> None:
    with pytest.raises(InputError, match="`n` must be at least 4"):
        williams(0.5, 0.4, 0.3, 3)
