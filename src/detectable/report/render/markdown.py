"""Blocks as Markdown for GitHub: step summaries, issues and comments."""

import html
import re
from collections.abc import Iterable, Sequence

from detectable.core.wording import count, for_terminal, in_one_line
from detectable.report.blocks import (
    DATA_ONLY,
    LEGEND,
    LONG,
    Block,
    Examples,
    Matrix,
    Methods,
    Repeat,
    Table,
    Text,
    Verdict,
    headline_of,
    sections_of,
)
from detectable.report.render.text_table import arrange

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
_MOST_EXAMPLES = 6


def render_markdown(blocks: Sequence[Block], *, everything: bool = False) -> str:
    """Return the verdict as an alert, then the rest; what is long is folded away.

    Where the whole would be longer than a comment may be, parts are left out and named in a last
    line: folded tables first, the longest of them first, then what is to be read, then matrices.

    Parameters
    ----------
    everything : bool
        All columns of all tables and all examples, however long that is: for a file, not for a
        comment.
    """
    parts = _parts(blocks, everything=everything)
    left_out: list[str] = []
    while not everything and sum(len(text) + 2 for _, text in parts) > _MOST:
        spare = [pair for pair in parts if _rank(pair[0]) is not None and pair[1]]
        if not spare:
            break
        first = min(spare, key=lambda pair: (_rank(pair[0]), -len(pair[1])))
        parts.remove(first)
        left_out.append(first[0].title)  # type: ignore[union-attr]  # what has a rank has a title
    texts = [text for _, text in parts if text]
    if left_out:
        texts.append(
            f"Left out, as too long for a comment: {escape(', '.join(left_out))}. With --all they "
            "are there."
        )
    return "\n\n".join(texts) + "\n"


def _parts(blocks: Sequence[Block], *, everything: bool) -> list[tuple[Block, str]]:
    """Return blocks with their texts; several results begin with a line for each."""
    sections = sections_of(blocks)
    if not sections:
        return [(block, _block(block, blocks, everything=everything)) for block in blocks]
    lines = [f"- **{escape(s.name)}**: {escape(headline_of(s))}" for s in sections]
    parts: list[tuple[Block, str]] = [(sections[0], "\n".join(lines))]
    for section in sections:
        parts.append((section, f"## {escape(section.name)}"))
        parts += _parts(section.blocks, everything=everything)
    return parts


def _rank(block: Block) -> int | None:
    """Return how soon a block is left out; None: never, as it is the answer."""
    if isinstance(block, Table):
        return 0 if block.folded else None
    if isinstance(block, Examples):
        return 1
    return 2 if isinstance(block, Matrix) else None


def escape(text: str) -> str:
    """Return text that Markdown shows as it is, in one line."""
    marked = re.sub(r"([\\|*_`\[\]~$#])", r"\\\1", in_one_line(text))
    return html.escape(marked, quote=False)


def _block(block: Block, blocks: Sequence[Block], *, everything: bool) -> str:
    if isinstance(block, Verdict):
        lines = [f"**{escape(block.headline)}**", *(escape(text) for text in block.detail)]
        quoted = "\n>\n".join(f"> {line}" for line in lines)
        return f"> [!{_ALERTS[block.status]}]\n{quoted}"
    if isinstance(block, Text):
        return _text(block)
    if isinstance(block, Table):
        tables = [one for one in blocks if isinstance(one, Table) and not one.key]
        long = block.folded or (block not in tables[:1] and len(block.rows) > LONG)
        text = table_markdown(block, DATA_ONLY - 1 if everything else _WIDE)
        title = arrange(block).title
        return _folded(title, count(len(block.rows), "row") if long else "", text)
    if isinstance(block, Matrix):
        n = len(block.names)
        size = count(n, "system") if n > LONG else ""
        return _folded(block.title, size, _matrix(block))
    if isinstance(block, Examples):
        return _examples(block, len(block.items) if everything else _MOST_EXAMPLES)
    if isinstance(block, Methods):
        return _details("For your paper", escape(block.paragraph))
    return _repeat(block) if isinstance(block, Repeat) else ""  # GitHub shows no inline picture


def _text(block: Text) -> str:
    points = [
        f"- {'⚠️ ' if mark == 'look' else ''}{escape(text)}" for mark, text in block.points
    ]
    said = [escape(block.text), ""] if block.text else []
    return "\n".join([f"#### {escape(block.title)}", "", *said, *points]).rstrip()


def _folded(title: str, size: str, text: str) -> str:
    """Return text under its title, or folded away with its size."""
    return _details(f"{title} ({size})", text) if size else f"**{escape(title)}**\n\n{text}"


def _details(summary: str, text: str) -> str:
    """Fold text away; inside the summary GitHub reads HTML, not Markdown."""
    shown = html.escape(in_one_line(summary), quote=False)
    return f"<details><summary>{shown}</summary>\n\n{text}\n\n</details>"


def table_markdown(table: Table, widest: int = _WIDE) -> str:
    """Return a table, without columns of a larger `keep` and names that the title says."""
    columns = [column for column in arrange(table).said if column.keep <= widest]
    places = [table.columns.index(column) for column in columns]
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


def _examples(block: Examples, most: int) -> str:
    lines = []
    for heading, texts in block.items[:most]:
        lines += [f"**{escape(heading)}**", ""]
        lines += [f"- {escape(label)}: {escape(text)}" for label, text in texts]
        lines.append("")
    if len(block.items) > most:
        lines.append(f"{len(block.items) - most:,} more with --all.")
    return _details(block.title, "\n".join(lines).rstrip())


def _repeat(block: Repeat) -> str:
    typed = [_fenced("console", f"$ {block.command}")] if block.command else []
    return _details("To repeat this", "\n\n".join([*typed, _fenced("text", block.signature)]))


def _fenced(language: str, text: str) -> str:
    """Return text as code, in a fence longer than any inside it."""
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{for_terminal(text)}\n{fence}"
