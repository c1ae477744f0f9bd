"""Cells of whole items, block by block: all of them at once, or as many as memory takes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from detectable.data.human.cells import Cells


@dataclass(frozen=True, slots=True, kw_only=True)
class CellBlocks:
    """Cells of one evaluation, which can be walked through again and again.

    An item stands in one block with all its cells, so whatever is computed item by item does not
    depend on the blocks. Sums over items do not either, if they are carried on from block to block.

    Attributes
    ----------
    systems, raters : tuple of str
        Names, the same in all blocks.
    n_items : int
        In all blocks together.
    walk : callable
        Returns an iterator over the blocks: the number of the first item, and the cells, whose
        items are numbered from 0 on.

    Examples
    --------
    >>> from detectable.data.human.judgments import Judgments
    >>> table = {"system": ["A", "B"], "item": [1, 1], "rater": ["v", "v"], "score": [70, 80]}
    >>> [(first, cells.n_cells) for first, cells in CellBlocks.whole(Judgments.build(table).cells())]
    [(0, 2)]
    """

    systems: tuple[str, ...]
    raters: tuple[str, ...]
    n_items: int
    walk: Callable[[], Iterator[tuple[int, Cells]]]

    def __iter__(self) -> Iterator[tuple[int, Cells]]:
        return self.walk()

    @classmethod
    def whole(cls, cells: Cells) -> "CellBlocks":
        """Return cells that are held anyway as one block."""
        return cls(
            systems=cells.systems,
            raters=cells.raters or (),
            n_items=len(cells.items),
            walk=lambda: iter([(0, cells)]),
        )
