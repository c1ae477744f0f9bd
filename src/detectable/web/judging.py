"""The campaigns that raters work in: one store, one thread that writes, blocks made as they come."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from detectable.core.errors import RefusedError
from detectable.data.store.group_commit import GroupCommit
from detectable.data.store.open_store import AnyStore, open_store
from detectable.data.store.records import CampaignRow, Page, Pause, RaterRow, Saved
from detectable.study.campaign.block import BlockMaker
from detectable.study.campaign.protocols import read_answers
from detectable.study.campaign.settings import CampaignSettings

T = TypeVar("T")


class Judging:
    """Answers raters. Every call waits for its COMMIT, so what is said is on the disk."""

    def __init__(self, address: str | Path) -> None:
        self._store: AnyStore = open_store(address)
        self._writer = GroupCommit(self._store)
        self._makers: dict[str, BlockMaker] = {}

    def close(self) -> None:
        """Finish what waits, and let the store go."""
        self._writer.close()
        self._store.close()

    async def rater(self, token: str) -> tuple[RaterRow, CampaignRow]:
        """Return who has a secret, and their campaign, or refuse."""
        found = await self._do(partial(self._store.rater_of, token))
        if found is None or found.state == "revoked":
            raise RefusedError("link_not_valid", "This link is not valid.")
        return found, await self._do(partial(self._store.campaign, found.campaign))

    async def next(self, rater: RaterRow, campaign: CampaignRow) -> Page | Pause:
        """Return the next page of a rater."""
        maker = await self._maker(campaign)
        return await self._do(partial(self._store.next_page, rater.id, maker))

    async def save(
        self,
        rater: RaterRow,
        campaign: CampaignRow,
        token: str,
        *,
        key: str,
        answers: Sequence[Any],
        seconds: float | None,
    ) -> Saved:
        """Save the answers to a page, checked by the protocol of the campaign."""
        settings = CampaignSettings.from_json(campaign.settings)
        given = read_answers(settings.protocol, answers, len(answers))
        call = partial(
            self._store.save, rater.id, token, key=key, answers=given, seconds=seconds
        )
        return await self._do(call)

    async def _maker(self, campaign: CampaignRow) -> BlockMaker:
        if campaign.name not in self._makers:
            parts = await self._do(partial(self._store.parts, campaign.name))
            settings = CampaignSettings.from_json(campaign.settings)
            self._makers[campaign.name] = BlockMaker(
                parts,
                seed=campaign.seed,
                controls=settings.controls,
                unit="character" if settings.degrade == "character" else "word",
            )
        return self._makers[campaign.name]

    async def _do(self, call: Callable[[], T]) -> T:
        return await asyncio.wrap_future(self._writer.submit(call))
