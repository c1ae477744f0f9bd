"""Cut a corpus into what one rater judges at one time: documents, parts of long ones, sentences."""

import math
import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from detectable.core.errors import DataError
from detectable.core.harmless import is_harmful
from detectable.core.wording import count, listing
from detectable.data.store.records import Part, Segment
from detectable.study.campaign.settings import LONGEST_PAGE
from detectable.study.tasks.rows import Pool

MOST_CHARACTERS = 6_000  # of the longest version on one page
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>|<!--|&(?:[a-z]+|#\d+);")


def parts_of(
    pool: Pool, items: Sequence[str] | None = None, *, longest: int = LONGEST_PAGE
) -> tuple[list[Part], tuple[str, ...]]:
    """Return the parts of the chosen lines in their order, and a note where one was cut.

    `items` are the names of all lines; by default they are called by their number. `longest` is
    how many lines a page holds.
    """
    names = pool.corpus.documents
    if names is not None:
        refuse_unreadable(sorted(set(names)), "document")
    lines: dict[str, list[int]] = {}
    for row in pool.rows:
        lines.setdefault(str(row + 1) if names is None else names[row], []).append(row)
    made, cut = [], []
    for name, rows in lines.items():
        pieces = np.array_split(rows, _n_pieces(pool, rows, longest))
        if len(pieces) > 1:
            cut.append(name)
        for number, piece in enumerate(pieces, start=1):
            made.append(
                Part(
                    name=name if len(pieces) == 1 else f"{name} ({number} of {len(pieces)})",
                    document=None if names is None else name,
                    segments=tuple(_segment(pool, int(row), items) for row in piece),
                )
            )
    if len({part.name for part in made}) < len(made):
        raise DataError("two documents have names that cannot be told apart. Rename one.")
    note = (
        f"{count(len(cut), 'document')} longer than {count(longest, 'line')} or {MOST_CHARACTERS:,} "
        f"characters cut into parts ({listing(cut, most=3)})."
    )
    return made, (note,) if cut else ()


def _n_pieces(pool: Pool, rows: Sequence[int], most: int) -> int:
    longest = max(
        sum(len(lines[row]) for row in rows)
        for lines in (*pool.systems.values(), pool.references)
    )
    wanted = max(math.ceil(len(rows) / most), math.ceil(longest / MOST_CHARACTERS))
    return max(1, min(wanted, len(rows)))


def item_name(row: int, items: Sequence[str] | None) -> str:
    """Return what a line is called."""
    return str(row + 1) if items is None else items[row]


def _segment(pool: Pool, row: int, items: Sequence[str] | None) -> Segment:
    sources = pool.corpus.sources
    return Segment(
        item=item_name(row, items),
        source=None if sources is None else _composed(sources[row]),
        reference=_composed(pool.references[row]) or None,
        outputs={name: _composed(lines[row]) for name, lines in pool.systems.items()},
    )


def _composed(text: str) -> str:
    """Return a text whose letters are whole: places in it are counted in code points (NFC)."""
    return unicodedata.normalize("NFC", text)


def refuse_unreadable(names: Sequence[str], what: str) -> None:
    """Refuse names with line breaks and other characters that nobody can read."""
    for name in names:
        if not name.strip() or any(is_harmful(c) for c in name):
            raise DataError(
                f"the {what} {name!r} has a name with a line break or another character that "
                "nobody can read. Rename it."
            )


def markup_note(parts: Sequence[Part]) -> tuple[str, ...]:
    """Say how many texts hold markup, which is shown and not obeyed."""
    texts = [text for part in parts for one in part.segments for text in one.outputs.values()]
    n = sum(_MARKUP.search(text) is not None for text in texts)
    if not n:
        return ()
    return (
        f"{count(n, 'text')} with markup such as <b>: raters see it as it is written. Remove it "
        "if they should not.",
    )
