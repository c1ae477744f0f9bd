"""What a reader should know before believing the numbers: design, suspicious data, metrics that disagree."""

import itertools
import math
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from detectable.contrasts.claim import cut_intervals
from detectable.core.errors import DataError
from detectable.core.wording import count, listing, p_statement, significant
from detectable.data.texts.corpus import Corpus
from detectable.inference.multiplicity import rank_groups
from detectable.inference.sample import Sample
from detectable.metrics.base import Metric
from detectable.study.comparison.measure import Measured
from detectable.study.comparison.options import OF_DRAWS
from detectable.study.comparison.result import Agreement, PairComparison, SystemScore
from detectable.study.comparison.settings import Question

if TYPE_CHECKING:
    from detectable.data.scores.scored_texts import ScoredTexts
    from detectable.data.scores.scores import Scores

_SKEWED = 1.0  # skewness of unit differences from which on tests err noticeably
_FEW_AND_SKEWED = 30  # units below which that is so
_FEW_TO_RESAMPLE = 40  # units below which bootstrap intervals are rough
_TWO = 2
_GROWN = 3  # pairs that are named
_FEW_PAIRS = 3
_FEW_TO_GROW = 15  # documents below which no test keeps its level where differences grow


def remarks(question: Question, rows: Sequence[PairComparison]) -> tuple[str, ...]:
    """Return notes about skewness, runs, resampling and stepwise corrections."""
    cut: tuple[str, ...] = ()
    if len(rows) > 1 and question.chosen.stepwise != "none":
        cut = cut_intervals(
            (f"{r.system} − {r.baseline} ({r.metric})", r.interval) for r in rows
        )
    return (
        *_skewed(question),
        *_grown(question),
        *_runs(question),
        *_resampled(question),
        *cut,
    )


def _grown(question: Question) -> tuple[str, ...]:
    """Name the pairs whose difference changes with document size, and what that means."""
    measured, trends = question.measured, question.growing
    notes = []
    for (p, m), trend in trends.items():
        sample = measured.units[m]
        system, baseline = (sample.systems[s] for s in question.pairs[p])
        verb = "grows" if trend.slope > 0.0 else "falls"
        notes.append(
            f"The difference {system} − {baseline} ({sample.metric.name}) {verb} with document size "
            f"({p_statement(trend.p_value)}): long documents decide it. Mean over documents: "
            f"{significant(trend.mean_of_documents)}."
        )
    if not notes:
        return ()
    more = len(notes) - _GROWN
    said = [*notes[:_GROWN], f"The same holds for {count(more, 'pair')} more."]
    n_units = measured.units[0].n_units
    tested = "Such differences are tested by the score statistic of documents, not by swaps"
    if question.chosen.correction == "max-t" and question.chosen.family_size > 1:
        tested += "; their pairs are corrected by Holm"
    if n_units < _FEW_TO_GROW:
        tested += (
            f". With {count(n_units, 'document')} it still errs in up to 15 % of cases at .05"
        )
    return (*(said if more > 0 else notes), f"{tested}.")


def _skewed(question: Question) -> tuple[str, ...]:
    """Name the pairs whose units differ lopsidedly: there only the score rule keeps its level."""
    measured = question.measured
    n_units = measured.units[0].n_units
    if n_units >= _FEW_AND_SKEWED or n_units < 3 or question.chosen.test == "score":
        return ()
    names = []
    for p, (system, baseline) in enumerate(question.pairs):
        for m, sample in enumerate(measured.units):
            part = question.parts[p][m]
            residuals = part.parts - part.shares * part.value
            spread = float(residuals.std())
            if spread > 0.0 and abs(float((residuals**3).mean())) / spread**3 > _SKEWED:
                pair = f"{sample.systems[system]} − {sample.systems[baseline]}"
                names.append(f"{pair} ({sample.metric.name})")
    if not names:
        return ()
    errs = "a test at .05 errs in about 7 % of cases"
    if question.settings.claim != "better":
        errs = "a claim about a margin at .05 may err in 8 to 13 % of cases"
    return (
        f"{measured.unit_word.capitalize()} differences are skewed for {listing(names, most=3)}: with "
        f"{count(n_units, measured.unit_word)} {errs}.",
    )


def _runs(question: Question) -> tuple[str, ...]:
    sample = question.measured.units[0]
    if max(sample.runs) < _TWO or question.settings.compat is not None:
        return ()  # nothing is said of new runs
    single = [n for n, r in zip(sample.systems, sample.runs, strict=True) if r < _TWO]
    notes = []
    if single:
        notes.append(
            f"{listing(single)} {'has' if len(single) == 1 else 'have'} one run: for new runs, "
            "the mean run variance of the others is assumed."
        )
    if question.settings.run_variance == "pooled":
        notes.append(
            "One run variance for all systems: assumes equally stable systems. Where one is three "
            "times as unstable, such a test errs in 13 to 16 % of cases at .05."
        )
    elif min(r for r in sample.runs if r >= _TWO) == _TWO:
        notes.append(
            "Two runs say little about run noise: at .05 an effect that a known noise would show "
            "with 80 % power is found with 41 to 65 %. A third run adds most."
        )
    return tuple(notes)


