"""Margins on sparse scores are passed wrongly in at most 5 %; by t in far more."""

import numpy as np
import pytest

from tests.calibration import sparse
from tests.calibration.effort import Effort

WIDE = 3.0  # standard errors


@pytest.mark.slow
@pytest.mark.parametrize("table", [sparse.at_margin, sparse.fresh])
def test_a_loss_of_the_margin_seldom_passes(table: object) -> None:
    found = table(Effort(300, seed=7))  # type: ignore[operator]
    ours = found.shares[:, :2]
    assert ours.max() <= found.nominal + WIDE * found.error
    assert found.shares[:, 2].max() > 0.1  # by t


@pytest.mark.slow
def test_equal_systems_pass_nearly_as_often_as_by_t() -> None:
    found = sparse.power(Effort(300, seed=7))
    row = found.of("normal, n = 100")
    assert row[0] == pytest.approx(row[2], abs=0.05)
    assert found.of("judge 0–10, 40 % change, n = 100")[0] > 0.6


@pytest.mark.slow
def test_a_stated_margin_is_passed_about_as_often_as_stated() -> None:
    found = sparse.stated(Effort(400, seed=7))
    error = np.sqrt(0.8 * 0.2 / 400)
    assert found.of("normal")[1:].min() >= 0.8 - WIDE * error
    assert found.shares[:, 2:].min() >= 0.7 - WIDE * error
    assert found.shares.min() >= 0.6 - WIDE * error  # eight items


@pytest.mark.parametrize("cell", [*sparse.AT_MARGIN, *sparse.FRESH], ids=lambda cell: cell.name)
def test_the_settings_have_the_loss_that_they_say(cell: sparse.Cell) -> None:
    rng = np.random.default_rng(3)
    lost = []
    for _ in range(400):
        new, old = cell.draw(rng)
        lost.append(float((old - new).mean()))
    error = float(np.std(lost)) / np.sqrt(len(lost))
    assert np.mean(lost) == pytest.approx(cell.margin, abs=4.0 * error)


def test_one_data_set_of_every_setting_can_be_gated_and_compared() -> None:
    for table in (sparse.at_margin, sparse.fresh, sparse.power):
        found = table(Effort(2, seed=1))
        assert found.shares.shape == (len(found.rows), 3)
        assert not np.isnan(found.shares).any()
    assert sparse.stated(Effort(2, seed=1)).shares.shape == (
        len(sparse.LAWS),
        len(sparse.ITEMS),
    )
