"""Agreement of raters as a table."""

from detectable.core.wording import number
from detectable.report.table import Column, Table
from detectable.study.precision.rater_agreement import RaterAgreement


def pairs_table(found: RaterAgreement, *, most: int = 15) -> Table | None:
    """Return the pairs of raters with the most translations in common, or None without any."""
    if not found.pairs:
        return None
    columns = (
        *(Column("rater", "left"), Column("other", "left"), Column("translations")),
        *(Column("Pearson"), Column("Spearman"), Column("mean difference")),
    )
    rows = [
        (
            pair.rater,
            pair.other,
            f"{pair.n_translations:,}",
            number(pair.pearson),
            number(pair.spearman),
            number(pair.mean_difference, sign=True),
        )
        for pair in found.pairs[:most]
    ]
    cut = f", {most} of {len(found.pairs):,}" if len(found.pairs) > most else ""
    return Table(f"Pairs of raters{cut}", columns, tuple(rows))
