"""``detectable verify`` and ``release``: what a kept result rests on, checked and given away."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.command import command
from detectable.cli.judgment_options import judgment_options, refuse
from detectable.core import choices

if TYPE_CHECKING:
    from detectable.core.types import Progress
    from detectable.report.saved.receipt import Receipt


@command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("data", required=False)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, exists=True),
    default=".",
    show_default=True,
    help="Where the command of a result was typed.",
)
@judgment_options
def verify(
    file: Path, data: str | None, folder: str, *, progress: "Progress", **reading: Any
) -> "Receipt":
    """Compute a saved result again and compare.

    Compute a kept result again, from its data and its command, and compare.

    FILE is what --out wrote, a folder of detectable release, a plan, or a campaign that was exported
    (….campaign.json); DATA are all judgments of a plan, as for look, or the table that stands beside the campaign. Exit code 0: the
    same to the last bit; 3: not the same; 4: it could not be repeated.

    \b
    Examples:
        detectable verify rank.json
        detectable verify ship.json judgments.csv
        detectable verify ship.campaign.json ship.csv
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.cli.plan import read_for_plan
    from detectable.cli.rerun import verify as check

    if file.is_dir():  # as `detectable release` made it
        file, folder = file / "result.json", str(file)
        if not file.exists():
            raise click.BadParameter(
                f"File '{folder}' is a directory. It holds no result.json, as a release would.",
                param_hint="'FILE'",
            )
    if data is None:
        refuse(reading, "there is no DATA to read")
        return check(file, folder=folder, progress=progress)
    name = data

    def judgments(plan: Any = None) -> Any:
        if plan is None:  # of a campaign, whose table says all that is needed
            refuse(reading, "a campaign's own table needs none")
            return name
        return read_for_plan(plan, name, **reading)

    return check(file, judgments, folder=folder, progress=progress)


# --- ``detectable release`` ---


@command(keeps=False)
@click.argument("file", metavar="RESULT", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("target", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--folder",
    type=click.Path(file_okay=False, exists=True),
    default=".",
    show_default=True,
    help="Where the command of the result was typed.",
)
@click.option("--licence", help="One line: under which licence the files may be used.")
@options.choice(
    "--raters",
    of=choices.RaterNames,
    help="Give raters codes in place of names, or keep their names.",
)
def release(file: Path, target: Path, *, progress: "Progress", **settings: Any) -> "Receipt":
    """A folder of data and result to publish.

    Put a result and the data it rests on into DIR, to give to others.

    RESULT is what --out wrote. Outputs, scores and judgments are copied, raters get codes, the
    command is typed again in DIR, and what verify says stands beside it, with a README.

    \b
    Example:
        detectable release rank.json release --licence "CC BY 4.0"
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.cli.release import release as put

    return put(file, target, progress=progress, **settings)
