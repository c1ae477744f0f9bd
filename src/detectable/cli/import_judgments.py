"""``detectable import``: bring human judgments of any known format into our own."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options, output
from detectable.cli.judgment_options import judgment_options, load

if TYPE_CHECKING:
    from detectable.data.human.judgments import Judgments

_COUNTED = ("system", "item", "rater", "document", "domain", "wave", "task", "language")


@click.command("import")
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUTPUT", type=click.Path(path_type=Path, dir_okay=False))
@judgment_options
@options.force
@options.as_json
def import_judgments(
    source: Path, target: Path, *, force: bool, as_json: bool, **reading: Any
) -> None:
    """Convert human judgments in SOURCE to a table, OUTPUT.

    SOURCE is a file or folder of any format of docs/judgments.md. OUTPUT ends in .csv, .tsv,
    .jsonl or .parquet; every command that takes judgments reads it. What is left out is said.

    \b
    Example:
        detectable import appraise.csv judgments.csv
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.data.human.write_judgments import ENDINGS, write_judgments

    if target.suffix.lower() not in ENDINGS:
        raise click.UsageError(f"OUTPUT must end in {', '.join(ENDINGS)}; got {target.name!r}.")
    output.refuse_existing([target], force=force)
    judgments = load(source, **reading)
    write_judgments(judgments, target, overwrite=force)
    said = _counts(judgments, target)
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(said), indent=2).decode())
    else:
        _print(said)


def _counts(judgments: "Judgments", target: Path) -> dict[str, Any]:
    from detectable.core.result import to_json
    from detectable.data.human.judgments import KINDS

    columns = {role: getattr(judgments, role) for role in (*_COUNTED, "campaign")}
    return {
        "output": str(target),
        "judgments": judgments.n_judgments,
        "kinds": {kind: int(judgments.is_kind(kind).sum()) for kind in KINDS},
        "levels": {role: c.n_levels for role, c in columns.items() if c is not None},
        "scale": to_json(judgments.scale),
        "notes": list(judgments.notes),
    }


def _print(said: dict[str, Any]) -> None:
    from detectable.core.wording import count

    levels = ", ".join(count(n, role) for role, n in said["levels"].items())
    click.echo(f"{said['output']} holds {count(said['judgments'], 'judgment')}.")
    click.echo(f"There: {levels}.")
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in said["kinds"].items() if n)
    click.echo(f"Kinds: {kinds}.")
    low, high = said["scale"]
    ends = (
        ("no lower bound" if low is None else f"{low:g}"),
        ("no upper bound" if high is None else f"{high:g}"),
    )
    click.echo(f"Scale: {ends[0]} to {ends[1]}.")
