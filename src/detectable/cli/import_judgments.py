"""``detectable import``: bring human judgments of any known format into our own."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli.command import Output, command, refuse_existing
from detectable.cli.judgment_options import check_ending, judgment_options, load

if TYPE_CHECKING:
    from detectable.data.human.description import JudgmentDescription


@command("import", repeats=False)
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUTPUT", type=click.Path(path_type=Path, dir_okay=False))
@judgment_options
def import_judgments(
    source: Path, target: Path, *, output: Output, **reading: Any
) -> "JudgmentDescription":
    """Convert human judgments in SOURCE to a table, OUTPUT.

    SOURCE is a file or folder of any format of docs/judgments.md. OUTPUT ends in .csv, .tsv,
    .jsonl or .parquet; every command that takes judgments reads it. What is left out is said.

    \b
    Example:
        detectable import appraise.csv judgments.csv
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.data.human.description import describe_judgments
    from detectable.data.human.write_judgments import write_judgments

    check_ending(target)
    refuse_existing([target], force=output.force)
    judgments = load(source, **reading)
    write_judgments(judgments, target, overwrite=output.force)
    return describe_judgments(judgments, str(target))
