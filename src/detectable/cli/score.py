"""``detectable score``: one system with error bars."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import inputs, options
from detectable.cli.command import command, note
from detectable.cli.inputs import score_format
from detectable.cli.options import Chosen, column_option
from detectable.core.choices import ScoreRole, words
from detectable.study.settings import ScoreSettings

if TYPE_CHECKING:
    from detectable.study.score.score import SystemScores


@command()
@click.argument("data", nargs=-1, required=True, metavar="SCORES…")
@click.option("--system", help="Which system, where SCORES hold several.")
@click.option(
    "--score-name",
    "metrics",
    multiple=True,
    metavar="[TASK=]METRIC",
    help="Which scores to show (repeatable; default: all).",
)
@score_format
@click.option("--score-filter", "filter", help="Which filter of an lm-evaluation-harness log.")
@options.language("language_pair")
@inputs.errors_of_logs
@inputs.pool_of_logs
@click.option(
    "--by",
    metavar="KEY",
    help="Also show each value of this key of the metadata, or column: lang.",
)
@column_option(words(ScoreRole), "item=id")
@options.of(ScoreSettings, "metric", "alpha")
def score(
    data: tuple[str, ...],
    *,
    metrics: tuple[str, ...],
    errors: str | None,
    pool: bool,
    by: str | None,
    columns: Chosen,
    **settings: Any,
) -> "SystemScores":
    """What does one system score, with intervals?

    Say what one system scores on every task, with intervals.

    SCORES is any file or folder that `compare --scores` reads; several are logs of one system.

    \b
    Examples:
        detectable score logs/new
        detectable score logs/new --by lang --overall macro
        detectable score scores.csv --system new --metric pass@4
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.data.scores.suite import read_suite
    from detectable.study.score.score import score as run

    reading = {name: settings.pop(name) for name in ("format", "filter", "language_pair")}
    roles = {**columns, "slice": by} if by else columns
    tables = read_suite(
        data[0] if len(data) == 1 else {"new": list(data)},
        metrics,
        tasks=settings["tasks"] or None,
        every=not metrics and settings["metric"] is None,
        columns=roles or None,
        errors=errors,
        pool=pool,
        **reading,
    )
    note(*dict.fromkeys(said for one in tables for said in one.notes))
    return run(list(tables), by=by, **settings)