def run_remarks(
    question: Question, rows: Sequence[PairComparison], systems: Sequence[SystemScore]
) -> tuple[str, ...]:
    """Return what the spread of runs advises, as section 4.1 of Clark et al. (2011) does."""
    return (
        *(said for row in systems for said in _tuned(row, question.settings.alpha)),
        *(said for row in rows[:_FEW_PAIRS] for said in _more_runs(row)),
    )


def _tuned(row: SystemScore, alpha: float) -> Iterator[str]:
    """Say where runs differ far more on the test set than where they were tuned, and where even there.

    More on the test set: the ratio of both variances against F with as many degrees of freedom as
    runs less one each, one-sided.
    """
    if not (math.isfinite(row.s_dev) and row.s_test > 0.0):
        return
    from scipy.special import fdtrc

    df = len(row.runs) - 1
    ratio = (row.s_test / row.s_dev) ** 2 if row.s_dev > 0.0 else math.inf
    p = float(fdtrc(df, df, ratio))
    stated = f"s_test {significant(row.s_test, 2)}, s_dev {significant(row.s_dev, 2)}"
    if p <= alpha:
        yield (
            f"Runs of {row.system} ({row.metric}) differ far more on the test set than on the "
            f"development set ({stated}, {p_statement(p)}): the optimizer overfits, or the test set is of "
            "another kind than the development set."
        )
    if row.s_dev > row.s_sel:
        yield (
            f"Runs of {row.system} ({row.metric}) differ even on the development set by more than other "
            f"test sentences would change (s_dev {significant(row.s_dev, 2)}, s_sel "
            f"{significant(row.s_sel, 2)}): the optimizer may be caught in local optima; more restarts "
            "may help."
        )


def _more_runs(row: PairComparison) -> Iterator[str]:
    """Say whether more runs or more sentences would lower what can be detected."""
    if row.verdict != "undecided" or not (row.mde > 0.0 and row.mde_many_runs >= 0.0):
        return
    pair = f"{row.system} − {row.baseline} ({row.metric})"
    reach = f"from {significant(row.mde)} to {significant(row.mde_many_runs)}"
    if row.mde_many_runs * math.sqrt(2.0) < row.mde:
        yield (
            f"What can be detected of {pair} would fall {reach} with very many runs: runs are most of "
            "its noise, so replicate more."
        )
    else:
        yield (
            f"What can be detected of {pair} would fall no further than {reach} with very many runs: the "
            "choice of sentences is most of its noise (s_sel), so a larger test set helps more."
        )


def _resampled(question: Question) -> tuple[str, ...]:
    n_units, unit = question.measured.units[0].n_units, question.measured.unit_word
    used = question.settings.interval in OF_DRAWS or question.chosen.test == "bootstrap"
    if not used or n_units >= _FEW_TO_RESAMPLE:
        return ()
    return (
        f"Resampling {count(n_units, unit)} is rough: below {_FEW_TO_RESAMPLE} bootstrap intervals "
        "are too short.",
    )


# --- What about the data should make one look twice ---

_UNEQUAL = 0.02  # between shares of missing samples
_MANY = 3  # texts of which the same is said once


def suspicions(
    data: "Corpus | Scores", metrics: tuple[Metric, ...], *, refuse: bool = False
) -> list[str]:
    """Return one sentence for each thing that looks wrong.

    `refuse` says that texts which certainly do not belong together are an error.
    """
    if not isinstance(data, Corpus):
        return _score_suspicions(data)
    if metrics and all(getattr(metric, "of_labels", False) for metric in metrics):
        return []  # lines that are alike say nothing there
    from detectable.data.texts.inspect_corpus import check_texts, inspect_corpus

    tokenizing = any(getattr(metric, "tokenize", "none") != "none" for metric in metrics)
    found = (check_texts if refuse else inspect_corpus)(data, tokenizing=tokenizing)
    kinds = dict.fromkeys(finding.kind for finding in found)
    return [
        sentence
        for kind in kinds
        for sentence in _of_one_kind([one.message for one in found if one.kind == kind])
    ]


def refuse_stopped(data: "Scores") -> None:
    """Refuse logs whose runs could be stopped early: plain tests of them claim too much."""
    for log in data.stopped:
        other = "Run it whole"
        if log.is_ours:
            other = "Conclude its plan (detectable conclude PLAN LOGS), or gate it"
        raise DataError(
            f"{log.path}: {log} Plain tests of what it logged claim too much. {other}; or compare "
            "it all the same with `allow_early_stop=True`."
        )


def _of_one_kind(messages: list[str]) -> list[str]:
    """Say the same of many texts once: the first is told whole, the others are counted."""
    if len(messages) < _MANY:
        return messages
    return [f"{messages[0]} The same holds for {len(messages) - 1} more texts."]


