"""``detectable audit`` and ``savings``: what past evaluations could detect, or could have saved."""

from typing import TYPE_CHECKING, Any, cast

import click

from detectable.cli import options
from detectable.cli.command import command
from detectable.cli.judgment_options import judgment_options, load, with_roles
from detectable.cli.scenario import WordOrFile, numbers
from detectable.core import choices

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from detectable.core.types import Progress
    from detectable.study.archive.procedure_savings import ProcedureSavings
    from detectable.study.audit.audit import Audited


def _named(
    context: click.Context,  # noqa: ARG001 (as click calls it)
    parameter: click.Parameter,
    texts: tuple[str, ...],
) -> dict[str, str]:
    """Read ``name=value`` given several times; the name ends at the last sign."""
    found = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        if not name or not value:
            raise click.BadParameter(
                f"takes {parameter.metavar}; got {text!r}.", param=parameter
            )
        found[name] = value
    return found


def _named_numbers(
    context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, float]:
    """Read ``name=number`` given several times."""
    found = {}
    for name, value in _named(context, parameter, texts).items():
        try:
            found[name] = float(value)
        except ValueError:
            raise click.BadParameter(
                f"takes {parameter.metavar}; got {name}={value}.", param=parameter
            ) from None
    return found


@command(charts=("comparisons", "power", "tasks", "studies"))
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@options.choice(
    "--kind",
    of=choices.AuditKind,
    help="What FILE holds; auto tells it by the columns.",
)
@click.option(
    "--by",
    help="Group the comparisons of an archive: campaign, language-pair, any column, file.",
)
@with_roles(choices.words(choices.AuditRole), "n=examples")
@click.option(
    "--target-difference",
    type=float,
    help="True difference that should be seen (default: the typical one of FILE).",
)
@options.choice(
    "--unit",
    of=choices.JudgmentUnit,
    help="What is independent in the paired test of judgments.",
)
@click.option(
    "--prior",
    type=WordOrFile(choices.words(choices.Prior)),
    help="How often two systems of a benchmark agree: as on glue (default), as the pairs of FILE.",
)
@click.option("--agreement", type=float, help="Instead of --prior: one share for all tasks.")
@click.option(
    "--where",
    multiple=True,
    metavar="COLUMN=VALUE",
    callback=_named,
    help="Only rows of a benchmark or survey with this value (repeatable).",
)
@click.option("--tasks", metavar="FILE", help="For a benchmark: a table of tasks and their n.")
@click.option(
    "--best",
    multiple=True,
    metavar="TASK=ACCURACY",
    callback=_named_numbers,
    help="For a benchmark: the accuracy to beat next, in its unit (repeatable).",
)
@click.option(
    "--n", "n_items", type=int, help="For a benchmark: items of the test set, without a column."
)
@click.option(
    "--pairs",
    metavar="FILE",
    help="For a leaderboard: pairs of its systems on development data; see docs/audit.md.",
)
@click.option(
    "--pairs-n", type=int, help="Items of development data, where --pairs counts them."
)
@click.option(
    "--at-least", type=float, help="For a survey: leave out studies with a smaller effect."
)
@click.option(
    "--item-sd", type=float, help="For a survey: SD of the difference that one item shows."
)
@options.choice(
    "--preset",
    of=choices.LikertPreset,
    help="For a survey, instead of --item-sd (default: card-high).",
    optional=True,
)
@click.option(
    "--raters", "n_raters", type=int, help="For a survey: raters of every item (default: 3)."
)
@options.alpha
@options.power
def audit(files: tuple[str, ...], *, progress: "Progress", **settings: Any) -> "Audited":
    """Say what past evaluations could detect.

    FILE is an archive of comparisons (judgments of many campaigns; score histograms of them, .npz;
    or a table with difference, n and p or standard_error), a benchmark (a table with task, n and
    baseline, accuracy or improvement; or a leaderboard with --pairs), or a survey of studies (a table
    with n and difference).

    \b
    Examples:
        detectable audit judgments.parquet --by language-pair
        detectable audit comparisons.csv --by team --target-difference 1
        detectable audit glue.csv --prior glue
        detectable audit leaderboard.csv --pairs pairs.csv --n 8862 --pairs-n 11873
        detectable audit studies.csv --column n=examples --item-sd 0.3
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.study.audit.audit import audit as ask

    for name in ("columns", "where", "best"):
        settings[name] = settings[name] or None
    return ask(list(files), progress=progress, **settings)


# --- ``detectable savings``: what stopping early would have saved on past comparisons ---


@command(charts=("savings",))
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
    from detectable.study.archive.procedures import Procedure, simulate_procedures

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
