"""What the agreement of raters shows."""

from collections.abc import Iterator

from detectable.report.blocks import LONG, Block, Column, Repeat, notes, opening, table
from detectable.study.precision.rater_agreement import RaterAgreement


def show(found: RaterAgreement) -> Iterator[Block]:
    """Show how far raters agree, and every two of them with enough translations in common."""
    yield opening("info", found.summary())
    if found.pairs:
        columns = (
            Column("rater", "rater", "name"),
            Column("other", "other", "name"),
            Column("n_translations", "translations", "count", keep=2),
            Column("pearson", "Pearson"),
            Column("spearman", "Spearman"),
            Column("mean_difference", "mean difference", sign=True, short="difference"),
        )
        folded = len(found.pairs) > LONG
        yield table("pairs", "Pairs of raters", columns, found.pairs, folded=folded)
    yield from notes(found.notes)
    yield Repeat(str(found.signature))