def _score_suspicions(scores: "Scores") -> list[str]:
    found = [*_identical(scores)]
    found += [f"{log} Plain tests of what it logged claim too much." for log in scores.stopped]
    gaps = scores.incomplete()
    if gaps:
        found.append(
            f"{count(len(gaps), 'item')} of {scores.n_items} left out, because some system has no "
            f"score there: {listing(list(gaps))}."
        )
        found += _lost_tasks(scores, set(gaps))
    if scores.repeats == "samples":
        return [*found, *_lost_samples(scores)]
    sizes = {name: len(table) for name, table in scores.systems.items()}
    if len(set(sizes.values())) > 1:
        found.append(f"systems have different numbers of runs: {sizes}.")
    return found


def _identical(scores: "Scores") -> Iterator[str]:
    """Name systems whose scores, or else whose outputs, are those of one before them."""
    by_scores: dict[Hashable, str] = {}
    by_outputs: dict[Hashable, str] = {}
    for name, table in scores.systems.items():
        # Equal numbers have equal bytes: there is one zero and one NaN.
        plain = np.where(np.isnan(table), np.nan, table + 0.0)
        first = by_scores.setdefault((table.shape, plain.tobytes()), name)
        outputs = _outputs(scores.texts, name)
        same = by_outputs.setdefault(outputs, name) if outputs else name
        if first != name:
            yield f"systems {first!r} and {name!r} have identical scores: is one a copy?"
        elif same != name:
            yield f"systems {same!r} and {name!r} were scored on the same outputs."


def _outputs(texts: "ScoredTexts | None", name: str) -> tuple[Any, ...]:
    """Return what a score file says that a system wrote, run by run; nothing if it does not."""
    runs = () if texts is None else tuple(tuple(run.outputs) for run in texts.get(name, ()))
    return runs if any(line is not None for run in runs for line in run) else ()


def _lost_tasks(scores: "Scores", gaps: set[str]) -> list[str]:
    """Name the tasks of which no item is left."""
    if scores.tasks is None:
        return []
    pairs = zip(scores.items, scores.tasks, strict=True)
    left = {task for item, task in pairs if item not in gaps}
    lost = [task for task in scores.task_names if task not in left]
    return (
        [f"no item is left of {listing(lost)}: some system has no score there."] if lost else []
    )


def _lost_samples(scores: "Scores") -> list[str]:
    """Say where systems lost samples unequally: those that are left may be the easy ones."""
    shares = {name: scores.missing_share(name) for name in scores.systems}
    if max(shares.values()) - min(shares.values()) <= _UNEQUAL:
        return []
    listed = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
    return [
        f"systems lost different shares of their samples: {listed}. If long or hard answers failed, "
        "what is left flatters the system that lost more."
    ]


# --- Do the metrics tell the same story, and which systems differ significantly ---

_OPPOSITE = {("better", "worse"), ("worse", "better")}


def agreement(measured: Measured, pairs: tuple[PairComparison, ...]) -> tuple[Agreement, ...]:
    """Compare the order of systems under each two metrics that have a direction."""
    judging = [s for s in measured.units if s.metric.higher_is_better is not None]
    found = []
    for first, second in itertools.combinations(judging, 2):
        names = (first.metric.name, second.metric.name)
        scores = [_oriented(sample) for sample in (first, second)]
        couples = list(itertools.combinations(range(len(measured.systems)), 2))
        same = sum(
            bool(np.sign(scores[0][i] - scores[0][j]) == np.sign(scores[1][i] - scores[1][j]))
            for i, j in couples
        )
        found.append(
            Agreement(
                metrics=names,
                same_order=same,
                pairs=len(couples),
                conflicts=_conflicts(names, pairs),
            )
        )
    return tuple(found)


def _oriented(sample: Sample) -> list[float]:
    """Return the score of each system, with the sign turned so that higher is better."""
    sign = 1.0 if sample.metric.higher_is_better else -1.0
    return [sign * sample.score(i) for i in range(len(sample.systems))]


def _conflicts(names: tuple[str, str], pairs: tuple[PairComparison, ...]) -> tuple[str, ...]:
    verdicts = {(p.metric, p.system, p.baseline): p.verdict for p in pairs}
    return tuple(
        f"{system} against {baseline}"
        for metric, system, baseline in verdicts
        if metric == names[0]
        and (verdicts[metric, system, baseline], verdicts[names[1], system, baseline])
        in _OPPOSITE
    )


def groups_by_metric(
    measured: Measured, pairs: tuple[PairComparison, ...]
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return rank groups per metric that has a direction; every pair must have been tested."""
    names = measured.systems
    position = {name: i for i, name in enumerate(names)}
    groups = {}
    for sample in measured.units:
        if sample.metric.higher_is_better is None:
            continue
        beats = np.zeros((len(names), len(names)), dtype=bool)
        for pair in pairs:
            if pair.metric == sample.metric.name and pair.verdict in ("better", "worse"):
                winner, loser = (
                    (pair.system, pair.baseline)
                    if pair.verdict == "better"
                    else (pair.baseline, pair.system)
                )
                beats[position[winner], position[loser]] = True
        scores = _oriented(sample)
        order = sorted(range(len(names)), key=lambda i: -scores[i])
        groups[sample.metric.name] = tuple(
            tuple(names[i] for i in group) for group in rank_groups(order, beats)
        )
    return groups
