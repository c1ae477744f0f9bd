"""Is system B better than system A on this test set, and could the test set have told."""

import itertools
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor

from detectable.core.choices import (
    CompareCorrection,
    CompareTest,
    CompareUnit,
    Compat,
    CorrectionFamily,
    IntervalMethod,
    Runs,
)
from detectable.core.errors import CompatibilityWarning, InputError, SuspiciousDataWarning
from detectable.core.execute import Engine
from detectable.core.progress import Progress, silent
from detectable.core.result import Signature
from detectable.core.types import ArrayLike, Seed
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.inference.compat import WARNINGS
from detectable.metrics.base import Metric
from detectable.study.comparison.contrasts import contrasts
from detectable.study.comparison.measure import (
    Measured,
    choose_metrics,
    describe_metrics,
    measure,
)
from detectable.study.comparison.metric_agreement import agreement, groups_by_metric
from detectable.study.comparison.result import Comparison
from detectable.study.comparison.rows import pair_rows, system_rows
from detectable.study.comparison.settings import CompareSettings, per_metric
from detectable.study.comparison.significance import Pairs, run_tests
from detectable.study.comparison.suspicions import suspicions


def compare(  # noqa: PLR0913 (the options of one command; they are bundled on the first line)
    data: Corpus | Scores,
    metrics: Sequence[str | Metric] | str | Metric | None = None,
    *,
    baseline: str | None = None,
    test: CompareTest = "randomization",
    interval: IntervalMethod = "delta",
    runs: Runs = "fixed",
    correction: CompareCorrection = "holm",
    family: CorrectionFamily = "systems",
    unit: CompareUnit = "auto",
    compat: Compat | None = None,
    margin: float | Mapping[str, float] | None = None,
    effect: float | Mapping[str, float] | None = None,
    dev_scores: Mapping[str, ArrayLike] | None = None,
    alpha: float = 0.05,
    power: float = 0.80,
    n_resamples: int = 10_000,
    n_examples: int = 3,
    rng: Seed = None,
    n_jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress = silent,
) -> Comparison:
    """Compare two or more systems under one or more metrics.

    Every pair ends in a verdict: *better* or *worse* when the corrected p-value is at most
    `alpha`, *equivalent* when a margin was given and the difference surely lies within it,
    and otherwise *undecided*, with the smallest difference that this evaluation would
    reliably have found.

    Parameters
    ----------
    data : Corpus or Scores
        Outputs and references, or segment scores computed elsewhere.
    metrics : names or Metric objects
        Default: BLEU and chrF for texts; accuracy for 0/1 scores, else the mean.
    baseline : str, optional
        Compare every other system with this one. Without it, all pairs are compared and
        systems are put into rank groups.
    test : {'randomization', 'bootstrap'}
        Swaps outputs between systems, or resamples units and centres the differences.
    interval : {'delta', 'percentile', 'basic', 'bca'}
        From influence values in closed form, or from bootstrap draws.
    runs : {'fixed', 'random'}
        With several runs per system: are these runs the systems, or a sample of the runs that
        might have been made? ``'random'`` is a two-way t test over units and runs.
    correction : {'holm', 'max-t', 'none'}
        For testing several pairs; ``'max-t'`` uses the correlation between the tests.
    family : {'systems', 'systems-and-metrics'}
        What the correction covers: all pairs under one metric, or under all metrics.
    unit : {'auto', 'segment', 'document'}
        What is independent. Default: documents where they are known.
    compat : {'multeval', 'sacrebleu'}, optional
        Another tool's test, number for number, with a warning of what is wrong with it.
    margin : float or mapping of metric to float, optional
        Differences smaller than this do not matter. Fix it before looking at the data.
    effect : float or mapping of metric to float, optional
        A difference that would matter: the result says how much data would show it.
    dev_scores : mapping of system to scores, optional
        Development-set score of each run, for s_dev.
    alpha, power : float
        Error rate of the tests; power at which the detectable difference is stated.
    n_resamples : int
        Random swaps or bootstrap resamples.
    n_examples : int
        Segments and documents to show for and against each system.
    rng : Generator, int or None
        None draws a fresh seed and records it in the signature.
    n_jobs, executor
        Processes, or any ``concurrent.futures`` executor; the answer is the same. sacreBLEU's
        own random numbers (``compat='sacrebleu'``) are one stream and use one process.
    progress : callable
        Told how far the work is.

    Examples
    --------
    >>> scores = Scores.build({"A": [1, 0, 1, 1, 0, 1], "B": [1, 1, 1, 1, 1, 1]})
    >>> result = compare(scores, baseline="A", rng=1)
    >>> result.pairs[0].verdict, round(result.pairs[0].difference, 3)
    ('undecided', 0.333)
    """
    settings = CompareSettings(
        test=test,
        interval=interval,
        runs=runs,
        correction=correction,
        family=family,
        unit="segment" if compat is not None and unit == "auto" else unit,
        compat=compat,
        alpha=alpha,
        power=power,
        n_resamples=n_resamples,
        n_examples=n_examples,
    )
    chosen = choose_metrics(data, metrics)
    names = tuple(metric.name for metric in chosen)
    margins, effects = per_metric(margin, names, "margin"), per_metric(effect, names, "effect")
    pairs = choose_pairs(tuple(data.systems), baseline)
    engine = Engine.start(rng, n_jobs=n_jobs, executor=executor, progress=progress)
    notes = _warn(data, chosen, settings)
    data = data if isinstance(data, Corpus) else data.complete()
    measured = measure(data, chosen, unit=settings.unit, progress=progress)
    tested = run_tests(measured.units, pairs, settings, engine)
    pair_answers = pair_rows(
        measured, pairs, tested, settings, margins=margins, effects=effects
    )
    groups = groups_by_metric(measured, pair_answers) if baseline is None else {}
    systems = system_rows(measured, tested, settings, dev_scores=dev_scores, groups=groups)
    median_runs = [row.median_run for row in systems[:: len(chosen)]]
    return Comparison(
        metrics=describe_metrics(data, chosen),
        systems=systems,
        pairs=pair_answers,
        groups=groups,
        agreement=agreement(measured, pair_answers),
        contrasts=contrasts(
            data,
            measured.segments[0],
            pairs,
            measured.documents,
            median_runs=median_runs,
            n_examples=n_examples,
        ),
        unit=measured.unit,
        n_units=measured.units[0].n_units,
        n_segments=measured.segments[0].n_units,
        alpha=alpha,
        power=power,
        margin=margins,
        effect=effects,
        notes=notes,
        signature=_signature(measured, settings, engine.seed),
    )


