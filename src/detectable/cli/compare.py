"""``detectable compare``: is B better than A on this test set."""

import warnings
from pathlib import Path
from typing import Any

import click

from detectable.cli import inputs, options, output
from detectable.cli.progress import Bars

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@inputs.corpus_or_scores
@click.option("--baseline", help="Compare all others with this system (default: all pairs).")
@click.option(
    "--metric", "metrics", multiple=True, help="Metric, or metric:setting=value,… (repeatable)."
)
@click.option(
    "--tokenize", help="Tokeniser of all metrics that tokenise: 13a, intl, zh, none, …"
)
@click.option("--lowercase", is_flag=True, help="Ignore case in all metrics that can.")
@click.option(
    "--test",
    type=click.Choice(["randomization", "bootstrap"]),
    default="randomization",
    show_default=True,
    help="Swap outputs, or resample and centre.",
)
@click.option(
    "--interval",
    type=click.Choice(["delta", "percentile", "basic", "bca"]),
    default="delta",
    show_default=True,
    help="Closed form, or from bootstrap draws.",
)
@click.option(
    "--runs",
    type=click.Choice(["fixed", "random"]),
    default="fixed",
    show_default=True,
    help="Are the runs the systems, or a sample of possible runs?",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "max-t", "none"]),
    default="holm",
    show_default=True,
    help="For testing several pairs.",
)
@click.option(
    "--family",
    type=click.Choice(["systems", "systems-and-metrics"]),
    default="systems",
    show_default=True,
    help="What the correction covers.",
)
@click.option(
    "--unit",
    type=click.Choice(["auto", "segment", "document"]),
    default="auto",
    show_default=True,
    help="What is independent; auto: documents where known.",
)
@click.option(
    "--compat", type=click.Choice(["multeval", "sacrebleu"]), help="Another tool's test."
)
@click.option(
    "--margin",
    multiple=True,
    callback=inputs.numbers,
    help="Differences below this do not matter: 0.5, or bleu=0.5 (repeatable).",
)
@click.option(
    "--effect",
    multiple=True,
    callback=inputs.numbers,
    help="How much data would show this difference: 0.5, or bleu=0.5 (repeatable).",
)
@click.option(
    "--dev-scores",
    multiple=True,
    callback=inputs.number_lists,
    help="name=s1,s2,…: development score of each run (repeatable).",
)
@click.option(
    "--resamples", "n_resamples", default=10_000, show_default=True, help="Swaps or resamples."
)
@click.option(
    "--examples", "n_examples", default=3, show_default=True, help="Segments to read, each way."
)
@click.option("--csv", "csv_path", type=_FILE, help="Write the pairs as CSV.")
@click.option("--latex", "latex_path", type=_FILE, help="Write the tables as LaTeX.")
@click.option("--html", "html_path", type=_FILE, help="Write a page.")
@options.alpha
@options.power
@options.seed
@options.jobs
@options.force
@options.as_json
def compare(  # noqa: PLR0913 (only what the command itself uses; the rest goes to the library)
    given: inputs.Inputs,
    *,
    metrics: tuple[str, ...],
    tokenize: str | None,
    lowercase: bool,
    csv_path: Path | None,
    latex_path: Path | None,
    html_path: Path | None,
    force: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Compare systems from their outputs, or from tables of segment scores.

    \b
    Examples:
        detectable compare --refs ref.txt --system old=a.txt --system new=b.txt --baseline old
        detectable compare --refs ref.txt --system old=a1.txt,a2.txt --system new=b1.txt,b2.txt
        detectable compare --scores comet.csv --baseline old --margin 0.01
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.cli.metric_option import parse_metrics
    from detectable.core.errors import DetectableWarning
    from detectable.report.comparison import comparison_csv, comparison_latex
    from detectable.report.page import comparison_page
    from detectable.study.comparison.compare import compare as run

    output.refuse_existing([csv_path, latex_path, html_path], force=force)
    chosen = parse_metrics(metrics, tokenize=tokenize, lowercase=lowercase)
    loaded = given.load()
    with Bars() as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)  # the notes of the result say it all
        result = run(loaded.table, chosen, progress=progress, **settings)
    for note in (*loaded.notes, *result.notes):
        click.echo(f"Warning: {note}", err=True)
    output.write_new(csv_path, lambda: comparison_csv(result), force=force)
    output.write_new(latex_path, lambda: comparison_latex(result), force=force)
    output.write_new(html_path, lambda: comparison_page(result), force=force)
    output.show(result, as_json=as_json, text=output.print_comparison)
