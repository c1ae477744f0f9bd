"""Command line: parse, call the library, print. No statistics here."""

from typing import Any

import click
from click.core import ParameterSource

from detectable.cli.agreement import agreement
from detectable.cli.audit import audit
from detectable.cli.cheapest import cheapest
from detectable.cli.compare import compare
from detectable.cli.conclude import conclude
from detectable.cli.control_variates import control_variates
from detectable.cli.demo import demo
from detectable.cli.design import design
from detectable.cli.import_judgments import import_judgments
from detectable.cli.look import look
from detectable.cli.mixed import mixed
from detectable.cli.plan import plan
from detectable.cli.power import mde, power, power_curve, sample_size
from detectable.cli.quality import quality
from detectable.cli.rank import rank
from detectable.cli.reliability import reliability
from detectable.cli.report import report
from detectable.cli.savings import savings
from detectable.cli.tasks import tasks
from detectable.cli.translationese import translationese
from detectable.cli.variance import variance

# In the order of an evaluation's life, and so shown by --help.
_COMMANDS: tuple[click.Command, ...] = (
    *(demo, compare, reliability),
    *(power, mde, sample_size, power_curve, cheapest),
    *(tasks, import_judgments, quality, rank, mixed, variance, agreement, control_variates),
    *(translationese,),
    *(design, savings, plan, look, conclude),
    *(audit, report),
)


class Commands(click.Group):
    """The commands, in the order in which they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click calls it so)
        """Return the names in the order in which they are needed, not of the alphabet."""
        return [command.name or "" for command in _COMMANDS]

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


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
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


for _command in _COMMANDS:
    main.add_command(_command)
