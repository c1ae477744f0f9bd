"""How many published numbers come out: python -m replications.totals.

Three counts of each paper, side by side: numbers printed in it, numbers of its authors' code and data, and
other published results. Each follows from comparing what the lists hold: what was published, and what our code gave.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from replications.listed import KINDS, Kind, Total, counted, listed

HERE = Path(__file__).parent
LISTS: Mapping[str, Sequence[str]] = {
    "wei2022": ("expected.toml", "variance.toml"),
    "estrella2007": ("expected.toml",),
    "clark2011": ("expected.toml",),
    "graham2020": ("expected.toml", "campaigns.toml"),
    "card2020": ("expected.toml",),
}


def totals() -> dict[str, dict[Kind, Total]]:
    """Return the counts of every paper, as its lists have them; the tests hold the lists."""
    return {
        paper: counted(row for name in names for row in listed(HERE / paper / name))
        for paper, names in LISTS.items()
    }


def added(found: Iterable[Mapping[Kind, Total]]) -> dict[Kind, Total]:
    """Add the counts of several papers."""
    every = list(found)
    return {
        kind: Total(
            sum(one[kind].matched for one in every), sum(one[kind].stated for one in every)
        )
        for kind in KINDS
    }


def lines() -> list[str]:
    """Return the counts as a table, with their sums."""
    found = totals()
    rows = [("", *KINDS.values())]
    for paper, counts in (*found.items(), ("all five", added(found.values()))):
        rows.append((paper, *(str(counts[kind]) for kind in KINDS)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


if __name__ == "__main__":
    print("\n".join(lines()))
