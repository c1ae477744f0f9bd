"""``detectable stratify``: what people label next."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from detectable.cli import options
from detectable.cli.command import Output, command, note, refuse_existing
from detectable.cli.output_options import Unrepeated

if TYPE_CHECKING:
    from detectable.study.precision.stratified import Stratification


@command()
@click.argument("scores")
@click.option("--n-items", type=int, required=True, help="Items to choose.")
@click.option("--bins", default=5, show_default=True, help="Bins of the judge's scores.")
@click.option("--metric", help="Which of several metrics in SCORES, or its name.")
@click.option("--labelled", metavar="FILE", help="Judgments whose items are not chosen again.")
@click.option(
    "--sheet",
    cls=Unrepeated,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the task sheet there: a row per chosen item and system, to fill in (CSV).",
)
@options.seed
def stratify(
    scores: str,
    n_items: int,
    bins: int,
    metric: str | None,
    labelled: str | None,
    sheet: Path | None,
    rng: int | None,
    *,
    output: Output,
) -> "Stratification":
    """Choose what people label next: at random within bins of the judge's scores in SCORES.

    \b
    Example:
        detectable stratify judge.csv --n-items 200 --sheet labels.csv --seed 1
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.data.human.read_judgments import read_judgments
    from detectable.data.scores.read_scores import read_scores
    from detectable.report.label_sheet import label_sheet
    from detectable.study.precision.stratified import stratify as choose

    refuse_existing([] if sheet is None else [sheet], force=output.force)
    loaded = read_scores(scores, metric=metric)
    known = None if labelled is None else read_judgments(labelled)
    chosen = choose(loaded, n_items, bins=bins, labelled=known, rng=rng)
    if sheet is not None:
        output.put(sheet, label_sheet(chosen, loaded.table))
        note(f"Written: {sheet}")
    return chosen
