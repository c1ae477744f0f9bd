"""``detectable compare``: is B better than A on this test set."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import inputs, options
from detectable.cli.command import command, note
from detectable.cli.inputs import metric_options, parse_metrics
from detectable.core.choices import (
    Claim,
    CompareTest,
    CompareUnit,
    Compat,
    CorrectionFamily,
    IntervalMethod,
    PairCorrection,
    Runs,
    RunVariance,
    TaskCorrection,
    Tasks,
)

if TYPE_CHECKING:
    from detectable.core.types import Progress
    from detectable.study.comparison.result import Comparison


@command(unfold=options.pairs, charts=("differences", "runs", "metrics", "matrix-METRIC"))
@inputs.corpus_or_scores
@click.option("--baseline", help="Compare all others with this system (default: all pairs).")
@metric_options
@click.option(
    "--lower-is-better",
    multiple=True,
    metavar="NAME",
    help="Given scores where lower is better, by name (default: as known names tell).",
)
@options.choice("--claim", of=Claim, help="What is to be shown; the last two need --margin.")
@options.named_test(
    of=CompareTest, help="Swap outputs (auto: t where units are few), or resample."
)
@options.choice(
    "--interval", of=IntervalMethod, help="That of the test, by t, or from bootstrap draws."
)
@options.choice(
    "--runs",
    of=Runs,
    help="A sample of possible runs, or these runs; auto: random where all have two.",
)
@options.choice(
    "--run-variance", of=RunVariance, help="Between runs: of each system, or one for all."
)
@options.choice("--correction", of=PairCorrection, help="For testing several pairs.")
@options.choice("--family", of=CorrectionFamily, help="What the correction covers.")
@options.choice(
    "--unit", of=CompareUnit, help="What is independent; auto: documents where known."
)
@options.choice("--compat", of=Compat, help="Another tool's test.", optional=True)
@click.option(
    "--margin",
    multiple=True,
    callback=inputs.numbers,
    help="Differences below this do not matter: 0.5, or bleu=0.5 (repeatable). See --claim.",
)
@inputs.scale_of_margin
@inputs.largest_loss
@click.option(
    "--effect",
    multiple=True,
    callback=inputs.numbers,
    help="How much data would show this difference: 0.5, or bleu=0.5 (repeatable).",
)
@options.choice(
    "--tasks",
    of=Tasks,
    help="Of several tasks: these, others like them, or all items together.",
)
@click.option(
    "--weights",
    default="macro",
    show_default=True,
    callback=inputs.weights,
    help="Of tasks: macro (all alike), items, or one for each: math=2,code=1.",
)
@options.choice("--task-correction", of=TaskCorrection, help="For testing several tasks.")
@click.option(
    "--dev-scores",
    multiple=True,
    callback=inputs.number_lists,
    help="name=s1,s2,…: development score of each run (repeatable).",
)
@click.option(
    "--dev-metric", help="Metric that the development scores are of, where there are several."
)
@options.family_resamples("Swaps or resamples")
@click.option(
    "--examples", "n_examples", default=3, show_default=True, help="Segments to read, each way."
)
@options.show_pairs
@options.alpha
@options.power
@options.seed
@options.jobs
def compare(
    given: inputs.Inputs,
    *,
    metrics: tuple[str, ...],
    tokenize: str | None,
    lowercase: bool,
    progress: "Progress",
    **settings: Any,
) -> "Comparison":
    """Compare systems from their outputs, or from tables of segment scores.

    \b
    Examples:
        detectable compare --refs ref.txt --system old=a.txt --system new=b.txt --baseline old
        detectable compare --refs ref.txt --system old=a1.txt,a2.txt --system new=b1.txt,b2.txt
        detectable compare --refs ref.txt --system old=a.txt --system new=b.txt --scores comet=c.json
        detectable compare --scores comet.csv --baseline old --claim non-inferior --margin 0.01
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.study.comparison.compare import compare as run

    chosen: Any = parse_metrics(metrics, tokenize=tokenize, lowercase=lowercase)
    loaded, beside = given.load(beside=True), given.load_beside()
    note(*loaded.notes, *(said for scores in beside for said in scores.notes))
    if beside:
        from detectable.metrics.registry import USUAL

        chosen = (*(chosen or USUAL), *(scores for scores in beside))
    return run(loaded, chosen, progress=progress, **settings)
