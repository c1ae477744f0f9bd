"""A result that was saved and loaded draws the same pictures."""

from pathlib import Path

import pytest

from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.theme import WIDE
from detectable.report.saved.load import load
from detectable.report.saved.save import save
from tests.report.results import RESULTS


@pytest.mark.parametrize("name", RESULTS)
def test_the_same_pictures(name: str, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    save(RESULTS[name], path)
    before, after = (
        [block for block in blocks_of(result) if isinstance(block, Chart)]
        for result in (RESULTS[name], load(path))
    )
    assert [chart.id for chart in before] == [chart.id for chart in after]
    for one, other in zip(before, after, strict=True):
        assert (one.title, one.caption, one.alt) == (other.title, other.caption, other.alt)
        assert repr(one.make(WIDE)) == repr(other.make(WIDE))
