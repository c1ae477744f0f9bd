"""Judgments that belong together: one campaign in one language pair."""

from detectable.core.errors import InputError
from detectable.core.wording import listing
from detectable.data.human.judgments import Judgments


def require_one_campaign(judgments: Judgments) -> None:
    """Stop where there are several: their items are not the same, nor their scores comparable."""
    campaign = judgments.by_campaign()
    if campaign is not None and campaign.n_levels > 1:
        raise InputError(
            f"`judgments` must be of one campaign and language; got "
            f"{listing(list(campaign.levels))}. Choose one with judgments.where(…)."
        )
