"""What a design says of itself."""

from typing import Any

import pytest

from detectable.sequential.design import design


@pytest.mark.parametrize("family", ["ld-obf", "pocock"])
def test_expected_samples_stand_at_their_multiples_of_the_planned_effect(family: Any) -> None:
    found = design(family, looks=3)
    for name, multiple in {"h0": 0.0, "half": 0.5, "full": 1.0, "one_and_half": 1.5}.items():
        expected = found.at_drift(multiple * found.drift).expected_n
        assert getattr(found.expected_n, name) == pytest.approx(expected, rel=1e-9)
        over_fixed = getattr(found.expected_n_over_fixed, name)
        assert over_fixed == pytest.approx(found.inflation * expected, rel=1e-9)
    # The smaller the effect, the later the stop.
    sizes = found.expected_n
    assert sizes.one_and_half < sizes.full < sizes.half < sizes.h0 < 1.0
