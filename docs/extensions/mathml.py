"""Formulas as MathML, made at build time by docutils: no script and no font has to be fetched."""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

# What our docstrings use and docutils does not know, in words that it knows.
WORDS = {
    r"\dots": r"\ldots",
    r"\iff": r"\;\Leftrightarrow\;",
    r"\Big": r"\Bigl",
    "½": r"\frac{1}{2}",
    "≥": r"\ge ",
    "∝": r"\propto ",
}
# \tfrac12 means \tfrac{1}{2}; docutils would read it as the number 12.
SHORT_FRACTION = re.compile(r"\\(?P<kind>[dt]?frac)\s*(?P<above>\w)\s*(?P<below>\w)")
LOG = logging.getLogger(__name__)


def mathml(formula: str, *, block: bool) -> str:
    """Return a formula in TeX as MathML."""
    formula = SHORT_FRACTION.sub(r"\\\g<kind>{\g<above>}{\g<below>}", formula)
    for word, known in WORDS.items():
        end = r"(?![a-zA-Z])" if word.startswith("\\") else ""
        formula = re.sub(re.escape(word) + end, lambda _: known, formula)  # noqa: B023
    if "\\\\" in formula:  # lines that are aligned at &
        formula = rf"\begin{{aligned}}{formula}\end{{aligned}}"
    return tex2mathml(formula, as_block=block)


def _visit(translator: nodes.NodeVisitor, node: nodes.Element, *, block: bool) -> None:
    try:
        found = mathml(node.astext(), block=block)
    except MathError as error:
        LOG.warning(
            "this formula cannot be shown: %s (%s)", node.astext(), error, location=node
        )
        found = ""
    if block and node.get("label"):
        found = f'<div id="{node["ids"][0]}">{found}</div>'
    translator.body.append(found)
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer(
        "mathml",
        (lambda translator, node: _visit(translator, node, block=False), None),
        (lambda translator, node: _visit(translator, node, block=True), None),
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