def choose_pairs(systems: tuple[str, ...], baseline: str | None) -> Pairs:
    """Return positions of (system, baseline): all against one, or every pair."""
    if len(systems) < 2:
        raise InputError(
            f"a comparison needs at least two systems; got {', '.join(systems)} only."
        )
    if baseline is None:
        return tuple((b, a) for a, b in itertools.combinations(range(len(systems)), 2))
    if baseline not in systems:
        raise InputError(f"no system named {baseline!r}; there are {', '.join(systems)}.")
    base = systems.index(baseline)
    return tuple((i, base) for i in range(len(systems)) if i != base)


def _warn(
    data: Corpus | Scores, metrics: tuple[Metric, ...], settings: CompareSettings
) -> tuple[str, ...]:
    """Issue every warning and return their texts: a report must not lose them."""
    notes = []
    for message in suspicions(data, metrics):
        warnings.warn(message, SuspiciousDataWarning, stacklevel=3)
        notes.append(message)
    if settings.compat is not None:
        key = "multeval" if settings.compat == "multeval" else f"sacrebleu-{settings.test}"
        warnings.warn(WARNINGS[key], CompatibilityWarning, stacklevel=3)
        notes.append(WARNINGS[key])
    return tuple(notes)


def _signature(measured: Measured, settings: CompareSettings, seed: str) -> Signature:
    metrics = "+".join(f"{s.metric.name}[{s.metric.signature()}]" for s in measured.units)
    facts: dict[str, str | int | float] = {
        "metrics": metrics,
        "systems": len(measured.systems),
        "unit": measured.unit,
        "n": measured.units[0].n_units,
    }
    return Signature("compare", {**facts, **settings.for_signature()}, seed)
