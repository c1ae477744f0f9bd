"""Scores of items, and cells by rater, of judgments that were scanned."""

from collections.abc import Iterator

import numpy as np

from detectable.data.human.cell_blocks import CellBlocks
from detectable.data.human.cells import Cells
from detectable.data.human.scanned_judgments import ScannedJudgments
from detectable.study.ranking.segment_scores import SegmentScores


def scanned_scores(data: ScannedJudgments) -> SegmentScores:
    """Average judgments per system and item, block by block, as `segment_scores` does."""
    shape = data.n_items, len(data.systems)
    raw, n_judgments = np.empty(shape), np.empty(shape, dtype=np.int64)
    z = None if data.spread is None else np.empty(shape)
    for first, block in data.blocks(raters=False):
        items = slice(first, first + block.item.n_levels)
        cells = block.cells()
        raw[items], n_judgments[items] = cells.table(), cells.counts()
        if z is not None:
            z[items] = block.cells(values=data.z(first, block)).table()
    return SegmentScores(
        systems=data.systems,
        items=data.items,
        raw=raw,
        z=z,
        n_judgments=n_judgments,
        document=data.document,
        domain=data.domain,
    )


def rater_blocks(data: ScannedJudgments, *, standardised: bool = False) -> CellBlocks | None:
    """Return the cells of scores, or of standard scores; None where raters are not known."""
    if data.raters is None:
        return None

    def walk() -> Iterator[tuple[int, Cells]]:
        for first, block in data.blocks():
            values = data.z(first, block) if standardised else None
            yield first, block.cells(values=values)

    return CellBlocks(systems=data.systems, raters=data.raters, n_items=data.n_items, walk=walk)
