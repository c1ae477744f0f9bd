"""``detectable demo``: see it work on bundled data."""

from pathlib import Path

import click

from detectable.cli import options, output
from detectable.cli.progress import Bars

_SEED = 2011  # any number does; fixed, so that everyone sees the same demo


@click.command()
@click.option(
    "--output",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("detectable-demo.html"),
    show_default=True,
    help="Where to write the page.",
)
@options.force
@options.as_json
def demo(page: Path, *, force: bool, as_json: bool) -> None:
    """Compare two bundled systems with three runs each, and write a page to open."""
    from detectable.data.texts.example_corpus import example_corpus
    from detectable.report.page import comparison_page
    from detectable.study.comparison.compare import compare

    output.refuse_existing([page], force=force)
    with Bars() as progress:
        result = compare(
            example_corpus(),
            ("bleu", "chrf", "ter"),
            baseline="baseline",
            effect={"bleu": 1.0},
            rng=_SEED,
            progress=progress,
        )
    output.write_new(
        page, lambda: comparison_page(result, title="Demo: two systems"), force=force
    )
    output.show(result, as_json=as_json, text=output.print_comparison)
    click.echo(f"Open {page.resolve()} in a browser.", err=True)
