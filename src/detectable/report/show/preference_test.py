"""What the evidence of wins and losses shows."""

from collections.abc import Iterator

from detectable.core.wording import count
from detectable.report.blocks import (
    Block,
    Column,
    Methods,
    Repeat,
    Verdict,
    notes,
    status_of,
    table,
)
from detectable.report.figures.anytime import path_table, standing
from detectable.report.show.e_process_test import chart, evidence, limits, watched_evidence
from detectable.sequential.preference_process import PreferenceTest


def show(test: PreferenceTest) -> Iterator[Block]:
    """Show the verdict, the evidence over time, and the counts behind it."""
    headline = standing(test.verdict, test.decided_at, test.n, "judgment")
    share = f"{test.estimand} = {test.estimate:.3f} ({test.wins:,} to {test.losses:,})"
    yield Verdict(status_of(test.verdict), headline, (f"{evidence(test)}, {share}.",))
    watched = watched_evidence(test)
    if watched is not None:
        yield chart(test, watched)
    yield limits()
    columns = (
        Column("outcome", "outcome", "name", of=lambda row: row[0]),
        Column("n", "judgments", "count", of=lambda row: row[1]),
    )
    counts = (("win", test.wins), ("loss", test.losses), ("tie", test.ties))
    yield table("outcomes", "Outcomes", columns, counts)
    if watched is not None:
        yield path_table(watched)
    yield from notes(test.notes)
    paragraph = (
        f"{count(test.n, 'preference')} were tested with an e-process of wins and losses with error "
        f"rate {test.alpha:g} over all times; {count(test.ties, 'tie')} were left out. "
        f"{evidence(test)}, {share}."
    )
    yield Methods(paragraph, ("ramdas-etal-2023",))
    yield Repeat(str(test.signature))
