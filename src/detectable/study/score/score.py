r"""`score`: how good one system is on every task, how sure that is, and what could be told from it.

The score of a question is the mean of its answers, and that of a task the mean of its questions. Right
and wrong answers have Wilson's interval with

.. math:: n_{\text{eff}} = p (1 - p) / \text{SE}^2

in place of their number, at most the number of answers: SE is that of questions, or of groups of them
(CR2), so several answers to a question count for what they say. Its quantile is Student's, with the
degrees of freedom of SE. Other scores have mean ± t · SE. It is the interval that `compare` gives.

The mean over tasks has the limits of MOVER (`study.gate.overall`), from those of the tasks.

What could be detected is the smallest difference that another system, which agrees on nine answers
in ten, shows four times in five on the same questions (`planning.accuracy`).

References
----------
Wilson (1927), "Probable inference, the law of succession, and statistical inference", Journal of the
American Statistical Association 22(158), 209–212. Miller (2024), "Adding error bars to evals",
arXiv:2411.00640, for questions and groups.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from detectable.core.choices import LogErrors, Overall
from detectable.core.errors import DetectableError, InputError
from detectable.core.interval import Interval
from detectable.core.options import asked
from detectable.core.result import Result, Signature
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import listing
from detectable.data.files.table import TableSource
from detectable.data.scores.scores import Scores
from detectable.inference.shares import chance_interval, wilson_limits
from detectable.inference.standard_errors import cluster_mean
from detectable.kernels.distributions import t_quantile
from detectable.study.gate.baseline import Baseline, refuse_of_files, tables_of
from detectable.study.gate.chosen import check_passing, only_tasks, passing
from detectable.study.gate.matching import Tally, TaskTally, codes_of
from detectable.study.settings import ScoreSettings

AGREEMENT, POWER = 0.9, 0.8  # of another system with this one, for the detectable difference


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """One task under one metric, a part of its questions, or the mean over tasks.

    Attributes
    ----------
    n_items, n_samples, n_clusters : int
        Questions with an answer, answers, and independent groups of questions.
    standard_error, df : float
        Of the score.
    method : {'wilson', 't', 'mover'}
        How the interval is made.
    zero_one : bool
        Whether answers are right or wrong.
    slice : str
        The kind of questions, where a row is about some of them.
    missing : float
        Share of the samples that have no score.
    """

    task: str
    metric: str
    score: float
    interval: Interval
    n_items: int
    n_samples: int
    n_clusters: int
    standard_error: float
    df: float
    method: str
    zero_one: bool
    slice: str = ""
    missing: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScores(Result):
    """What one system scores, and how sure that is.

    Attributes
    ----------
    system : str
        Its name.
    rows : tuple of ScoreRow
        Tasks within metrics, then slices, then the mean over tasks.
    alpha : float
        Intervals have the level 1 − α.
    agreement, power : float
        For what follows.
    told_apart : float
        The smallest difference that another system with this agreement would show on the questions
        of `told_on`; NaN where answers are not right or wrong, or where no difference would.
    told_on : str
        That task.
    by : str
        What questions are sliced by; empty without slices.
    """

    system: str
    rows: tuple[ScoreRow, ...]
    alpha: float
    agreement: float = AGREEMENT
    power: float = POWER
    told_apart: float = math.nan
    told_on: str = ""
    by: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics, in the order of the rows."""
        return tuple(dict.fromkeys(row.metric for row in self.rows))


