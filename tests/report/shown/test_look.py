"""What a look shows, against one made by hand."""

from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check


def test_long_and_japanese_names_can_be_read() -> None:
    for names in ((LONG, JAPANESE), (LONG, LONG[::-1], JAPANESE)):
        history = results.watched((1.4, 2.0), "continue", systems=names, baseline=names[-1])
        check(blocks_of(results.look(history=history)))
