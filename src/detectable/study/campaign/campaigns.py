"""Where campaigns stand: progress and links of raters, and never a score of a system."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from detectable.core.errors import DataError
from detectable.core.result import ADDED, Result, Signature
from detectable.core.wording import for_spreadsheet
from detectable.data.files.place import FilePath
from detectable.data.store.claims import BUDGET
from detectable.data.store.records import (
    Checkpoint,
    Link,
    RaterState,
    State,
    WorkedBy,
)
from detectable.data.store.store import Store
from detectable.study.campaign.looks import (
    LOOK_FAILED,
    CampaignLook,
    awaits_decision,
    campaign_looks,
    left_out,
    next_number,
    open_pairs,
    units_so_far,
)
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.campaign.work import campaign_ledger, has_plan, plan_of

Check: TypeAlias = Literal["passes", "does not pass", "not yet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkCounts:
    """Counts of pieces of work, including those of a second wave.

    Attributes
    ----------
    admitted, refused, waiting : int
        Finished: it counts, it does not (and was given out again while the campaign ran), or its
        rater has not judged enough controls yet. What was voided before a look saw it does not.
    in_work, open, cut : int
        Given out, waiting to be, and given up at the stop.
    orphans : int
        Judgments that came after their work had gone to somebody else.
    """

    admitted: int
    refused: int
    waiting: int
    in_work: int
    open: int
    cut: int
    orphans: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterProgress:
    """What one rater did.

    Attributes
    ----------
    admitted, refused, waiting : int
        Pieces of work.
    check : str
        What the last controls said.
    seconds : float or None
        For one text, the median over pages.
    """

    rater: str
    state: RaterState
    blocks: int
    admitted: int
    refused: int
    waiting: int
    check: Check
    seconds: float | None
    last_seen: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignProgress:
    """Where a campaign stands.

    Attributes
    ----------
    plan : str
        The fingerprint of the plan; nothing without one.
    n_units, n_max : int or None
        Lines that count so far, and at the end of the plan; None without a plan or an end.
    next_look, next_look_at : int or None
        Its number, and how many lines of every open pair it takes.
    advice : bool
        Whether the last look said that a decision is unlikely, and the organiser has to choose.
    stalled : bool
        Whether the next look cannot come: nobody works, no rater is left for what waits, and no
        finished work is about to be decided.
    failed : str
        Why the look that is due could not be made; nothing where none failed.
    spent : bool
        Whether a block was not given out because it would have passed the budget.
    answers : int
        That raters gave, or that their blocks still ask for; controls and repeated work among them.
    budget : int or None
        The most of these.
    may_end : bool
        Whether a last look may be declared: some pair is neither decided nor given up.
    unblindings : tuple of (float, str, str)
        When, by whom and why systems were named before the end.
    """

    name: str
    state: State
    plan: str
    systems: tuple[str, ...]
    needed: tuple[str, ...]
    n_units: int
    n_max: int | None
    next_look: int | None
    next_look_at: int | None
    advice: bool
    works: WorkCounts
    looks: tuple[CampaignLook, ...]
    raters: tuple[RaterProgress, ...]
    unblindings: tuple[tuple[float, str, str], ...]
    stalled: bool = False
    failed: str = ""
    may_end: bool = False
    spent: bool = False
    answers: int = 0
    budget: int | None = None


def campaign_progress(
    store: Store,
    name: str,
    *,
    plan: FilePath | None = None,
    with_plan: bool = True,
    with_pace: bool = True,
) -> CampaignProgress:
    """Return where a campaign stands. It decides nothing, and shows no score.

    Parameters
    ----------
    with_plan : bool
        Whether to read the plan, if it has one, and say when the next look comes.
    with_pace : bool
        Whether to say how long each rater takes for a text: a median, which nobody keeps.
    """
    row = store.campaign(name)
    n_max, ahead, number, advice, may_end = None, None, 0, False, False
    n_units = store.complete_lines(name).total()
    settings = CampaignSettings.from_json(row.settings)
    if with_plan and has_plan(row):
        state = campaign_ledger(store, name, plan)
        n_max = state.plan.n_max
        pairs = open_pairs(store, name, state)
        if row.state in ("draft", "open", "paused"):
            ahead = next_number(state, pairs, left_out=left_out(store, name))
            number = state.n_looks + 1
            advice = bool(state.entries) and not pairs
        may_end = row.state in ("open", "paused", "stopped") and bool(pairs)
        n_units = units_so_far(store, name, pairs or state.plan.pairs)
    workers = store.raters(name)
    works = _works(store.status(name), workers)
    paces = store.paces(name) if with_pace else {}
    events, looks = store.events(name), campaign_looks(store, name)
    spent = any(event == BUDGET for _, event, _ in events)
    return CampaignProgress(
        name=name,
        state=row.state,
        plan=settings.plan,
        systems=row.systems,
        needed=row.needed,
        n_units=n_units,
        n_max=n_max,
        next_look=None if ahead is None else number,
        next_look_at=ahead,
        advice=advice,
        works=works,
        looks=looks,
        raters=_raters(workers, store.last_checkpoints(name), paces),
        unblindings=tuple(
            (at, str(detail.get("who", "")), str(detail["reason"]))
            for at, event, detail in events
            if event == "unblinding"
        ),
        stalled=row.state == "open"
        and ahead is not None
        and n_units < ahead
        and not works.in_work
        and (spent or not store.takers(name))
        # In the seconds between the last page and the decision of its work it is not.
        and not (works.waiting and awaits_decision(store, name, plan=plan)),
        spent=spent,
        answers=store.answers_asked(name),
        budget=settings.budget,
        failed=failed_look(events, len(looks)),
        may_end=may_end,
    )


def judgments_given(store: Store, name: str) -> int:
    """Return how many judgments raters gave, and are paid for: all pages count them so.

    Texts that could not be judged are among them, and what was deleted on request since.
    """
    counts = store.status(name)
    return counts["judgments"] + counts["skipped"] + erased_judgments(store, name)


def erased_judgments(store: Store, name: str) -> int:
    """Return how many judgments were deleted on request: they stay paid."""
    return sum(
        int(detail["judgments"])
        for _, event, detail in store.events(name)
        if event == "erasure"
    )


def paid_work(store: Store, name: str) -> list[WorkedBy]:
    """Return the work of every rater with what was deleted since: it was done, and is paid."""
    gone: dict[str, list[Mapping[str, float]]] = {}
    for _, event, detail in store.events(name):
        if event == "erasure":
            gone.setdefault(detail["rater"], []).append(detail)
    return [
        replace(
            one,
            judgments=one.judgments
            + sum(int(lost["judgments"]) for lost in gone.get(one.code, ())),
            # Deletions of earlier versions kept no time.
            seconds=one.seconds
            + sum(lost.get("seconds", 0.0) for lost in gone.get(one.code, ())),
        )
        for one in store.raters(name)
    ]


def price_of(store: Store, name: str, plan: FilePath | None = None) -> float | None:
    """Return the price of one judgment; None where no plan says it."""
    if not has_plan(store.campaign(name)):
        return None
    try:
        return plan_of(store, name, plan).cost_per_judgment
    except DataError:  # a plan that was moved
        return None


def failed_look(events: Sequence[tuple[float, str, Mapping[str, object]]], n_looks: int) -> str:
    """Return why the look after these could not be made, as it was last written down."""
    reasons = [
        str(detail["reason"])
        for _, event, detail in events
        if event == LOOK_FAILED and detail["look"] == n_looks + 1
    ]
    return reasons[-1] if reasons else ""


def _works(counts: Mapping[str, int], workers: Sequence[WorkedBy]) -> WorkCounts:
    return WorkCounts(
        admitted=sum(one.admitted for one in workers),
        refused=sum(one.refused for one in workers),
        waiting=sum(one.waiting for one in workers),
        in_work=counts["leased"],
        open=counts["open"],
        cut=counts["cut"],
        orphans=counts["orphans"],
    )


def _raters(
    workers: Sequence[WorkedBy], last: Mapping[str, Checkpoint], paces: Mapping[str, float]
) -> tuple[RaterProgress, ...]:
    return tuple(
        RaterProgress(
            rater=worker.code,
            state=worker.state,
            blocks=worker.blocks,
            admitted=worker.admitted,
            refused=worker.refused,
            waiting=worker.waiting,
            check=_check(last.get(worker.code)),
            seconds=paces.get(worker.code),
            last_seen=worker.last_seen,
        )
        for worker in workers
    )


def _check(last: Checkpoint | None) -> Check:
    if last is None or not last.tested:
        return "not yet"
    return "passes" if last.passed else "does not pass"


# --- Where campaigns stand: what is done, who did it, and never a score of a system ---


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignLine:
    """One campaign.

    Attributes
    ----------
    n_works : int
        Documents, or sentences, to be judged in all systems by one rater; second waves as well.
    n_done, n_leased, n_open, n_cut : int
        Done, given out, waiting, and given up when it stopped.
    n_judgments, n_skipped, n_late : int
        Scores, texts that could not be judged, and pages that came after their work went to
        somebody else.
    archived : bool
        Whether it was put out of the way.
    n_given : int
        All that raters gave, and are paid for: scores, texts that could not be judged, and what was
        deleted since on request.
    progress : WorkCounts or None
        Of one campaign: how much of its work counts.
    n_units, n_max, next_look_at : int or None
        Of one campaign with a plan: lines that count, at the end, and at the next look.
    stalled : bool
        Whether that look cannot come: nobody works, and no rater is left for what waits.
    failed : str
        Why a look that was due could not be made.
    n_answers, budget : int or None
        That raters gave or still have to give, with controls and repeated work, and their most.
    spent : bool
        Whether work was not given out because of the budget.
    """

    name: str
    state: State
    systems: tuple[str, ...]
    protocol: str
    n_works: int
    n_done: int
    n_leased: int
    n_open: int
    n_cut: int
    n_judgments: int
    n_skipped: int
    n_late: int
    n_raters: int
    progress: WorkCounts | None = None
    n_units: int | None = None
    n_max: int | None = None
    next_look_at: int | None = None
    stalled: bool = field(default=False, metadata=ADDED)
    failed: str = field(default="", metadata=ADDED)
    n_answers: int = field(default=0, metadata=ADDED)
    budget: int | None = field(default=None, metadata=ADDED)
    spent: bool = field(default=False, metadata=ADDED)
    n_given: int = field(default=0, metadata=ADDED)
    archived: bool = field(default=False, metadata=ADDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterLine:
    """What one rater did: blocks begun, pages judged, the time they took, and what counts."""

    rater: str
    state: RaterState
    blocks: int
    pages: int
    judgments: int
    minutes: float
    admitted: int = 0  # pieces of work
    refused: int = 0
    waiting: int = 0
    check: Check = "not yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaigns(Result):
    """The campaigns of a store; the raters and looks where it is about one campaign."""

    campaigns: tuple[CampaignLine, ...]
    raters: tuple[RaterLine, ...] = ()
    looks: tuple[CampaignLook, ...] = ()
    notes: tuple[str, ...] = ()


def campaigns(
    store: Store, name: str | None = None, *, plan: FilePath | None = None
) -> Campaigns:
    """Return where all campaigns of a store stand, or one with its raters and looks."""
    signature = Signature("campaigns", {}, None)
    if name is None:
        lines = tuple(_line(store, one, len(store.raters(one))) for one in store.names())
        return Campaigns(campaigns=lines, signature=signature)
    workers = paid_work(store, name)
    line = _line(store, name, len(workers))
    notes: tuple[str, ...] = ()
    try:
        found = campaign_progress(store, name, plan=plan, with_pace=False)
    except DataError as error:  # a plan that was moved is no reason to say nothing
        found = campaign_progress(store, name, with_plan=False, with_pace=False)
        notes = (str(error),)
    progress = {one.rater: one for one in found.raters}
    return Campaigns(
        campaigns=(
            replace(
                line,
                progress=found.works,
                n_units=found.n_units,
                n_max=found.n_max,
                next_look_at=found.next_look_at,
                stalled=found.stalled,
                failed=found.failed,
                n_answers=found.answers,
                budget=found.budget,
                spent=found.spent,
            ),
        ),
        raters=tuple(_rater(worker, progress[worker.code]) for worker in workers),
        looks=found.looks,
        notes=notes,
        signature=signature,
    )


def _line(store: Store, name: str, n_raters: int) -> CampaignLine:
    row, counts = store.campaign(name), store.status(name)
    return CampaignLine(
        name=name,
        state=row.state,
        systems=row.systems,
        protocol=CampaignSettings.from_json(row.settings).protocol,
        n_works=counts["works"],
        n_done=counts["works"] - counts["open"] - counts["leased"] - counts["cut"],
        n_leased=counts["leased"],
        n_open=counts["open"],
        n_cut=counts["cut"],
        n_judgments=counts["judgments"],
        n_skipped=counts["skipped"],
        n_late=counts["late"],
        n_raters=n_raters,
        n_given=judgments_given(store, name),
        archived=store.archived(name),
    )


def _rater(worker: WorkedBy, found: RaterProgress) -> RaterLine:
    return RaterLine(
        rater=worker.code,
        state=worker.state,
        blocks=worker.blocks,
        pages=worker.pages,
        judgments=worker.judgments,
        minutes=worker.seconds / 60.0,
        admitted=found.admitted,
        refused=found.refused,
        waiting=found.waiting,
        check=found.check,
    )


# --- The personal links of raters, as a table to hand out ---


def open_address(store: Store, name: str, most: int | None, url: str) -> str:
    """Make a link that anybody may open, and return its address as a panel takes it.

    Whoever opens it is named by a parameter of the address: those of Prolific are filled in by
    Prolific, others by the site that leads there. Without a panel a browser names itself.
    """
    settings = CampaignSettings.from_json(store.campaign(name).settings)
    named = {
        "prolific": "?" + "&".join(f"{one}={{{{%{one}%}}}}" for one in _OF_PROLIFIC),
        "generic": f"?{settings.participant}=",
    }
    return (
        f"{url.rstrip('/')}/join/{store.open_link(name, most)}{named.get(settings.panel, '')}"
    )


_OF_PROLIFIC = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")


def links_csv(links: Sequence[Link], url: str) -> str:
    """Return rater and link, one row each.

    The secret stands behind ``#``: a browser keeps that part to itself, so it is in no log of a
    server and in no Referer.

    Examples
    --------
    >>> print(links_csv([Link(code="r-01", token="abc")], "http://127.0.0.1:8300/"), end="")
    rater,link
    r-01,http://127.0.0.1:8300/a#abc
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("rater", "link"))
    for link in links:
        address = f"{url.rstrip('/')}/a#{link.token}"
        writer.writerow((for_spreadsheet(link.code), for_spreadsheet(address)))
    return text.getvalue()
