"""Judges beside a few labels keep their word; docs/calibration.md has the full tables.

Bounds are four standard errors wide, as in the other calibrations.
"""

import pytest

from tests.calibration import judges
from tests.calibration.effort import Effort

pytestmark = pytest.mark.slow

WIDE = 4.0


def test_intervals_cover_with_any_number_of_judges() -> None:
    found = judges.coverage(Effort(400))
    for row in (judges.WITH_JUDGES, judges.LABELS_ALONE):
        assert abs(found.of(row) - found.nominal).max() < WIDE * found.error
    assert found.of(judges.JUDGES_ALONE).max() < 0.5


def test_the_correction_of_rogan_and_gladen_covers() -> None:
    found = judges.labels_elsewhere(Effort(400))
    assert (found.of(judges.ROGAN_GLADEN) - found.nominal).min() > -WIDE * found.error
    assert found.of(judges.SHARE_ALONE).max() < 0.5


def test_few_right_answers_are_no_reason_to_refuse() -> None:
    refused, held = judges.near_the_ends(Effort(300))
    assert refused.of(judges.ROGAN_GLADEN).max() <= 0.02
    assert refused.of(judges.REFUSED_OUTSIDE).min() > 0.1
    assert (held.of(judges.ROGAN_GLADEN) - held.nominal).min() > -WIDE * held.error
    assert held.of(judges.REFUSED_OUTSIDE).max() < 0.9


def test_equal_bias_is_called_unequal_at_the_stated_rate() -> None:
    found = judges.unequal_bias(Effort(400))
    assert (found.of(judges.PAIRED) - found.nominal).max() < WIDE * found.error


def test_planned_labels_find_the_difference() -> None:
    found = judges.planned_labels(Effort(1000))
    error = (0.8 * 0.2 / 1000) ** 0.5
    assert abs(found.of(judges.PLANNED) - 0.8).max() < WIDE * error
