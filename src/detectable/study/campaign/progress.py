"""How far a campaign is on the way to its next look, and who got it there; never a score."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from detectable.data.files.place import FilePath
from detectable.data.store.records import Checkpoint, JudgmentRow, RaterState, State, WorkedBy
from detectable.data.store.store import Store
from detectable.study.campaign.campaign_look import CampaignLook
from detectable.study.campaign.campaign_work import CampaignWork
from detectable.study.campaign.frozen import campaign_ledger
from detectable.study.campaign.look_now import campaign_looks, next_number, open_pairs
from detectable.study.campaign.plan_of import has_plan
from detectable.study.campaign.settings import CampaignSettings

Check: TypeAlias = Literal["passes", "does not pass", "not yet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkCounts:
    """Pieces of work, second waves among them.

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


def campaign_progress(
    store: Store, name: str, *, plan: FilePath | None = None, with_plan: bool = True
) -> CampaignProgress:
    """Return where a campaign stands. It decides nothing, and shows no score.

    Parameters
    ----------
    with_plan : bool
        Whether to read the plan, if it has one, and say when the next look comes.
    """
    row = store.campaign(name)
    work = CampaignWork.read(store, name, CampaignSettings.from_json(row.settings).scale)
    n_max, ahead, number, advice = None, None, 0, False
    n_units = len(work.units)
    fingerprint = CampaignSettings.from_json(row.settings).plan
    if with_plan and has_plan(row):
        state = campaign_ledger(store, name, plan)
        n_max = state.plan.n_max
        pairs = open_pairs(store, name, state)
        if row.state in ("draft", "open", "paused"):
            ahead = next_number(state, pairs)
            number = state.n_looks + 1
            advice = bool(state.entries) and not pairs
        n_units = work.n_units(pairs or state.plan.pairs)
    return CampaignProgress(
        name=name,
        state=row.state,
        plan=fingerprint,
        systems=row.systems,
        needed=row.needed,
        n_units=n_units,
        n_max=n_max,
        next_look=None if ahead is None else number,
        next_look_at=ahead,
        advice=advice,
        works=_works(store, name, work),
        looks=campaign_looks(store, name),
        raters=_raters(store.raters(name), work),
        unblindings=tuple(
            (at, str(detail.get("who", "")), str(detail["reason"]))
            for at, event, detail in store.events(name)
            if event == "unblinding"
        ),
    )


def _works(store: Store, name: str, work: CampaignWork) -> WorkCounts:
    counts = store.status(name)
    return WorkCounts(
        **_outcomes(work, work.rows),
        in_work=counts["leased"],
        open=counts["open"],
        cut=counts["cut"],
        orphans=sum(row.orphan for row in work.rows),
    )


def _outcomes(work: CampaignWork, rows: Sequence[JudgmentRow]) -> dict[str, int]:
    """Return how many pieces of finished work are admitted, refused and waiting."""
    finished = {(row.work, row.epoch): row.admitted for row in rows if row.done_at is not None}
    finished |= {one: False for one in finished if one in work.voided}
    words = {True: "admitted", False: "refused", None: "waiting"}
    found = dict.fromkeys(words.values(), 0)
    for outcome in finished.values():
        found[words[outcome]] += 1
    return found


def _raters(workers: Sequence[WorkedBy], work: CampaignWork) -> tuple[RaterProgress, ...]:
    own: dict[str, list[JudgmentRow]] = {}
    for row in work.rows:
        own.setdefault(row.rater, []).append(row)
    last = {one.rater: one for one in work.checkpoints}
    return tuple(
        RaterProgress(
            rater=worker.code,
            state=worker.state,
            blocks=worker.blocks,
            **_outcomes(work, own.get(worker.code, ())),
            check=_check(last.get(worker.code)),
            seconds=_seconds(own.get(worker.code, ())),
            last_seen=worker.last_seen,
        )
        for worker in workers
    )


def _check(last: Checkpoint | None) -> Check:
    if last is None or not last.tested:
        return "not yet"
    return "passes" if last.passed else "does not pass"


def _seconds(rows: Sequence[JudgmentRow]) -> float | None:
    """Return the median time for one text; the seconds of a page are of all its texts."""
    pages: dict[tuple[object, ...], list[float]] = {}
    for row in rows:
        if row.seconds is not None:
            page = (row.work, row.epoch, row.system, row.kind, row.saved)
            pages.setdefault(page, []).append(row.seconds)
    each = [seconds[0] / len(seconds) for seconds in pages.values()]
    return statistics.median(each) if each else None
