"""``detectable select``: what people judge, drawn with weights that every analysis takes into account."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.command import Output, command, note, refuse_existing
from detectable.cli.judgment_options import judgment_options, load, refuse
from detectable.cli.output_options import Unrepeated
from detectable.study.settings import SelectSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from detectable.core.choices import KeptDirection
    from detectable.data.human.judgments import Judgments
    from detectable.data.scores.scores import Scores
    from detectable.study.selection.selection import Selection

_OPTIONS = {"rng": "--seed", "higher_is_better": "--higher-is-better"}
_READ = ("format", "columns", "scale", "repeated", "source_errors")  # how judgments are read
_SHORT = 4  # letters of a fingerprint that a person compares


def _to_write(function: "Callable[..., Any]") -> "Callable[..., Any]":
    """Add the options of what is read beside the scores, and of what is written."""
    for decorate in reversed(
        (
            click.option("--metric", help="Which of several metrics in SCORES, or its name."),
            options.language(help="What is translated, where SCORES do not say: zh-en."),
            options.direction,
            click.option(
                "--sheet",
                cls=Unrepeated,
                type=click.Path(dir_okay=False, path_type=Path),
                help="Write the task sheet there: a row per item and system, to fill in (CSV).",
            ),
            click.option(
                "--record",
                cls=Unrepeated,
                type=click.Path(dir_okay=False, path_type=Path),
                help="Write pool, probabilities and what was drawn there (JSON); never overwritten.",
            ),
            click.option(
                "--seed",
                "rng",
                type=int,
                help="Chosen by hand (default: from the data, so that one question has one draw).",
            ),
        )
    ):
        function = decorate(function)
    return function


@command(charts=("drawn",))
@click.argument("scores", required=False)
@options.of(SelectSettings)
@click.option(
    "--take",
    multiple=True,
    metavar="SCORE=PART",
    help="In place of --n-items: all, a share or a number of the items with a score (repeatable).",
)
@click.option(
    "--sources",
    metavar="FILE",
    help="The source texts, a line per item: a long line costs more, and says more.",
)
@click.option(
    "--judged",
    metavar="FILE",
    help="Judgments that show whether choosing saves; with --continue, the first batch.",
)
@click.option(
    "--judged-metric", metavar="FILE", help="The metric on the items of --judged, if others."
)
@click.option(
    "--higher-is-better/--lower-is-better",
    default=None,
    help="The direction of the metric, where its name does not tell.",
)
@click.option(
    "--continue",
    "go_on",
    metavar="RECORD",
    help="Draw the second batch of this record, once its first was judged (--judged).",
)
@judgment_options
@_to_write
def select(  # noqa: PLR0913 (options)
    scores: str | None,
    *,
    take: tuple[str, ...],
    sources: str | None,
    judged: str | None,
    judged_metric: str | None,
    go_on: str | None,
    sheet: Path | None,
    record: Path | None,
    metric: str | None,
    language: str | None,
    direction: "KeptDirection",
    output: Output,
    **settings: Any,
) -> "Selection":
    """Choose what people judge, with valid weights.

    Choose what people judge from the items that SCORES hold, whole documents where known.

    \b
    Examples:
        detectable select judge.csv --take 0=all --take 1=20% \\
            --sheet review.csv --record review.json
        detectable select metricx.csv --n-items 138 --sources src.txt --steps 2 \\
            --sheet first.csv --record selection.json
        detectable select --continue selection.json --judged first.csv \\
            --sheet sheet.csv
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.data.scores.read_scores import read_scores
    from detectable.study.selection.pool import lengths_of_lines
    from detectable.study.selection.select import select as choose

    read = {name: settings.pop(name) for name in _READ}
    if judged is None:
        refuse(read, "there is no --judged")
    if go_on is not None:
        given = {"SCORES": scores, "--take": take, "--sources": sources, "--metric": metric}
        given |= {"--judged-metric": judged_metric, "--language": language}
        return _second(go_on, (judged, read), given, settings, sheet, record, output)
    if scores is None:
        raise click.UsageError("give SCORES, or --continue RECORD.")
    _refuse_written(sheet, record, output)
    loaded = _scores(scores, metric, language, direction)
    if sources is not None:
        from detectable.data.files.lines import read_lines

        settings["lengths"] = lengths_of_lines(list(read_lines(sources)), loaded)
    chosen = choose(
        loaded,
        take=_parts(take),
        judged=None if judged is None else load(judged, **read),
        judged_metric=None if judged_metric is None else read_scores(judged_metric),
        **settings,
    )
    chosen = _written(chosen, None, sheet, record, output)
    if chosen.waits and record is None:
        note("The second batch is drawn from a record, and there is none: give --record.")
    elif chosen.waits:
        note(
            "Then:",
            f"    detectable select --continue {record} --judged {sheet or 'SHEET'} --sheet sheet.csv",
        )
    return chosen


