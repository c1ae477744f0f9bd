"""``detectable serve``: plan in a browser, collect judgments, and watch them come."""

from pathlib import Path
from typing import Any

import click

from detectable.cli import options
from detectable.cli.options import as_typed
from detectable.cli.output_options import PlainNumbers
from detectable.core.errors import DetectableError, MissingExtraError
from detectable.core.wording import for_terminal
from detectable.web.settings import Settings, is_loopback, read_password, write_password


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
            from detectable.web.health import ask_health

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
