"""The campaigns that raters work in: one store, one thread that writes, blocks made as they come."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from detectable.core.errors import RefusedError
from detectable.data.store.open_store import AnyStore, open_store
from detectable.data.store.records import CampaignRow, Line, Page, Pause, RaterRow, Saved
from detectable.data.store.store import GroupCommit
from detectable.study.campaign.answers import read_answers, read_document_score
from detectable.study.campaign.make_campaign import (
    LINES_BEFORE,
    PHRASE_LINES,
    BlockMaker,
    Context,
)
from detectable.study.campaign.settings import CampaignSettings

T = TypeVar("T")


class Judging:
    """Answers raters by the secret of their link.

    A request is one call of the thread that owns the store, and is answered after its COMMIT: what
    is said is on the disk.
    """

    def __init__(self, address: str | Path) -> None:
        self._store: AnyStore = open_store(address)
        self._writer = GroupCommit(self._store)
        self._makers: dict[str, BlockMaker] = {}

    def close(self) -> None:
        """Finish what waits, and let the store go."""
        self._writer.close()
        self._store.close()

    async def about(self, token: str) -> tuple[RaterRow, CampaignRow, CampaignSettings]:
        """Return a rater and their campaign."""
        return await self._do(lambda: self._who(token))

    async def consent(self, token: str) -> None:
        """Keep that a rater agreed to take part."""
        await self._do(lambda: self._store.consent(self._who(token)[0].id))

    async def next(self, token: str) -> tuple[Page | Pause, CampaignRow, CampaignSettings]:
        """Return the next page of a rater."""
        return await self._do(partial(self._next, token))

    async def save(
        self,
        token: str,
        page: str,
        *,
        key: str,
        answers: Sequence[Any],
        seconds: float | None,
        document_score: Any = None,
    ) -> Saved:
        """Save the answers to a page, checked by the protocol of the campaign."""
        return await self._do(
            partial(self._save, token, page, key, answers, seconds, document_score)
        )

    def _who(self, token: str) -> tuple[RaterRow, CampaignRow, CampaignSettings]:
        """Return who has a secret, and their campaign, or refuse."""
        found = self._store.rater_of(token)
        if found is None or found.state == "revoked":
            raise RefusedError("link_not_valid", "This link is not valid.")
        campaign = self._store.campaign(found.campaign)
        return found, campaign, CampaignSettings.from_json(campaign.settings)

    def _next(self, token: str) -> tuple[Page | Pause, CampaignRow, CampaignSettings]:
        rater, campaign, settings = self._who(token)
        if settings.consent and not rater.consented:
            raise RefusedError("no_consent", "Agree to take part before you begin.")
        if campaign.name not in self._makers:
            self._makers[campaign.name] = self._maker(campaign, settings)
        page = self._store.next_page(rater.id, self._makers[campaign.name])
        if isinstance(page, Page):
            page = replace(page, before=self._before(campaign.name, page))
        return page, campaign, settings

    def _maker(self, campaign: CampaignRow, settings: CampaignSettings) -> BlockMaker:
        """Return what makes blocks; it reads the texts of each as it comes, and never all of them."""
        first = self._store.first_parts(campaign.name, PHRASE_LINES)
        return BlockMaker(
            self._store.parts(campaign.name, first),
            seed=campaign.seed,
            controls=settings.controls,
            unit="character" if settings.degrade == "character" else "word",
            together=settings.asks.together,
            baseline=settings.baseline,
            mixed=settings.mixed_controls,
            texts=partial(self._store.parts, campaign.name),
        )

    def _before(self, campaign: str, page: Page) -> tuple[Line, ...]:
        """Return the lines before a page in its document."""
        names = self._store.parts_before(campaign, page.part, LINES_BEFORE)
        if not names:
            return ()
        return Context(self._store.parts(campaign, [*names, page.part])).of(page)

    def _save(
        self,
        token: str,
        page: str,
        key: str,
        answers: Sequence[Any],
        seconds: float | None,
        document_score: Any,
    ) -> Saved:
        rater, _, settings = self._who(token)
        shown = self._store.given_page(rater.id, page)
        return self._store.save(
            rater.id,
            page,
            key=key,
            answers=read_answers(settings, answers, shown),
            seconds=seconds,
            claimed=True,
            document_score=read_document_score(settings, document_score),
        )

    async def _do(self, call: Callable[[], T]) -> T:
        return await asyncio.wrap_future(self._writer.submit(call))
