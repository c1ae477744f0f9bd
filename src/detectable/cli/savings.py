"""``detectable savings``: what stopping early would have saved on past comparisons."""

from typing import TYPE_CHECKING, Any, cast

import click

from detectable.cli import options
from detectable.cli.command import command
from detectable.cli.judgment_options import judgment_options, load
from detectable.cli.scenario import numbers

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from detectable.core.progress import Progress
    from detectable.study.archive.procedure_savings import ProcedureSavings


@command()
@click.argument("judgments")
@click.option(
    "--paired/--unpaired",
    default=True,
    show_default=True,
    help="Match what one rater gave one item of both systems, or take all judgments as unrelated.",
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
@judgment_options
@options.alpha
@options.seed
@options.jobs
def savings(  # noqa: PLR0913 (one argument per option)
    judgments: str,
    budgets: tuple[float, ...],
    step: int,
    looks: int,
    repeats: int,
    alpha: float,
    rng: int | None,
    n_jobs: int,
    executor: "Executor | None",
    *,
    paired: bool,
    progress: "Progress",
    **reading: Any,
) -> "ProcedureSavings":
    """Replay past JUDGMENTS under stopping procedures, and say what they would have saved.

    JUDGMENTS has one row per judgment. Every pair of systems within a campaign and language pair
    is evaluated again and again on judgments drawn from its own.

    \b
    Example:
        detectable savings archive.csv --column campaign=test_set
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.core import check
    from detectable.sequential.design import design
    from detectable.study.archive.comparison_archive import ComparisonArchive
    from detectable.study.archive.procedures import Procedure
    from detectable.study.archive.simulate_procedures import simulate_procedures

    alpha = check.probability(alpha, "alpha")
    looks = check.positive_int(looks, "looks", minimum=2)
    archive = ComparisonArchive.from_judgments(load(judgments, **reading), paired=paired)
    procedures = [
        Procedure.fixed(alpha),
        Procedure.from_design(
            design("pocock", looks=3, alpha=alpha, futility="none"), name="Pocock 3"
        ),
        Procedure.from_design(design(looks=looks, alpha=alpha), name=f"default, {looks} looks"),
        Procedure.uncorrected(looks, alpha),
    ]
    return simulate_procedures(
        archive,
        procedures,
        cast("tuple[int, ...]", budgets),  # the library refuses fractions
        n_repeats=repeats,
        step=step,
        rng=rng,
        n_jobs=n_jobs,
        executor=executor,
        progress=progress,
    )
