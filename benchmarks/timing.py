"""How the benchmarks measure: CPU seconds of this process, one BLAS thread, best of a few.

Every row that `line` and `measured` return is kept, so that all of them can be shown as one table.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from threadpoolctl import threadpool_limits

T = TypeVar("T")
Kind = Literal["whole command", "in process"]


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured, how, and what came out; the ratio where there is a peer."""

    name: str
    kind: Kind
    found: str
    ratio: str = ""
    note: str = ""


ROWS: list[Row] = []


def cpu(work: Callable[[], T], *, repeats: int = 1) -> tuple[float, T]:
    """Return the smallest CPU time of `repeats` runs and the last answer."""
    best = float("inf")
    with threadpool_limits(limits=1):
        for _ in range(repeats):
            start = time.process_time()
            answer = work()
            best = min(best, time.process_time() - start)
    return best, answer


def line(
    name: str,
    peer: float,
    ours: float,
    target: float | None = None,
    note: str = "",
    *,
    kind: Kind = "in process",
) -> str:
    """Return one row: CPU seconds of the peer and of us, the ratio, and what was asked for."""
    wanted = "" if target is None else f"(asked: {target:g}x)"
    found = f"{peer:.3f} / {ours:.3f} s"
    ROWS.append(Row(name, kind, found, f"{peer / ours:.1f}x", f"{wanted}  {note}".strip()))
    return f"{name:42} {peer:9.3f} s {ours:9.3f} s {peer / ours:8.1f}x  {wanted}  {note}"


def measured(name: str, found: str, note: str = "", *, kind: Kind = "in process") -> str:
    """Return a row without a peer: a time, a size, an exponent."""
    ROWS.append(Row(name, kind, found, note=note))
    return f"{name:42} {found}  {note}"


def table() -> str:
    """Return all rows as one table."""
    cells = [("what", "measured as", "peer / ours", "ratio", "")]
    cells += [(row.name, row.kind, row.found, row.ratio, row.note) for row in ROWS]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )


HEADER = f"{'':42} {'peer':>11} {'detectable':>11} {'ratio':>9}"
