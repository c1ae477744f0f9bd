"""What the state of campaigns shows: progress and raters, and no score."""

from collections.abc import Iterator, Mapping, Sequence

from detectable.core.wording import count, listing, number
from detectable.data.store.records import State
from detectable.report.blocks import Block, Column, Table, Verdict, notes, table
from detectable.study.campaign.campaigns import CampaignLine, Campaigns
from detectable.study.campaign.looks import CampaignLook, DecidedPair
from detectable.study.monitoring.ledger import said_time


def show_campaigns(found: Campaigns) -> Iterator[Block]:
    """Show how far each campaign is, and what the raters of one did."""
    first, *others = _sentences(found)
    yield Verdict("info", first, tuple(others))
    if len(found.campaigns) > 1:
        yield overview(found)
    if found.looks:
        yield looks(found)
    if found.raters:
        yield raters(found)
    yield from notes(found.notes)


def overview(found: Campaigns) -> Table:
    """Return a row for every campaign."""
    columns = [
        Column("name", "campaign", "name"),
        Column("state", "state", "text"),
        Column("n_works", "work", "count"),
        Column("n_done", "done", "count"),
        Column("n_leased", "in work", "count", keep=2),
        Column("n_open", "waiting", "count", keep=2),
        Column(
            "n_judgments",
            "judgments",
            "count",
            of=lambda one: one.n_given or one.n_judgments,
        ),
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
    if any(so_far(one.pairs) for one in found.looks):
        columns.append(
            Column("pairs", "so far", "text", of=lambda one: so_far(one.pairs), keep=2)
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


# --- The words of campaigns ---

_WORDS: Mapping[State, str] = {
    "draft": "is a draft: nobody can judge yet",
    "open": "is open",
    "paused": "is paused",
    "stopped": "has stopped: what was begun may be finished",
    "concluded": "is concluded",
}


def say_campaigns(found: Campaigns) -> str:
    """Say how far each campaign is, and of one what its looks said."""
    first, *others = _sentences(found)
    return "\n".join([" ".join([first, *others[:1]]), *others[1:]])


def _sentences(found: Campaigns) -> list[str]:
    """Return the state of the first campaign, its progress, and a line for all else."""
    if not found.campaigns:
        return ["There is no campaign yet."]
    first, *others = found.campaigns
    said = [_state(first), _progress(first), *(f"{_state(x)} {_progress(x)}" for x in others)]
    if not others:
        said += [_counted(first), _looked(first, found.looks)]
    return [text for text in said if text]


def _state(one: CampaignLine) -> str:
    return f"{one.name} {_WORDS[one.state]}."


def _progress(one: CampaignLine) -> str:
    share = one.n_done / one.n_works
    rest = [f"{n:,} {word}" for n, word in ((one.n_leased, "in work"), (one.n_open, "waiting"))]
    if one.n_cut:
        rest.append(f"{one.n_cut:,} given up")
    asked = (
        ""
        if one.budget is None
        else f" Answers asked for: {one.n_answers:,} of {one.budget:,}."
    )
    return (
        f"{one.n_done:,} of {count(one.n_works, 'piece')} of work done ({share:.0%}), "
        f"{listing(rest)}: {count(one.n_given or one.n_judgments, 'judgment')} of "
        f"{count(len(one.systems), 'system')} by {count(one.n_raters, 'rater')}.{asked}"
    )


def _counted(one: CampaignLine) -> str:
    """Say how much of the finished work counts."""
    works = one.progress
    if works is None or not works.admitted + works.refused + works.waiting:
        return ""
    late = f"; {count(works.orphans, 'judgment')} came too late" if works.orphans else ""
    return (
        f"Of the finished work {works.admitted:,} counts, {works.waiting:,} waits for more control "
        f"items, {works.refused:,} does not count{late}."
    )


def _looked(one: CampaignLine, looks: Sequence[CampaignLook]) -> str:
    """Say what the last look decided, and when the next comes."""
    said = []
    if looks:
        numbers = so_far(looks[-1].pairs)
        said.append(
            f"Look {looks[-1].look}: {looks[-1].decision}{f' ({numbers})' if numbers else ''}."
        )
    if one.next_look_at is not None:
        said.append(
            f"Next look at {count(one.next_look_at, 'line')}; {one.n_units or 0:,} count so far."
        )
    if one.failed:
        said.append(f"The look that is due could not be made: {one.failed}")
    if one.stalled:
        said.append(_stalled(one))
    return " ".join(said)


def _stalled(one: CampaignLine) -> str:
    """Say that the next look cannot come as things are, and what to do."""
    end = f"a last look (detectable campaign look {one.name} --final)"
    if one.spent:
        return f"Stalled: the next block would pass the budget. End it with {end}."
    why = "no work is left"
    if one.n_open:
        why = f"every rater has seen the {count(one.n_open, 'piece')} of work that waits"
    return f"Stalled: {why}. Add raters, or end it with {end}."


def so_far(pairs: Sequence[DecidedPair]) -> str:
    """Say interval and statistic of every pair; nothing where they are not told.

    Examples
    --------
    >>> told = {"system": "new", "baseline": "old", "decision": "continue"}
    >>> so_far([DecidedPair(**told, interval=(-0.5, 4.25), z=1.6)])
    'new − old from −0.50 to +4.25, z = +1.600'
    >>> so_far([DecidedPair(**told, interval=(0.5, None), e_value=12.0)])
    'new − old at least +0.50, E = 12'
    >>> so_far([DecidedPair(**told)])
    ''
    """
    return "; ".join(_numbers_of(one) for one in pairs if one.told)


def _numbers_of(one: DecidedPair) -> str:
    said = []
    if one.interval is not None:
        low, high = one.interval
        ends = [("from" if high is not None else "at least", low)]
        ends += [("to" if low is not None else "at most", high)]
        shown = " ".join(
            f"{word} {number(end, digits=2, sign=True)}"
            for word, end in ends
            if end is not None
        )
        said.append(f"{one.system} − {one.baseline} {shown}")
    if one.z is not None:
        said.append(f"z = {number(one.z, digits=3, sign=True)}")
    if one.e_value is not None:
        said.append(f"E = {one.e_value:.3g}")
    return ", ".join(said)
