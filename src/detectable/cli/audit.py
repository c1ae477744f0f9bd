"""``detectable audit``: what past evaluations could detect."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import judgment_options, options
from detectable.cli.command import command
from detectable.core import choices

if TYPE_CHECKING:
    from detectable.core.progress import Progress
    from detectable.study.audit.audit import Audited


@command()
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
@judgment_options.with_roles(choices.words(choices.AuditRole), "n=examples")
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
@options.choice(
    "--prior",
    of=choices.Prior,
    help="How often two systems of a benchmark agree (default: glue).",
    optional=True,
)
@click.option("--agreement", type=float, help="Instead of --prior: one share for all tasks.")
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
    baseline, accuracy or improvement), or a survey of studies (a table with n and difference).

    \b
    Examples:
        detectable audit judgments.parquet --by language-pair
        detectable audit comparisons.csv --by team --target-difference 1
        detectable audit glue.csv --prior glue
        detectable audit studies.csv --column n=examples --item-sd 0.3
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.study.audit.audit import audit as ask

    settings["columns"] = settings["columns"] or None
    return ask(list(files), progress=progress, **settings)
