"""Choose what people judge: whole documents with unequal probabilities, all failures and some passes."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from detectable.core import choices
from detectable.core.errors import DataError, InputError
from detectable.core.options import asked
from detectable.core.types import FloatArray, IntArray, Seed
from detectable.core.wording import count, listing
from detectable.data.files.table import TableSource
from detectable.data.human.judgments import Judgments, one_evaluation
from detectable.data.human.read_judgments import judgments_of
from detectable.inference.sampling import draw, probabilities, two_batch_weights
from detectable.study.metric_pool import (
    MetricPool,
    MetricSource,
    as_scores,
    metric_pool,
    pool_columns,
)
from detectable.study.selection.guard import (
    VarianceRatio,
    guard,
    is_flat,
    residual_squares,
    size_measure,
)
from detectable.study.selection.pool import (
    Lengths,
    Pool,
    oriented,
    seeded,
)
from detectable.study.selection.selection import (
    Selection,
    TakenGroup,
    drawn_names,
    require_waiting,
)
from detectable.study.settings import SelectSettings

Take: TypeAlias = Mapping[Any, Any]

_LEAST = 2  # units, or items of a group: one has no variance
_FEWEST = 8  # judged units: the guard cannot say anything from fewer
_FIRST = 3  # the first of two batches is one in so many


def select(  # noqa: PLR0913 (the options of one command)
    scores: MetricSource,
    *,
    n_items: int | None = None,
    lengths: Lengths | None = None,
    judged: Judgments | TableSource | None = None,
    judged_metric: MetricSource | None = None,
    by: choices.SelectBy = "auto",
    take: Take | None = None,
    floor: float = 0.5,
    cost: choices.SelectCost = "auto",
    steps: int = 1,
    higher_is_better: bool | None = None,
    rng: Seed = None,
) -> Selection:
    r"""Choose what people judge, with probabilities that every analysis then takes into account.

    Whole documents are drawn where they are known. By the metric, long documents on which systems
    are bad, or differ, are drawn more often; half of the budget is spread evenly, so that the
    variance of any mean is at most twice that of a random draw, whatever the metric is worth.
    Unless judgments show that this saves (a ratio of variances below 1 by a standard error), the
    draw is a random one: nothing is lost, since `control_variates` uses the metric all the same.

    Parameters
    ----------
    scores : Scores, ``{system: {item: score}}``, or a file
        A metric, or a judge, on all items. Items without a score of every system are left out.
    n_items : int, optional
        What may be judged, in items of mean length; whole documents where known.
    lengths : sequence or mapping, optional
        How long each item is (characters of its source), in the order of the scores or by name.
    judged : Judgments, optional
        Of an earlier campaign, from which to see whether choosing by this metric saves.
    judged_metric : Scores, optional
        The metric on the items of `judged`, where these are others.
    by : {'auto', 'metric', 'random'}
        auto: by the metric where judgments show that this saves, else at random.
    take : mapping of score to ``"all"``, a share like ``"20%"`` or a number, optional
        How many of the items with each score of one system to label, in place of `n_items`: all
        failures and some passes, at random.
    floor : float
        Share of the budget that is spread evenly.
    cost : {'auto', 'time', 'items'}
        What an item costs: half fixed, half by its length; or one like another.
    steps : int
        2: a third at random first, the rest once that was judged (`select_more`).
    higher_is_better : bool, optional
        The direction of the metric, where its name does not tell.
    rng : Generator, int or None
        None takes the seed from pool and settings, so that one question has one draw.

    References
    ----------
    Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, chapters 6 and 12.
    Zrnic and Candès (2024), "Active statistical inference", ICML.

    Examples
    --------
    >>> scores = {"A": {str(i): i / 10 for i in range(10)}}
    >>> chosen = select(scores, n_items=4, by="random")
    >>> len(chosen.items), chosen.drawn_weight.tolist()
    (4, [2.5, 2.5, 2.5, 2.5])
    >>> failed = {"A": {str(i): int(i > 2) for i in range(10)}}
    >>> [(one.score, one.n_drawn) for one in select(failed, take={0: "all", 1: 2}).groups]
    [(0.0, 3), (1.0, 2)]
    """
    settings = asked(SelectSettings, locals())
    if (n_items is None) == (take is None):
        raise InputError("give one of `n_items` and `take`: either says how much is judged.")
    pool = Pool.of(scores, lengths, settings)
    if take is not None:
        return _taken(pool, take, settings, rng)
    budget = _budget(pool, settings)
    evidence = None
    if judged is not None:
        _refuse_evidence(settings)
        evidence = _evidence(
            judgments_of(judged, "judged"),
            scores if judged_metric is None else judged_metric,
            pool,
            settings,
            higher=higher_is_better,
        )
    elif judged_metric is not None:
        raise InputError("`judged_metric` goes with `judged`, the judgments of its items.")
    by_metric = settings.by == "metric" or (evidence is not None and evidence.is_shown)
    metric = pool.oriented(higher=higher_is_better, needed=by_metric or settings.steps == 2)
    flat = is_flat(metric)
    size = size_measure(metric, pool.length, pool.unit, pool.cost)
    generator, seed, by_hand = seeded(rng, pool, settings, None)
    units = pool.cost.size
    if settings.steps == 2:
        return _first_batch(
            pool, settings, budget, size, metric, (generator, seed, by_hand), flat=flat
        )
    share = budget / float(pool.cost.sum())
    found = np.full(units, share)
    if by_metric and not flat:
        found = probabilities(size, pool.cost, budget, floor=settings.floor)
    drawn = draw(found, generator)
    _require_units(drawn.size, pool)
    return pool.selection(
        settings,
        "metric" if by_metric else "random",
        batch_of=np.isin(np.arange(units), drawn).astype(np.int64),
        probability=found,
        weight=1.0 / found,
        size=size,
        budget=share,
        guard=evidence,
        is_flat=flat,
        seed=(seed, by_hand),
    )


def select_more(chosen: Selection, judged: Judgments | TableSource) -> Selection:
    """Draw the second batch, by the metric where the first shows that this saves.

    Parameters
    ----------
    chosen : Selection
        The first batch, from `select` with ``steps=2``, or from its record.
    judged : Judgments
        The first batch with its scores.
    """
    require_waiting(chosen)
    judgments = one_evaluation(judgments_of(judged, "judged"))
    first = chosen.batch_of == 1
    human, rows = _first_scores(chosen, judgments)
    units = np.unique(chosen.unit_of[rows])
    if units.size < _FEWEST:
        raise DataError(
            f"`judged` must hold at least {_FEWEST} whole {chosen.unit}s of the first batch, judged "
            f"for all systems; got {units.size}. From fewer nobody can tell whether the metric helps."
        )
    place = np.unique(chosen.unit_of[rows], return_inverse=True)[1]
    metric = chosen.first_metric[:, np.searchsorted(_items_of(chosen, first), rows)]
    _refuse_copy(human, metric)
    ones = np.ones(units.size)
    evidence = guard(
        residual_squares(human, metric, place, ones),
        ones,
        chosen.size,
        chosen.unit_cost,
        units,
        floor=chosen.floor,
    )
    total = float(chosen.unit_cost.sum())
    planned = chosen.budget * first.size
    rest = np.flatnonzero(~first)
    by_metric = evidence.is_shown and not chosen.is_flat
    if by_metric:
        left = chosen.budget * total * (_FIRST - 1) / _FIRST
        second = probabilities(
            chosen.size[rest], chosen.unit_cost[rest], left, floor=chosen.floor
        )
    else:
        second = np.full(rest.size, (planned - int(first.sum())) / rest.size)
    generator = np.random.default_rng(chosen.seed)
    generator.permutation(first.size)  # the first batch
    drawn = rest[draw(second, generator)]
    batch_of = chosen.batch_of.copy()
    batch_of[drawn] = 2
    # Both batches at random are one random sample, to the last bit.
    weight = np.full(first.size, first.size / planned)
    if by_metric:
        weight = two_batch_weights(first, second, planned)
    probability = chosen.probability.copy()
    probability[rest] = second
    missing = int(first.sum()) - units.size
    lost = (
        f"{missing:,} of {count(int(first.sum()), chosen.unit)} of the first batch were not judged "
        "for all systems."
    )
    return replace(
        chosen,
        **drawn_names(
            chosen.unit,
            chosen.pool_items,
            chosen.pool_documents,
            chosen.unit_of,
            batch_of,
        ),
        by="metric" if by_metric else "random",
        guard=evidence,
        batch=2,
        cost=float(chosen.unit_cost[batch_of > 0].sum()) / total,
        batch_of=batch_of,
        probability=probability,
        weight=weight,
        continues=chosen.fingerprint,
        notes=(*chosen.notes, *((lost,) if missing else ())),
    )


# --- What may be spent ---


def _budget(pool: Pool, settings: SelectSettings) -> float:
    """Return what may be spent, in items of mean cost."""
    size, n = pool.scores.n_items, settings.n_items or 0
    if n > size:
        raise InputError(
            f"`n_items` must be at most {size:,}, the lines of the pool; got {n:,}."
        )
    return n / size * float(pool.cost.sum())


def _require_units(n: int, pool: Pool) -> None:
    if n < _LEAST:
        raise InputError(
            f"`n_items` must draw at least {_LEAST} {pool.word}s, since fewer give no standard "
            f"error; got {count(n, pool.word)} of {pool.cost.size:,}. Judge more."
        )


def _refuse_evidence(settings: SelectSettings) -> None:
    if settings.by != "auto" or settings.steps != 1:
        why = "steps=2" if settings.steps != 1 else f"by={settings.by!r}"
        raise InputError(
            f"`judged` is evidence for by='auto' in one step; it has no effect with {why}."
        )


# --- Two steps ---


def _first_batch(
    pool: Pool,
    settings: SelectSettings,
    budget: float,
    size: FloatArray,
    metric: FloatArray,
    seed: tuple[np.random.Generator, int, bool],
    *,
    flat: bool,
) -> Selection:
    """Draw a third of the units at random, whatever their size."""
    units, share = pool.cost.size, budget / float(pool.cost.sum())
    if settings.by != "auto":
        raise InputError(
            f"`steps=2` asks the first batch whether the metric helps; drop by={settings.by!r}."
        )
    planned = share * units
    n = round(planned / _FIRST)
    if n < _FEWEST:
        raise InputError(
            f"`steps=2` needs a first batch of at least {_FEWEST} {pool.word}s, a third of the budget; "
            f"got {n} of {units:,}. Judge more, or draw in one step."
        )
    if planned >= units:
        raise InputError(
            "`steps=2` leaves nothing to choose where everything is judged. Lower `n_items`."
        )
    generator, number, by_hand = seed
    batch_of = np.zeros(units, dtype=np.int64)
    batch_of[generator.permutation(units)[:n]] = 1
    probability = np.full(units, n / units)
    rest = np.full(units - n, (planned - n) / (units - n))
    return pool.selection(
        settings,
        "random",
        batch_of=batch_of,
        probability=probability,
        # Those of the first batch are known before it is judged; the others are not, yet.
        weight=two_batch_weights(batch_of == 1, rest, planned),
        size=size,
        budget=share,
        is_flat=flat,
        seed=(number, by_hand),
        first_metric=metric[:, batch_of[pool.unit] == 1],
    )


def _items_of(chosen: Selection, units: np.ndarray) -> IntArray:
    found: IntArray = np.flatnonzero(units[chosen.unit_of])
    return found


def _first_scores(chosen: Selection, judgments: Judgments) -> tuple[FloatArray, IntArray]:
    """Return the scores of items of the first batch, of units judged whole, and their places."""
    places = pool_columns(judgments, chosen.pool_items, chosen.documents_of_pool)
    first = chosen.batch_of == 1
    drawn = np.zeros(len(chosen.pool_items), dtype=bool)
    drawn[_items_of(chosen, first)] = True
    other = [
        level
        for level, place in zip(judgments.item.levels, places.tolist(), strict=True)
        if place < 0 or not drawn[place]
    ]
    if other:
        raise DataError(
            f"`judged` must hold the first batch and nothing else; {count(len(other), 'item')} were not "
            f"drawn: {listing(other)}."
        )
    unknown = [name for name in judgments.system.levels if name not in chosen.systems]
    if unknown:
        raise DataError(
            f"`judged` must be of the systems of the metric; {listing(unknown)} has no scores there."
        )
    table = judgments.cells().table()
    rows = {name: k for k, name in enumerate(judgments.cells().systems)}
    human = np.full((len(chosen.systems), len(chosen.pool_items)), np.nan)
    for s, name in enumerate(chosen.systems):
        if name in rows:
            human[s, places] = table[:, rows[name]]
    complete = ~np.isnan(human).any(axis=0)
    lacking = np.bincount(
        chosen.unit_of[drawn], ~complete[drawn], minlength=chosen.batch_of.size
    )
    usable = np.flatnonzero(drawn & (lacking[chosen.unit_of] == 0))
    return human[:, usable], usable


# --- Evidence of an earlier campaign ---


def _evidence(
    judged: Judgments,
    source: MetricSource,
    pool: Pool,
    settings: SelectSettings,
    *,
    higher: bool | None,
) -> VarianceRatio:
    """Return what choosing by this metric would have cost in an earlier campaign.

    Where these are items of the pool, with the lengths that are known of them.
    """
    scores, _ = as_scores(source)
    found: MetricPool = metric_pool(judged, scores)
    metric = oriented(found.metric, scores, higher=higher, needed=True)
    unit = np.arange(len(found.items))
    if found.documents is not None:
        unit = np.unique(found.documents, return_inverse=True)[1]
    known = np.isfinite(metric).all(axis=0)
    complete = known & ~np.isnan(found.human).any(axis=0)
    length, cost = None, np.bincount(unit, known).astype(np.float64)
    if pool.length is not None and found.items == pool.scores.items:
        length = pool.length
        cost = pool.cost
    lacking = np.bincount(unit, ~complete)
    rows = np.flatnonzero(lacking[unit] == 0)
    units = np.unique(unit[rows])
    if units.size < _FEWEST:
        raise DataError(
            f"`judged` must hold at least {_FEWEST} {pool.word}s judged for all systems, with their "
            f"metric; got {units.size}."
        )
    _refuse_copy(found.human[:, rows], metric[:, rows])
    size = size_measure(
        np.where(known, metric, 0.0), length, unit, np.where(cost > 0.0, cost, 1.0)
    )
    weights = _weights(found, unit, units)
    place = np.unique(unit[rows], return_inverse=True)[1]
    squares = residual_squares(found.human[:, rows], metric[:, rows], place, weights)
    return guard(squares, weights, size, cost, units, floor=settings.floor)


def _weights(pool: MetricPool, unit: IntArray, units: IntArray) -> FloatArray:
    """Return what each judged unit stands for; all alike where nothing else is said."""
    if pool.weights is None:
        return np.ones(units.size)
    each = np.full(int(unit.max()) + 1, np.nan)
    known = np.isfinite(pool.weights)
    each[unit[known]] = pool.weights[known]
    return each[units]


def _refuse_copy(human: FloatArray, metric: FloatArray) -> None:
    """Stop where the metric is what was judged: it would choose by the answer."""
    if np.array_equal(human, metric) or np.array_equal(human, -metric):
        raise DataError(
            "the scores of people are those of the metric by which items are chosen, so they say "
            "nothing about it. Give the judgments of people."
        )


# --- All failures and some passes ---


def _taken(pool: Pool, take: Take, settings: SelectSettings, rng: Seed) -> Selection:
    """Draw a share of the items with each score, at random."""
    if settings.by != "auto" or settings.steps != 1:
        raise InputError(
            "`take` draws at random within scores, in one step; drop `by` and `steps`."
        )
    if len(pool.table) != 1:
        raise InputError(
            f"`take` goes by the scores of one system; got {listing(list(pool.scores.systems))}."
        )
    values = pool.table[0]
    found, sizes = np.unique(values, return_counts=True)
    counts = ", ".join(
        f"{score:g} ({n:,})" for score, n in zip(found.tolist(), sizes.tolist(), strict=True)
    )
    wanted: dict[float, Any] = {}
    for score, part in take.items():
        number = _score(score, found, counts)
        if number in wanted:
            raise InputError(f"`take` names the score {number:g} twice. Scores are {counts}.")
        wanted[number] = part
    unnamed = [score for score in found.tolist() if score not in wanted]
    if unnamed:
        raise InputError(
            f"`take` must say how many of every score; {unnamed[0]:g} is missing. Scores are {counts}: "
            "what cannot be drawn cannot be estimated."
        )
    groups = [
        TakenGroup(score=score, n_pool=n, n_drawn=_part(wanted[score], score, n, counts))
        for score, n in zip(found.tolist(), sizes.tolist(), strict=True)
    ]
    generator, seed, by_hand = seeded(
        rng, pool, settings, [[one.score, one.n_drawn] for one in groups]
    )
    each = np.ones(values.size)
    batch_of = np.zeros(values.size, dtype=np.int64)
    for one in groups:
        inside = np.flatnonzero(values == one.score)
        batch_of[generator.permutation(inside)[: one.n_drawn]] = 1
        each[inside] = one.n_drawn / one.n_pool
    items = replace(pool, unit=np.arange(values.size), cost=np.ones(values.size))
    items = replace(items, cost_by="items", by_document=False)
    return items.selection(
        settings,
        "groups",
        batch_of=batch_of,
        probability=each,
        weight=1.0 / each,
        size=np.ones(values.size),
        budget=float(each.mean()),
        groups=tuple(groups),
        seed=(seed, by_hand),
    )


def _score(given: Any, found: FloatArray, counts: str) -> float:
    try:
        number = float(given)
    except (TypeError, ValueError):
        number = math.nan
    if number not in found.tolist():
        raise InputError(
            f"`take` must name scores that occur; got {given!r}. Scores are {counts}."
        )
    return number


def _part(part: Any, score: float, n_pool: int, counts: str) -> int:
    """Return how many items of a group are drawn."""
    text = str(part).strip()
    try:
        if text == "all":
            n = n_pool
        elif text.endswith("%"):
            n = round(float(text[:-1]) / 100.0 * n_pool)
        else:
            n = int(text)
    except ValueError:
        n = -1
    if not 0 <= n <= n_pool:
        raise InputError(
            f"`take` must be all, a share like 20%, or a number up to that of the group; got {part!r} for "
            f"the score {score:g}. Scores are {counts}."
        )
    if n < _LEAST:
        raise InputError(
            f"`take` must leave at least {_LEAST} items of every score; got {count(n, 'item')} of the "
            f"score {score:g}. Scores are {counts}."
        )
    return n
