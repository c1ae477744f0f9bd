"""What one system scores: every task with its interval, and the detectable difference."""

import math
from collections.abc import Iterator

from detectable.core.wording import capital, count, number
from detectable.report import blocks
from detectable.study.gate.matching import ONLY_TASK
from detectable.study.score.score import ScoreRow, SystemScores


def show_system_scores(found: SystemScores) -> Iterator[blocks.Block]:
    """Show the scores, their picture, and the detectable difference."""
    yield blocks.Verdict("info", _headline(found), tuple(_details(found)))
    yield _table(found, "scores", "Scores", [row for row in found.rows if not row.slice])
    if found.by:
        rows = [row for row in found.rows if row.slice]
        yield _table(found, "slices", f"By {found.by}", rows)
    yield from blocks.notes(found.notes)
    yield _methods(found)


def say_system_scores(found: SystemScores) -> str:
    """Say the scores, and the detectable difference."""
    return " ".join((_headline(found), *_details(found)))


def _headline(found: SystemScores) -> str:
    rows = [row for row in found.rows if not row.slice]
    mean = next((row for row in rows if row.method == "mover"), None)
    if mean is not None:
        of = count(len(rows) - 1, "task")
        return f"{found.system}: {_with_interval(mean)}, the {mean.task} of {of}."
    if len(rows) == 1:
        return f"{found.system}: {_named(rows[0])} {_with_interval(rows[0])}."
    tasks = dict.fromkeys(row.task for row in rows)
    if len(tasks) == 1:
        return f"{found.system} has {count(len(rows), 'score')} on {next(iter(tasks))}."
    return f"{found.system} on {count(len(tasks), 'task')}: {count(len(rows), 'score')}."


def _details(found: SystemScores) -> list[str]:
    if not found.told_on:
        return []
    where = "" if found.told_on == ONLY_TASK else f"On {found.told_on}, "
    tenths = {0.9: "nine answers in ten"}.get(
        found.agreement, f"{found.agreement:.0%} of answers"
    )
    if math.isnan(found.told_apart):
        least = "no difference from another system"
    else:
        points = number(100.0 * found.told_apart, digits=1)
        least = f"a difference of {points} points from another system"
    said = f"{where}{least} could be detected ({found.power:.0%} power), if both agree on {tenths}."
    return [capital(said)]


def _named(row: ScoreRow) -> str:
    return row.metric if row.task == ONLY_TASK else f"{row.metric} on {row.task}"


def _with_interval(row: ScoreRow) -> str:
    digits = _digits(row)
    low, high = (number(end, digits=digits) for end in (row.interval.low, row.interval.high))
    return f"{number(row.score, digits=digits)} [{low}, {high}]"


def _digits(row: ScoreRow) -> int:
    """Return three decimals for shares, fewer for larger numbers, more for the smallest."""
    size = abs(row.score)
    if 0.0 < size < 0.01:
        return 2 - math.floor(math.log10(size))
    return 3 if size <= 2.0 else 2 if size <= 200.0 else 1


def _table(found: SystemScores, name: str, title: str, rows: list[ScoreRow]) -> blocks.Table:
    grouped = any(row.n_clusters < row.n_items for row in rows)
    columns = (
        blocks.Column("task", "task", "name"),
        blocks.Column("metric", "metric", "name"),
        blocks.Column("score", "score", digits=_digits),
        blocks.Column(
            "interval",
            f"{100.0 * (1.0 - found.alpha):.6g}% interval",
            "interval",
            digits=_digits,
        ),
        blocks.Column("n_items", "questions", "count"),
        blocks.Column("n_clusters", "groups", "count", keep=1 if grouped else blocks.DATA_ONLY),
        blocks.Column("n_samples", "samples", "count", keep=2),
        blocks.Column("standard_error", "standard error", keep=blocks.DATA_ONLY),
        blocks.Column("df", "df", keep=blocks.DATA_ONLY),
        blocks.Column("method", "method", "text", keep=blocks.DATA_ONLY),
    )
    return blocks.table(name, title, columns, rows)


def _methods(found: SystemScores) -> blocks.Methods:
    methods = {row.method for row in found.rows}
    ways = []
    if "wilson" in methods:
        ways.append(
            "shares of right answers have Wilson's interval (1927) with the effective number of answers"
        )
    if "t" in methods:
        ways.append("other scores have t intervals over questions")
    if "mover" in methods:
        ways.append("the mean over tasks has the limits of Zou and Donner (2008)")
    return blocks.Methods(
        f"Scores of {found.system} are means over questions of the means of their answers. At a level "
        f"of {1.0 - found.alpha:.0%}, {'; '.join(ways)}.",
        (),
    )
