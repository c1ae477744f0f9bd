"""``detectable tasks``: annotation tasks with controls."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import inputs, options
from detectable.cli.command import Output, command, note, refuse_existing
from detectable.cli.output_options import Unrepeated
from detectable.core.choices import Assignment, DegradeUnit, TaskKind
from detectable.core.errors import DataError

if TYPE_CHECKING:
    from detectable.study.tasks.result import Tasks


@command()
@inputs.corpus_or_scores
@options.choice("--kind", of=TaskKind, help="Single sentences, or documents in order.")
@options.choice(
    "--assignment",
    of=Assignment,
    help="All systems of a sentence or document to one rater, or as it comes.",
)
@click.option(
    "--n-items",
    type=int,
    help="Lines to draw, whole documents at a time where they are known (default: all).",
)
@click.option("--per-task", default=100, show_default=True, help="Texts in a task, at most.")
@click.option("--raters", type=int, help="How many raters share the tasks.")
@click.option(
    "--overlap",
    default=0.0,
    show_default=True,
    help="Share of the lines that a second rater judges too: 0.1 for agreement and variance.",
)
@options.choice(
    "--replace",
    "unit",
    of=DegradeUnit,
    help="What is replaced in degraded copies; auto: by the script of the references.",
)
@click.option(
    "--output",
    "folder",
    cls=Unrepeated,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for tasks.csv (default: write nothing).",
)
@click.option(
    "--appraise",
    cls=Unrepeated,
    metavar="SRC-TRG",
    help="Write batches.json and manifest.json too, for these languages: ces-eng.",
)
@click.option("--campaign", default="campaign", show_default=True, help="Name in Appraise.")
@options.seed
def tasks(
    given: inputs.Inputs,
    *,
    folder: Path | None,
    appraise: str | None,
    campaign: str,
    output: Output,
    **settings: Any,
) -> "Tasks":
    """Make annotation tasks with controls from the outputs of systems.

    \b
    Examples:
        detectable tasks --refs ref.txt --sources src.txt --system a=a.txt --system b=b.txt \\
            --output tasks --seed 1
        detectable tasks --corpus set.xml --kind document --output tasks --appraise ces-eng
        detectable tasks --corpus set.xml --n-items 300 --raters 5 --overlap 0.1 --output tasks
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.data.texts.corpus import Corpus
    from detectable.report.tasks_csv import tasks_csv
    from detectable.study.tasks.make_tasks import make_tasks

    if appraise is not None and folder is None:
        raise click.UsageError("--appraise needs --output, the folder to write to.")
    names = ["tasks.csv", *(["batches.json", "manifest.json"] if appraise else [])]
    paths = [] if folder is None else [folder / name for name in names]
    refuse_existing(paths, force=output.force)
    loaded = given.load()
    if not isinstance(loaded.table, Corpus):
        raise click.UsageError(
            "tasks are made from texts: give --refs and --system, or --corpus."
        )
    made = make_tasks(loaded.table, **settings)
    note(*loaded.notes, *made.notes)
    writers: list[Callable[[], str]] = [lambda: tasks_csv(made)]
    if appraise is not None:
        more, remarks = _appraise(made, appraise, campaign)
        writers += more
        note(*remarks)
    if folder is not None:
        _make(folder)
        for path, write in zip(paths, writers, strict=True):
            output.put(path, write())
            click.echo(f"Written: {path}", err=True)
    return made


def _appraise(
    made: "Tasks", pair: str, campaign: str
) -> tuple[list[Callable[[], str]], tuple[str, ...]]:
    """Return the writers of Appraise's files, and what these cannot hold."""
    from detectable.report.appraise import appraise_batches, appraise_manifest, appraise_notes

    source, _, target = pair.partition("-")
    languages = {"source_language": source, "target_language": target}
    batches = appraise_batches(made, **languages)
    manifest = appraise_manifest(made, **languages, campaign=campaign)
    return [lambda: batches, lambda: manifest], appraise_notes(made)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder} cannot be made: {error.strerror}.") from error
