"""``detectable doctor``: what is in these files, and what next."""

import os
from typing import TYPE_CHECKING

import click

from detectable.cli.command import command

if TYPE_CHECKING:
    from detectable.core.progress import Progress
    from detectable.study.doctor.examination import Examination


@command()
@click.argument("files", nargs=-1, required=True, metavar="[NAME=]FILE…")
def doctor(files: tuple[str, ...], *, progress: "Progress") -> "Examination":
    """Say what files hold, what they can answer, and what to type next.

    Files and folders of any format that a command reads: scores, logs, texts, judgments, plans and
    kept results. Who is ahead is not said.

    \b
    Examples:
        detectable doctor judgments.csv
        detectable doctor new=logs/new old=logs/old
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.study.doctor.doctor import doctor as examine

    named = [_named(text) for text in files]
    if not any(name for name, _ in named):
        return examine([path for _, path in named], progress=progress)
    if not all(name for name, _ in named):
        raise click.UsageError("give every file a name (NAME=FILE), or none.")
    if len(dict(named)) < len(named):
        raise click.UsageError("every name may stand once.")
    return examine(dict(named), progress=progress)


def _named(text: str) -> tuple[str, str]:
    """Read ``name=FILE`` or ``FILE``; a file that is really called so is meant by it."""
    name, equals, file = text.partition("=")
    return (name, file) if equals and name and file and not os.path.exists(text) else ("", text)
