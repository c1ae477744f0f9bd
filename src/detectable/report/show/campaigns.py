"""What the state of campaigns shows: progress and raters, and no score."""

from collections.abc import Iterator

from detectable.report.blocks import Block, Column, Repeat, Table, opening, table
from detectable.study.campaign.campaigns import Campaigns


def show(found: Campaigns) -> Iterator[Block]:
    """Show how far each campaign is, and what the raters of one did."""
    yield opening("info", found.summary())
    if len(found.campaigns) > 1:
        yield overview(found)
    if found.raters:
        yield raters(found)
    yield Repeat(str(found.signature))


def overview(found: Campaigns) -> Table:
    """Return a row for every campaign."""
    columns = [
        Column("name", "campaign", "name"),
        Column("state", "state", "text"),
        Column("n_works", "work", "count"),
        Column("n_done", "done", "count"),
        Column("n_leased", "in work", "count"),
        Column("n_open", "waiting", "count"),
        Column("n_judgments", "judgments", "count"),
        Column("n_raters", "raters", "count"),
    ]
    return table("campaigns", "Campaigns", columns, found.campaigns)


def raters(found: Campaigns) -> Table:
    """Return what each rater did; scores stay hidden until the end."""
    columns = [
        Column("rater", "rater", "name"),
        Column("state", "state", "text"),
        Column("blocks", "blocks", "count"),
        Column("pages", "pages", "count"),
        Column("judgments", "judgments", "count"),
        Column("minutes", "minutes", "number", digits=1),
    ]
    return table("raters", "Work of each rater", columns, found.raters)