def score(  # noqa: PLR0913 (what is scored, and how it is cut)
    data: Scores | Iterable[Scores] | TableSource,
    *,
    system: str | None = None,
    metrics: Sequence[str] = (),
    metric: str | None = None,
    tasks: Sequence[str] = (),
    errors: LogErrors | None = None,
    pool: bool = False,
    by: str | None = None,
    overall: Overall | None = None,
    alpha: float = 0.05,
) -> SystemScores:
    """Say what one system scores on every task, with intervals.

    Parameters
    ----------
    data : Scores, several of them (one per metric), path, or data frame
        Of the system, and maybe others.
    system : str, optional
        Which one, where there are several.
    metrics : sequence of str
        By which metrics files are read, as `gate` reads them; by default by all that are scores.
    metric : str, optional
        ``pass@k`` or ``pass^k``, of answers that are right or wrong.
    tasks : sequence of str
        The tasks to score; by default all.
    errors : {'missing', 'zero'}, optional
        For files: samples that ended in an error are left out, or count 0.
    pool : bool
        For folders with several logs of a task: take all as samples, and not the newest alone.
    by : str, optional
        What to slice questions by: a key of their metadata, or a column.
    overall : {'macro', 'micro'}, optional
        Also the mean over tasks, all alike or by their questions.
    alpha : float
        Error level.

    Examples
    --------
    >>> found = score(Scores.build({"A": [1, 1, 0, 1] * 25}))
    >>> row = found.rows[0]
    >>> row.score, [round(end, 4) for end in (row.interval.low, row.interval.high)]
    (0.75, [0.6552, 0.8257])
    """
    chosen = asked(ScoreSettings, locals())
    check_passing(metric)
    refuse_of_files(data, errors=errors, pool=pool, metrics=metrics)
    options: dict[str, Any] = {
        "tasks": tuple(tasks) or None,
        "errors": errors,
        "pool": pool,
        "columns": {"slice": by} if by else None,
    }
    tables = tables_of(data, "data", metrics, every=not metrics and metric is None, **options)
    scores = Baseline.of(tables, system)
    if tasks:
        scores = only_tasks(scores, tasks)
    if metric is not None:
        scores = passing(scores, metric)
    level = 1.0 - chosen.alpha
    pairs = [(one, task) for one in scores.tallies for task in one.tasks]
    rows = [_row(one, task, level) for one, task in pairs]
    if by is not None:
        rows += _slices(pairs, by, level)
    if overall is not None:
        rows.append(_mean(rows[: len(pairs)], overall, level))
    told, on = _told_apart(rows, chosen.alpha)
    return SystemScores(
        system=scores.system,
        rows=tuple(rows),
        alpha=chosen.alpha,
        told_apart=told,
        told_on=on,
        by=by or "",
        notes=(*_early(tables, scores), *_notes(rows)),
        signature=Signature(
            "score",
            {
                "metrics": ",".join(scores.metrics),
                "alpha": chosen.alpha,
                "n": sum(len(task.items) for task in {t.task: t for _, t in pairs}.values()),
                **({"by": by} if by else {}),
                **({"overall": overall} if overall else {}),
                "sha256": scores.sha256[:12],
            },
        ),
    )


def _row(one: Tally, task: TaskTally, level: float, *, kind: str = "") -> ScoreRow:
    clusters = None if task.clusters is None else codes_of(task.clusters)
    if clusters is not None and clusters.max() + 1 == clusters.size:
        clusters = None
    made = one.metric.startswith("pass") and check_made(one.metric)
    found = _interval(
        task.means,
        clusters,
        int(task.samples.sum()),
        zero_one=one.zero_one,
        chance=made,
        level=level,
    )
    return ScoreRow(
        task=f"{task.task} ({kind})" if kind else task.task,
        metric=one.metric,
        n_items=len(task.items),
        n_samples=int(task.samples.sum()),
        n_clusters=len(task.items) if clusters is None else int(clusters.max()) + 1,
        zero_one=one.zero_one,
        slice=kind,
        missing=one.missing,
        **found,
    )


def check_made(metric: str) -> bool:
    """Return whether this is pass@k or pass^k, and no scorer."""
    try:
        return check_passing(metric) is not None
    except InputError:
        return False


def _interval(
    means: FloatArray,
    clusters: IntArray | None,
    answers: int,
    *,
    zero_one: bool,
    chance: bool,
    level: float,
) -> dict[str, Any]:
    """Return score, standard error, degrees of freedom and interval of mean scores of questions."""
    found = cluster_mean(means, clusters)
    value, error, df = found.value, found.standard_error, found.df
    common = {"score": value, "standard_error": error, "df": df}
    if math.isnan(df) or means.size < 2:
        nothing = Interval(math.nan, math.nan, level)
        return {**common, "interval": nothing, "method": "wilson" if zero_one else "t"}
    if zero_one:
        trials = float(means.size)
        if error > 0.0 and 0.0 < value < 1.0:
            trials = min(value * (1.0 - value) / error**2, float(answers))
        low, high = wilson_limits(value, trials, t_quantile(0.5 + level / 2.0, df))
        return {**common, "interval": Interval(low, high, level), "method": "wilson"}
    interval = chance_interval(found, level, (0.0, 1.0)) if chance else found.interval(level)
    return {**common, "interval": interval, "method": "t"}


