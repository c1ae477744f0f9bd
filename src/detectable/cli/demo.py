"""``detectable demo``, ``doctor`` and ``serve``: see it all work, look into files, and start in a browser."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.command import Output, command, refuse_existing
from detectable.cli.options import as_typed
from detectable.cli.output_options import PlainNumbers
from detectable.core.errors import DetectableError, MissingExtraError
from detectable.core.wording import for_terminal
from detectable.web.settings import Settings, is_loopback, read_password, write_password

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
    from detectable.study.demo.story import tell_story

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


# --- ``detectable serve``: plan in a browser, collect judgments, and watch them come ---


@click.command(cls=PlainNumbers)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path())
@options.of(Settings, "host", "store")
@click.option(
    "--password-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Organisers sign in with the password whose hash is in this file.",
)
@click.option(
    "--set-password", is_flag=True, help="Ask for a new password and make that file; then end."
)
@options.of(Settings, "public_names", "forwarded_from")
@click.option(
    "--notify",
    "notify_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File that says who is told of looks, stops and the end: webhook, mail (docs/serve.md).",
)
@click.option("--open", "opens", is_flag=True, help="Open it in the browser.")
@click.option("--check", is_flag=True, help="Only say whether a server answers there.")
def serve(folder: Path, *, opens: bool, check: bool, set_password: bool, **given: Any) -> None:
    """Planner, explorer and campaigns in a browser.

    Plan evaluations, collect judgments and read results in a browser.

    Plans, campaigns and conclusions are kept in FOLDER (by default where you are). Without a
    password only this machine can come. It needs detectable[web]. Ctrl+C ends it.

    \b
    Examples:
        detectable serve
        detectable serve judging --port 0 --open
        detectable serve judging --password-file organisers.txt \\
            --public-name eval.example.org
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    try:
        if check:
            from detectable.web.watch import ask_health

            click.echo(ask_health(given["host"], given["port"]))
        elif set_password:
            _set_password(given["password_file"])
        else:
            _serve(folder, opens=opens, **given)
    except DetectableError as error:
        raise click.ClickException(for_terminal(as_typed(str(error)))) from error


def _set_password(path: Path | None) -> None:
    if path is None:
        raise click.UsageError("--set-password needs --password-file: where the hash goes.")
    given = click.prompt(
        "Password of the organisers", hide_input=True, confirmation_prompt=True
    )
    write_password(path, given)
    click.echo(f"Written: {path}", err=True)


def _serve(
    folder: Path,
    *,
    opens: bool,
    password_file: Path | None,
    notify_file: Path | None,
    **given: Any,
) -> None:
    try:
        from detectable.web.server import serve as run
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] == "detectable":
            raise
        raise MissingExtraError(
            f'the server needs {error.name}: pip install "detectable[web]".'
        ) from error
    password = None if password_file is None else read_password(password_file)
    told = None
    if notify_file is not None:
        from detectable.web.notify import read_told

        told = read_told(notify_file)
    settings = Settings(folder, password=password, told=told, **given)
    if not is_loopback(settings.host):
        click.echo(
            "Warning: this server speaks plain HTTP: passwords and links can be read on the way. "
            "Put a proxy with TLS before it (docs/serve.md), and name it with "
            "--forwarded-allow-ips.",
            err=True,
        )

    def ready(address: str) -> None:
        click.echo(f"The server is at {address} (Ctrl+C ends it).")
        if opens:
            click.launch(address)

    run(settings, ready=ready)
