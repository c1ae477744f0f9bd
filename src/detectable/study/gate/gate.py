"""`gate`: may the new system take the place of the one in use, or can nobody tell."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from detectable.contrasts.margins import KnownRange, margin_notes
from detectable.core.choices import Decides, GateRule, Inconclusive, LogErrors, Overall
from detectable.core.errors import InputError
from detectable.core.options import asked
from detectable.core.result import Signature
from detectable.core.rng import resolve
from detectable.core.types import Seed
from detectable.core.wording import count, listing
from detectable.data.directions import keep_direction
from detectable.data.files.table import TableSource
from detectable.data.scores.scores import Scores
from detectable.study.gate.baseline import Baseline, level, refuse_of_files, tables_of
from detectable.study.gate.chosen import (
    Reading,
    check_passing,
    names_of,
    only_tasks,
    passing,
    refuse_same_run,
    renamed,
)
from detectable.study.gate.evidence import check_known, known_of
from detectable.study.gate.matching import ONLY_TASK, Matched, match
from detectable.study.gate.overall import NAME as OVERALL
from detectable.study.gate.overall import overall_row
from detectable.study.gate.result import (
    Gate,
    GateRow,
    SelfTest,
    exit_code,
    largest_losses,
    together,
)
from detectable.study.gate.rows import (
    GivenMargin,
    Part,
    check_scale,
    few_notes,
    margins_of,
    rows_of,
    slices_of,
    tail_notes,
)
from detectable.study.gate.stopped import (
    run_of,
    stopped_note,
    stopped_runs,
    tasks_of,
    unlooked_note,
)
from detectable.study.origins import About, reverse_share, without_reverse
from detectable.study.reverse_share import ReverseShare
from detectable.study.settings import GateSettings

_SMALLEST = 1e-6  # level; smaller ones nobody can check


def gate(  # noqa: PLR0913 (what a gate must be told beforehand)
    new: Scores | Iterable[Scores] | Baseline | TableSource,
    baseline: "Baseline | Scores | Iterable[Scores] | TableSource",
    *,
    rule: GateRule = "non-inferiority",
    margin: GivenMargin | Mapping[str, GivenMargin] | None = None,
    scale: tuple[float, float] | Mapping[str, tuple[float, float]] | None = None,
    largest_loss: float | Mapping[str, float] | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    watch: Sequence[str] = (),
    watch_tasks: Sequence[str] = (),
    tasks: Sequence[str] = (),
    rename: Mapping[str, str] | None = None,
    metrics: Sequence[str] = (),
    metric: str | None = None,
    errors: LogErrors | None = None,
    pool: bool = False,
    by: str | None = None,
    overall: Overall | None = None,
    decide: Decides = "tasks",
    inconclusive: Inconclusive | None = None,
    system: str | None = None,
    baseline_system: str | None = None,
    lower_is_better: Sequence[str] = (),
    higher_is_better: Sequence[str] = (),
    allow_different_items: bool = False,
    allow_early_stop: bool = False,
    attempt: int | None = None,
    self_test: bool = False,
    n_resamples: int = 2000,
    rng: Seed = None,
) -> Gate:
    r"""Say whether a new system passes against a baseline, fails, or whether that is open.

    Every task under every metric is a row. The scores of a question are the mean of its samples,
    and questions are paired with those of the baseline. With d the difference new − old, and L and
    U the ends of its interval at 1 − 2α,

    - *non-inferiority* passes if :math:`L > -M` and fails if :math:`U < 0` otherwise;
    - *superiority* passes if :math:`L > 0` and fails if :math:`U < 0`;
    - *no-regression* fails if :math:`U < 0`, and passes if not and a loss of M would have been
      seen with the given power.

    Where lower is better, these rules hold for −d. What is shown is d itself, as in `compare`.

    All scores go by the score rule (`inference.margin_score`), by groups of questions
    (`study.gate.evidence`). All rows must pass, each at α; a row fails only if its p-value passes
    Holm's correction over all rows that decide (`study.gate.result`). Below 10 independent groups
    of questions no row passes.

    Parameters
    ----------
    new : Scores, several of them (one per metric), Baseline, path or data frame
        Of the new system. Files are read by the metrics that `margin` and `watch` name.
    baseline : Baseline, path, Scores, data frame, or str
        Of the system in use: a baseline file, or scores. A word that is no file names a system of
        `new`.
    rule : {'non-inferiority', 'superiority', 'no-regression'}
        What lets it pass.
    margin : float, str, or mapping of str to these
        M, for the only metric or by their names; ``"10%"`` is a share of the old score. Superiority
        has none.
    scale : (float, float) or mapping of str to it, optional
        The least and the largest possible score. By default what is known of the metric, or twice
        the range seen.
    largest_loss : float or mapping of str to float, optional
        What one question can lose at most, where most scores did not change. By default what the
        metric says (25 for MQM), or what the changes seen suggest.
    alpha : float
        One-sided level.
    power : float
        At which passable margins and numbers of questions are stated.
    watch, watch_tasks : sequence of str
        Metrics and tasks that are shown and do not decide.
    tasks : sequence of str
        The tasks to gate; by default all.
    rename : mapping of str to str, optional
        New names of tasks by those of the baseline.
    metrics : sequence of str
        By which metrics files are read, if `margin` and `watch` do not say it.
    metric : str, optional
        ``pass@k`` or ``pass^k``, of answers that are right or wrong.
    errors : {'missing', 'zero'}, optional
        For files: samples that ended in an error are left out, or count 0.
    pool : bool
        For folders with several logs of a task: take all as samples, and not the newest alone.
    by : str, optional
        What to slice questions by: a key of their metadata, or a column. Every task has a row
        per value too; `Scores` have it as ``slices``.
    overall : {'macro', 'micro'}, optional
        Also a row for the mean over tasks, all alike or by their questions.
    decide : {'tasks', 'slices', 'overall'}
        Which rows decide: tasks; tasks and slices; or the mean, unless a task fails.
    inconclusive : {'pass', 'fail'}, optional
        Give an open outcome the exit code of a pass or a fail; by default it is 4.
    system, baseline_system : str, optional
        Which system is meant, where scores hold several.
    lower_is_better, higher_is_better : sequence of str
        Metrics where lower, and where higher is better, if neither their names nor the baseline
        tell. A direction that nothing tells is refused.
    allow_different_items : bool
        Go on with the shared questions, however few they are.
    allow_early_stop : bool
        Show tasks that something else than a plan of this package stopped early, without a say.
    attempt : int, optional
        Which try of this candidate it is, from 1 on: the j-th is tested at α·2⁻ʲ. By default tries
        are not counted.
    self_test : bool
        Simulate evaluations of an unchanged system, and say how they end.
    n_resamples : int
        How many.
    rng : Generator, int or None
        For `self_test`.

    References
    ----------
    Tango (1998), Statistics in Medicine 17(8), 891–908. Berger (1982), Technometrics 24(4),
    295–300. Holm (1979), Scandinavian Journal of Statistics 6(2), 65–70.

    Examples
    --------
    >>> old = [1, 1, 0, 1] * 50
    >>> scores = Scores.build({"old": old, "new": [*old[:199], 0]})
    >>> found = gate(scores, "old", margin=0.03)
    >>> found.outcome, found.exit_code, found.rows[0].difference
    ('pass', 0, -0.005)
    """
    given = dict(locals())
    chosen = asked(GateSettings, given)
    nominal, power, attempt = chosen.alpha, chosen.power, chosen.attempt
    if not _SMALLEST <= nominal < 0.5:
        raise InputError(
            f"`alpha` must lie between {_SMALLEST:g} and .5, as it is one-sided; got {alpha!r}."
        )
    used = level(nominal, attempt)
    check_passing(metric)
    refuse_of_files(new, errors=errors, pool=pool, metrics=metrics)
    _check_decides(decide, by, overall)
    reading = Reading(
        names_of(margin, watch, metrics, metric),
        margin,
        errors,
        by,
        tuple(tasks),
        rename or {},
        pool=pool,
    )
    opened = reading.opened(new, baseline, (system, baseline_system))
    given |= {**opened, "errors": None, "pool": False, "metrics": ()}  # files are read once
    old, candidate = _both(
        **opened,
        system=system,
        baseline_system=baseline_system,
        lower_is_better=lower_is_better,
        higher_is_better=higher_is_better,
    )
    _refuse_itself(opened, candidate.system, old.system)
    old = renamed(old, rename or {})
    if tasks:
        old, candidate = only_tasks(old, tasks), only_tasks(candidate, tasks)
    if metric is not None:
        named = {name.casefold() for name in candidate.metrics}  # it may hold others
        answers = tuple(one for one in old.tallies if one.metric.casefold() in named)
        old = passing(replace(old, tallies=answers or old.tallies), metric)
        candidate = passing(candidate, metric)
    # Before questions are counted: those of a log that was stopped are fewer.
    runs, others = stopped_runs(
        [
            log
            for one in candidate.tallies
            for log in one.stopped
            if log.task in {task.task for task in one.tasks}
        ],
        allowed=chosen.allow_early_stop,
    )
    pairs = _matched(old, candidate, allow_different_items=allow_different_items)
    known = [one.metric for one in pairs]
    watched = _watched(pairs, known, watch, (*watch_tasks, *tasks_of(pairs, others)))
    margins, shares = margins_of(
        margin, known, rule=rule, watch=watch, besides=() if overall is None else [OVERALL]
    )
    ranges = _ranges(pairs, margins, scale, largest_loss)

    unlooked = [
        (one.metric, task.task)
        for one in pairs
        for task in one.tasks
        if one.metric in shares and run_of(one, task.task, runs) is not None
    ]
    parts = [
        Part(
            one,
            task,
            margins.get(one.metric, math.nan),
            (one.metric, task.task) in {*watched, *unlooked},
            ranges[one.metric],
            one.kinds.get(task.task),
            one.metric in shares,
            stopped=run_of(one, task.task, runs),
        )
        for one in pairs
        for task in one.tasks
    ]
    for part in parts:
        if part.relative:
            continue
        check_known(
            part.known, part.of.metric, margins.get(part.of.metric), part.task, sign=part.sign
        )
    common: dict[str, Any] = {"rule": rule, "alpha": used, "power": power}
    rows, unsliced = _rows(parts, by, overall, decide, margins, common)
    of_tasks = rows[: len(parts)]
    tested, seed = _self_tested(
        parts,
        chosen.n_resamples if self_test else None,
        rng,
        decide=decide,
        **common,
    )
    outcome, digest = together([one.outcome for one in rows if not one.watched]), old.sha256
    found = Gate(
        outcome=outcome,
        exit_code=exit_code(outcome, inconclusive),
        rows=rows,
        system=candidate.system,
        baseline=old.system,
        rule=rule,
        margin=margins,
        alpha=used,
        nominal_alpha=nominal,
        attempt=attempt,
        power=power,
        inconclusive=inconclusive,
        baseline_sha256=digest,
        new_sha256=None if attempt is None else candidate.sha256,
        baseline_commit=old.commit,
        baseline_created=old.created,
        self_test=tested,
        losses=largest_losses(
            (part.of.metric, part.sign, part.task) for part in parts if not part.watched
        ),
        notes=(
            *(said for one in pairs for said in one.notes),
            *same_notes(pairs, candidate.system, old.system),
            *stopped_note(
                list(runs.values()),
                [part.task.task for part in parts if part.stopped and part.is_grouped],
            ),
            *unlooked_note(unlooked),
            *direction_notes(pairs),
            *_margin_notes([part for part in parts if not part.relative], used),
            *tail_notes(rows, used),
            *unsliced,
            *few_notes(of_tasks, len(known)),
        ),
        signature=gate_signature(
            digest,
            of_tasks,
            {
                name: f"{value:.6g}" if name not in shares else f"{100.0 * value:.6g}%"
                for name, value in margins.items()
            },
            rule=rule,
            alpha=used,
            seed=seed,
            beside={
                "by": by,
                "overall": overall,
                "decide": decide if decide != "tasks" else None,
            },
        ),
        decide=decide,
        by=by or "",
    )
    return replace(found, reverse=_without_reverse(given, found))


def _without_reverse(given: Mapping[str, Any], found: Gate) -> ReverseShare | None:
    """Gate again on what was first written in the source language, where that is known."""
    if isinstance(given["new"], Baseline):
        return None
    tables = tables_of(given["new"], "new")
    shares = [reverse_share(table) for table in tables]
    if not tables or any(share is None for share in shares):
        return None
    if not all(share is not None and share.is_mixed for share in shares):
        return shares[0]

    def outcomes(result: Gate) -> dict[About, str]:
        rows = {(row.metric, row.task): row.outcome for row in result.rows}
        return {("", "the gate"): result.outcome, **(rows if len(rows) > 1 else {})}

    def again(_: Scores) -> tuple[dict[About, str], dict[About, float]]:
        forward = [keep_direction(table) for table in tables]
        old = given["baseline"]
        if isinstance(old, list | tuple):
            old = [keep_direction(table) for table in old]
        elif isinstance(old, Scores):
            old = keep_direction(old)
        # A baseline file does not say which of its questions are reverse-created.
        fixed = {"self_test": False, "rng": None, "allow_different_items": True}
        return outcomes(gate(**{**given, "new": forward, "baseline": old, **fixed})), {}

    return without_reverse(tables[0], verdicts=outcomes(found), again=again)


def _refuse_itself(opened: Mapping[str, Any], system: str, baseline: str) -> None:
    """Refuse a run on both sides, where both are scores."""
    if all(isinstance(side, list) for side in opened.values()):
        refuse_same_run(opened["new"], opened["baseline"], system, baseline)


def _rows(
    parts: Sequence[Part],
    by: str | None,
    overall: Overall | None,
    decide: Decides,
    margins: Mapping[str, float],
    common: Mapping[str, Any],
) -> tuple[tuple[GateRow, ...], list[str]]:
    """Return the rows of tasks, of their slices and of the mean, with notes; tasks come first."""
    sliced, notes = slices_of(parts, by, watched=decide != "slices") if by else ([], [])
    if decide == "slices":
        rows = rows_of([*parts, *sliced], **common)
    else:
        rows = (*rows_of(parts, **common), *rows_of(sliced, **common))
    if all(row.watched for row in rows):
        raise InputError("every row is only watched, so nothing decides. Watch fewer.")
    if overall is None:
        return rows, notes
    mean = overall_row(
        parts,
        rows[: len(parts)],
        how=overall,
        margins=margins,
        watched=decide != "overall",
        rule=common["rule"],
        alpha=common["alpha"],
    )
    if decide == "overall":  # tasks of the mean have a veto, and no other say
        rows = tuple(
            row if row.relative else replace(row, watched=row.watched or row.outcome != "fail")
            for row in rows
        )
    return (*rows, mean), notes


def _check_decides(decide: Decides, by: str | None, overall: Overall | None) -> None:
    if decide == "slices" and by is None:
        raise InputError("`decide='slices'` needs `by`: what to slice questions by.")
    if decide == "overall" and overall is None:
        raise InputError("`decide='overall'` needs `overall`: macro or micro.")


def _both(
    new: list[Scores] | Baseline,
    baseline: "Baseline | list[Scores] | str",
    *,
    system: str | None,
    baseline_system: str | None,
    lower_is_better: Sequence[str],
    higher_is_better: Sequence[str],
) -> tuple[Baseline, Baseline]:
    """Return the item scores of the system in use and of the new one."""
    told: dict[str, Any] = {
        "lower_is_better": lower_is_better,
        "higher_is_better": higher_is_better,
    }
    if isinstance(baseline, str) and not isinstance(new, Baseline):
        baseline_system, baseline = baseline, new
    if not isinstance(baseline, Baseline):
        olds = cast("list[Scores]", baseline)
        others = [name for name in (olds[0].systems if olds else ()) if name != system]
        if baseline_system is None and system is not None and len(others) == 1:
            baseline_system = others[0]
        baseline = Baseline.of(olds, baseline_system, **told)
    if isinstance(new, Baseline):
        return baseline, new
    return baseline, new_scores(new, system, baseline, **told)


def new_scores(
    tables: Sequence[Scores],
    system: str | None,
    baseline: Baseline,
    *,
    lower_is_better: Sequence[str] = (),
    higher_is_better: Sequence[str] = (),
) -> Baseline:
    """Return the item scores of the new system; of two the one that is not the baseline."""
    if system is None and tables:
        others = [name for name in tables[0].systems if name != baseline.system]
        system = others[0] if len(others) == 1 else None
    return Baseline.of(
        tables, system, lower_is_better=lower_is_better, higher_is_better=higher_is_better
    )


def _matched(old: Baseline, new: Baseline, *, allow_different_items: bool) -> list[Matched]:
    """Pair the questions of every metric of the new scores."""
    before = {one.metric.casefold(): one for one in old.tallies}
    if len(old.tallies) == len(new.tallies) == 1:
        before = {new.metrics[0].casefold(): old.tallies[0]}  # match says what is wrong with it
    missing = [name for name in new.metrics if name.casefold() not in before]
    if missing:
        raise InputError(
            f"the baseline has no {listing(missing)}; it holds {listing(list(old.metrics))}. Gate "
            "the same metrics, or accept a new baseline."
        )
    return [
        match(before[one.metric.casefold()], one, allow_different_items=allow_different_items)
        for one in new.tallies
    ]


def _ranges(
    pairs: Sequence[Matched],
    margins: Mapping[str, float],
    scale: tuple[float, float] | Mapping[str, tuple[float, float]] | None,
    largest_loss: float | Mapping[str, float] | None,
) -> dict[str, KnownRange]:
    """Return what is known of the scores of every metric; margins must lie on their scale."""
    for one in pairs:
        check_scale(one.metric, margins.get(one.metric), zero_one=one.zero_one)
    names = [one.metric for one in pairs]
    told = {"scale": scale, "largest_loss": largest_loss}
    by_metric: dict[str, dict[str, Any]] = {}
    for option, value in told.items():
        given = value if isinstance(value, Mapping) else dict.fromkeys(names, value)
        by_metric[option] = {}
        for name, bound in given.items():
            known = next((m for m in names if m.casefold() == name.casefold()), None)
            if known is None:
                raise InputError(
                    f"`{option}` must be for one of {listing(names)}; got {name!r}."
                )
            by_metric[option][known] = bound
    return {
        one.metric: known_of(
            one,
            by_metric["scale"].get(one.metric),
            by_metric["largest_loss"].get(one.metric),
        )
        for one in pairs
    }


def _watched(
    pairs: Sequence[Matched],
    metrics: Sequence[str],
    watch: Sequence[str],
    watch_tasks: Sequence[str],
) -> set[tuple[str, str]]:
    """Return the rows that do not decide, as (metric, task)."""
    tasks = list(dict.fromkeys(task.task for one in pairs for task in one.tasks))
    for names, known, option in (
        (watch, metrics, "watch"),
        (watch_tasks, tasks, "watch_tasks"),
    ):
        for name in names:
            if name not in known:
                raise InputError(
                    f"`{option}` must name one of {listing(list(known))}; got {name!r}."
                )
    return {
        (one.metric, task.task)
        for one in pairs
        for task in one.tasks
        if one.metric in watch or task.task in watch_tasks
    }


def _self_tested(
    parts: Sequence[Part],
    n_simulations: int | None,
    rng: Seed,
    *,
    decide: Decides,
    rule: GateRule,
    alpha: float,
    power: float,
) -> tuple[SelfTest | None, str | None]:
    if n_simulations is None:
        return None, None
    if decide != "tasks" or any(part.relative and not part.watched for part in parts):
        raise InputError(
            "`self_test` knows gates of tasks with margins on the scale of their scores. Leave it "
            "out, or only watch the others."
        )
    from detectable.study.gate.self_test import Repeated, self_test

    generator, seed = resolve(rng)
    tested = self_test(
        [
            Repeated(
                part.task,
                part.margin,
                part.of.zero_one,
                part.sign,
                part.known,
                part.kind or part.evidence().score.kind,
            )
            for part in parts
            if not part.watched
        ],
        rule=rule,
        alpha=alpha,
        power=power,
        n_simulations=n_simulations,
        rng=generator,
    )
    return tested, seed


# --- What a gate says besides its rows: which way scores go, few groups, and how to repeat it ---

_DIGEST = 12  # characters of a hash that a person compares


def direction_notes(pairs: Sequence[Matched]) -> list[str]:
    """Say where lower is better."""
    return [f"{one.metric}: lower is better." for one in pairs if not one.higher_is_better]


def same_notes(pairs: Sequence[Matched], candidate: str, baseline: str) -> list[str]:
    """Say where every question has the very scores that it has in the baseline."""
    notes = []
    for one in pairs:
        for task in one.tasks:
            if task.old.same_as(task.new):
                names = [task.task] * (task.task != ONLY_TASK) + [one.metric] * (len(pairs) > 1)
                where = f" on {'/'.join(names)}" if names else ""
                notes.append(
                    f"All {count(len(task.new.items), 'score')} of {candidate}{where} equal those of "
                    f"{baseline}. Is it the same run?"
                )
    return notes


def _margin_notes(parts: Sequence[Part], alpha: float) -> list[str]:
    """Say what passes against margins rest on; the same sentence once, with its rows."""
    said: dict[str, list[str]] = {}
    for part in parts:
        if math.isnan(part.margin):
            continue
        for sentence in margin_notes(
            part.evidence().score,
            part.known,
            margin=part.margin,
            alpha=alpha,
            item="question",
        ):
            said.setdefault(sentence, []).append(part.task.task)
    if len(parts) == 1:
        return list(said)
    return [f"{listing(rows)}: {sentence}" for sentence, rows in said.items()]


def gate_signature(
    baseline_sha256: str,
    rows: Sequence[GateRow],
    margins: Mapping[str, str],
    *,
    rule: GateRule,
    alpha: float,
    seed: str | None,
    beside: Mapping[str, str | None],
) -> Signature:
    """Return the recipe of a gate."""
    settings: dict[str, str | int | float] = {
        "metrics": ",".join(dict.fromkeys(row.metric for row in rows)),
        "rule": rule,
    }
    if margins:
        values = list(margins.values())
        settings["margin"] = values[0] if len(set(values)) == 1 else ",".join(values)
    first = list({row.task: row for row in reversed(rows)}.values())[::-1]
    samples = sorted({round(row.samples_new, 2) for row in first})
    settings |= {
        "alpha": float(f"{alpha:.6g}"),
        "n": sum(row.n_items for row in first),
        "groups": sum(row.n_clusters for row in first),
        "k": f"{samples[0]:g}" if len(samples) == 1 else f"{samples[0]:g}-{samples[-1]:g}",
        "baseline": baseline_sha256[:_DIGEST],
    }
    settings |= {name: value for name, value in beside.items() if value is not None}
    return Signature("gate", settings, seed)
