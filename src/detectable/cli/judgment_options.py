"""How human judgments are read, as options shared by commands."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from detectable.cli.column_option import column_names
from detectable.cli.progress import Bars
from detectable.core.choices import JudgmentRole, Repeated, words

if TYPE_CHECKING:
    from detectable.data.human.judgments import Judgments

AUTO = "auto"


class JudgmentFormat(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # from 8.3 on
    """The name of a format of judgments: built in, or of an installed package.

    The names are looked up when an option is read or its help is shown, so that a new format is
    offered without a word here, and the other commands do not pay for it.
    """

    name = "format"

    def names(self) -> tuple[str, ...]:
        """Return ``auto`` and all formats."""
        from detectable.data.human.reader_registry import judgment_readers

        return (AUTO, *judgment_readers().names())

    def get_metavar(
        self,
        param: click.Parameter,  # noqa: ARG002 (click calls it so)
        ctx: click.Context | None = None,  # noqa: ARG002 (click ≥ 8.2 gives it)
    ) -> str:
        """Return the names for ``--help``."""
        return f"[{'|'.join(self.names())}]"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return a name that exists."""
        return value if value == AUTO else click.Choice(self.names()).convert(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[Any]:
        """Return the names that begin so."""
        return click.Choice(self.names()).shell_complete(ctx, param, incomplete)


def _scale(
    _: click.Context, parameter: click.Parameter, text: str | None
) -> tuple[float, float] | None:
    """Read ``0:100``; either end may be left out, where there is no bound."""
    if text is None:
        return None
    low, colon, high = text.partition(":")
    try:
        ends = float(low or "-inf"), float(high or "inf")
    except ValueError:
        ends = (0.0, 0.0)
    if not colon or not ends[0] < ends[1]:
        raise click.BadParameter(
            f"takes LOW:HIGH, for example 0:100 or :0; got {text!r}.", param=parameter
        )
    return ends


_OPTIONS = (
    click.option(
        "--format",
        type=JudgmentFormat(),
        default=AUTO,
        show_default=True,
        help="Of the judgments; see docs/judgments.md.",
    ),
    click.option(
        "--column",
        "columns",
        multiple=True,
        metavar="ROLE=NAME",
        callback=column_names(words(JudgmentRole)),
        help="Which column is what, where its name is unusual: rater=who (repeatable).",
    ),
    click.option(
        "--scale",
        metavar="LOW:HIGH",
        callback=_scale,
        help="Lowest and highest score (default: 0:100; of the format where it has another).",
    ),
    click.option(
        "--repeated",
        type=click.Choice(["refuse", "mark"]),
        help="Two scores by one rater for one item (default: refuse in tables, else mark).",
    ),
)


def judgment_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``format``, ``columns``, ``scale`` and ``repeated`` to a command, for `load`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def reading(settings: dict[str, Any]) -> dict[str, Any]:
    """Take out of a command's settings what `load` needs, and leave the rest."""
    return {name: settings.pop(name) for name in ("format", "columns", "scale", "repeated")}


def refuse(
    reading: Mapping[str, Any], because: str, names: Iterable[str] | None = None
) -> None:
    """Refuse options that would have no effect, rather than ignore them."""
    for name in names or reading:
        if reading[name] and reading[name] != "auto":
            option = "column" if name == "columns" else name
            raise click.UsageError(f"--{option} has no effect here: {because}.")


def load(
    path: Any,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    repeated: "Repeated | None" = None,
) -> "Judgments":
    """Read judgments, and say on stderr what the reader left out or changed."""
    from detectable.data.human.read_judgments import read_judgments

    with Bars() as progress:
        judgments = read_judgments(
            path,
            format=format,
            columns=columns or None,
            scale=scale,
            repeated=repeated,
            progress=progress,
        )
    for note in judgments.notes:
        click.echo(f"Note: {note}", err=True)
    return judgments
