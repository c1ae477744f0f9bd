"""Where campaigns stand: what is done, who did it, and never a score of a system."""

from collections.abc import Mapping
from dataclasses import dataclass

from detectable.core.result import Result, Signature
from detectable.core.wording import count, listing
from detectable.data.store.records import RaterState, State, WorkedBy
from detectable.data.store.store import Store
from detectable.study.campaign.settings import CampaignSettings

_WORDS: Mapping[State, str] = {
    "draft": "is a draft: nobody can judge yet",
    "open": "is open",
    "paused": "is paused",
    "stopped": "has stopped: what was begun may be finished",
    "concluded": "is concluded",
}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterLine:
    """What one rater did: blocks begun, pages judged, and the time they took."""

    rater: str
    state: RaterState
    blocks: int
    pages: int
    judgments: int
    minutes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaigns(Result):
    """The campaigns of a store; the raters where it is about one campaign."""

    campaigns: tuple[CampaignLine, ...]
    raters: tuple[RaterLine, ...] = ()

    def summary(self) -> str:
        """Say how far each campaign is."""
        if not self.campaigns:
            return "There is no campaign yet."
        return "\n".join(_sentence(one) for one in self.campaigns)


def _sentence(one: CampaignLine) -> str:
    share = one.n_done / one.n_works
    rest = [f"{n:,} {word}" for n, word in ((one.n_leased, "in work"), (one.n_open, "waiting"))]
    if one.n_cut:
        rest.append(f"{one.n_cut:,} given up")
    return (
        f"{one.name} {_WORDS[one.state]}. {one.n_done:,} of "
        f"{count(one.n_works, 'piece')} of work done ({share:.0%}), {listing(rest)}: "
        f"{count(one.n_judgments, 'judgment')} of {count(len(one.systems), 'system')} by "
        f"{count(one.n_raters, 'rater')}."
    )


def campaigns(store: Store, name: str | None = None) -> Campaigns:
    """Return where all campaigns of a store stand, or one with its raters."""
    chosen = store.names() if name is None else (store.campaign(name).name,)
    lines, raters = [], []
    for one in chosen:
        workers = store.raters(one)
        lines.append(_line(store, one, len(workers)))
        if name is not None:
            raters = [_rater(worker) for worker in workers]
    return Campaigns(
        campaigns=tuple(lines), raters=tuple(raters), signature=Signature("campaigns", {}, None)
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
    )


def _rater(worker: WorkedBy) -> RaterLine:
    return RaterLine(
        rater=worker.code,
        state=worker.state,
        blocks=worker.blocks,
        pages=worker.pages,
        judgments=worker.judgments,
        minutes=worker.seconds / 60.0,
    )
