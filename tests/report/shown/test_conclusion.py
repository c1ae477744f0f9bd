"""What a conclusion shows, against one made by hand."""

from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check


def test_long_and_japanese_names_can_be_read() -> None:
    names = (LONG, LONG[::-1], JAPANESE)
    pairs = tuple(results.concluded(system=name, baseline=JAPANESE) for name in names[:2])
    history = results.watched(systems=names, baseline=JAPANESE)
    check(blocks_of(results.conclusion(pairs=pairs, history=history)))
    check(blocks_of(results.conclusion(pairs=pairs[:1], history=results.bet_on())))
