"""How human judgments are read, as options shared by commands."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from detectable.cli import options
from detectable.cli.command import note
from detectable.cli.options import column_option
from detectable.cli.terminal import Bars
from detectable.core.choices import JudgmentRole, Repeated, SourceErrors, words
from detectable.core.wording import plain_digits

if TYPE_CHECKING:
    from detectable.core.choices import KeptDirection, MixedRepeats
    from detectable.data.human.judgments import Judgments
    from detectable.data.human.scanned_judgments import ScannedJudgments


def read_scale(
    _: click.Context, parameter: click.Parameter, text: str | None
) -> tuple[float, float] | None:
    """Read ``0:100``; either end may be left out, where there is no bound."""
    if text is None:
        return None
    low, colon, high = text.partition(":")
    try:
        ends = float(plain_digits(low) or "-inf"), float(plain_digits(high) or "inf")
    except ValueError:
        ends = (0.0, 0.0)
    if not colon or not ends[0] < ends[1]:
        raise click.BadParameter(
            f"takes LOW:HIGH, for example 0:100 or :0; got {text!r}.", param=parameter
        )
    return ends


# --- How human judgments are read, as options shared by commands ---

T = TypeVar("T")
AUTO = "auto"


def _format(name: str) -> Callable[[Any], Any]:
    readers = "detectable.data.reader:judgment_readers"
    about = "Of the judgments; see docs/judgments.md."
    return options.format_option("--format", name, of=readers, help=about)


_SCALE = click.option(
    "--scale",
    metavar="LOW:HIGH",
    callback=read_scale,
    help="Lowest and highest score (default: of the format, else from the scores).",
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
    found = {name: settings.pop(name) for name in names}
    if "direction" in settings:  # of commands that have `options.direction`
        found |= {"direction": settings.pop("direction")}
        found |= {"language_pair": settings.get("language")}
    return found


def reading_of_pair(settings: dict[str, Any]) -> dict[str, Any]:
    """Take out the same where `options.language` says which judgments to read, and no more."""
    return {**reading(settings), "language": settings.pop("language")}


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
        if reading[name] and reading[name] not in ("auto", "all") and name != "language_pair":
            option = "column" if name == "columns" else name.replace("_", "-")
            raise click.UsageError(f"--{option} has no effect here: {because}.")


def load(  # noqa: PLR0913 (options)
    path: Any,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    repeated: "Repeated | None" = None,
    source_errors: "SourceErrors | None" = None,
    direction: "KeptDirection" = "all",
    language_pair: str | None = None,
    language: str | None = None,
) -> "Judgments":
    """Read judgments, keep a direction, and say on stderr what was left out or changed.

    `language_pair` says what is translated, where the judgments do not; `language` takes those of
    one language pair.
    """
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
    if language is not None and (judgments.language is not None or direction == "all"):
        judgments = judgments.where(language=language)
    if direction != "all":
        from detectable.data.directions import keep_direction

        pair = language_pair if judgments.language is None else None
        judgments = keep_direction(judgments, direction, language_pair=pair)
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
    """Scan a large table of judgments; None of any other file, which `load` reads.

    A table that says original languages is read whole: what reverse-created data do is told.
    """
    from detectable.data.files.table import ORIGINAL_LANGUAGE
    from detectable.data.files.table_scan import TableScan

    if format not in (AUTO, "table") or source_errors is not None:
        return None
    table = TableScan.of(path)
    if table is None or set(ORIGINAL_LANGUAGE) & set(table.names):
        return None
    from detectable.data.human.scanned_judgments import scanned

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


# --- How human judgments are read for a mixed model, as options shared by commands ---

_CHOSEN = (
    click.option("--campaign", help="Which campaign, where FILE holds several."),
    options.language(),
)


def model_judgment_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add how to read judgments, and ``campaign`` and ``language``."""
    for option in reversed(_CHOSEN):
        command = option(command)
    return judgment_options(command)


def load_for_model(
    path: Any, reading: dict[str, Any], *, repeats: "MixedRepeats" = "mean"
) -> "Judgments":
    """Read judgments of any scale, and say on stderr what the reader left out or changed."""
    from detectable.mixed.identify import reading_options

    options = reading_options(
        scale=reading["scale"], repeated=reading["repeated"], repeats=repeats
    )
    return load(path, **{**reading, **options})


def load_ordinary(path: Any, settings: dict[str, Any]) -> "Judgments":
    """Read judgments of one evaluation without its controls, and say what was left out.

    What these options hold is taken out of `settings`.
    """
    from detectable.data.human.cells import ordinary
    from detectable.data.human.judgments import one_evaluation

    own = reading(settings)
    chosen = {name: settings.pop(name) for name in ("campaign", "language")}
    read = load_for_model(path, own)
    kept, notes = ordinary(one_evaluation(read, **chosen))
    note(*notes)
    return kept


def refuse_for_model(settings: dict[str, Any], because: str) -> None:
    """Take these options out of `settings`, and refuse those that were given."""
    given = reading(settings)
    given |= {name: settings.pop(name) for name in ("campaign", "language")}
    refuse(given, because)
