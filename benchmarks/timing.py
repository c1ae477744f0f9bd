"""How the benchmarks measure: CPU seconds of this process, one BLAS thread, best of a few."""

import time
from collections.abc import Callable
from typing import TypeVar

from threadpoolctl import threadpool_limits

T = TypeVar("T")


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
    name: str, peer: float, ours: float, target: float | None = None, note: str = ""
) -> str:
    """Return one row: CPU seconds of the peer and of us, the ratio, and what was asked for."""
    wanted = "" if target is None else f"  (asked: {target:g}x)"
    return f"{name:42} {peer:9.3f} s {ours:9.3f} s {peer / ours:8.1f}x{wanted}  {note}"


HEADER = f"{'':42} {'peer':>11} {'detectable':>11} {'ratio':>9}"
