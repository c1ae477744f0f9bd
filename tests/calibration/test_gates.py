"""Gates keep their error rates; what is usual instead does not."""

import numpy as np
import pytest

from tests.calibration import gates
from tests.calibration.effort import Effort

WIDE = 3.0  # standard errors


@pytest.mark.slow
def test_a_loss_of_the_margin_seldom_passes() -> None:
    found = gates.at_margin(Effort(1000, seed=7))
    ours = found.shares[:, found.columns.index(gates.OURS)]
    assert ours.max() <= found.nominal + WIDE * found.error
    for other in (gates.BY_T, gates.AS_ITEMS):
        assert found.shares[:, found.columns.index(other)].max() > 0.15


@pytest.mark.slow
def test_an_unchanged_system_seldom_fails_with_any_number_of_metrics() -> None:
    found = gates.unchanged(Effort(1000, seed=7))
    ours = found.shares[:, found.columns.index(gates.OURS)]
    assert ours.max() <= found.nominal + WIDE * found.error
    uncorrected = found.of("10 × scores, 200 questions")
    assert uncorrected[1] == pytest.approx(0.401, abs=WIDE * np.sqrt(0.4 * 0.6 / 1000))
    assert found.of("0/1, 130 questions × 4")[4] == pytest.approx(0.5, abs=0.06)


@pytest.mark.slow
def test_how_often_it_flaps_is_what_the_formula_says() -> None:
    found = gates.flapping(Effort(2000, seed=7))
    drawn, told = found.shares[:, :3], found.shares[:, 4:7]
    error = np.sqrt(np.maximum(told * (1.0 - told), 1e-3) / 2000)
    assert (np.abs(drawn - told) < 4.0 * error).all()


@pytest.mark.parametrize("design", gates.AT_MARGIN, ids=lambda design: design.name)
def test_the_designs_have_the_loss_that_they_say(design: gates.Design) -> None:
    rng = np.random.default_rng(3)
    drawn = [design.draw(gates.MARGIN, rng) for _ in range(400)]
    means = np.array([float((new - old).mean()) for new, old, _ in drawn])
    assert means.mean() == pytest.approx(-gates.MARGIN, abs=4.0 * means.std() / 20.0)


def test_names_of_designs_are_apart() -> None:
    for designs in (gates.AT_MARGIN, gates.UNCHANGED):
        assert len({design.name for design in designs}) == len(designs)
