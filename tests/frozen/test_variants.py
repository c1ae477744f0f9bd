"""What results of every kind say in cases that no frozen command reaches, word for word.

Each is made by hand (`tests.frozen.variants`), and frozen beside the result of its kind in `kept`:
a paragraph that is the same there is only named, after «=». ``pytest tests/frozen --update`` stores what is
said now, and the difference is to be read.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from detectable.core.result import Result
from detectable.report.blocks import Block, Methods
from detectable.report.blocks_of import blocks_of
from detectable.report.methods.shared import bibtex
from detectable.report.render.text import render_text
from detectable.report.render.text_table import text_width
from detectable.report.shown.gate_words import gate_annotations
from detectable.study.gate.result import Gate
from tests.frozen.forms import beside, outline, plain_text, rounded, some, together
from tests.frozen.run import HERE
from tests.frozen.variants import VARIANTS
from tests.report.saved.every_result import one

FOLDER = HERE / "variants"


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_says_what_it_said(name: str, freeze: Callable[[Path, str], None]) -> None:
    result = VARIANTS[name]()
    blocks = blocks_of(result)
    check_it_fits_eighty_columns_and_cites_what_there_is(blocks)
    shown = beside(outline(blocks), by_default(type(result).__name__))
    parts = {"summary": "\n".join(some(result.summary().splitlines())), "outline": shown}
    freeze(FOLDER / f"{name}.txt", plain_text(together({**parts, **pipelines(result)})))


def check_it_fits_eighty_columns_and_cites_what_there_is(blocks: tuple[Block, ...]) -> None:
    for block in blocks:
        if isinstance(block, Methods):
            bibtex(block.cite)
    for everything in (False, True):
        text = render_text(blocks, width=80, everything=everything)
        assert max(text_width(line) for line in text.splitlines()) <= 80


@cache
def by_default(kind: str) -> list[str]:
    """Return the outline of the result in `kept`, so that a variant tells only how it differs."""
    return outline(blocks_of(one(kind), command="it"))


def pipelines(result: Result) -> dict[str, str]:
    """Return the forms that only a gate has, since pipelines read them."""
    if not isinstance(result, Gate):
        return {}
    return {
        "Markdown": result.to_markdown(),
        "JUnit": "\n".join(some(rounded(result.to_junit()).splitlines())),
        "annotations": "\n".join(gate_annotations(result)),
    }


def test_no_text_is_left_of_a_variant_that_is_gone() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(VARIANTS)
