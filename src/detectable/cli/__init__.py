"""Command line: parse, call the library, print. No statistics here."""

from typing import Any

import click

from detectable.cli.compare import compare
from detectable.cli.demo import demo
from detectable.cli.mixed import mixed
from detectable.cli.power import mde, power, power_curve, sample_size
from detectable.core.errors import DetectableError


class Commands(click.Group):
    """Turn our own errors into one line on stderr and exit status 1; bugs keep their trace."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the chosen command."""
        try:
            return super().invoke(ctx)
        except DetectableError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="detectable")
def main() -> None:
    """Plan, monitor, test and report evaluations."""


main.add_command(compare)
main.add_command(demo)
main.add_command(mixed)
main.add_command(power)
main.add_command(mde)
main.add_command(sample_size)
main.add_command(power_curve)
