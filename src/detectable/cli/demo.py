"""``detectable demo`` and ``doctor``: see it all work, and what is in these files."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from detectable.cli.command import Output, command, refuse_existing

if TYPE_CHECKING:
    from detectable.core.types import Progress
    from detectable.study.demo.story import DemoStory
    from detectable.study.doctor.examination import Examination
    from detectable.study.doctor.installation import Installation

_COMMANDS = "commands.sh"


@command(charts=("planted",))
@click.option(
    "--output",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("detectable-demo.html"),
    show_default=True,
    help="Where to write the page.",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write the files of the campaign and the commands, to try them yourself.",
)
def demo(page: Path, *, keep: Path | None, output: Output, progress: "Progress") -> "DemoStory":
    """See everything work on bundled data.

    Take a bundled campaign from plan to conclusion, and write a page to open.

    The truth behind the campaign is known, because it was planted: every step says what is true
    and what was found.
    """
    from detectable.data.example.bundled import campaign_files, write_campaign
    from detectable.report.shown.demo import demo_report
    from detectable.study.demo.tell_story import tell_story

    kept = [] if keep is None else [keep / name for name in (*campaign_files(), _COMMANDS)]
    refuse_existing([page, *kept], force=output.force)
    story = tell_story(progress=progress)
    output.put(page, demo_report(story).page())
    last = [f"Open {page.resolve()} in a browser."]
    if keep is not None:
        write_campaign(keep, overwrite=output.force)
        output.put(keep / _COMMANDS, story.commands())
        last.append(f"The commands work in {keep.resolve()}, and stand there in {_COMMANDS}.")
    # The last lines of all: after the result, which is printed when this returns.
    click.get_current_context().call_on_close(lambda: click.echo("\n".join(last), err=True))
    return story


# --- ``detectable doctor``: what is in these files, and what next ---


@command()
@click.argument("files", nargs=-1, metavar="[NAME=]FILE…")
@click.option(
    "--system",
    "installed",
    is_flag=True,
    help="Describe the installation instead of files: versions, machine, optional parts. Names no file, user or host.",
)
def doctor(
    files: tuple[str, ...], *, installed: bool, progress: "Progress"
) -> "Examination | Installation":
    """What is in these files, and what to type next.

    Say what files hold, what they can answer, and what to type next.

    Files and folders of any format that a command reads: scores, logs, texts, judgments, plans and
    kept results. Who is ahead is not said.

    \b
    Examples:
        detectable doctor judgments.csv
        detectable doctor new=logs/new old=logs/old
        detectable doctor --system
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    if installed == bool(files):
        raise click.UsageError("give files, or --system without files.")
    if installed:
        from detectable.cli.terminal import terminal_kind
        from detectable.study.doctor.installation import installation

        return installation(terminal=terminal_kind())
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
