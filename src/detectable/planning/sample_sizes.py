"""The sizes that several effects need, and how past ratings spread, by language pair, to plan from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.choices import PastBy
from detectable.core.errors import DataError, InputError
from detectable.core.result import Signature
from detectable.core.rng import resolve
from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.factor import Factor
from detectable.data.files.content import FileContent
from detectable.data.files.table import is_path
from detectable.data.human.cells import ordinary
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.human.score_histograms import (
    ScoreHistograms,
    is_numpy_archive,
    read_score_histograms,
)
from detectable.kernels.pairing import moments
from detectable.planning import result
from detectable.planning.ask import AskOptions, sample_size
from detectable.planning.scenario import Scenario


def sample_sizes(
    scenarios: Scenario | Mapping[str, Scenario],
    *,
    effect: Sequence[float],
    power: float = 0.8,
    name: str = "",
    details: Mapping[str, Mapping[str, str | int | float]] | None = None,
    notes: Sequence[str] = (),
    **options: Unpack[AskOptions],
) -> result.SampleSizes:
    """Return the sizes that show each of several effects, for one scenario or several.

    Every one is a `sample_size`. An effect that a scenario cannot have is left out there.

    Parameters
    ----------
    scenarios : Scenario or mapping of str to Scenario
        One, or several by name.
    effect : sequence of float
        The effects, as guesses at the true one.
    power, **options
        As in `sample_size`.
    name : str
        What the names of several are: language pair, for example.
    details : mapping, optional
        What else is known of each, by name.
    notes : sequence of str
        What to know of all.

    Examples
    --------
    >>> from detectable.planning.rank_sum import RankSum
    >>> found = sample_sizes(RankSum(), effect=[0.47, 0.45])
    >>> [point.n_items for point in found.groups[0].points]
    [1454, 524]
    """
    named = {"": scenarios} if isinstance(scenarios, Scenario) else dict(scenarios)
    effects = tuple(dict.fromkeys(float(one) for one in effect))
    if not named or not effects:
        raise InputError(
            "`scenarios` and `effect` must each hold at least one; got "
            f"{len(named)} and {len(effects)}."
        )
    generator, seed = resolve(options.get("rng"))
    entropy = int(generator.integers(2**63))  # every size with the same random numbers
    asked: AskOptions = {"drawn": 0, **options, "rng": entropy}
    groups = []
    for group, scenario in named.items():
        points: list[result.SampleSize | None] = []
        for one in effects:
            try:
                points.append(sample_size(scenario, effect=one, power=power, **asked))
            except InputError:
                if len(named) == 1:
                    raise
                points.append(None)
        known = {} if details is None else details.get(group, {})
        groups.append(result.SizesOf(name=group, points=tuple(points), details=known))
    made = [one for group in groups for one in group.points if one is not None]
    if not made:
        raise InputError(
            f"`effect` must be one that a scenario can have; none can have {effects[0]:g}."
        )
    first = made[0]
    shared = [note for note in first.notes if all(note in one.notes for one in made)]
    settings = first.signature.settings
    if len(named) > 1:
        own = {
            key
            for one in made
            for key, value in one.signature.settings.items()
            if value != settings.get(key)
        }
        settings = {key: value for key, value in settings.items() if key not in own}
    return result.SampleSizes(
        effect=effects,
        groups=tuple(groups),
        target_power=first.target_power,
        alpha=first.alpha,
        name=name,
        unit=first.unit,
        notes=(*notes, *shared),
        scale=first.scale,
        signature=Signature(
            "sample-sizes", settings, None if first.signature.seed is None else seed
        ),
    )


# --- How past ratings spread ---

ALL = "all"
MOST_GROUPS = 10  # that are taken unless they are named


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRatings:
    """The ratings of one group of campaigns.

    Attributes
    ----------
    mean, sd : float
        The average over systems of the mean of their ratings, and the root of the average of their
        variances.
    systems, comparisons : int
        Systems of campaigns that were rated, and pairs of those of one campaign.
    """

    group: str
    mean: float
    sd: float
    systems: int
    comparisons: int


@dataclass(frozen=True, slots=True)
class _Slots:
    """Each system of each campaign: mean and variance of its ratings, and where it belongs."""

    mean: FloatArray
    variance: FloatArray
    campaign: NDArray[np.int64]
    named: Mapping[str, Sequence[str]]  # campaign and language of each, as far as known


def past_ratings(
    source: Any,
    *,
    by: PastBy | None = None,
    only: Sequence[str] = (),
    **reading: Any,
) -> tuple[tuple[PastRatings, ...], tuple[str, ...]]:
    """Return how the ratings of past systems spread, and notes, the group with most comparisons first.

    Wei et al. (2022), section 6.1: a model of the ratings of a language pair has “the average mean and
    variance of a system”.

    Parameters
    ----------
    source : path, Judgments or ScoreHistograms
        Judgments of many campaigns, or score histograms of them (.npz).
    by : {'language-pair', 'campaign'}, optional
        One group for each; by default all systems are one.
    only : sequence of str
        The groups to take; by default the ten with most comparisons.
    **reading
        As in `read_judgments`.
    """
    slots, notes = _slots(source, reading)
    usable = np.isfinite(slots.variance) & (slots.variance > 0.0)
    names = np.full(slots.mean.shape, ALL)
    if by is not None:
        check.literal(by, PastBy, "by")
        role = "language" if by == "language-pair" else "campaign"
        if role not in slots.named:
            raise DataError(f"{source}: nothing says the {by} of a judgment, so drop `by`.")
        names = np.array(slots.named[role])
    elif only:
        raise InputError(
            f"`only` names groups, so `by` must say of what; got {listing(list(only))}."
        )
    found = []
    for name in np.unique(names[usable]).tolist():
        own = (names == name) & usable
        sizes = np.unique(slots.campaign[own], return_counts=True)[1]
        found.append(
            PastRatings(
                group=str(name),
                mean=float(slots.mean[own].mean()),
                sd=float(np.sqrt(slots.variance[own].mean())),
                systems=int(own.sum()),
                comparisons=int((sizes * (sizes - 1) // 2).sum()),
            )
        )
    if not found:
        raise DataError(f"{source}: no system has ratings that differ, so there is no spread.")
    found.sort(key=lambda one: (-one.comparisons, one.group))
    return _chosen(found, only, notes)


def _chosen(
    found: list[PastRatings], only: Sequence[str], notes: tuple[str, ...]
) -> tuple[tuple[PastRatings, ...], tuple[str, ...]]:
    known = {one.group: one for one in found}
    for name in only:
        if name not in known:
            raise InputError(
                f"`only` must name groups: {listing(sorted(known), most=20)}; got {name!r}."
            )
    if only:
        return tuple(known[name] for name in only), notes
    if len(found) > MOST_GROUPS:
        notes = (
            *notes,
            f"The {MOST_GROUPS} groups with most comparisons of {count(len(found), 'group')}; "
            "`only` names others.",
        )
    return tuple(found[:MOST_GROUPS]), notes


def _slots(source: Any, reading: Mapping[str, Any]) -> tuple[_Slots, tuple[str, ...]]:
    content = FileContent.of(source) if is_path(source) else source
    if isinstance(content, FileContent) and is_numpy_archive(content):
        content = read_score_histograms(content)
    if isinstance(content, ScoreHistograms):
        mean, variance = moments(content.counts, content.values)
        factors = {"campaign": content.campaign, "language": content.language}
        campaign = content.campaign.codes.astype(np.int64)
        return _Slots(mean, variance, campaign, _named(factors)), ()
    judgments = content
    if not isinstance(judgments, Judgments):
        judgments = read_judgments(content, **reading)
    kept, notes = ordinary(judgments)
    return _of_judgments(kept), (*kept.notes, *notes)


def _of_judgments(judgments: Judgments) -> _Slots:
    rows = np.isfinite(judgments.score)
    factors = {"campaign": judgments.campaign, "language": judgments.language}
    known = [factor.codes[rows] for factor in factors.values() if factor is not None]
    codes = np.stack([*known, judgments.system.codes[rows]])
    score = judgments.score[rows]
    _, first, slot = np.unique(codes, axis=1, return_index=True, return_inverse=True)
    slot = slot.ravel()
    n = np.bincount(slot).astype(np.float64)
    mean = np.bincount(slot, score) / n
    squares = np.bincount(slot, np.square(score - mean[slot]))
    with np.errstate(divide="ignore", invalid="ignore"):  # one judgment has no variance
        variance = np.where(n > 1.0, squares / (n - 1.0), np.nan)
    evaluation = np.zeros(first.size, np.int64)
    if known:
        evaluation = np.unique(codes[: len(known), first], axis=1, return_inverse=True)[
            1
        ].ravel()
    return _Slots(mean, variance, evaluation, _named(factors, np.flatnonzero(rows)[first]))


def _named(
    factors: Mapping[str, Factor | None], rows: NDArray[np.int64] | None = None
) -> dict[str, Sequence[str]]:
    return {
        name: [one.levels[code] for code in (one.codes if rows is None else one.codes[rows])]
        for name, one in factors.items()
        if one is not None
    }
