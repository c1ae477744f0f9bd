"""How human judgments are read, as options shared by commands."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from detectable.cli.column_option import column_names
from detectable.cli.command import note
from detectable.cli.progress import Bars
from detectable.core.choices import Repeated

if TYPE_CHECKING:
    from detectable.data.human.judgments import Judgments

T = TypeVar("T")

# Written out so that --help need not load the readers; a test compares.
FORMATS = (
    *("auto", "table", "wmt-da", "appraise", "esa", "mqm", "pearmut", "label-studio"),
    "shipdata",
)
ROLES = (
    *("system", "item", "score", "rater", "document", "domain", "wave", "task", "language"),
    *("campaign", "kind", "seconds"),
)


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
        type=click.Choice(FORMATS),
        default="auto",
        show_default=True,
        help="Of the judgments; see docs/judgments.md.",
    ),
    click.option(
        "--column",
        "columns",
        multiple=True,
        metavar="ROLE=NAME",
        callback=column_names(ROLES),
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


def judgment_options(command: Callable[..., T]) -> Callable[..., T]:
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
    note(*judgments.notes)
    return judgments


def check_ending(path: Path) -> None:
    """Refuse a file of judgments to be written whose ending says nothing, before the work."""
    from detectable.data.human.write_judgments import ENDINGS

    if path.suffix.lower() not in ENDINGS:
        raise click.UsageError(
            f"the file of judgments must end in {', '.join(ENDINGS)}; got {path.name!r}."
        )
