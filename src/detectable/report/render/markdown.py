"""Blocks as Markdown for GitHub: step summaries, issues and comments."""

import html
import re
from collections.abc import Iterable, Sequence

from detectable.core.harmless import for_terminal, in_one_line
from detectable.core.wording import count
from detectable.report.blocks import (
    DATA_ONLY,
    LEGEND,
    Block,
    Chart,
    Examples,
    Matrix,
    Methods,
    Repeat,
    Table,
    Text,
    Verdict,
)
from detectable.report.sections import sections_of

_ALERTS = {
    "better": "TIP",
    "worse": "WARNING",
    "equivalent": "NOTE",
    "undecided": "IMPORTANT",
    "info": "NOTE",
    "warning": "CAUTION",
}
_MOST = 60_000  # characters; a comment on GitHub holds 65,536
_WIDE = 3  # columns with a larger `keep` stay out


def render_markdown(blocks: Sequence[Block], *, everything: bool = False) -> str:
    """Return the verdict as an alert, then the rest; what is long is folded away.

    Where the whole would be longer than a comment may be, folded tables are left out, the
    longest first, and a line says so.

    Parameters
    ----------
    everything : bool
        All columns of all tables, however long that is: for a file, not for a comment.
    """
    widest = DATA_ONLY - 1 if everything else _WIDE
    parts = _parts(blocks, widest)
    left_out: list[str] = []
    while not everything and sum(len(text) + 2 for _, text in parts) > _MOST:
        folded = [pair for pair in parts if isinstance(pair[0], Table) and pair[0].folded]
        if not folded:
            break
        longest = max(folded, key=lambda pair: len(pair[1]))
        parts.remove(longest)
        left_out.append(longest[0].title)  # type: ignore[union-attr]  # a table
    texts = [text for _, text in parts if text]
    if left_out:
        texts.append(f"Left out, as too long for a comment: {escape(', '.join(left_out))}.")
    return "\n\n".join(texts) + "\n"


def _parts(blocks: Sequence[Block], widest: int) -> list[tuple[Block, str]]:
    """Return blocks with their texts; several results begin with a line for each."""
    sections = sections_of(blocks)
    if not sections:
        return [(block, _block(block, widest)) for block in blocks]
    lines = [f"- **{escape(s.name)}**: {escape(s.verdict.headline)}" for s in sections]
    parts: list[tuple[Block, str]] = [(sections[0], "\n".join(lines))]
    for section in sections:
        parts.append((section, f"## {escape(section.name)}"))
        parts += [(block, _block(block, widest)) for block in section.blocks]
    return parts


def escape(text: str) -> str:
    """Return text that Markdown shows as it is, in one line."""
    marked = re.sub(r"([\\|*_`\[\]~$#])", r"\\\1", in_one_line(text))
    return html.escape(marked, quote=False)


def _block(block: Block, widest: int) -> str:
    if isinstance(block, Verdict):
        lines = [f"**{escape(block.headline)}**", *(escape(text) for text in block.detail)]
        quoted = "\n>\n".join(f"> {line}" for line in lines)
        return f"> [!{_ALERTS[block.status]}]\n{quoted}"
    if isinstance(block, Text):
        return _text(block)
    if isinstance(block, Table):
        return _folded(
            block.title, len(block.rows), table_markdown(block, widest), block.folded
        )
    if isinstance(block, Matrix):
        return f"**{escape(block.title)}**\n\n{_matrix(block)}"
    if isinstance(block, Examples):
        return _examples(block)
    if isinstance(block, Chart):
        return ""  # Markdown that GitHub shows holds no picture; the page does
    if isinstance(block, Methods):
        return f"<details><summary>For your paper</summary>\n\n{escape(block.paragraph)}\n\n</details>"
    return _repeat(block) if isinstance(block, Repeat) else ""


def _text(block: Text) -> str:
    points = [
        f"- {'⚠️ ' if mark == 'look' else ''}{escape(text)}" for mark, text in block.points
    ]
    said = [escape(block.text), ""] if block.text else []
    return "\n".join([f"#### {escape(block.title)}", "", *said, *points]).rstrip()


def _folded(title: str, rows: int, text: str, folded: bool) -> str:  # noqa: FBT001 (of a block)
    if not folded:
        return f"**{escape(title)}**\n\n{text}"
    return _details(f"{title} ({count(rows, 'row')})", text)


def _details(summary: str, text: str) -> str:
    """Fold text away; inside the summary GitHub reads HTML, not Markdown."""
    shown = html.escape(in_one_line(summary), quote=False)
    return f"<details><summary>{shown}</summary>\n\n{text}\n\n</details>"


def table_markdown(table: Table, widest: int = _WIDE) -> str:
    """Return a table, without the columns that matter least: those with a larger `keep`."""
    places = [i for i, column in enumerate(table.columns) if column.keep <= widest]
    columns = [table.columns[i] for i in places]
    head = _row(column.title for column in columns)
    rule = "|" + "|".join(":--" if column.left else "--:" for column in columns) + "|"
    body = [_row(texts[i] for i in places) for texts in table.texts()]
    note = ["", escape(table.note)] if table.note else []
    return "\n".join([head, rule, *body, *note])


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(escape(text) for text in cells) + " |"


def _matrix(matrix: Matrix) -> str:
    numbers = [str(i + 1) for i in range(len(matrix.names))]
    head = _row(["", "", *numbers])
    rule = "|--:|:--|" + ":-:|" * len(numbers)
    body = [
        _row([numbers[i], name, *(matrix.mark(i, j) for j in range(len(numbers)))])
        for i, name in enumerate(matrix.names)
    ]
    said = " ".join(part for part in (LEGEND, escape(matrix.note)) if part)
    return "\n".join([head, rule, *body, "", said])


def _examples(block: Examples) -> str:
    lines = []
    for heading, texts in block.items:
        lines += [f"**{escape(heading)}**", ""]
        lines += [f"- {escape(label)}: {escape(text)}" for label, text in texts]
        lines.append("")
    return _details(block.title, "\n".join(lines).rstrip())


def _repeat(block: Repeat) -> str:
    typed = [_fenced("console", f"$ {block.command}")] if block.command else []
    return _details("To repeat this", "\n\n".join([*typed, _fenced("text", block.signature)]))


def _fenced(language: str, text: str) -> str:
    """Return text as code, in a fence longer than any inside it."""
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{for_terminal(text)}\n{fence}"
