"""What fewer runs of each system would have said, as a table."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from detectable.report import blocks
from detectable.study.comparison.result import Comparison

if TYPE_CHECKING:
    from detectable.study.comparison.parts import DrawnRuns

_CHOSEN = {
    "unlucky": ("best", "worst"),
    "median": ("median", "median"),
    "lucky": ("worst", "best"),
    "random": ("random", "random"),
}


def drawn_runs(result: Comparison) -> Iterator[blocks.Table]:
    """Yield what fewer runs would have said, as table 2 of Clark et al. (2011)."""
    if not result.drawn_runs:
        return
    records = result.drawn_runs

    def digits(row: "DrawnRuns") -> int:
        return result.digits(row.metric)

    def drawn(name: str) -> "Callable[[DrawnRuns], Any]":
        return lambda row: getattr(row, name) if row.which == "random" else None

    columns = (
        blocks.Column("metric", "metric", "name", of=lambda row: result.label(row.metric)),
        blocks.Column("system", "system", "name"),
        blocks.Column("baseline", "against", "name"),
        blocks.Column("n", "runs of each", "count", short="runs"),
        blocks.Column(
            "of_system",
            "of the system",
            "text",
            short="system's",
            of=lambda r: _CHOSEN[r.which][1],
        ),
        blocks.Column(
            "of_baseline",
            "of the other",
            "text",
            short="other's",
            of=lambda r: _CHOSEN[r.which][0],
        ),
        blocks.Column("difference", "difference", digits=digits, sign=True, short="diff."),
        blocks.Column(
            "differences",
            "95% of draws",
            "interval",
            digits=digits,
            sign=True,
            of=drawn("differences"),
        ),
        blocks.Column(
            "opposite", "other sign", "share", digits=0, keep=2, of=drawn("opposite")
        ),
        blocks.Column("p_value", "p", "p"),
        blocks.Column(
            "p_values",
            "p, 95% of draws",
            "interval",
            digits=4,
            short="95% of p",
            of=drawn("p_values"),
        ),
        blocks.Column(
            "significant",
            f"p ≤ {result.alpha:g}",
            "share",
            digits=0,
            keep=2,
            of=drawn("significant"),
        ),
        blocks.Column("n_draws", "draws", "count", keep=3, of=drawn("n_draws")),
    )
    names = [(row.metric, row.system, row.baseline) for row in records]
    starts = [i for i in range(1, len(names)) if names[i] != names[i - 1]]
    note = (
        "Runs drawn from those at hand, without one twice; p of the drawn runs alone, by t over "
        f"{result.unit_word}s. Draws of nearly all runs agree by construction: what new runs would say is in "
        "the interval of the verdict."
    )
    yield blocks.table(
        "drawn-runs",
        "What fewer runs would have said",
        columns,
        records,
        breaks=starts,
        note=note,
    )
