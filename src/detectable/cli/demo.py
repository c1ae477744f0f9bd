"""``detectable demo``: see it all work on bundled data."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from detectable.cli.command import Output, command, refuse_existing

if TYPE_CHECKING:
    from detectable.core.progress import Progress
    from detectable.study.demo.story import DemoStory

_COMMANDS = "commands.sh"


@command(repeats=False)
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
    """Take a bundled campaign from plan to conclusion, and write a page to open.

    The truth behind the campaign is known, because it was planted: every step says what is true
    and what was found.
    """
    from detectable.data.example.example_campaign import campaign_files, write_campaign
    from detectable.report.demo_report import demo_report
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
