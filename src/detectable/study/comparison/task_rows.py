"""One row per task: the same difference in every part of an evaluation, corrected over tasks."""

import numpy as np

from detectable.study.comparison.claims import claims_of
from detectable.study.comparison.on_scale import on_scale
from detectable.study.comparison.question import Question
from detectable.study.comparison.task_table import TaskRow, TaskRows
from detectable.study.pairs.analysis import by_t, families


def task_rows(question: Question) -> TaskRows | None:
    """Test every pair in every task by t; None where there are no tasks."""
    measured, settings = question.measured, question.settings
    units = measured.tasks
    if units is None:
        return None
    strata, metrics = units.strata, [sample.metric for sample in measured.units]
    n_units, n_segments = np.bincount(units.of_unit), np.bincount(strata.of_segment)
    samples = [units.samples(sample) for sample in measured.units]
    scores = [[[one.score(s) for s in range(len(one.systems))] for one in of] for of in samples]
    groups = families((len(strata.names), len(metrics)), "systems")
    correction = settings.task_correction
    rows = []
    for p, (system, baseline) in enumerate(question.pairs):
        by_metric = [question.task_parts[p][m] for m in range(len(metrics))]
        cells = [[part.estimate() for part in tasks] for tasks in zip(*by_metric, strict=True)]
        found = on_scale(
            measured,
            by_t(
                cells,
                question.margins,
                groups,
                correction,
                alpha=settings.alpha,
                power=settings.power,
            ),
        )
        said = claims_of(
            found,
            groups,
            correction,
            margins=question.margins,
            better=[metric.higher_is_better for metric in metrics],
            settings=settings,
        )
        rows += [
            TaskRow(
                task=name,
                metric=metric.name,
                system=measured.systems[system],
                baseline=measured.systems[baseline],
                claim=said[t][m].claim,
                score=scores[m][t][system],
                baseline_score=scores[m][t][baseline],
                difference=cells[t][m].value,
                standard_error=cells[t][m].standard_error,
                df=cells[t][m].df,
                interval=said[t][m].interval,
                p_value=said[t][m].p_value,
                p_adjusted=said[t][m].p_adjusted,
                mde=said[t][m].mde,
                verdict=said[t][m].verdict,
                n_segments=int(n_segments[t]),
                n_units=int(n_units[t]),
                weight=float(strata.weights[t]),
            )
            for m, metric in enumerate(metrics)
            for t, name in enumerate(strata.names)
        ]
    given = settings.weights
    return TaskRows(
        kind=strata.kind,
        weighting=given if isinstance(given, str) else "given",
        correction=correction,
        names=strata.names,
        rows=tuple(rows),
    )
