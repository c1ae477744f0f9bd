"""Cut a corpus into what one rater judges at one time: documents, parts of long ones, sentences."""

import math
from collections.abc import Sequence

import numpy as np

from detectable.core.errors import DataError
from detectable.core.harmless import is_harmful
from detectable.core.wording import count, listing
from detectable.data.store.records import Part, Segment
from detectable.study.tasks.rows import Pool

LONGEST = 30  # segments on one page
MOST_CHARACTERS = 6_000  # of the longest version on one page


def parts_of(pool: Pool) -> tuple[list[Part], tuple[str, ...]]:
    """Return the parts of the chosen lines in their order, and a note where one was cut."""
    names = pool.corpus.documents
    if names is not None:
        _refuse_unreadable(sorted(set(names)))
    lines: dict[str, list[int]] = {}
    for row in pool.rows:
        lines.setdefault(str(row + 1) if names is None else names[row], []).append(row)
    made, cut = [], []
    for name, rows in lines.items():
        pieces = np.array_split(rows, _n_pieces(pool, rows))
        if len(pieces) > 1:
            cut.append(name)
        for number, piece in enumerate(pieces, start=1):
            made.append(
                Part(
                    name=name if len(pieces) == 1 else f"{name} ({number} of {len(pieces)})",
                    document=None if names is None else name,
                    segments=tuple(_segment(pool, int(row)) for row in piece),
                )
            )
    if len({part.name for part in made}) < len(made):
        raise DataError("two documents have names that cannot be told apart. Rename one.")
    note = (
        f"{count(len(cut), 'document')} longer than {LONGEST} lines or {MOST_CHARACTERS:,} "
        f"characters cut into parts ({listing(cut, most=3)})."
    )
    return made, (note,) if cut else ()


def _n_pieces(pool: Pool, rows: Sequence[int]) -> int:
    longest = max(
        sum(len(lines[row]) for row in rows)
        for lines in (*pool.systems.values(), pool.references)
    )
    wanted = max(math.ceil(len(rows) / LONGEST), math.ceil(longest / MOST_CHARACTERS))
    return max(1, min(wanted, len(rows)))


def _segment(pool: Pool, row: int) -> Segment:
    sources = pool.corpus.sources
    return Segment(
        item=str(row + 1),
        source=None if sources is None else sources[row],
        reference=pool.references[row],
        outputs={name: lines[row] for name, lines in pool.systems.items()},
    )


def _refuse_unreadable(names: Sequence[str]) -> None:
    for name in names:
        if not name.strip() or any(is_harmful(c) for c in name):
            raise DataError(
                f"the document {name!r} has a name with a line break or another character that "
                "nobody can read. Rename it."
            )
