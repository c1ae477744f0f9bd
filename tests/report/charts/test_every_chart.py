"""Every chart of every result is readable at both widths."""

import pytest

from detectable.report.blocks_of import blocks_of
from tests.helpers import spread
from tests.report.charts.drawn import check
from tests.report.charts.overlap import problems
from tests.report.results import RESULTS


@pytest.mark.parametrize("name", spread(RESULTS))
def test_every_chart_can_be_read(name: str) -> None:
    check(blocks_of(RESULTS[name]))


def test_a_planted_fault_is_found() -> None:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50">'
        '<text transform="translate(5,20)" font-size="12px">one</text>'
        '<text transform="translate(10,22)" font-size="12px">two</text>'
        '<text transform="translate(80,40)" font-size="12px">outside</text></svg>'
    )
    assert problems(svg) == ["«outside» leaves the picture", "«one» covers «two»"]
