"""The pictures of every result that is made by hand can be read."""

import pytest

from detectable.report.blocks_of import blocks_of
from tests.frozen.variants import VARIANTS
from tests.report.charts.drawn import check

# Pictures that are not yet as they should be. Where one is mended, strict xfail says so.
KNOWN = {
    "comparison-limits-unknown": "the picture of two metrics is wider than its place",
    "comparison-equivalent-at-90": "the picture of differences is wider than a phone",
    "history-not-tested": "the alternative text has no number",
    "look-before-anything-is-tested": "the alternative text has no number",
    "look-goes-on-to-worse": "two texts cover each other on a phone",
    "quality-very-many": "the picture of raters is wider than a phone",
}


@pytest.mark.slow  # every picture is drawn four times
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=KNOWN[name]))
        if name in KNOWN
        else name
        for name in VARIANTS
    ],
)
def test_its_pictures_can_be_read(name: str) -> None:
    check(blocks_of(VARIANTS[name]()))
