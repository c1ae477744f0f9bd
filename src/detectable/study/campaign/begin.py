"""Make a campaign and put it into a store; a plan that is given must be about its systems."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from detectable.core.errors import InputError
from detectable.core.wording import listing
from detectable.data.store.store import Store
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.campaigns import Campaigns, campaigns
from detectable.study.campaign.frozen import frozen_block
from detectable.study.campaign.make_campaign import make_campaign
from detectable.study.campaign.settings import LONGEST_PAGE, CampaignSettings
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.plan import Plan, read_plan

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
    if (math.isfinite(low) and low < lowest) or high > highest or lowest >= high:
        raise InputError(
            f"`plan` takes scores from {lowest:g} to {highest:g}, and {settings.protocol} gives "
            f"{_range(low, high)}. Make a plan with that scale."
        )
    if (low, high) == (lowest, highest) or settings.asks.together or not math.isfinite(low):
        return []
    return [
        f"The plan is on {lowest:g} to {highest:g}, and {settings.protocol} gives "
        f"{_range(low, high)}: margins and detectable differences are in points as given."
    ]


def _range(low: float, high: float) -> str:
    return f"{low:g} to {high:g}" if math.isfinite(low) else f"{high:g} and less"


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
