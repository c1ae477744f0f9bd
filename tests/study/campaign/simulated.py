"""Whole campaigns with raters whose behaviour is known: careful ones, and some who click at random."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from detectable.data.store.claims import BUDGET
from detectable.data.store.records import Answer, Line, Page
from detectable.data.store.sqlite_store import SqliteStore
from detectable.data.store.store import Store
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.begin import begin_campaign
from detectable.study.campaign.close import turn_campaign
from detectable.study.campaign.looks import run_due_look
from detectable.study.campaign.make_campaign import BlockMaker
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.monitoring.plan import plan

WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "one",
    "lazy",
    "dog",
    "and",
    "runs",
    "far",
    "away",
]


def corpus(
    n: int, systems: Sequence[str] = ("new", "old"), *, lines_per_document: int | None = None
) -> Corpus:
    """Return n short lines, all different."""
    rng = np.random.default_rng(3)
    lines = [f"{' '.join(rng.permutation(WORDS))} {i}" for i in range(n)]
    documents = None
    if lines_per_document is not None:
        documents = [f"doc-{i // lines_per_document}" for i in range(n)]
    return Corpus.build(dict.fromkeys(systems, lines), lines, documents=documents)


@dataclass(frozen=True, kw_only=True)
class Truth:
    """How good systems are, on a scale to 100, and who clicks at random.

    A careful rater gives an item's quality, the system's effect and noise, and takes `degraded`
    points off a degraded copy; a careless one any score.
    """

    effects: Mapping[str, float]
    careless: frozenset[str] = frozenset()
    degraded: float = 25.0
    noise: float = 10.0
    skips: float = 0.0


class Rater:
    """Judges pages."""

    def __init__(self, code: str, truth: Truth, qualities: np.ndarray, seed: int) -> None:
        self.code, self._truth, self._qualities = code, truth, qualities
        self._rng = np.random.default_rng([seed, int(code.split("-")[1])])

    def answers(self, page: Page) -> list[Answer]:
        """Return what this rater says of a page."""
        return [self._answer(page, line) for line in page.lines]

    def _answer(self, page: Page, line: Line) -> Answer:
        truth, rng = self._truth, self._rng
        if truth.skips and rng.random() < truth.skips:
            return Answer(score=None, extra={"skipped": "cannot_judge"})
        if self.code in truth.careless:
            return Answer(score=float(rng.integers(0, 101)))
        level = self._qualities[int(line.item) - 1] + truth.effects.get(page.system, 0.0)
        if line.text != line.reference:  # all systems write the reference
            level -= truth.degraded
        return Answer(score=float(np.clip(round(rng.normal(level, truth.noise)), 0, 100)))


def begin(
    store: Store,
    path: Path,
    truth: Truth,
    *,
    n_items: int = 120,
    n_raters: int = 6,
    lines_per_document: int | None = None,
    settings: Mapping[str, Any] = {},
    **planned: Any,
) -> None:
    """Freeze a plan, make the campaign «ship», open it, and let raters in."""
    systems = tuple(truth.effects)
    plan(path, systems=systems, **planned)
    begin_campaign(
        store,
        corpus(n_items, systems, lines_per_document=lines_per_document),
        "ship",
        plan_path=path,
        mode="reference",
        **{"rng": 1, **settings},
    )
    turn_campaign(store, "ship", "open", now=0.0)
    store.add_raters("ship", n_raters)


def maker_of(store: Store) -> BlockMaker:
    """Return what arranges the pages of «ship»."""
    row = store.campaign("ship")
    settings = CampaignSettings.from_json(row.settings)
    return BlockMaker(
        store.parts("ship"), seed=row.seed, controls=settings.controls, unit="word"
    )


def judge(
    store: Store,
    truth: Truth,
    *,
    seed: int,
    maker: BlockMaker | None = None,
    after_block: Callable[[], bool] | None = None,
    most_pages: int = 100_000,
    absent: Sequence[str] = (),
) -> float:
    """Let all raters judge in turn until there is nothing left or it has stopped.

    `after_block` runs whenever somebody has finished a block, and says whether to go on; by
    default the due look is run. The clock at the end is returned.
    """
    arrange = maker_of(store) if maker is None else maker
    n_lines = max(int(line.item) for part in store.parts("ship") for line in part.segments)
    qualities = np.random.default_rng([seed, 99]).normal(60.0, 12.0, n_lines)
    raters = [
        Rater(one.code, truth, qualities, seed)
        for one in store.raters("ship")
        if one.code not in absent
    ]
    order = np.random.default_rng([seed, 98])
    clock = 1.0
    going = list(raters)
    while going and most_pages:
        rater = going[int(order.integers(len(going)))]
        page = store.next_page(f"ship/{rater.code}", arrange, clock)
        if not isinstance(page, Page):
            going.remove(rater)
            if not going and not _looked(store, after_block, clock):
                break
            if not going and store.status("ship")["open"]:
                going = list(raters) if _claimable(store) else []
            continue
        clock += 1.0
        most_pages -= 1
        store.save(
            f"ship/{rater.code}",
            page.token,
            key="k",
            answers=rater.answers(page),
            seconds=9.0,
            now=clock,
        )
        if page.place == page.n_pages:
            if not _looked(store, after_block, clock):
                break
            going = list(raters) if len(going) < len(raters) else going
    return clock


def _looked(store: Store, after_block: Callable[[], bool] | None, clock: float) -> bool:
    if after_block is not None:
        return after_block()
    run_due_look(store, "ship", now=clock)
    return store.campaign("ship").state == "open"


def _claimable(store: Store) -> bool:
    """Say whether an active rater has not seen some open work, and the budget allows it."""
    if any(event == BUDGET for _, event, _ in store.events("ship")):
        return False
    row = store.one(
        "SELECT COUNT(*) FROM work w, rater r WHERE w.campaign = 'ship' AND w.state = 'open' "
        "AND r.state = 'active' AND NOT EXISTS "
        "(SELECT 1 FROM seen_by s WHERE s.rater = r.id AND s.part = w.part)"
    )
    return bool(row[0])


def in_memory() -> SqliteStore:
    """Return a store that is gone with the test, and fast."""
    return SqliteStore(Path(":memory:"))
