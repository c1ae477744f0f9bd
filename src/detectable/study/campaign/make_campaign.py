"""A new campaign from the outputs of systems."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from detectable.core.choices import DegradeUnit
from detectable.core.errors import InputError
from detectable.core.rng import resolve
from detectable.core.types import Seed
from detectable.core.wording import listing
from detectable.data.store.records import NewCampaign, Part
from detectable.data.texts.corpus import Corpus
from detectable.study.campaign.parts import (
    item_name,
    markup_note,
    parts_of,
    refuse_unreadable,
)
from detectable.study.campaign.settings import CampaignSettings, checked_name
from detectable.study.tasks.degrade import guess_unit
from detectable.study.tasks.rows import pool_of
from detectable.study.tasks.sample import rows_judged_twice, sample_items

_LATER = 4  # blocks by which a second wave follows the first, so that somebody else takes it


def make_campaign(
    corpus: Corpus,
    name: str,
    settings: CampaignSettings,
    *,
    systems: Sequence[str] | None = None,
    n_items: int | None = None,
    items: Sequence[str] | None = None,
    unit: DegradeUnit = "auto",
    rng: Seed = None,
) -> tuple[NewCampaign, tuple[str, ...]]:
    """Return a campaign ready for a store, and notes on what was changed or left out.

    Documents come in random order, their parts one after the other. A share of them comes a second
    time, some blocks later, for another rater: agreement and components of variance need it.

    Parameters
    ----------
    corpus : Corpus
        Outputs and references; sources where they are to be shown, documents where known.
    name : str
        Of the campaign.
    systems : sequence of str, optional
        Which systems; all by default, and two at least.
    n_items : int, optional
        How many lines to draw, in whole documents; all by default.
    items : sequence of str, optional
        What every line is called; by default by its number.
    unit : {'auto', 'word', 'character'}
        What is replaced in degraded copies.
    rng : Generator, int or None
        None draws a fresh seed. What follows from it stays in the store.
    """
    checked_name(name)
    if settings.mode != "source" and not any(any(stream) for stream in corpus.references):
        raise InputError(
            f'`mode` must be "source" for texts without references; got {settings.mode!r}.'
        )
    if settings.mode != "reference" and corpus.sources is None:
        raise InputError(
            f'`mode` must be "reference" for texts without sources; got {settings.mode!r}. Give '
            "the sources, or judge against the reference."
        )
    generator, _ = resolve(rng)
    seed = int(generator.integers(2**62))  # of the blocks; a store keeps 63 bits
    pool = sample_items(pool_of(corpus, systems), n_items, generator)
    if len(pool.systems) < 2:
        raise InputError(f"`systems` must be two at least; got {len(pool.systems)}.")
    if settings.baseline and settings.baseline not in pool.systems:
        raise InputError(
            f"`baseline` must be one of {listing(list(pool.systems))}; got {settings.baseline!r}."
        )
    refuse_unreadable(list(pool.systems), "system")
    if settings.document_score and corpus.documents is None:
        raise InputError(
            "`document_score` must be left out where no documents are known. Give the document of "
            "each line."
        )
    parts, notes = parts_of(pool, items, longest=settings.page_lines)
    again = {
        item_name(row, items) for row in rows_judged_twice(pool, settings.overlap, generator)
    }
    twice = {part.name for part in parts if part.segments[0].item in again}
    known = pool.references if any(pool.references) else next(iter(pool.systems.values()))
    chosen = guess_unit(known) if unit == "auto" else unit
    settings = replace(settings, degrade=chosen)
    return NewCampaign(
        name=name,
        settings=settings.to_json(),
        systems=tuple(pool.systems),
        parts=parts,
        works=_order(parts, twice, settings.block, generator),
        block=settings.block,
        lease=settings.lease,
        seed=seed,
    ), (*pool.notes, *notes, *markup_note(parts))


def _order(
    parts: Sequence[Part], twice: Collection[str], block: int, rng: np.random.Generator
) -> list[tuple[str, int]]:
    """Return parts and waves: documents in random order, second waves some blocks later."""
    documents: dict[str, list[str]] = {}
    for part in parts:
        documents.setdefault(part.document or part.name, []).append(part.name)
    whole = list(documents.values())
    shuffled = [whole[i] for i in rng.permutation(len(whole)).tolist()]
    names = [name for document in shuffled for name in document]
    later = _LATER * block
    placed = [(place, 1, name) for place, name in enumerate(names)]
    placed += [(place + later, 2, name) for place, name in enumerate(names) if name in twice]
    return [(name, wave) for _, wave, name in sorted(placed, key=lambda one: one[:2])]
