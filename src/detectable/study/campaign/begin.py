"""Put a campaign into a store: from texts or another tool's file, with a preview of the work."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from detectable.core.errors import InputError
from detectable.core.rng import resolve
from detectable.core.wording import listing
from detectable.data.campaign_files.texts import CampaignTexts, TrainingText
from detectable.data.scores.direction import span
from detectable.data.store.records import NewCampaign
from detectable.data.store.store import Store
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.campaigns import Campaigns, campaigns
from detectable.study.campaign.make_campaign import BlockMaker, make_campaign, shown_pairs
from detectable.study.campaign.settings import (
    LONGEST_PAGE,
    MOST_TRAINING,
    NO_LANGUAGE,
    CampaignSettings,
)
from detectable.study.campaign.work import frozen_block
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.plan import Plan, read_plan
from detectable.study.raters.rater_check import CarefulRater, check_power

# Documents are few and long, sentences many and short: what a rater takes at once, and how much
# of it is controls. Two versions of a sentence should stand further apart than four texts.
_DOCUMENTS = (4, 0.12)
_SENTENCES = (10, 0.3)


def begin_campaign(  # noqa: PLR0913 (what is judged, how, and what is said of it)
    store: Store,
    corpus: Corpus,
    name: str,
    *,
    plan_path: Path | None = None,
    n_items: int | None = None,
    items: Sequence[str] | None = None,
    block: int | None = None,
    controls: float | None = None,
    unit: Any = "auto",
    rng: Any = None,
    said: Callable[..., None] = lambda *_: None,
    **settings: Any,
) -> Campaigns:
    """Keep a new campaign as a draft, and return where it stands.

    Parameters
    ----------
    plan_path : path, optional
        A frozen plan: its systems are the campaign's, and its fingerprint is kept with it.
    items : sequence of str, optional
        What every line is called; by default by its number.
    block, controls : optional
        By default 4 documents with 12 % controls, 10 sentences with 30 %.
    said : callable
        Told what was left out or changed.
    **settings
        Of `CampaignSettings`.
    """
    usual_block, usual_controls = usual_share(corpus, settings.get("page_lines", LONGEST_PAGE))
    plan = None if plan_path is None else _free_plan(plan_path, corpus)
    if plan is not None:
        settings |= {"plan": plan.fingerprint, "plan_path": str(Path(plan.path).absolute())}
        if settings.get("protocol") == "pairwise" and len(plan.systems) > 2:
            settings["baseline"] = _one_baseline(plan, settings.get("baseline", ""))
    chosen = CampaignSettings(
        block=usual_block if block is None else block,
        controls=usual_controls if controls is None else controls,
        **settings,
    )
    scales = [] if plan is None else _scale_notes(plan, chosen)
    made, notes = make_campaign(
        corpus,
        name,
        chosen,
        systems=None if plan is None else list(plan.systems),
        n_items=n_items,
        items=items,
        unit=unit,
        rng=rng,
    )
    if plan is not None:
        require_enough_lines(plan.n_max, made, argument="plan")
    store.create(made)
    said(*scales, *notes)
    return campaigns(store, name)


def usual_share(corpus: Corpus, page_lines: int) -> tuple[int, float]:
    """Return what a rater takes at once by default, and the share of controls."""
    return _SENTENCES if corpus.documents is None or page_lines == 1 else _DOCUMENTS


def _one_baseline(plan: Plan, given: str) -> str:
    """Return the baseline of the plan, which raters are shown the others beside."""
    planned = plan.baseline or ""
    if given and given != planned:
        raise InputError(
            f"`baseline` must be that of the plan ({planned or 'none: all pairs'}); got {given!r}. "
            "Leave it out."
        )
    return planned


def _scale_notes(plan: Plan, settings: CampaignSettings) -> list[str]:
    """Refuse a plan that could not take some scores; say where its points are others."""
    low, high = settings.scale
    lowest, highest = plan.scale
    if low < lowest or high > highest:
        raise InputError(
            f"`plan` takes scores from {_range(lowest, highest)}, and {settings.protocol} gives "
            f"{_range(low, high)}. Make a plan with that scale{_open_end(low, high)}."
        )
    if (low, high) == (lowest, highest) or settings.asks.together:
        return []
    return [
        f"The plan is on {_range(lowest, highest)}, and {settings.protocol} gives "
        f"{_range(low, high)}: margins and detectable differences are in points as given."
    ]


def _range(low: float, high: float) -> str:
    if not math.isfinite(high):
        return f"{low:g} and more"
    return f"{low:g} to {high:g}" if math.isfinite(low) else f"{high:g} and less"


def _open_end(low: float, high: float) -> str:
    """Say how a scale without a lowest score is written."""
    return (
        "" if math.isfinite(low) else f" (:{high:g}); paired-mean takes it, e-process does not"
    )


def require_enough_lines(n_max: int | None, new: NewCampaign, *, argument: str) -> None:
    """Refuse an end that the texts cannot reach: such a campaign would never end."""
    lines = sum(len(part.segments) for part in new.parts)
    if n_max is not None and n_max > lines:
        raise InputError(
            f"`{argument}` must end at {lines:,} lines at most, as the texts have no more; got "
            f"{n_max:,}. Plan {lines:,} lines, or give more texts."
        )


def _free_plan(path: Path, corpus: Corpus) -> Plan:
    """Return a plan about the systems that there are, and of no other campaign."""
    plan = read_plan(path)
    missing = [one for one in plan.systems if one not in corpus.systems]
    if missing:
        raise InputError(
            f"`plan` compares {listing(list(plan.systems))}, and there are no texts of "
            f"{listing(missing)}. Give them, or another plan."
        )
    taken = frozen_block(LedgerState.read(plan))
    if taken is not None:
        raise InputError(
            f"`plan` belongs to the campaign {taken['name']}, which opened with it. Make a new "
            "plan: one is for one campaign."
        )
    return plan


# --- What the file of another campaign says besides its texts, and what becomes of it here ---


def tried_first(
    texts: CampaignTexts, protocol: str
) -> tuple[tuple[TrainingText, ...], tuple[str, ...]]:
    """Return the texts to try that a file brings, and a note where some are left out."""
    found = texts.training
    if protocol == "pairwise" and found:
        return (), ("Training texts are left out: pairs have none.",)
    if len(found) > MOST_TRAINING:
        note = f"Of the training texts the first {MOST_TRAINING} are taken."
        return found[:MOST_TRAINING], (note,)
    return found, ()


def languages_of(texts: CampaignTexts, source: str, target: str) -> tuple[str, str]:
    """Return the languages that were given; where none was, that of the file.

    Examples
    --------
    >>> from detectable.data.texts.corpus import Corpus
    >>> corpus = Corpus.build({"a": ["x"]}, ["x"])
    >>> texts = CampaignTexts(corpus=corpus, languages=("de", "en"))
    >>> languages_of(texts, "und", "en-GB")
    ('de', 'en-GB')
    """
    known = texts.languages or (NO_LANGUAGE, NO_LANGUAGE)
    given = (source, target)
    first, second = (
        one if said == NO_LANGUAGE else said for said, one in zip(given, known, strict=True)
    )
    return first, second


# --- What a campaign will be, before it is made: how much work, and whether its check can tell ---

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
    n_again : int
        Judgments that are expected to be made again, if all raters are careful: work of those who
        fail by chance goes to others.
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
    n_again: int


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
        by default a fifth of the scale each; of MQM a fifth of its heaviest error, 25 points.
    """
    settings = CampaignSettings.from_json(new.settings)
    length = span(settings.scale)
    down = CAREFUL_EFFECT * length if effect is None else effect
    spread = CAREFUL_SD * length if sd is None else sd
    # What falls further than the line beside it is the difference of two differences.
    compared = math.sqrt(2.0) * spread if settings.mixed_controls else spread
    careful = CarefulRater(effect=down, sd_difference=compared, sd_score=spread)
    lines = {part.name: len(part.segments) for part in new.parts}
    copies, extra = _controls(new, settings)
    blocks = len(new.works) / new.block
    pairs_shown = shown_pairs(new.systems, settings.baseline)
    per_work = len(pairs_shown) if settings.asks.together else len(new.systems)  # pages
    needed = math.ceil(pairs / copies) if copies else None
    power = check_power(pairs, careful, "paired-t", alpha, resolve(0)[0])
    n_judgments = round(
        per_work * sum(lines[name] for name, _ in new.works) + extra[1] * blocks
    )
    # Who takes over may fail too: a geometric series.
    failing = (1.0 - power) / power if needed and power > 0.0 else 0.0
    return CampaignPreview(
        n_lines=sum(lines.values()),
        n_works=len(new.works),
        n_pages=round(per_work * len(new.works) + extra[0] * blocks),
        n_judgments=n_judgments,
        n_again=round(failing * n_judgments),
        copies_per_block=copies,
        blocks_to_decide=needed,
        most_raters=None if needed is None else math.floor(blocks / needed),
        pairs=pairs,
        alpha=alpha,
        effect=down,
        sd=spread,
        power=power,
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
        mixed=settings.mixed_controls,
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
