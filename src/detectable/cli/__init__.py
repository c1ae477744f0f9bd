"""Command line: parse, call the library, print. No statistics here."""

from typing import Any

import click
from click.core import ParameterSource

from detectable.cli.command_table import COMMANDS, GROUPS, LazyCommands, imported
from detectable.core.interpreter import start_with_one_thread


class Commands(click.Group):
    """The commands, in the order in which they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click calls it so)
        """Return the names in the order in which they are needed, not of the alphabet."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands of each group with their summaries, and import none of them."""
        names = self.list_commands(ctx)
        longest = max(map(len, names))
        own = {"Commands": [name for name in names if name not in COMMANDS]}
        for group, held in {**GROUPS, **own}.items():
            rows = [
                (name.ljust(longest), self._summary(ctx, name).get_short_help_str(1000))
                for name in names
                if name in held
            ]
            if rows:
                with formatter.section(group):
                    formatter.write_dl(rows)

    def _summary(self, ctx: click.Context, name: str) -> click.Command:
        """Return a stand-in that has the first sentence of a command, or the command itself."""
        if name in COMMANDS:
            return click.Command(name, help=COMMANDS[name].summary)
        return self.get_command(ctx, name) or click.Command(name)

    def main(self, *arguments: Any, **extra: Any) -> Any:
        """Run a command line; linear algebra starts with one thread."""
        start_with_one_thread()
        return super().main(*arguments, **extra)

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Refuse what no result and no message could repeat."""
        for given in args:
            if "\0" in given:
                raise click.UsageError(f"{given!r} holds a null byte, which no name can.")
            try:
                given.encode()
            except UnicodeEncodeError:
                raise click.UsageError(
                    f"{given!a} is not UTF-8. Give the file or the system another name."
                ) from None
        return super().make_context(info_name, args, parent, **extra)


def _size(context: click.Context, parameter: click.Parameter, text: str) -> None:
    """Set how large files may be for as long as the command runs."""
    if context.get_parameter_source("max_size") is ParameterSource.DEFAULT:
        return
    from detectable.core.errors import InputError
    from detectable.data.files.size_limit import size_limit

    try:
        context.with_resource(size_limit(text))
    except InputError as error:
        raise click.BadParameter(str(error), param=parameter) from None


def _makers() -> LazyCommands:
    places = {name: entry.place.split(":") for name, entry in COMMANDS.items()}
    return LazyCommands(
        {name: imported(f"{__name__}.{file}", what) for name, (file, what) in places.items()}
    )


@click.group(
    cls=Commands,
    commands=_makers(),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="detectable")
@click.option(
    "--max-size",
    default="2GB",
    show_default=True,
    metavar="SIZE",
    callback=_size,
    expose_value=False,
    help="Largest file that is read, once it is unpacked.",
)
def main() -> None:
    """Plan, monitor, test and report evaluations."""
