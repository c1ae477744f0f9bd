"""Blocks of several results: taken apart, and one after another."""

from collections.abc import Iterable, Sequence

from detectable.report.blocks import Block, Section, Verdict


def sections_of(blocks: Sequence[Block]) -> list[Section]:
    """Return the results that are shown together; none where there is one by itself."""
    return [block for block in blocks if isinstance(block, Section)]


def unsectioned(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks of all results, one after another."""
    return [
        inner
        for block in blocks
        for inner in (block.blocks if isinstance(block, Section) else (block,))
    ]


def headline_of(section: Section) -> str:
    """Return the answer of a result in one sentence."""
    return next(block.headline for block in section.blocks if isinstance(block, Verdict))
