"""``detectable compare``: is B better than A on this test set."""

from typing import TYPE_CHECKING, Any, Literal

import click

from detectable.cli import inputs, options
from detectable.cli.command import command, note
from detectable.cli.inputs import metric_options, parse_metrics
from detectable.core.errors import DataError
from detectable.study.comparison.options import CompareSettings

if TYPE_CHECKING:
    from detectable.core.types import Progress
    from detectable.study.archive.meaning import MeaningCurve
    from detectable.study.comparison.result import Comparison


def _curve(text: str) -> "Literal['auto'] | MeaningCurve | None":
    """Return the curve that a file holds; ``auto`` and ``none`` stand for themselves."""
    if text == "auto" or text == "none":
        return "auto" if text == "auto" else None
    from detectable.report.saved.load import load
    from detectable.study.archive.meaning import MeaningCurve

    found = load(text)
    if not isinstance(found, MeaningCurve):
        raise DataError(
            f"{text} holds no curve. Make one: detectable meaning --archive FILE --metric NAME "
            "--out FILE."
        )
    return found


@command(
    unfold=options.pairs,
    charts=("differences", "runs", "drawn-METRIC", "metrics", "matrix-METRIC"),
)
@inputs.corpus_or_scores
@options.baseline
@metric_options
@click.option(
    "--lower-is-better",
    multiple=True,
    metavar="NAME",
    help="Given scores where lower is better, by name (default: as known names tell).",
)
@options.of(CompareSettings, "claim", "compat")
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
@options.of(CompareSettings, "tasks")
@click.option(
    "--weights",
    default="macro",
    show_default=True,
    callback=inputs.weights,
    help="Of tasks: macro (all alike), items, or one for each: math=2,code=1.",
)
@options.of(CompareSettings, "task_correction")
@click.option(
    "--dev-scores",
    multiple=True,
    callback=inputs.number_lists,
    metavar="[METRIC:]SYSTEM=S1,S2,…|FILE",
    help="Development score of each run, of the metric that was tuned (repeatable).",
)
@click.option(
    "--dev-metric",
    help="Metric that the development scores are of, where they do not say (bleu:old=…).",
)
@click.option(
    "--runs-drawn",
    metavar="N,N,…",
    default="",
    callback=inputs.whole_numbers,
    help="What so many runs of each would have said, drawn from those at hand: 1,3,5.",
)
@options.of(CompareSettings, "median_by")
@click.option(
    "--meaning",
    default="auto",
    show_default=True,
    metavar="auto|none|FILE",
    help="How often people agreed with such a difference; FILE: kept by `detectable meaning`.",
)
@options.of(CompareSettings, "n_resamples")
@options.of(CompareSettings, "n_examples")
@options.show_pairs
@options.of(CompareSettings, "alpha", "power")
@options.seed
@options.jobs
def compare(
    given: inputs.Inputs,
    *,
    metrics: tuple[str, ...],
    tokenize: str | None,
    lowercase: bool,
    meaning: str,
    progress: "Progress",
    **settings: Any,
) -> "Comparison":
    """Is B better than A, from outputs or scores?

    Compare systems from their outputs, or from tables of segment scores.

    \b
    Examples:
        detectable compare --refs ref.txt --system old=a.txt --system new=b.txt \\
            --baseline old
        detectable compare --refs ref.txt --system old=a1.txt,a2.txt \\
            --system new=b1.txt,b2.txt
        detectable compare --refs ref.txt --system old=a.txt --system new=b.txt \\
            --scores comet=c.json
        detectable compare --refs ref.txt --system old=a*.txt \\
            --system new=b*.txt --runs-drawn 1,3
        detectable compare --scores comet.csv --baseline old \\
            --claim non-inferior --margin 0.01
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.comparison.compare import compare as run

    chosen: Any = parse_metrics(metrics, tokenize=tokenize, lowercase=lowercase)
    curve = _curve(meaning)
    loaded, beside = given.load_several()
    note(*loaded.notes, *(said for scores in beside for said in scores.notes))
    if beside and given.beside:
        from detectable.metrics.registry import USUAL

        chosen = (*(chosen or USUAL), *beside)
    elif beside:  # further scores of the same items
        chosen = (*(chosen or ()), *beside)
    return run(loaded, chosen, meaning=curve, progress=progress, **settings)
