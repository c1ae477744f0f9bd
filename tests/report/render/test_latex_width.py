"""Widths on paper: what LaTeX sets is no wider than estimated, and not much narrower."""

import re
from pathlib import Path

import pytest

from detectable.report.blocks import Matrix
from detectable.report.blocks_of import blocks_of
from detectable.report.paper_table import PaperTable
from detectable.report.render.latex_paper import (
    SIZES,
    UNPRINTABLE,
    Float,
    columns_points,
    cut_to_points,
    escape,
    paper_matrix,
    paper_table,
    text_points,
)
from tests.report.many_systems import HOSTILE, compared, ranked
from tests.report.render.pdflatex import compiled


def widths(boxes: list[str], folder: Path) -> list[float]:
    """Return how wide LaTeX sets some text, in points."""
    lines = [rf"\setbox0\hbox{{{box}}}\typeout{{WIDTH \the\wd0}}" for box in boxes]
    log = compiled("\n".join([UNPRINTABLE, *lines]), folder)
    return [float(found) for found in re.findall(r"^WIDTH ([\d.]+)pt", log, re.MULTILINE)]


def test_texts_are_not_wider_than_estimated(tmp_path: Path) -> None:
    texts = [*HOSTILE, "0123456789.,", "The quick brown fox", "▲ better", "⁺⁻⁼", "⋆†‡", "±1.3"]
    texts += ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    cases = [(text, size) for text in texts for size in SIZES]
    boxes = [rf"\{size} {escape(text)}" for text, size in cases]
    for (text, size), width in zip(cases, widths(boxes, tmp_path), strict=True):
        # Kerning makes a word narrower than its letters.
        assert width <= text_points(text, size), (text, size)
        assert text_points(text, size) <= 1.45 * width, (text, size)


def test_tables_are_not_wider_than_estimated(tmp_path: Path) -> None:
    made: list[Float] = []
    for names in ((), HOSTILE):
        for n in (2, 13, 20, 24):
            shown = (
                compared(n, ("bleu", "chrf", "ter"), names=names, runs=3),
                compared(n, ("bleu", "comet"), names=names, every_pair=True),
                ranked(n, names=names),
            )
            for block in (block for result in shown for block in blocks_of(result)):
                if isinstance(block, PaperTable):
                    made.append(paper_table(block))
                elif isinstance(block, Matrix) and block.numbers is not None:
                    made.append(paper_matrix(block, block.numbers))
    boxes = [
        table.latex().partition("\\centering\n")[2].partition("\n\\caption")[0]
        for table in made
    ]
    assert len(boxes) > 20
    for table, width in zip(made, widths(boxes, tmp_path), strict=True):
        assert width <= table.points <= 1.2 * width, table.id


def test_points() -> None:
    assert text_points("") == 0.0
    assert text_points("10.5") == pytest.approx(17.8)
    assert text_points("10.5", "small") == pytest.approx(0.926 * 17.8)
    assert text_points("日") == text_points("日", "scriptsize") == pytest.approx(16.2)
    assert text_points("😀") == pytest.approx(19.8)
    assert columns_points([10.0, 20.0], 6.0) == 54.0


def test_a_name_is_cut_to_the_width_but_keeps_twelve_characters() -> None:
    name = "system-with-a-name-of-forty-characters-A"
    assert cut_to_points(name, 1000.0, "small") == name
    cut = cut_to_points(name, 80.0, "small")
    assert text_points(cut, "small") <= 80.0
    assert text_points(cut + "a", "small") > 75.0
    assert len(cut_to_points(name, 1.0, "small")) == 12
