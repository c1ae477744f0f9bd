"""``detectable savings``: what stopping early would have saved on past comparisons."""

from typing import TYPE_CHECKING, cast

import click

from detectable.cli import options
from detectable.cli.command import command, note
from detectable.cli.scenario import numbers

if TYPE_CHECKING:
    from detectable.core.progress import Progress
    from detectable.study.archive.procedure_savings import ProcedureSavings


@command()
@click.argument("judgments")
@click.option("--comparison", help="Column of the campaign or test set (default: one for all).")
@click.option("--system", default="system", show_default=True, help="Column of the system.")
@click.option("--score", default="score", show_default=True, help="Column of the score.")
@click.option(
    "--pair-by",
    multiple=True,
    help="Column that paired judgments share, such as segment or rater; may be repeated.",
)
@click.option(
    "--budgets",
    multiple=True,
    callback=numbers,
    default=("600,1200,1800,2400,3600,4800",),
    show_default=True,
    help="Planned judgments of both systems together, with commas: multiples of the step.",
)
@click.option("--step", default=50, show_default=True, help="Judgments between possible looks.")
@click.option("--looks", default=12, show_default=True, help="Looks of the default design.")
@click.option("--repeats", default=200, show_default=True, help="Repetitions per comparison.")
@options.alpha
@options.seed
@options.jobs
def savings(  # noqa: PLR0913 (one argument per option)
    judgments: str,
    comparison: str | None,
    system: str,
    score: str,
    pair_by: tuple[str, ...],
    budgets: tuple[float, ...],
    step: int,
    looks: int,
    repeats: int,
    alpha: float,
    rng: int | None,
    n_jobs: int,
    *,
    progress: "Progress",
) -> "ProcedureSavings":
    """Replay past JUDGMENTS under stopping procedures, and say what they would have saved.

    JUDGMENTS is a table with one row per judgment: CSV, TSV, JSON lines or Parquet. Every pair of
    systems within a comparison is evaluated again and again on judgments drawn from its own.

    \b
    Example:
        detectable savings archive.csv --comparison campaign --pair-by segment --pair-by rater
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.core import check
    from detectable.sequential.design import design
    from detectable.study.archive.procedures import Procedure
    from detectable.study.archive.read_archive import read_archive
    from detectable.study.archive.simulate_procedures import simulate_procedures

    alpha = check.probability(alpha, "alpha")
    looks = check.positive_int(looks, "looks", minimum=2)
    loaded = read_archive(
        judgments, comparison=comparison, system=system, score=score, pair_by=pair_by
    )
    note(*loaded.notes)
    procedures = [
        Procedure.fixed(alpha),
        Procedure.from_design(
            design("pocock", looks=3, alpha=alpha, futility="none"), name="Pocock 3"
        ),
        Procedure.from_design(design(looks=looks, alpha=alpha), name=f"default, {looks} looks"),
        Procedure.uncorrected(looks, alpha),
    ]
    return simulate_procedures(
        loaded.table,
        procedures,
        cast("tuple[int, ...]", budgets),  # the library refuses fractions
        n_repeats=repeats,
        step=step,
        rng=rng,
        n_jobs=n_jobs,
        progress=progress,
    )
