"""Is system B better than system A on this test set, and could the test set have told."""

import itertools
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from detectable.contrasts.analysis import Pairs
from detectable.core import check
from detectable.core.choices import (
    Claim,
    CompareTest,
    CompareUnit,
    Compat,
    CorrectionFamily,
    IntervalMethod,
    MedianBy,
    PairCorrection,
    Runs,
    RunVariance,
    TaskCorrection,
    Tasks,
    TaskWeights,
)
from detectable.core.errors import CompatibilityWarning, InputError, SuspiciousDataWarning
from detectable.core.execute import Engine
from detectable.core.options import asked
from detectable.core.types import ArrayLike, Progress, Seed, silent
from detectable.data.texts.corpus import Corpus
from detectable.inference.randomization import MetricParts, swap_parts
from detectable.metrics.base import Metric
from detectable.study.comparison.claims import check_claim, claims, margins_of
from detectable.study.comparison.leverage import Leverage, leverage
from detectable.study.comparison.measure import (
    choose_metrics,
    describe_metrics,
    measure,
    with_further_scores,
)
from detectable.study.comparison.options import CompareSettings
from detectable.study.comparison.remarks import (
    refuse_stopped,
    remarks,
    run_remarks,
    suspicions,
)
from detectable.study.comparison.result import Comparison, Influential
from detectable.study.comparison.rows import development_scores, pair_rows, system_rows
from detectable.study.comparison.segments import contrasts
from detectable.study.comparison.settings import Question, choose, per_metric, signature_of
from detectable.study.comparison.ways_to_test import (
    agreement_of,
    by_runs,
    by_units,
    directions_of,
    groups_of,
    right_or_wrong,
    samples_of,
    standings_of,
    strata_of,
    task_parts_of,
    tasks_of,
    two_way_of,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from detectable.contrasts.margins import AgainstMargins, KnownRange
    from detectable.data.files.table import TableSource
    from detectable.data.scores.scores import Scores
    from detectable.study.archive.meaning import MeaningCurve, PairMeaning
    from detectable.study.comparison.parts import DrawnRuns
    from detectable.study.reverse_share import ReverseShare


def compare(  # noqa: PLR0913 (the options of one command; they are bundled on the first line)
    data: "Corpus | Scores | TableSource",
    metrics: "Sequence[str | Metric | Scores] | str | Metric | None" = None,
    *,
    baseline: str | None = None,
    lower_is_better: Sequence[str] = (),
    claim: Claim = "better",
    test: CompareTest = "auto",
    interval: IntervalMethod = "test",
    runs: Runs = "auto",
    run_variance: RunVariance = "own",
    correction: PairCorrection = "auto",
    family: CorrectionFamily = "systems",
    unit: CompareUnit = "auto",
    allow_early_stop: bool = False,
    compat: Compat | None = None,
    margin: float | Mapping[str, float] | None = None,
    scale: tuple[float, float] | Mapping[str, tuple[float, float]] | None = None,
    largest_loss: float | Mapping[str, float] | None = None,
    effect: float | Mapping[str, float] | None = None,
    tasks: Tasks = "fixed",
    weights: TaskWeights | Mapping[str, float] = "macro",
    task_correction: TaskCorrection = "holm",
    dev_scores: Mapping[str, ArrayLike] | None = None,
    dev_metric: str | None = None,
    runs_drawn: Sequence[int] = (),
    median_by: MedianBy = "test",
    meaning: "MeaningCurve | Literal['auto'] | None" = "auto",
    alpha: float = 0.05,
    power: float = 0.80,
    n_resamples: int | None = None,
    n_examples: int = 3,
    rng: Seed = None,
    n_jobs: int = 1,
    executor: "Executor | None" = None,
    progress: Progress = silent,
) -> Comparison:
    """Compare two or more systems under one or more metrics.

    Every pair ends in a verdict: *better* or *worse* when the corrected p-value is at most
    `alpha`, *equivalent* when a margin was given and the difference is shown to lie within it,
    and otherwise *undecided*, with the smallest difference that this evaluation could
    have detected. Interval and detectable difference are those of the very test that
    decides: the interval holds 0 if and only if the corrected p-value is above `alpha`.

    Parameters
    ----------
    data : Corpus or Scores
        Outputs and references, or segment scores computed elsewhere.
    metrics : names or Metric objects
        Default: BLEU and chrF for texts; accuracy for 0/1 scores, else the mean. Beside texts also
        `Scores` of the same systems and segments, such as those of COMET; beside scores further
        `Scores` of the same systems and items, each a metric by its name.
    baseline : str, optional
        Compare every other system with this one. Without it, all pairs are compared and, with
        the claim ``'better'``, systems are put into rank groups.
    lower_is_better : sequence of str
        Names of given scores where lower is better. By default the name tells (TER, MetricX,
        loss and others), and a note says which way the scores were taken.
    claim : {'better', 'non-inferior', 'equivalent'}
        What is to be shown. ``'non-inferior'``: not worse than the baseline by more than the
        margin, a one-sided test at `alpha`. ``'equivalent'``: within ± the margin, two of them.
        Both go by the score rule (`inference.margin_score`), unless `test` names another.
    test : {'auto', 'randomization', 't', 'bootstrap'}
        Swap outputs between systems, a t test over units, or resample units and centre the
        differences. ``'auto'`` swaps, all patterns where there are few and 9,999 random ones
        else; units that are too few to swap (fewer than 7 at .05) are tested by t. Swaps of right
        and wrong answers to independent items are McNemar's exact test, which draws nothing.
    interval : {'test', 'delta', 'percentile', 'basic', 'bca'}
        That of the test (half samples for swaps, the score interval for 0/1 scores, t for t),
        by t from influence values, or from bootstrap draws.
    runs : {'auto', 'random', 'fixed'}
        With several runs per system: are these runs the systems, or a sample of the runs that
        might have been made? ``'random'`` is a two-way t test over units and runs, and the
        default as soon as every system has two. The result states both.
    run_variance : {'own', 'pooled'}
        For new runs: the variance between runs of each system, or one for all systems. Pooling
        finds more with two or three runs, and assumes that the systems are equally stable.
    correction : {'auto', 'max-t', 'holm', 'none'}
        For testing several pairs; ``'max-t'`` uses the correlation between the tests, and is the
        default wherever there are swaps. Exact tests of right and wrong answers are corrected by
        Holm; with ``'max-t'`` they are swapped at random.
    family : {'systems', 'systems-and-metrics'}
        What the correction covers: all pairs under one metric, or under all metrics.
    unit : {'auto', 'segment', 'document'}
        What is independent. Default: documents where they are known.
    allow_early_stop : bool
        Compare what logs hold whose runs were stopped early, which claims too much.
    compat : {'multeval', 'sacrebleu'}, optional
        Another tool's test, number for number, with a warning of what is wrong with it.
    margin : float or mapping of metric to float, optional
        Differences smaller than this do not matter. Fix it before looking at the data. With the
        claim ``'better'``, a difference that is shown to lie within it is called equivalent.
    scale : (float, float) or mapping of metric to it, optional
        The least and the largest possible score of given scores, for claims about a margin. By
        default what metric and format say, or twice the range seen.
    largest_loss : float or mapping of metric to float, optional
        What one item can lose at most, for claims about a margin where most scores did not change.
        By default what the format says (25 for MQM), or what the changes seen suggest.
    effect : float or mapping of metric to float, optional
        A difference that would matter: the result says how much data would show it.
    tasks : {'fixed', 'random', 'pooled'}
        Of scores with several tasks: the weighted mean of these tasks, tested by t within tasks
        (margins: by the score rule); of other tasks like these, from the spread between at least
        five; or all items together, as if there were no tasks. Every task has a row of its own in
        the first two.
    weights : {'macro', 'items'} or mapping of task to weight
        Tasks weigh alike, by their items, or as given.
    task_correction : {'holm', 'benjamini-hochberg', 'none'}
        For testing one pair in several tasks.
    dev_scores : mapping of system, or ``metric:system``, to scores, optional
        Development-set score of each run, for s_dev of the metric that was tuned.
    dev_metric : str, optional
        The metric of `dev_scores`, where there are several and the keys do not say it.
    runs_drawn : sequence of int
        Say what so many runs of each system would have said, drawn from those at hand, and what
        the best and the worst run of each.
    median_by : {'test', 'dev'}
        The run to read is the median by its scores, or by `dev_scores`: chosen on one set and read on
        another.
    meaning : MeaningCurve, 'auto' or None
        Say how often people agreed with differences of this size: by the shipped curves where a
        metric is one of theirs (`detectable.study.archive.meaning`), by a curve of your own
        (`fit_meaning`), or not at all. It changes no verdict.
    alpha, power : float
        Error rate of the tests; power at which the detectable difference is stated.
    n_resamples : int, optional
        Random swaps or bootstrap resamples. By default 9,999, and as many more as Holm's
        correction needs.
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
    >>> from detectable.data.scores.scores import Scores
    >>> scores = Scores.build({"A": [1, 0, 1, 1, 0, 1], "B": [1, 1, 1, 1, 1, 1]})
    >>> result = compare(scores, baseline="A", rng=1)
    >>> result.pairs[0].verdict, round(result.pairs[0].difference, 3)
    ('undecided', 0.333)
    """
    given = dict(locals())
    settings = asked(CompareSettings, given)
    whole = _given(data, settings)
    data, metrics, lower_is_better, several = with_further_scores(
        whole, metrics, lower_is_better
    )
    chosen = choose_metrics(data, metrics, lower_is_better)
    names = tuple(metric.name for metric in chosen)
    margins, effects = per_metric(margin, names, "margin"), per_metric(effect, names, "effect")
    if effects and claim != "better":
        raise InputError(
            f"`effect` is a difference to be found, so it goes with `claim='better'`; got "
            f"{claim!r}. The margin takes its place."
        )
    ranges = _known_ranges(data, chosen, margins, scale=scale, largest_loss=largest_loss)
    pairs = choose_pairs(tuple(data.systems), baseline)
    engine = Engine.start(rng, n_jobs=n_jobs, executor=executor, progress=progress)
    notes = directions_of(data, chosen, asked=metrics is not None)
    notes = (*several, *notes, *_warn(data, chosen, settings))
    data = data if isinstance(data, Corpus) else data.complete()
    measured = measure(
        data,
        chosen,
        unit=settings.unit,
        progress=progress,
        compact=True,
        strata=strata_of(data, settings),
    )
    if measured.tasks is not None:
        measured.tasks.check(measured.unit_word)
    if compat is None:
        measured, copies = measured.without_copies()
        notes = (*notes, *copies)
    question = Question(
        measured=measured,
        pairs=pairs,
        parts=MetricParts(tuple(swap_parts(sample, pairs) for sample in measured.units)),
        margins=margins_of(names, margins),
        settings=settings,
        chosen=choose(measured, len(pairs), settings, margins=bool(margins)),
        task_parts=task_parts_of(measured, pairs),
        ranges=ranges,
    )
    check_claim(question)
    against, of_margins = _against_margins(question) if margins else ({}, ())
    fixed, draws = by_units(question, engine, against)
    two_way = None if measured.tasks is not None else two_way_of(question, fixed)
    found = {"fixed": fixed}
    if two_way is not None:
        found["random"] = by_runs(question, two_way)
    claimed = claims(question, found[question.chosen.runs])
    rows = pair_rows(question, found, two_way, claimed, effects)
    # Claims about margins put no system above another.
    groups = groups_of(measured, rows, ranked=baseline is None and claim == "better")
    systems = system_rows(
        question,
        draws,
        development=development_scores(measured, names, dev_scores, dev_metric),
        groups=groups,
    )
    asked_runs = _asked_runs(question, runs_drawn)
    median_runs = [row.median_run for row in systems[:: len(chosen)]]
    samples, of_samples = samples_of(data, question, rows)
    of_tasks = tasks_of(question)
    found_in_all = Comparison(
        metrics=describe_metrics(data, chosen, rows),
        systems=systems,
        pairs=rows,
        groups=groups,
        agreement=agreement_of(measured, rows),
        contrasts=contrasts(
            data if isinstance(data, Corpus) else data.averaged(),
            measured.segments[0],
            pairs,
            measured.documents,
            median_runs=median_runs,
            n_examples=n_examples,
        ),
        # Without one unit of a task the others of the task count for more: not what is left out here.
        influential=tuple(
            _influential(data, question, hinge)
            for hinge in ([] if measured.tasks else leverage(question, claimed, engine))
        ),
        unit=measured.unit,
        n_units=measured.units[0].n_units,
        n_segments=measured.segments[0].n_units,
        n_runs=dict(zip(measured.systems, measured.units[0].runs, strict=True)),
        test=question.chosen.test,
        runs=question.chosen.runs,
        correction=question.chosen.stepwise
        if question.chosen.runs == "random"
        else question.chosen.correction,
        family=family,
        n_resamples=question.chosen.n_patterns if question.chosen.draws else None,
        exact=question.chosen.exact,
        claim=claim,
        alpha=alpha,
        power=power,
        margin=margins,
        effect=effects,
        notes=(
            *notes,
            *of_margins,
            *remarks(question, rows),
            *run_remarks(question, rows, systems),
            *of_samples,
        ),
        samples=samples,
        tasks=of_tasks,
        standings=standings_of(question, rows, of_tasks),
        item_word=measured.item_word,
        drawn_runs=_drawn_runs(question, asked_runs, engine),
        median_by=median_by,
        signature=signature_of(question, engine.seed),
    )
    return replace(
        found_in_all,
        reverse=_without_reverse(whole, given, found_in_all),
        meanings=_meanings(data, found_in_all, meaning),
    )


def _meanings(
    data: "Corpus | Scores", found: Comparison, wanted: "MeaningCurve | Literal['auto'] | None"
) -> "tuple[PairMeaning, ...]":
    """Return what differences meant to people, where a metric of translations is compared."""
    if wanted is None:
        return ()
    # Imported here: comparisons of answers and their like need none of it.
    from detectable.study.archive.meaning import PairMeaning, is_learned, meaning_of_pair

    named = any(is_learned(found.label(one["metric"])) for one in found.metrics)
    if wanted == "auto" and not (isinstance(data, Corpus) or named):
        return ()
    said = []
    for pair in found.pairs:
        meaning, reason, limit = meaning_of_pair(
            found.about(pair.metric),
            pair.difference,
            n_segments=found.n_segments,
            within_margin=pair.claim != "better" or pair.verdict == "equivalent",
            curve=None if wanted == "auto" else wanted,
        )
        said.append(
            PairMeaning(
                metric=pair.metric,
                system=pair.system,
                baseline=pair.baseline,
                meaning=meaning,
                reason=reason,
                limit=limit,
            )
        )
    return tuple(said)


# Few ask for drawn runs, and every start would pay for their module.


def _asked_runs(question: Question, wanted: Sequence[int]) -> tuple[int, ...]:
    if not wanted:
        return ()
    from detectable.study.comparison.drawn_runs import checked_runs

    return checked_runs(question, wanted)


def _drawn_runs(
    question: Question, wanted: tuple[int, ...], engine: Engine
) -> "tuple[DrawnRuns, ...]":
    if not wanted:
        return ()
    from detectable.study.comparison.drawn_runs import drawn_runs

    return drawn_runs(question, wanted, engine.rng.spawn(1)[0])


def _without_reverse(
    data: "Corpus | Scores", given: Mapping[str, Any], found: Comparison
) -> "ReverseShare | None":
    """Compare again on what was first written in the source language, where that is known."""
    if data.original_languages is None:
        return None
    # Most data do not say it, and need none of this.
    from detectable.data.directions import rows_of_direction, same_lines
    from detectable.study.origins import About, same_seed, without_reverse

    fixed = {
        "rng": same_seed(found.signature.seed),
        "n_examples": 0,
        "runs_drawn": (),
        "progress": silent,
    }

    def verdicts(result: Comparison) -> dict[About, str]:
        return {
            (result.label(row.metric), f"{row.system} against {row.baseline}"): row.verdict
            for row in result.pairs
        }

    def again(forward: "Corpus | Scores") -> tuple[dict[About, str], dict[About, float]]:
        metrics = given["metrics"]  # further scores find the items of the data by name
        if isinstance(data, Corpus) and isinstance(metrics, list | tuple):
            # Scores beside the texts are of the same lines.
            kept = rows_of_direction(data, "forward")
            metrics = [
                one
                if isinstance(one, str | Metric) or not hasattr(one, "are_numbered")
                else same_lines(one, data, kept)
                for one in metrics
            ]
        part = compare(**{**given, "data": forward, "metrics": metrics, **fixed})
        return verdicts(replace(part, reverse=None)), {}

    return without_reverse(data, verdicts=verdicts(found), again=again)  # type: ignore[type-var]  # it is one of the two


def _known_ranges(
    data: "Corpus | Scores",
    chosen: Sequence[Metric],
    margins: Mapping[str, float],
    *,
    scale: tuple[float, float] | Mapping[str, tuple[float, float]] | None,
    largest_loss: float | Mapping[str, float] | None,
) -> "tuple[KnownRange, ...]":
    """Return what is known of the scores of each metric; nobody asks without a margin."""
    if not margins and scale is None and largest_loss is None:
        return ()
    from detectable.study.comparison.margin_scores import ranges_of

    return ranges_of(data, chosen, scale=scale, largest_loss=largest_loss, margins=margins)


def _given(
    data: "Corpus | Scores | TableSource", settings: CompareSettings
) -> "Corpus | Scores":
    """Return texts as they are, and scores from whatever holds them."""
    if isinstance(data, Corpus):
        return data
    from detectable.data.scores.read_scores import scores_of  # texts need no reader of scores

    found = scores_of(data, "`data` must be scores, texts")
    if not settings.allow_early_stop:
        refuse_stopped(found)
    return found


def _against_margins(
    question: Question,
) -> "tuple[AgainstMargins, tuple[str, ...]]":
    """Return what the score rule says of margins, and what is to be said of it."""
    from detectable.study.comparison.margin_scores import margin_scores, notes_of_margins

    # A weighted mean of tasks is no share of right answers.
    by_task = question.measured.tasks is not None
    answers = {} if by_task else right_or_wrong(question.measured, question.pairs)
    found = margin_scores(question, answers)
    return found, notes_of_margins(question, found)


def _influential(data: "Corpus | Scores", question: Question, found: Leverage) -> Influential:
    """Return the unit that a pair hangs on, by name."""
    measured = question.measured
    sample = measured.units[found.metric]
    system, baseline = (sample.systems[s] for s in question.pairs[found.pair])
    if measured.unit == "document" and measured.documents is not None:
        name = measured.documents[1][found.unit]
    else:
        name = str(found.unit + 1) if isinstance(data, Corpus) else data.items[found.unit]
    return Influential(
        metric=sample.metric.name,
        system=system,
        baseline=baseline,
        unit=measured.unit,
        name=name,
        difference=found.difference,
        p_adjusted=found.p_adjusted,
        decides=found.decides,
    )


def choose_pairs(systems: tuple[str, ...], baseline: str | None) -> Pairs:
    """Return positions of (system, baseline): all against one, or every pair."""
    if len(systems) < 2:
        raise InputError(
            f"a comparison needs at least two systems; got {', '.join(systems)} only. What one "
            "scores, with intervals, says `detectable score`."
        )
    if baseline is None:
        check.number_of_pairs(len(systems), "Name a baseline, or give fewer systems.")
        return tuple((b, a) for a, b in itertools.combinations(range(len(systems)), 2))
    if baseline not in systems:
        raise InputError(f"no system named {baseline!r}; there are {', '.join(systems)}.")
    base = systems.index(baseline)
    return tuple((i, base) for i in range(len(systems)) if i != base)


def _warn(
    data: "Corpus | Scores", metrics: tuple[Metric, ...], settings: CompareSettings
) -> tuple[str, ...]:
    """Issue every warning and return their texts: a report must not lose them."""
    notes = []
    for message in suspicions(data, metrics, refuse=True):
        warnings.warn(message, SuspiciousDataWarning, stacklevel=3)
        notes.append(message)
    if settings.compat is not None:
        from detectable.inference.compat import WARNINGS

        key = "multeval" if settings.compat == "multeval" else settings.compat_test
        warnings.warn(WARNINGS[key], CompatibilityWarning, stacklevel=3)
        notes.append(WARNINGS[key])
    return tuple(notes)
