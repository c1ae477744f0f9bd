"""Put a campaign into a store: from texts or another tool's file, with a preview of the work."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from detectable.core.errors import InputError
from detectable.core.rng import resolve
from detectable.core.wording import listing
from detectable.data.campaign_files.texts import CampaignTexts, TrainingText
from detectable.data.scores.direction import span
from detectable.data.store.records import NewCampaign, Part
from detectable.data.store.store import Store
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.answers import with_suggestions
from detectable.study.campaign.campaigns import Campaigns, campaigns
from detectable.study.campaign.make_campaign import (
    BlockMaker,
    Fit,
    make_campaign,
    shown_pairs,
)
from detectable.study.campaign.settings import (
    LONGEST_PAGE,
    MOST_TRAINING,
    NO_LANGUAGE,
    CampaignSettings,
)
from detectable.study.campaign.work import MOST_FAILED, frozen_block
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.plan import Plan, read_plan
from detectable.study.monitoring.planned import WEIGHED
from detectable.study.raters.rater_check import CarefulRater, check_power
from detectable.study.selection.selection import Selection

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
    selection: Selection | None = None,
    block: int | None = None,
    controls: float | None = None,
    n_raters: int | None = None,
    suggestions: Path | None = None,
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
    selection : Selection, optional
        From `select`, in place of `n_items`: its lines are shown, and looks use its weights.
    block, controls : optional
        By default 4 documents with 12 % controls, 10 sentences with 30 %; where the raters are
        known, what fits them (`fitted_settings`).
    n_raters : int, optional
        How many are expected.
    suggestions : path, optional
        Errors that are marked before a rater comes; see `with_suggestions`.
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
    if settings.get("spend") is not None:
        price = None if plan is None else plan.cost_per_judgment
        settings["budget"] = budget_of(settings["spend"], price, settings.get("budget"))
    chosen = CampaignSettings(
        block=usual_block if block is None else block,
        controls=usual_controls if controls is None else controls,
        **settings,
    )
    if plan is not None and selection is not None and selection.is_unequal:
        _require_weighed(plan)
    scales = [] if plan is None else _scale_notes(plan, chosen)
    made, notes = make_campaign(
        corpus,
        name,
        chosen,
        systems=None if plan is None else list(plan.systems),
        n_items=n_items,
        items=items,
        selection=selection,
        unit=unit,
        rng=rng,
        fit=None if n_raters is None else fit_to(plan, n_raters, block, controls),
    )
    if plan is not None:
        require_enough_lines(plan.n_max, made, argument="plan")
    if suggestions is not None:
        made, more = with_suggestions(made, suggestions)
        notes = (*notes, *more)
    store.create(made)
    said(*scales, *notes)
    return campaigns(store, name)


def _require_weighed(plan: Plan) -> None:
    """Refuse a selection beside a plan whose looks would not know its weights."""
    if plan.test not in WEIGHED:
        raise InputError(
            f"`selection` drew lines with unequal probabilities, and a plan by {plan.test} knows no "
            "sampling weights; use paired-mean or sign-flip."
        )


def fit_to(plan: Plan | None, n_raters: int, block: int | None, controls: float | None) -> Fit:
    """Return what fits settings to raters and to the looks of a plan."""
    rule = None if plan is None else plan.admission
    looks = 1 if plan is None or plan.anytime else len(plan.planned_shares())
    return partial(
        fitted_settings,
        n_raters=n_raters,
        looks=looks,
        pairs=None if rule is None else int(rule["pairs"]),
        block=block,
        controls=controls,
    )


def budget_of(spend: float, price: float | None, budget: int | None) -> int:
    """Return the judgments that an amount of money buys, and no more than were allowed besides.

    Examples
    --------
    >>> budget_of(160.0, 0.2, None), budget_of(160.0, 0.2, 500)
    (800, 500)
    """
    if price is None or price <= 0.0:
        raise InputError(
            "`spend` must stand beside the price of a judgment, and the plan states none. Plan "
            "again with `cost_per_judgment`, or give `budget` in judgments."
        )
    bought = math.floor(spend / price + 1e-9)
    if bought < 1:
        raise InputError(f"`spend` must buy one judgment at least ({price:g}); got {spend:g}.")
    return bought if budget is None else min(bought, budget)


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
        one if said in ("", NO_LANGUAGE) else said
        for said, one in zip(given, known, strict=True)
    )
    return first, second


# --- Defaults that follow from raters, looks and texts ---

# Of the scale: how much lower a careful rater scores degraded copies, and how much that varies.
CAREFUL_EFFECT, CAREFUL_SD = 0.2, 0.2
CAREFUL_PASS, CLICKER_PASS = 0.95, 0.05  # wanted chances to pass the check
MOST_LOOKS = 5
_LEAST_PAIRS = 5
_MOST_PAIRS = 60
_BLOCKS = 12  # that are looked at to count controls
_STEPS = range(2, 51)  # shares of controls in percent


def usual_looks(n_works: int, n_raters: int | None) -> int:
    """Return as many looks as blocks of one piece of work allow, five at most.

    A block is at most 1 / (2 × looks) of the share of a rater: with larger ones all raters finish
    their first block at about the same time, and looks come together.

    Examples
    --------
    >>> usual_looks(190, 6), usual_looks(20, 6), usual_looks(5, 6), usual_looks(20, None)
    (5, 1, 1, 5)
    """
    return max(1, min(MOST_LOOKS, n_works // (2 * n_raters))) if n_raters else MOST_LOOKS


def fitted_block(n_works: int, n_raters: int, looks: int, usual: int) -> int:
    """Return how much a rater takes at once: 1 / (2 × looks) of a rater's share, `usual` at most.

    Examples
    --------
    >>> fitted_block(190, 6, 3, 10), fitted_block(22, 6, 3, 4), fitted_block(2000, 6, 3, 10)
    (5, 1, 10)
    """
    return max(1, min(usual, n_works // (2 * n_raters * looks)))


def usual_pairs(*, mixed: bool, alpha: float = CLICKER_PASS) -> int:
    """Return the fewest copies with which a careful rater passes with 95 % chance.

    Who clicks at random passes with `alpha`, whatever their number.

    Examples
    --------
    >>> usual_pairs(mixed=False), usual_pairs(mixed=True)
    (13, 24)
    """
    found = range(_LEAST_PAIRS, _MOST_PAIRS)
    return next(
        (n for n in found if _careful_power(n, mixed=mixed, alpha=alpha) >= CAREFUL_PASS),
        _MOST_PAIRS,
    )


def _careful_power(pairs: int, *, mixed: bool, alpha: float, ratio: float = 1.0) -> float:
    """Return the chance of a careful rater; `ratio` is that of effect and standard deviation."""
    # What falls further than the line beside it is the difference of two differences.
    spread = math.sqrt(2.0) if mixed else 1.0
    careful = CarefulRater(effect=ratio, sd_difference=spread, sd_score=1.0)
    return check_power(pairs, careful, "paired-t", alpha, resolve(0)[0])


def fitted_settings(  # noqa: PLR0913 (what a default follows from)
    settings: CampaignSettings,
    parts: Sequence[Part],
    systems: tuple[str, ...],
    n_works: int,
    *,
    n_raters: int,
    looks: int,
    pairs: int | None,
    block: int | None,
    controls: float | None,
) -> CampaignSettings:
    """Return settings with a block and a share of controls that fit raters, looks and texts.

    There are as many controls as let the work of a rater be decided in the first half of their
    share where that takes no more than the usual share of controls; otherwise as many as let it be
    decided at all.

    Parameters
    ----------
    pairs : int, optional
        Copies that decide; None where all work counts.
    block, controls : optional
        What was asked for stays.
    """
    if block is None:
        fitted = fitted_block(n_works, n_raters, looks, settings.block)
        settings = replace(settings, block=fitted)
    if controls is not None or pairs is None:
        return settings
    blocks = n_works / (n_raters * settings.block)

    def least(share: float) -> float:
        """Return the smallest share of controls with enough copies in a share of the blocks."""
        for percent in _STEPS:
            tried = replace(settings, controls=percent / 100.0)
            copies = copies_per_block(tried, parts, systems)
            if copies and math.ceil(pairs / copies) <= math.floor(blocks * share + 1e-9):
                return percent / 100.0
        return max(_STEPS) / 100.0

    whole = least(1.0)
    usual = settings.controls
    half = least(0.5) if looks > 1 and whole <= usual else whole
    return replace(settings, controls=max(whole, min(half, usual)))


def copies_per_block(
    settings: CampaignSettings, parts: Sequence[Part], systems: tuple[str, ...]
) -> float:
    """Return the degraded copies in a block of one rater, on average."""
    return _controls(settings, parts, systems, seed=0)[0]


# --- What a campaign will be, before it is made: how much work, and whether its check can tell ---


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRow:
    """One line of what a campaign takes; ``part`` says which."""

    part: Literal["texts", "identical", "controls", "repeats", "refused", "expected", "most"]
    judgments: int


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
    rows : tuple of CostRow
        What it takes, up to the line where the plan ends: what is expected, and the most. The most
        is the budget; without one, what it takes if every rater fails the check until they get no
        more work.
    saving_looks : tuple of int
        The looks before the last after which work is left to be saved.
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
    block: int = 0
    controls: float = 0.0
    n_max: int = 0
    n_systems: int = 0
    n_raters: int = 0
    seconds: float = 0.0
    price: float | None = None
    budget: int | None = None
    rows: tuple[CostRow, ...] = ()
    looks: tuple[int, ...] = ()
    saving_looks: tuple[int, ...] = ()

    def judgments_of(self, part: str) -> int:
        """Return the judgments of one row; 0 for one that is not there."""
        return sum(row.judgments for row in self.rows if row.part == part)


def preview_campaign(  # noqa: PLR0913 (what a campaign is foreseen from)
    new: NewCampaign,
    *,
    pairs: int = 10,
    alpha: float = 0.05,
    effect: float | None = None,
    sd: float | None = None,
    n_raters: int = 0,
    looks: Sequence[int] = (),
    n_max: int | None = None,
    seconds: float | None = None,
    price: float | None = None,
) -> CampaignPreview:
    """Return what a campaign asks, and the power of its check.

    Parameters
    ----------
    pairs, alpha
        Degraded copies that decide about work, and the level of the test (paired t).
    effect, sd : float, optional
        How much lower a careful rater scores degraded copies, and how much that varies, in points;
        by default a fifth of the scale each; of MQM a fifth of its heaviest error, 25 points.
    looks : sequence of int
        Lines at which looks come.
    n_max : int, optional
        Lines at which the plan ends; by default all.
    seconds, price : float, optional
        Of one judgment.
    """
    settings = CampaignSettings.from_json(new.settings)
    length = span(settings.scale)
    down = CAREFUL_EFFECT * length if effect is None else effect
    spread = CAREFUL_SD * length if sd is None else sd
    lines = {part.name: len(part.segments) for part in new.parts}
    n_lines = sum(lines.values())
    copies, extra = _controls(settings, new.parts, new.systems, seed=new.seed)
    blocks = len(new.works) / new.block
    pairs_shown = shown_pairs(new.systems, settings.baseline)
    per_work = len(pairs_shown) if settings.asks.together else len(new.systems)  # pages
    needed = math.ceil(pairs / copies) if copies else None
    power = _careful_power(
        pairs, mixed=settings.mixed_controls, alpha=alpha, ratio=down / spread
    )
    waves = [per_work * sum(lines[p] for p, wave in new.works if wave == n) for n in (1, 2)]
    controls = extra[1] * blocks
    n_judgments = round(sum(waves) + controls)
    # Who takes over may fail too: a geometric series.
    failing = (1.0 - power) / power if needed and power > 0.0 else 0.0
    end = n_lines if n_max is None else n_max
    part = end / n_lines  # of the texts that are judged before the plan ends
    texts, repeats = round(part * waves[0]), round(part * waves[1])
    copied = round(part * controls)
    again = round(failing * (texts + repeats + copied))
    expected = texts + repeats + copied + again
    per_checkpoint = (sum(waves) / blocks + extra[1]) * (needed or 0)
    worst = round(
        n_judgments + n_raters * MOST_FAILED * (per_checkpoint + new.block * per_work)
    )
    rows = [
        CostRow(part="texts", judgments=texts),
        CostRow(part="controls", judgments=copied),
        CostRow(part="repeats", judgments=repeats),
        CostRow(part="refused", judgments=again),
        CostRow(part="expected", judgments=expected),
        CostRow(part="most", judgments=worst if settings.budget is None else settings.budget),
    ]
    return CampaignPreview(
        n_lines=n_lines,
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
        block=new.block,
        controls=settings.controls,
        n_max=end,
        n_systems=len(new.systems),
        n_raters=n_raters,
        seconds=settings.seconds_per_text if seconds is None else seconds,
        price=price,
        budget=settings.budget,
        rows=tuple(rows),
        looks=tuple(looks),
        saving_looks=saving_looks(
            looks, n_max=end, n_works=part * len(new.works), block=new.block, n_raters=n_raters,
            blocks_to_decide=needed,
        ),
    )  # fmt: skip


def saving_looks(
    looks: Sequence[int],
    *,
    n_max: int,
    n_works: float,
    block: int,
    n_raters: int,
    blocks_to_decide: int | None,
) -> tuple[int, ...]:
    """Return the looks, from 1, after which work is left that a stop would save.

    Raters who go at one pace finish blocks together, and their work counts when the blocks of each
    hold enough controls: so it comes in steps of ``n_raters × block × blocks_to_decide`` pieces.
    When a look has come all raters hold a block each, which they may finish.

    Examples
    --------
    >>> given = {"n_max": 180, "n_works": 180, "n_raters": 6, "blocks_to_decide": 2}
    >>> saving_looks([60, 120, 180], block=5, **given)
    (1, 2)
    >>> saving_looks([60, 120, 180], block=10, **given)
    ()
    >>> saving_looks([60, 120, 180], block=30, **given)
    ()
    """
    if not n_raters:
        return ()
    step = n_raters * block * (blocks_to_decide or 1)
    found = []
    for number, at in enumerate(looks[:-1], start=1):
        done = step * math.ceil(at / n_max * n_works / step)
        if done + n_raters * block < n_works:
            found.append(number)
    return tuple(found)


def affordable_lines(found: CampaignPreview, budget: int) -> int:
    """Return how many lines a budget judges to the end, of those that are planned."""
    expected = found.judgments_of("expected")
    return found.n_max if expected <= budget else math.floor(found.n_max * budget / expected)


def _controls(
    settings: CampaignSettings, parts: Sequence[Part], systems: tuple[str, ...], *, seed: int
) -> tuple[float, tuple[float, float]]:
    """Return degraded copies, and control pages and texts, per block of one rater."""
    maker = BlockMaker(
        parts,
        seed=seed,
        controls=settings.controls,
        unit="character" if settings.degrade == "character" else "word",
        together=settings.asks.together,
        baseline=settings.baseline,
        mixed=settings.mixed_controls,
    )
    names = [part.name for part in parts]
    blocks = [names[i : i + settings.block] for i in range(0, len(names), settings.block)]
    whole = [one for one in blocks if len(one) == settings.block][:_BLOCKS] or blocks[:1]
    degraded = pages = texts = 0
    for number, some in enumerate(whole, start=1):
        for page in maker("r-01", number, some, systems):
            if page.lines is not None:
                pages += 1
                texts += len(page.lines)
                degraded += sum(kind == "degraded" for kind, _ in page.lines)
    n = len(whole)
    return degraded / n, (pages / n, texts / n)
