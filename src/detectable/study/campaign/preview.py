"""What a campaign will be, before it is made: how much work, and whether its check can tell."""

import math
from dataclasses import dataclass

from detectable.core.rng import resolve
from detectable.data.store.records import NewCampaign
from detectable.study.campaign.block import BlockMaker
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.campaign.shown_pairs import shown_pairs
from detectable.study.raters.check_power import CarefulRater, check_power

# Of the scale: how much lower a careful rater scores degraded copies, and how much that varies.
CAREFUL_EFFECT, CAREFUL_SD = 0.2, 0.2
_BLOCKS = 12  # that are looked at to count controls


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignPreview:
    """What will be asked of raters.

    Attributes
    ----------
    n_lines, n_works, n_pages, n_judgments : int
        Lines, pieces of work (second waves as well), pages with controls, and judgments.
    copies_per_block : float
        Degraded copies in a block, on average over the first blocks of one rater.
    blocks_to_decide : int or None
        Blocks until a rater has enough copies for the check; None if never.
    most_raters : int or None
        So many raters get that far with the work there is; with more, some never do.
    power : float
        Chance that a careful rater passes the check with `pairs` copies.
    """

    n_lines: int
    n_works: int
    n_pages: int
    n_judgments: int
    copies_per_block: float
    blocks_to_decide: int | None
    most_raters: int | None
    pairs: int
    alpha: float
    effect: float
    sd: float
    power: float


def preview_campaign(
    new: NewCampaign,
    *,
    pairs: int = 10,
    alpha: float = 0.05,
    effect: float | None = None,
    sd: float | None = None,
) -> CampaignPreview:
    """Return what a campaign asks, and the power of its check.

    Parameters
    ----------
    pairs, alpha
        Degraded copies that decide about work, and the level of the test (paired t).
    effect, sd : float, optional
        How much lower a careful rater scores degraded copies, and how much that varies, in points;
        by default a fifth of the scale each.
    """
    settings = CampaignSettings.from_json(new.settings)
    low, high = settings.scale
    down = CAREFUL_EFFECT * (high - low) if effect is None else effect
    spread = CAREFUL_SD * (high - low) if sd is None else sd
    careful = CarefulRater(effect=down, sd_difference=spread, sd_score=spread)
    lines = {part.name: len(part.segments) for part in new.parts}
    copies, extra = _controls(new, settings)
    blocks = len(new.works) / new.block
    pairs_shown = shown_pairs(new.systems, settings.baseline)
    per_work = len(pairs_shown) if settings.asks.together else len(new.systems)  # pages
    needed = math.ceil(pairs / copies) if copies else None
    return CampaignPreview(
        n_lines=sum(lines.values()),
        n_works=len(new.works),
        n_pages=round(per_work * len(new.works) + extra[0] * blocks),
        n_judgments=round(
            per_work * sum(lines[name] for name, _ in new.works) + extra[1] * blocks
        ),
        copies_per_block=copies,
        blocks_to_decide=needed,
        most_raters=None if needed is None else math.floor(blocks / needed),
        pairs=pairs,
        alpha=alpha,
        effect=down,
        sd=spread,
        power=check_power(pairs, careful, "paired-t", alpha, resolve(0)[0]),
    )


def _controls(
    new: NewCampaign, settings: CampaignSettings
) -> tuple[float, tuple[float, float]]:
    """Return degraded copies, and control pages and texts, per block of one rater."""
    maker = BlockMaker(
        new.parts,
        seed=new.seed,
        controls=settings.controls,
        unit="character" if settings.degrade == "character" else "word",
        together=settings.asks.together,
        baseline=settings.baseline,
    )
    names = [part.name for part in new.parts]
    blocks = [names[i : i + new.block] for i in range(0, len(names), new.block)]
    whole = [one for one in blocks if len(one) == new.block][:_BLOCKS] or blocks[:1]
    degraded = pages = texts = 0
    for number, parts in enumerate(whole, start=1):
        for page in maker("r-01", number, parts, new.systems):
            if page.lines is not None:
                pages += 1
                texts += len(page.lines)
                degraded += sum(kind == "degraded" for kind, _ in page.lines)
    n = len(whole)
    return degraded / n, (pages / n, texts / n)
