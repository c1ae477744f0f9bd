"""``detectable tasks`` and ``import``: what is handed out to raters, and what comes back."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import inputs, options
from detectable.cli.command import Output, command, note, refuse_existing
from detectable.cli.judgment_options import check_ending, judgment_options, load
from detectable.cli.output_options import Unrepeated
from detectable.core import choices
from detectable.core.errors import DataError
from detectable.study.settings import TaskSettings

if TYPE_CHECKING:
    from detectable.data.human.description import JudgmentDescription
    from detectable.study.selection.selection import Selection
    from detectable.study.tasks.result import Tasks


@command(charts=("arrival",))
@inputs.corpus_or_scores
@options.of(TaskSettings)
@click.option(
    "--output",
    "folder",
    cls=Unrepeated,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the sheets (default: write nothing).",
)
@click.option(
    "--blind",
    cls=Unrepeated,
    is_flag=True,
    help="One sheet for each rater, which names no system, and key.csv in place of tasks.csv.",
)
@click.option(
    "--appraise",
    cls=Unrepeated,
    metavar="SRC-TRG",
    help="Write batches.json and manifest.json too, for these languages: ces-eng.",
)
@click.option(
    "--selection",
    metavar="RECORD",
    help="In place of --n-items: the lines that `select` drew, with their weights.",
)
@click.option("--campaign", default="campaign", show_default=True, help="Name in Appraise.")
@options.seed
def tasks(
    given: inputs.Inputs,
    *,
    folder: Path | None,
    blind: bool,
    appraise: str | None,
    campaign: str,
    selection: str | None,
    output: Output,
    **settings: Any,
) -> "Tasks":
    """Annotation tasks with quality controls.

    Make annotation tasks with controls from the outputs of systems.

    \b
    Examples:
        detectable tasks --refs ref.txt --sources src.txt --system a=a.txt \\
            --system b=b.txt \\
            --output tasks --seed 1
        detectable tasks --corpus set.xml --kind document --output tasks \\
            --appraise ces-eng
        detectable tasks --corpus set.xml --n-items 300 --raters 5 --overlap 0.1 \\
            --output tasks
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.data.texts.corpus import Corpus
    from detectable.study.tasks.make_tasks import make_tasks

    for option, chosen in (("--appraise", appraise is not None), ("--blind", blind)):
        if chosen and folder is None:
            raise click.UsageError(f"{option} needs --output, the folder to write to.")
    names = ["key.csv" if blind else "tasks.csv"]
    names += ["batches.json", "manifest.json"] if appraise else []
    if folder is not None:
        refuse_existing([folder / name for name in names], force=output.force)
    loaded = given.load()
    if not isinstance(loaded, Corpus):
        raise click.UsageError(
            "tasks are made from texts: give --refs and --system, or --corpus."
        )
    made = make_tasks(loaded, selection=_selection(selection), **settings)
    note(*loaded.notes, *made.notes)
    if folder is not None:
        files = dict(_sheets(made, blind=blind))
        if appraise is not None:
            more, remarks = _appraise(made, appraise, campaign)
            files |= more
            note(*remarks)
        refuse_existing([folder / name for name in files], force=output.force)
        _make(folder)
        for name, text in files.items():
            output.put(folder / name, text)
            click.echo(f"Written: {folder / name}", err=True)
    return made


def _selection(path: str | None) -> "Selection | None":
    if path is None:
        return None
    from detectable.study.selection.selection import read_selection

    return read_selection(path)


def _sheets(made: "Tasks", *, blind: bool) -> Mapping[str, str]:
    """Return one sheet for all, or one for each rater and the key."""
    if blind:
        from detectable.report.shown.tasks import blind_sheets

        return blind_sheets(made)
    from detectable.report.shown.tasks import tasks_csv

    return {"tasks.csv": tasks_csv(made)}


def _appraise(
    made: "Tasks", pair: str, campaign: str
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return Appraise's files, and what these cannot hold."""
    from detectable.report.shown.appraise import (
        appraise_batches,
        appraise_manifest,
        appraise_notes,
    )

    source, _, target = pair.partition("-")
    languages = {"source_language": source, "target_language": target}
    files = {
        "batches.json": appraise_batches(made, **languages),
        "manifest.json": appraise_manifest(made, **languages, campaign=campaign),
    }
    return files, appraise_notes(made)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder} cannot be made: {error.strerror}.") from error


# --- ``detectable import``: bring human judgments of any known format into our own ---


@command("import", charts=("scores",))
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUTPUT", type=click.Path(path_type=Path, dir_okay=False))
@options.choice(
    "--recode",
    of=choices.Recode,
    help="Give raters codes in place of their names, to share the table.",
    optional=True,
)
@judgment_options
def import_judgments(
    source: Path, target: Path, recode: str | None, *, output: Output, **reading: Any
) -> "JudgmentDescription":
    """Convert human judgments to one table.

    Convert human judgments in SOURCE to a table, OUTPUT.

    SOURCE is a file or folder of any format of docs/judgments.md. OUTPUT ends in .csv, .tsv,
    .jsonl or .parquet; every command that takes judgments reads it. What is left out is said.

    \b
    Example:
        detectable import appraise.csv judgments.csv --recode raters
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.data.human.description import describe_judgments
    from detectable.data.human.write_judgments import recoded, write_judgments

    check_ending(target)
    refuse_existing([target], force=output.force)
    judgments = load(source, **reading)
    if recode is not None:
        judgments = recoded(judgments)
    write_judgments(judgments, target, overwrite=output.force)
    if judgments.of_documents is not None:
        note(f"{target} has no ratings of whole documents; rank {source} itself by them.")
    return describe_judgments(judgments, str(target))
