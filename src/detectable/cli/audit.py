"""``detectable audit`` and ``savings``: what past evaluations could detect, or could have saved."""

import math
from typing import TYPE_CHECKING, Any, cast

import click

from detectable.cli import options
from detectable.cli.command import command
from detectable.cli.judgment_options import judgment_options, load, refuse, with_roles
from detectable.cli.scenario import numbers
from detectable.core import choices
from detectable.study.settings import AuditSettings

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from detectable.core.types import Progress
    from detectable.study.archive.comparison_archive import ComparisonArchive
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


@command(charts=("comparisons", "past", "power", "tasks", "studies", "sets"))
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@options.of(AuditSettings, "kind", "only")
@with_roles(choices.words(choices.AuditRole), "n=examples")
@options.of(AuditSettings, "target_difference", "agreement")
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
@options.of(AuditSettings, "n_items")
@click.option(
    "--pairs",
    metavar="FILE",
    help="For a leaderboard: pairs of its systems on development data; see docs/audit.md.",
)
@options.of(AuditSettings, "pairs_n", "power")
def audit(files: tuple[str, ...], *, progress: "Progress", **settings: Any) -> "Audited":
    """What could past evaluations detect?

    Say what past evaluations could detect.

    FILE is an archive of comparisons (judgments of many campaigns; score histograms of them, .npz;
    or a table with difference, n and p or standard_error), a benchmark (a table with task, n and
    baseline, accuracy or improvement; or a leaderboard with --pairs), or a survey of studies (a table
    with n and difference).

    \b
    Examples:
        detectable audit judgments.parquet --by language-pair
        detectable audit judgments.parquet --by language-pair --only en-de \\
            --chart past:en-de.svg
        detectable audit comparisons.csv --by team --target-difference 1
        detectable audit glue.csv --prior glue
        detectable audit leaderboard.csv --pairs pairs.csv --n 8862 \\
            --pairs-n 11873
        detectable audit studies.csv --column n=examples --item-sd 0.3
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.audit.audit import audit as ask

    for name in ("columns", "where", "best"):
        settings[name] = settings[name] or None
    return ask(list(files), progress=progress, **settings)


# --- ``detectable savings``: what stopping early would have saved on past comparisons ---


_PROCEDURES = "fixed,pocock,default,uncorrected"


def _procedures(
    _: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[str, ...]:
    """Read ``fixed,interim`` given once or several times."""
    known = choices.words(choices.Stopping)
    names = [name.strip() for text in texts for name in text.split(",")]
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise click.BadParameter(
            f"takes {', '.join(known)}, with commas between; got {unknown!r}.", param=parameter
        )
    return tuple(dict.fromkeys(names))


@command(charts=("savings", "powers", "spent", "sizes"))
@click.argument("judgments")
@click.option(
    "--procedure",
    "procedures",
    multiple=True,
    callback=_procedures,
    default=(_PROCEDURES,),
    show_default=True,
    metavar="NAME,…",
    help="Which, with commas: those of the default, and interim and interim-futility, the paper's.",
)
@click.option(
    "--paired/--unpaired",
    default=None,
    help="Match what one rater gave one item of both systems, or take all judgments as unrelated "
    "(default: paired; score histograms are unpaired).",
)
@click.option(
    "--planned",
    "--budgets",
    "budgets",
    multiple=True,
    callback=numbers,
    default=("600,1200,1800,2400,3600,4800",),
    show_default=True,
    help="Planned judgments of both systems together, with commas: multiples of the step.",
)
@click.option(
    "--at-least", type=float, help="Only comparisons with a true difference of this or more."
)
@click.option("--below", type=float, help="Only comparisons with a true difference below this.")
@click.option(
    "--large",
    type=float,
    help="From which difference on one is large, in the chart of sizes (default: the median).",
)
@click.option("--step", default=50, show_default=True, help="Judgments between possible looks.")
@click.option(
    "--looks", default=12, show_default=True, help="Looks of default and uncorrected."
)
@click.option("--repeats", default=200, show_default=True, help="Repetitions per comparison.")
@judgment_options
@options.alpha
@options.seed
@options.jobs
def savings(  # noqa: PLR0913 (one argument per option)
    judgments: str,
    procedures: "tuple[choices.Stopping, ...]",
    budgets: tuple[float, ...],
    step: int,
    looks: int,
    repeats: int,
    alpha: float,
    rng: int | None,
    n_jobs: int,
    executor: "Executor | None",
    *,
    paired: bool | None,
    at_least: float | None,
    below: float | None,
    large: float | None,
    progress: "Progress",
    **reading: Any,
) -> "ProcedureSavings":
    """What would stopping early have saved?

    Replay past JUDGMENTS under stopping procedures, and say what they would have saved.

    JUDGMENTS has one row per judgment, or is an archive of score histograms (.npz). Every pair of
    systems within a campaign and language pair is evaluated again and again on judgments drawn from
    its own: their difference is the true one.

    \b
    Examples:
        detectable savings archive.csv --column campaign=test_set
        detectable savings archive.csv --procedure fixed,interim-futility \\
            --unpaired
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.core import check
    from detectable.study.archive.procedure_savings import check_sizes
    from detectable.study.archive.procedures import simulate_procedures, stopping_procedure

    looks = check.positive_int(looks, "looks", minimum=2)
    low, high = at_least or 0.0, math.inf if below is None else below
    check_sizes(low, high)  # before the work
    found = simulate_procedures(
        _archive(judgments, reading, paired=paired),
        [stopping_procedure(name, alpha=alpha, looks=looks) for name in procedures],
        cast("tuple[int, ...]", budgets),  # the library refuses fractions
        n_repeats=repeats,
        step=step,
        large=large,
        rng=rng,
        n_jobs=n_jobs,
        executor=executor,
        progress=progress,
    )
    if at_least is None and below is None:
        return found
    return found.subset(at_least=low, below=high).by_size(large)


def _archive(path: str, reading: dict[str, Any], *, paired: bool | None) -> "ComparisonArchive":
    """Read judgments, or score histograms of many campaigns."""
    from detectable.core.errors import InputError
    from detectable.data.files.content import FileContent
    from detectable.data.human.score_histograms import is_numpy_archive, read_score_histograms
    from detectable.study.archive.comparison_archive import ComparisonArchive

    content = FileContent.of(path)
    if not is_numpy_archive(content):
        judgments = load(content, **reading)
        return ComparisonArchive.from_judgments(judgments, paired=paired is not False)
    refuse(reading, "score histograms hold no judgments")
    if paired:
        raise InputError(
            f"{content}: score histograms do not say who judged what, which `paired` needs. Give "
            "the judgments, or --unpaired."
        )
    return ComparisonArchive.from_score_histograms(read_score_histograms(content))
