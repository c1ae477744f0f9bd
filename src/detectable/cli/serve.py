"""``detectable serve``: plan in a browser, on this machine."""

from pathlib import Path

import click

from detectable.cli.typed_words import as_typed
from detectable.core.errors import DetectableError, MissingExtraError
from detectable.core.harmless import for_terminal


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path())
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address of this machine to listen on; one that others can reach is refused.",
)
@click.option(
    "--port", type=int, default=8300, show_default=True, help="Port to listen on; 0: any."
)
@click.option("--open", "opens", is_flag=True, help="Open the planner in the browser.")
@click.option("--check", is_flag=True, help="Only say whether a server answers there.")
def serve(folder: Path, *, host: str, port: int, opens: bool, check: bool) -> None:
    """Plan evaluations and read results in a browser, on this machine.

    Frozen plans go to FOLDER (by default where you are); nothing else is written, and nothing
    leaves the machine. It needs detectable[web]. Ctrl+C ends it.

    \b
    Examples:
        detectable serve
        detectable serve plans --port 0 --open
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    try:
        if check:
            from detectable.web.ask_health import ask_health

            click.echo(ask_health(host, port))
            return
        _serve(folder, host, port, opens=opens)
    except DetectableError as error:
        raise click.ClickException(for_terminal(as_typed(str(error)))) from error


def _serve(folder: Path, host: str, port: int, *, opens: bool) -> None:
    try:
        from detectable.web.server import serve as run
        from detectable.web.settings import Settings
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] == "detectable":
            raise
        raise MissingExtraError(
            f'the server needs {error.name}: pip install "detectable[web]".'
        ) from error

    def ready(address: str) -> None:
        click.echo(f"The planner is at {address} (Ctrl+C ends it).")
        if opens:
            click.launch(address)

    run(Settings(folder, host, port), ready=ready)
