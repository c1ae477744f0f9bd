"""How human judgments are read, as options shared by commands."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from detectable.cli import options
from detectable.cli.column_option import column_option
from detectable.cli.command import note
from detectable.cli.lazy_choice import LazyChoice
from detectable.cli.progress import Bars
from detectable.cli.scale_option import read_scale
from detectable.core.choices import JudgmentRole, Repeated, SourceErrors, words

if TYPE_CHECKING:
    from detectable.data.human.judgments import Judgments
    from detectable.data.human.scanned_judgments import ScannedJudgments

T = TypeVar("T")
AUTO = "auto"


def _formats() -> tuple[str, ...]:
    from detectable.data.human.reader_registry import judgment_readers

    return judgment_readers().names()


def _format(name: str) -> Callable[[Any], Any]:
    return click.option(
        "--format",
        name,
        type=LazyChoice(_formats, always=(AUTO,)),
        default=AUTO,
        show_default=True,
        help="Of the judgments; see docs/judgments.md.",
    )


_SCALE = click.option(
    "--scale",
    metavar="LOW:HIGH",
    callback=read_scale,
    help="Lowest and highest score (default: 0:100; of the format where it has another).",
)
_REPEATED = options.choice(
    "--repeated",
    of=Repeated,
    help="Two scores by one rater for one item (default: refuse in tables, else mark).",
    optional=True,
)
_SOURCE_ERRORS = options.choice(
    "--source-errors",
    of=SourceErrors,
    help="Of MQM: what errors of the source cost (default: what their severity says).",
    optional=True,
)


def judgment_options(command: Callable[..., T]) -> Callable[..., T]:
    """Add ``format``, ``columns`` and the others that `load` takes to a command."""
    return with_roles(words(JudgmentRole), "rater=who")(command)


def with_roles(
    roles: Sequence[str], example: str
) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Return the same, for a command whose tables have other roles, too."""

    def decorate(command: Callable[..., T]) -> Callable[..., T]:
        columns = column_option(roles, example)
        for option in (_SOURCE_ERRORS, _REPEATED, _SCALE, columns, _format("format")):
            command = option(command)
        return command

    return decorate


def beside_inputs(command: Callable[..., T]) -> Callable[..., T]:
    """Add ``judgment_format``, ``scale`` and its like, beside the options of `inputs`.

    `inputs.corpus_scores_or_judgments` has ``columns``, and a ``format`` of its own.
    """
    for option in (_SOURCE_ERRORS, _REPEATED, _SCALE, _format("judgment_format")):
        command = option(command)
    return command


def reading(settings: dict[str, Any]) -> dict[str, Any]:
    """Take out of a command's settings what `load` needs, and leave the rest."""
    names = ("format", "columns", "scale", "repeated", "source_errors")
    return {name: settings.pop(name) for name in names}


def reading_beside(settings: dict[str, Any], *, judged: bool) -> dict[str, Any]:
    """Take out what `beside_inputs` added, and refuse it where there are no judgments."""
    found = {name: settings.pop(name) for name in ("scale", "repeated", "source_errors")}
    found["format"] = settings.pop("judgment_format")
    if not judged:
        refuse(found, "there are no --judgments")
    return found


def refuse(
    reading: Mapping[str, Any], because: str, names: Iterable[str] | None = None
) -> None:
    """Refuse options that would have no effect, rather than ignore them."""
    for name in names or reading:
        if reading[name] and reading[name] != "auto":
            option = "column" if name == "columns" else name.replace("_", "-")
            raise click.UsageError(f"--{option} has no effect here: {because}.")


def load(
    path: Any,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    repeated: "Repeated | None" = None,
    source_errors: "SourceErrors | None" = None,
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
            source_errors=source_errors,
            progress=progress,
        )
    note(*judgments.notes)
    return judgments


def scan(
    path: Any,
    chosen: Mapping[str, str | None],
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    repeated: "Repeated | None" = None,
    source_errors: "SourceErrors | None" = None,
) -> "ScannedJudgments | None":
    """Scan a large table of judgments; None of any other file, which `load` reads."""
    from detectable.data.files.table_scan import TableScan

    if format not in (AUTO, "table") or source_errors is not None:
        return None
    table = TableScan.of(path)
    if table is None:
        return None
    from detectable.data.human.scan_judgments import scanned

    with Bars() as progress:
        judgments = scanned(
            table,
            columns=columns or None,
            scale=scale,
            repeated=repeated,
            progress=progress,
            **chosen,
        )
    if judgments is not None:
        note(*judgments.notes)
    return judgments


def check_ending(path: Path) -> None:
    """Refuse a file of judgments to be written whose ending says nothing, before the work."""
    from detectable.data.human.write_judgments import ENDINGS

    if path.suffix.lower() not in ENDINGS:
        raise click.UsageError(
            f"the file of judgments must end in {', '.join(ENDINGS)}; got {path.name!r}."
        )
