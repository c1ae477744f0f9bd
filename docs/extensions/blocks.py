"""Blocks of code without a language: Python sessions and commands get their colours."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

COMMAND = re.compile(r"\s*(\$ )?(detectable|make|pip|python|sacrebleu|git|cat|R)\b")


class Language(SphinxTransform):
    """Say which language an indented block is in. A forge needs no such word to show it well."""

    default_priority = 210

    def apply(self, **_kwargs: object) -> None:
        """Set the language of every block that has none."""
        for block in self.document.findall(nodes.literal_block):
            if "language" in block:
                continue
            text = block.astext()
            if text.lstrip().startswith(">>>"):
                block["language"] = "pycon"
            elif text.lstrip().startswith("import detectable"):
                block["language"] = "python"
            elif COMMAND.match(text):
                block["language"] = "sh"
            else:
                block["language"] = "text"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_transform(Language)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
