r"""Tables for a paper: booktabs, each with a caption, no wider than a page.

A result that offers tables for papers shows these, and with ``--all`` the others too. Needs the
packages booktabs and amssymb, and longtable for what goes over several pages.
"""

from collections.abc import Sequence
from dataclasses import replace

from detectable.core.wording import count
from detectable.report.blocks import Block, Matrix, Repeat, Section, Table, Verdict
from detectable.report.paper_table import PaperTable
from detectable.report.render.latex_paper import paper_matrix, paper_table
from detectable.report.render.latex_table import LONGEST, table_latex
from detectable.report.render.latex_text import UNPRINTABLE, comment


def render_latex(blocks: Sequence[Block], *, everything: bool = False) -> str:
    """Return the tables of a result, each with the signature as a comment above.

    Parameters
    ----------
    everything : bool
        Every table, every row, and every column that fits the page; tables of more than 40 rows
        go over several pages.
    """
    verdict = next((block.headline for block in blocks if isinstance(block, Verdict)), "")
    signature = next((block.signature for block in blocks if isinstance(block, Repeat)), "")
    offered = any(isinstance(block, PaperTable) for block in blocks)
    made, left = [], []
    for block in blocks:
        if isinstance(block, Section):
            inner = render_latex(_labelled(block), everything=everything)
            made.append(f"{comment(block.name)}\n{inner}")
        elif isinstance(block, PaperTable):
            made.append(paper_table(block).latex((signature,)))
        elif isinstance(block, Matrix) and block.numbers is not None:
            made.append(paper_matrix(block, block.numbers).latex((signature,)))
        elif isinstance(block, Table):
            if everything or not (offered or block.folded or len(block.rows) > LONGEST):
                made.append(table_latex(block, (signature,), everything=everything))
            else:
                left.append(f"{block.title} ({count(len(block.rows), 'row')})")
    said = [verdict] if verdict else []
    said += [f"Only with --all: {', '.join(left)}."] if left else []
    body = "\n".join(made)
    needed = [UNPRINTABLE] if r"\unprintable{" in body else []
    return "\n".join([*map(comment, said), *needed, body]).strip("\n") + "\n"


def _labelled(section: Section) -> list[Block]:
    """Return the blocks of one of several results, whose labels begin with its name."""
    return [
        replace(block, id=f"{section.name}-{block.id}")
        if isinstance(block, Table | Matrix | PaperTable)
        else block
        for block in section.blocks
    ]