@command(charts=("drawn",))
@click.argument("scores")
@click.option("--n-items", type=int, required=True, help="Items to choose.")
@_to_write
def stratify(  # noqa: PLR0913 (options)
    scores: str,
    *,
    n_items: int,
    sheet: Path | None,
    record: Path | None,
    metric: str | None,
    language: str | None,
    direction: "KeptDirection",
    rng: int | None,
    output: Output,
) -> "Selection":
    """Now `select --by random`; goes with a release.

    What `select --by random` does. Bins of a metric gain what the metric gains as a control variate,
    which needs no bins: `control-variates` has it.

    \b
    Example:
        detectable stratify judge.csv --n-items 200 --sheet labels.csv
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.selection.select import select as choose

    note("`stratify` is `select --by random` now, and will be gone in the next release.")
    _refuse_written(sheet, record, output)
    loaded = _scores(scores, metric, language, direction)
    chosen = choose(loaded, n_items=n_items, by="random", rng=rng)
    return _written(chosen, None, sheet, record, output)


def _scores(
    path: str, metric: str | None, language: str | None, direction: "KeptDirection"
) -> "Scores":
    from detectable.data.directions import keep_direction
    from detectable.data.scores.read_scores import read_scores

    if language is not None and direction == "all":
        raise click.UsageError("--language has no effect without --direction. Drop it.")
    read = read_scores(path, metric=metric)
    loaded = keep_direction(read, direction, language_pair=language)
    note(*loaded.notes[len(read.notes) :])
    return loaded


def _parts(take: tuple[str, ...]) -> dict[str, str] | None:
    """Return how many of every score are taken; None where nothing was said."""
    found: dict[str, str] = {}
    for text in take:
        score, equals, part = text.partition("=")
        if not equals:
            raise click.UsageError(
                f"--take must be SCORE=PART, like 0=all or 1=20%; got {text!r}."
            )
        if score in found:
            raise click.UsageError(f"--take names the score {score} twice.")
        found[score] = part
    return found or None


def _second(
    go_on: str,
    judged: "tuple[str | None, dict[str, Any]]",
    given: dict[str, Any],
    settings: dict[str, Any],
    sheet: Path | None,
    record: Path | None,
    output: Output,
) -> "Selection":
    """Draw the second batch; what the record says already is not asked again."""
    from detectable.study.selection.select import select_more
    from detectable.study.selection.selection import read_selection

    path, read = judged
    if path is None:
        raise click.UsageError("--continue needs --judged, the first batch with its scores.")
    defaults = SelectSettings()
    given |= {
        _OPTIONS.get(name, f"--{name.replace('_', '-')}"): value
        for name, value in settings.items()
        if value != getattr(defaults, name, None)
    }
    for option, value in given.items():
        if value:
            raise click.UsageError(
                f"{option} has no effect with --continue: the record says it. Drop it."
            )
    first = Path(go_on)
    if record is None and sheet is not None:
        record = first.with_name(f"{first.stem}-2.json")
    _refuse_written(sheet, record, output)
    table = load(path, **read)
    chosen = select_more(read_selection(first), table)
    return _written(chosen, table, sheet, record, output)


def _refuse_written(sheet: Path | None, record: Path | None, output: Output) -> None:
    """Refuse files that exist, before the work; a record even if others may be replaced."""
    refuse_existing([] if sheet is None else [sheet], force=output.force)
    refuse_existing([] if record is None else [record], force=False)


def _written(
    chosen: "Selection",
    judged: "Judgments | None",
    sheet: Path | None,
    record: Path | None,
    output: Output,
) -> "Selection":
    """Write the sheet and the record, and say so."""
    from dataclasses import replace

    from detectable.report.shown.selection import label_sheet
    from detectable.study.selection.selection import count_earlier, write_selection

    if record is not None:
        chosen = replace(chosen, earlier=count_earlier(chosen, record.parent))
    if sheet is not None:
        output.put(sheet, label_sheet(chosen, judged=judged))
    if record is not None:
        write_selection(chosen, record)
    names = [str(path) for path in (sheet, record) if path is not None]
    if names:
        seed = "seed chosen by hand" if chosen.seed_by_hand else "the seed comes from the data"
        stamp = f"fingerprint {chosen.fingerprint[:_SHORT]}…; " if record is not None else ""
        note(f"Written: {', '.join(names)} ({stamp}{seed}).")
    return chosen
