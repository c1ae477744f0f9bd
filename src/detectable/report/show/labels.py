"""What a plan of human labels shows."""

from collections.abc import Iterator

from detectable.core.wording import number, significant
from detectable.report.blocks import Block, Column, Methods, Repeat, Text, Verdict, notes, table
from detectable.study.precision.label_plan import Labels


def show(found: Labels) -> Iterator[Block]:
    """Show how many labels, what the judge saves, and what was assumed."""
    first, *rest = found.summary().splitlines()
    yield Verdict("info" if found.n_labels is not None else "warning", first, tuple(rest))
    yield Text("limits", "What this rests on", _rests(found))
    rows = (
        ("labels", found.n_labels),
        ("labels without the judge", found.n_without),
        ("smallest pool", found.smallest_pool),
    )
    columns = (
        Column("what", "what", "name", of=lambda row: row[0]),
        Column("n", "number", "count", of=lambda row: row[1]),
    )
    yield table("labels", "Labels", columns, rows)
    yield from notes(found.notes)
    yield Methods(_methods(found), ("angelopoulos-etal-2023",))
    yield Repeat(str(found.signature))


def _rests(found: Labels) -> str:
    of = "scores" if found.goal == "half-width" else "differences of two systems"
    pool = "a pool of any size" if found.n_pool is None else f"a pool of {found.n_pool:,} items"
    said = (
        f"A standard deviation of {significant(found.sd)} and a correlation of "
        f"{number(found.correlation)} with the judge, both of {of}, and {pool}. Labels must be drawn "
        "at random from the pool."
    )
    if found.n_labels is not None:
        what = "half-width" if found.goal == "half-width" else "detectable difference"
        said += f" With so many labels the expected {what} is {significant(found.reached)}."
    return said


def _methods(found: Labels) -> str:
    n = (
        "no number of labels suffices"
        if found.n_labels is None
        else f"{found.n_labels:,} labels"
    )
    return (
        "The number of human labels was planned for an estimate that a judge corrects "
        f"(control variate, PPI++), for {found.goal} {significant(found.wanted)} with standard "
        f"deviation {significant(found.sd)} and correlation {number(found.correlation)}: {n}."
    )
