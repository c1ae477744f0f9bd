"""What the state of campaigns shows: progress and raters, and no score."""

from collections.abc import Iterator

from detectable.report.blocks import Block, Column, Repeat, Table, notes, opening, table
from detectable.study.campaign.campaigns import Campaigns
from detectable.study.monitoring.ledger import said_time


def show_campaigns(found: Campaigns) -> Iterator[Block]:
    """Show how far each campaign is, and what the raters of one did."""
    yield opening("info", found.summary())
    if len(found.campaigns) > 1:
        yield overview(found)
    if found.looks:
        yield looks(found)
    if found.raters:
        yield raters(found)
    yield from notes(found.notes)
    yield Repeat(str(found.signature))


def overview(found: Campaigns) -> Table:
    """Return a row for every campaign."""
    columns = [
        Column("name", "campaign", "name"),
        Column("state", "state", "text"),
        Column("n_works", "work", "count"),
        Column("n_done", "done", "count"),
        Column("n_leased", "in work", "count", keep=2),
        Column("n_open", "waiting", "count", keep=2),
        Column("n_judgments", "judgments", "count"),
        Column("n_raters", "raters", "count", keep=3),
    ]
    return table("campaigns", "Campaigns", columns, found.campaigns)


def looks(found: Campaigns) -> Table:
    """Return what each look decided, and numbers only where it was frozen to tell them."""
    columns = [
        Column("look", "look", "count"),
        Column("time", "time", "text", of=lambda one: said_time(one.time)),
        Column("n_units", "lines", "count"),
        Column("judgments", "judgments", "count", keep=2),
        Column("decision", "decision", "text"),
    ]
    if any(one.in_numbers() for one in found.looks):
        columns.append(
            Column("pairs", "so far", "text", of=lambda one: one.in_numbers(), keep=2)
        )
    return table("looks", "Looks", columns, found.looks)


def raters(found: Campaigns) -> Table:
    """Return what each rater did; scores stay hidden until the end."""
    columns = [
        Column("rater", "rater", "name"),
        Column("state", "state", "text"),
        Column("blocks", "blocks", "count", keep=4),
        Column("pages", "pages", "count", keep=3),
        Column("judgments", "judgments", "count", keep=2),
        Column("minutes", "minutes", "number", digits=1),
        Column("admitted", "counts", "count", help="pieces of work that count"),
        Column("waiting", "waits", "count", keep=2, help="for more control items"),
        Column("refused", "does not", "count", help="pieces of work that do not count"),
        Column("check", "controls", "text", help="what the last control items said"),
    ]
    return table("raters", "Work of each rater", columns, found.raters)
