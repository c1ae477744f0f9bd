"""What the audit of a survey of studies shows."""

from collections.abc import Iterator

from detectable.report.blocks import Block, Column, Repeat, Table, Verdict, notes, table
from detectable.study.audit.survey_audit import SizeBand, SurveyAudit


def show(result: SurveyAudit) -> Iterator[Block]:
    """Show whether size and effect go together, and studies by size."""
    first, *rest = result.sentences()
    yield Verdict("info", first, (" ".join(rest),))
    yield bands(result)
    yield from notes(result.notes)
    yield Repeat(str(result.signature))


def bands(result: SurveyAudit) -> Table:
    """Return one row per band of sizes: what the studies saw, and what they exaggerate."""
    known = bool(result.noise)
    columns = (
        Column("items", "items", "text", of=_range),
        Column("n_studies", "studies", "count"),
        Column("n", "median n", digits=0, short="median", keep=3),
        Column(
            "median_effect", "median effect", digits=result.digits, sign=True, short="effect"
        ),
        Column("effect_sd", "spread", digits=result.digits),
        Column("share_positive", "above 0", "share", digits=0, keep=2),
        Column("power", "power") if known else None,
        Column("type_m", "Type-M", digits=1) if known else None,
        Column("type_s", "Type-S", "share", digits=0, keep=2) if known else None,
    )
    note = ""
    if known:
        shown = f"{result.assumed_effect:.{result.digits}f}"
        note = (
            f"If the true effect is {shown}: power to see it, how many times as large a "
            "significant result is on average (Type-M), and how often its sign is wrong (Type-S)."
        )
    return table("bands", "Studies by size", columns, result.bands, note=note)


def _range(band: SizeBand) -> str:
    return f"{band.low:,}" if band.low == band.high else f"{band.low:,}–{band.high:,}"