def _slices(pairs: Sequence[tuple[Tally, TaskTally]], by: str, level: float) -> list[ScoreRow]:
    rows = []
    for one, task in pairs:
        if task.slices is None:
            continue
        for kind in sorted(set(task.slices)):
            places = [i for i, label in enumerate(task.slices) if label == kind]
            rows.append(_row(one, task.take(places), level, kind=kind))
    if not rows:
        raise InputError(f"no question is known by {by!r}, so there is nothing to slice by.")
    return rows


def _mean(rows: Sequence[ScoreRow], how: Overall, level: float) -> ScoreRow:
    """Return the mean over tasks, each by one metric on one scale."""
    named = [row.task for row in rows]
    twice = next((task for task in named if named.count(task) > 1), None)
    if twice is not None:
        metrics = [row.metric for row in rows if row.task == twice]
        raise InputError(
            f"`overall` takes every task by one metric; {twice} has {listing(metrics)}. Choose with "
            "`metrics`."
        )
    if len({row.zero_one for row in rows}) > 1:
        raise InputError(
            "`overall` takes the mean of scores on one scale. Choose with `metrics`."
        )
    sizes = np.array([row.n_items if how == "micro" else 1 for row in rows], dtype=np.float64)
    weights = (sizes / sizes.sum()).tolist()

    def weighted(values: Iterable[float], power: int = 1) -> float:
        return math.fsum((w * v) ** power for w, v in zip(weights, values, strict=True))

    value = weighted(row.score for row in rows)
    down = weighted((row.score - row.interval.low for row in rows), 2)
    up = weighted((row.interval.high - row.score for row in rows), 2)
    metrics = list(dict.fromkeys(row.metric for row in rows))
    return ScoreRow(
        task=f"{how} mean",
        metric=metrics[0] if len(metrics) == 1 else "overall",
        score=value,
        interval=Interval(value - math.sqrt(down), value + math.sqrt(up), level),
        n_items=sum(row.n_items for row in rows),
        n_samples=sum(row.n_samples for row in rows),
        n_clusters=sum(row.n_clusters for row in rows),
        standard_error=math.sqrt(weighted((row.standard_error for row in rows), 2)),
        df=math.inf,
        method="mover",
        zero_one=rows[0].zero_one,
    )


def _told_apart(rows: Sequence[ScoreRow], alpha: float) -> tuple[float, str]:
    """Return the difference that another system would show, on the largest task that tells it.

    Groups of questions are left out: how alike differences within them are, one system does not say.
    """
    fit = [
        row
        for row in rows
        if row.zero_one
        and not row.slice
        and row.method == "wilson"
        and row.n_items > 1
        and row.n_clusters == row.n_items
    ]
    if not fit:
        return math.nan, ""
    largest = max(fit, key=lambda row: row.n_items)
    from detectable.planning.accuracy import Accuracy
    from detectable.planning.ask import mde

    try:
        found = mde(
            Accuracy(agreement=AGREEMENT), n_items=largest.n_items, power=POWER, alpha=alpha
        )
    except DetectableError:
        return math.nan, largest.task
    return found.effect, largest.task


def _early(tables: Sequence[Scores], scores: Baseline) -> list[str]:
    """Say which logs were stopped early: their intervals are those of whole runs."""
    read = {task.task for one in scores.tallies for task in one.tasks}
    logs = {log.task: log for one in tables for log in one.stopped if log.skipped}
    return [
        f"{log} Stopping by results makes scores extreme; this interval does not know of it."
        for task, log in logs.items()
        if task in read
    ]


def _notes(rows: Sequence[ScoreRow]) -> list[str]:
    missing = {row.metric: row.missing for row in rows if row.missing > 0.0 and not row.slice}
    found = [
        f"{name}: {share:.1%} of the samples have no score." for name, share in missing.items()
    ]
    few = [row.task for row in rows if math.isnan(row.interval.low)]
    if few:
        found.append(f"{listing(few)}: one group of questions says nothing about chance.")
    return found
