"""How the benchmarks measure: CPU seconds of this process, one BLAS thread, best of a few.

Every row that `line`, `measured` and `absent` return is kept, so that all of them can be shown as
one table (`benchmarks.results`).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from threadpoolctl import threadpool_limits

T = TypeVar("T")
Kind = Literal["whole command", "in process"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What was measured, how, and what came out.

    Attributes
    ----------
    what : str
        The work.
    against : str
        The peer that did the same; nothing where we were measured alone.
    peer, ours : float or None
        CPU seconds, where there is a peer that ran.
    found : str
        What is shown: seconds, a size, an exponent, or why there is nothing.
    """

    what: str
    kind: Kind
    found: str
    against: str = ""
    peer: float | None = None
    ours: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times less CPU we took."""
        return None if self.peer is None or self.ours is None else self.peer / self.ours


ROWS: list[Row] = []


def cpu(work: Callable[[], T], *, repeats: int = 1) -> tuple[float, T]:
    """Return the smallest CPU time of `repeats` runs and the last answer."""
    taken: list[float] = []
    answers: list[T] = []
    with threadpool_limits(limits=1):
        for _ in range(repeats):
            answers.clear()  # nothing is held beside the next one
            start = time.process_time()
            answers.append(work())
            taken.append(time.process_time() - start)
    return min(taken), answers[0]


def line(
    what: str,
    peer: float,
    ours: float,
    target: float | None = None,
    note: str = "",
    *,
    against: str,
    kind: Kind = "in process",
) -> str:
    """Return one row: CPU seconds of the peer and of us, the ratio, and what was asked for."""
    wanted = "" if target is None else f"(asked: {target:g}x)"
    ROWS.append(
        Row(
            what=what,
            kind=kind,
            found=f"{peer:.3f} / {ours:.3f} s",
            against=against,
            peer=peer,
            ours=ours,
            note=f"{note} {wanted}".strip(),
        )
    )
    name = f"{what}: {against}"
    return f"{name:52} {peer:9.3f} s {ours:9.3f} s {peer / ours:8.1f}x  {wanted}  {note}"


def measured(what: str, found: str, note: str = "", *, kind: Kind = "in process") -> str:
    """Return a row without a peer: a time, a size, an exponent."""
    ROWS.append(Row(what=what, kind=kind, found=found, note=note))
    return f"{what:52} {found}  {note}"


def absent(what: str, against: str, why: str, *, kind: Kind = "in process") -> str:
    """Return a row that says why a peer was not measured."""
    ROWS.append(Row(what=what, kind=kind, found="not measured", against=against, note=why))
    return f"{what}: {against}: not measured, {why}"


HEADER = f"{'':52} {'peer':>11} {'detectable':>11} {'ratio':>9}"
