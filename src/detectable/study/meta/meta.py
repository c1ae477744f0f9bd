"""Metrics judged by people: how far each agrees with them, and whether one agrees more."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from detectable.core import check, choices
from detectable.core.errors import DataError, InputError
from detectable.core.execute import Engine
from detectable.core.result import Signature
from detectable.core.types import IntArray, Progress, Seed, silent
from detectable.core.wording import count, listing, number
from detectable.study.meta.measuring import Measuring
from detectable.study.meta.result import Meta, MetaRow
from detectable.study.meta.settings import MetaSettings, Threshold
from detectable.study.meta.statistics import SegmentLevel, SystemLevel, means
from detectable.study.meta.table import HumanSource, MetaTable, meta_table
from detectable.study.metric_pool import MetricSource

if TYPE_CHECKING:
    from concurrent.futures import Executor

DOCUMENTS = 10  # from which they are drawn and swapped whole
_OUTLIER = 2.5  # robust standard deviations (Mathur et al. 2020)


def meta(  # noqa: PLR0913 (one argument per option)
    human: HumanSource,
    metrics: Mapping[str, MetricSource],
    *,
    level: choices.MetaLevel = "system",
    statistic: choices.MetaStatistic | Sequence[choices.MetaStatistic] | None = None,
    average_by: choices.AverageBy | None = None,
    undefined: choices.UndefinedGroups | None = None,
    epsilon: Threshold | None = None,
    pair_p: choices.PairP | None = None,
    baseline: str | None = None,
    lower_is_better: Sequence[str] = (),
    keep_references: bool = False,
    unit: choices.MetaUnit = "auto",
    draw_systems: bool = False,
    alpha: float = 0.05,
    n_resamples: int = 2000,
    rng: Seed = None,
    n_jobs: int = 1,
    executor: "Executor | None" = None,
    progress: Progress = silent,
) -> Meta:
    """Measure how far metrics agree with people, and whether one agrees more than another.

    Parameters
    ----------
    human : Scores, Judgments or a file of scores
        Of systems on segments. Several judgments of an output are averaged.
    metrics : mapping of str to Scores, ``{system: {segment: score}}`` or a file
        By name; systems and segments are matched by name.
    level : {'system', 'segment'}
        Whether systems are ordered as people order them, or their outputs for a segment.
    statistic : str or sequence of str, optional
        ``spa`` (system) or ``acc-eq`` (segment) by default; ``docs/meta.md`` has the others.
    average_by : {'item', 'sys', 'none'}, optional
        At level 'segment': a value per segment, per system, or one for all outputs. The last two
        reward a metric for knowing which segments are difficult.
    undefined : {'skip', 'zero'}, optional
        At level 'segment': what a segment counts on which people or the metric give all systems
        the same score.
    epsilon : float, 'best' or 'two-fold', optional
        Differences of the metric up to this are ties: for acc23 and tau23 a number (0), for acc-eq
        the best there is, or that of the other half of the documents.
    pair_p : {'normal', 'permutation'}, optional
        How SPA's p-values of pairs of systems are computed; intervals and tests use normal ones.
    baseline : str, optional
        Compare all other metrics with this one (default: all pairs).
    lower_is_better : sequence of str
        Metrics (or 'human') to be negated, where the name does not tell.
    keep_references : bool
        Keep human reference translations among the systems.
    unit : {'auto', 'segment', 'document'}
        What is drawn and swapped as one piece: documents by default if there are ten or more.
    draw_systems : bool
        Intervals for other systems, too, not only for other segments.
    n_resamples : int
        Draws of intervals, and swaps of tests.

    Examples
    --------
    >>> from detectable.data.scores.scores import Scores
    >>> people = Scores.build({"A": [9, 8, 7, 9], "B": [5, 6, 4, 8], "C": [1, 2, 3, 1]})
    >>> good = Scores.build({"A": [.9, .7, .8, .9], "B": [.5, .5, .6, .7], "C": [.1, .3, .2, .2]})
    >>> found = meta(people, {"comet": good}, statistic="pairwise-accuracy", rng=1)
    >>> found.rows[0].value
    1.0
    """
    asked = MetaSettings.check(
        level=level,
        statistic=statistic,
        average_by=average_by,
        undefined=undefined,
        epsilon=epsilon,
        pair_p=pair_p,
        draw_systems=draw_systems,
    )
    check.literal(unit, choices.MetaUnit, "unit")
    check.probability(alpha, "alpha")
    n_resamples = check.repetitions(n_resamples, "n_resamples", minimum=100)
    engine = Engine.start(rng, n_jobs=n_jobs, executor=executor, progress=progress)
    table = meta_table(
        human, metrics, lower_is_better=lower_is_better, keep_references=keep_references
    )
    if baseline is not None and baseline not in table.metrics:
        raise InputError(
            f"`baseline` must be one of {', '.join(table.metrics)}; got {baseline!r}."
        )
    drawn_by, cluster, few = _clusters(table, unit)
    work = Measuring(
        table, asked, cluster, alpha, n_resamples, engine, _halves(table, asked, engine)
    )
    rows, pairs, exact = [], [], True
    for chosen in asked.statistics:
        found, draws = work.rows(chosen)
        best = np.nan_to_num([-row.value for row in found], nan=math.inf)
        order = np.argsort(best, kind="stable").tolist()
        rows += [found[k] for k in order]
        tested = work.pairs(chosen, [found[k] for k in order], draws[:, :, order], baseline)
        pairs += [difference for difference, _ in tested]
        exact = exact and all(swaps.exact for _, swaps in tested)
    settings: dict[str, str | int | float] = {"level": level}
    settings["statistic"] = "+".join(asked.statistics)
    given = {"average": asked.average_by, "undefined": asked.undefined, "epsilon": asked.epsilon,
             "p": asked.pair_p, "baseline": baseline}  # fmt: skip
    settings |= {name: value for name, value in given.items() if value is not None}
    settings |= {"unit": drawn_by, "R": n_resamples, "alpha": alpha}
    if draw_systems:
        settings["systems"] = "drawn"
    return Meta(
        rows=tuple(rows),
        pairs=tuple(pairs),
        level=level,
        statistics=asked.statistics,
        average_by=asked.average_by,
        undefined=asked.undefined,
        n_systems=len(table.systems),
        n_segments=len(table.segments),
        n_outputs=table.n_outputs,
        n_documents=table.n_documents,
        human_ties=_human_ties(table),
        unit=drawn_by,
        n_clusters=int(cluster.max()) + 1,
        draw_systems=draw_systems,
        n_resamples=n_resamples,
        exact=exact and bool(pairs),
        references=table.references,
        alpha=alpha,
        notes=(*table.notes, *few, *_remarks(table, asked, rows)),
        signature=Signature("meta", settings, engine.seed),
    )


def _clusters(
    table: MetaTable, unit: choices.MetaUnit
) -> tuple[str, IntArray, tuple[str, ...]]:
    """Return what is drawn and swapped as one piece, its number for each segment, and a note."""
    n = table.n_documents
    if unit == "document" and table.documents is None:
        raise InputError("`unit` is 'document', but the documents of segments are not known.")
    segments = np.arange(len(table.segments))
    if (
        table.documents is not None
        and n is not None
        and (unit == "document" or (unit == "auto" and n >= DOCUMENTS))
    ):
        if n < 2:
            raise DataError(
                "all segments lie in one document, so documents cannot be drawn. Ask for "
                "unit='segment'."
            )
        return "document", np.unique(table.documents, return_inverse=True)[1], ()
    if segments.size < 2:
        raise DataError("a metric cannot be judged by one segment. Give several.")
    if n is None or unit == "segment" or n == segments.size:
        return "segment", segments, ()
    note = (
        f"{count(n, 'document')}: too few to be drawn, so segments count as independent of each "
        "other. Where they are not, intervals are too narrow."
    )
    return "segment", segments, (note,)


def _halves(table: MetaTable, asked: MetaSettings, engine: Engine) -> NDArray[np.bool_] | None:
    """Return the segments of the first half of the documents (or segments), at random."""
    if asked.epsilon != "two-fold":
        return None
    of = np.arange(len(table.segments))
    if table.documents is not None and (table.n_documents or 0) >= 2:
        of = table.documents
    codes = np.unique(of, return_inverse=True)[1]
    [child] = engine.rng.spawn(1)
    first = child.permutation(int(codes.max()) + 1) < (int(codes.max()) + 1) / 2
    chosen: NDArray[np.bool_] = first[codes]
    return chosen


def _human_ties(table: MetaTable) -> float:
    """Return the share of pairs of systems with the same human score, mean over segments."""
    silence = np.where(np.isfinite(table.human), 0.0, np.nan)
    ones = np.ones((1, len(table.segments)))
    return float(SegmentLevel(table.human, silence, "acc23").values(ones)[0])


def _remarks(table: MetaTable, asked: MetaSettings, rows: Sequence[MetaRow]) -> tuple[str, ...]:
    found = []
    if asked.level == "segment":
        lost = {row.n_undefined for row in rows if row.n_undefined}
        if lost:
            group = "segments" if asked.average_by == "item" else "systems"
            said = "left out" if asked.undefined == "skip" else "counted as 0"
            found.append(
                f"Of {rows[0].n_groups:,} {group}, up to {max(lost):,} have no value, as people or "
                f"a metric give one score throughout; they are {said}."
            )
        if asked.average_by == "none":
            found.append(
                "Without groups, a metric is rewarded for knowing which segments are difficult; "
                "--average-by item asks which output of a segment is better."
            )
    if asked.level == "system" and "pearson" in asked.statistics:
        found += _outliers(table)
    if asked.pair_p == "permutation":
        found.append("Intervals and tests of SPA use normal p-values; values use sign flips.")
    return tuple(found)


def _outliers(table: MetaTable) -> list[str]:
    """Name systems far from all others, which make Pearson's correlation high by themselves."""
    ones = np.ones((1, len(table.segments)))
    score = means(table.human, ones)[0]
    off = np.abs(score - np.median(score))
    spread = 1.483 * float(np.median(off))
    far = np.flatnonzero(off > _OUTLIER * spread) if spread > 0.0 else np.zeros(0, np.int64)
    near = np.setdiff1d(np.arange(score.size), far)
    if not far.size or near.size < 3:
        return []
    values = [
        f"{name} {number(SystemLevel(table.human[near], metric[near], 'pearson').values(ones)[0])}"
        for name, metric in table.metrics.items()
    ]
    names = listing([table.systems[i] for i in far.tolist()])
    return [
        f"People put {names} far from all other systems, which alone can make Pearson's "
        f"correlation high; without: {listing(values, most=20)}."
    ]
