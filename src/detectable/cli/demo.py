"""``detectable demo``: see it work on bundled data."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from detectable.cli.command import Output, command, refuse_existing

if TYPE_CHECKING:
    from detectable.core.progress import Progress
    from detectable.study.comparison.result import Comparison

_SEED = 2011  # any number does; fixed, so that everyone sees the same demo


@command()
@click.option(
    "--output",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("detectable-demo.html"),
    show_default=True,
    help="Where to write the page.",
)
def demo(page: Path, *, output: Output, progress: "Progress") -> "Comparison":
    """Compare two bundled systems with three runs each, and write a page to open."""
    from detectable.data.texts.example_corpus import example_corpus
    from detectable.report.blocks_of import blocks_of
    from detectable.report.render.page import render_page
    from detectable.study.comparison.compare import compare

    refuse_existing([page], force=output.force)
    result = compare(
        example_corpus(),
        ("bleu", "chrf", "ter"),
        baseline="baseline",
        effect={"bleu": 1.0},
        rng=_SEED,
        progress=progress,
    )
    output.put(page, render_page(blocks_of(result), title="Demo: two systems"))
    # The last line of all: after the result, which is printed when this returns.
    last = f"Open {page.resolve()} in a browser."
    click.get_current_context().call_on_close(lambda: click.echo(last, err=True))
    return result
