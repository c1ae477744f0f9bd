"""``detectable serve``: plan in a browser, collect judgments, and watch them come."""

from pathlib import Path
from typing import Any

import click

from detectable.cli.options import as_typed
from detectable.cli.output_options import PlainNumbers
from detectable.core.errors import DetectableError, MissingExtraError
from detectable.core.wording import for_terminal


@click.command(cls=PlainNumbers)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path())
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; one that others can reach needs --password-file.",
)
@click.option(
    "--port", type=int, default=8300, show_default=True, help="Port to listen on; 0: any."
)
@click.option(
    "--store", default="", help="Campaigns, if not in FOLDER: postgresql://… or a file."
)
@click.option(
    "--password-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Organisers sign in with the password whose hash is in this file.",
)
@click.option(
    "--set-password", is_flag=True, help="Ask for a new password and make that file; then end."
)
@click.option(
    "--public-name",
    "public_names",
    multiple=True,
    help="Name under which others reach the server: eval.example.org (repeatable).",
)
@click.option(
    "--forwarded-allow-ips",
    "forwarded_from",
    default="",
    metavar="ADDRESSES",
    help="Proxies that may say who asks and over TLS or not, with commas between.",
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
        detectable serve judging --password-file organisers.txt --public-name eval.example.org
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
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
    from detectable.web.settings import write_password

    if path is None:
        raise click.UsageError("--set-password needs --password-file: where the hash goes.")
    given = click.prompt(
        "Password of the organisers", hide_input=True, confirmation_prompt=True
    )
    write_password(path, given)
    click.echo(f"Written: {path}", err=True)


def _serve(folder: Path, *, opens: bool, password_file: Path | None, **given: Any) -> None:
    try:
        from detectable.web.server import serve as run
        from detectable.web.settings import Settings, is_loopback
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] == "detectable":
            raise
        raise MissingExtraError(
            f'the server needs {error.name}: pip install "detectable[web]".'
        ) from error
    from detectable.web.settings import read_password

    password = None if password_file is None else read_password(password_file)
    settings = Settings(folder, password=password, **given)
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
