"""``detectable campaign new``, and the store that holds campaigns."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from detectable.cli import inputs, options
from detectable.cli.command import command, note
from detectable.core.choices import DegradeUnit
from detectable.core.errors import DataError
from detectable.study.campaign.settings import CampaignSettings

if TYPE_CHECKING:
    from detectable.data.campaign_files.texts import CampaignTexts, TrainingText
    from detectable.data.store.open_store import AnyStore
    from detectable.study.campaign.campaigns import Campaigns

T = TypeVar("T")

store_option = click.option(
    "--store",
    "address",
    default=".",
    show_default=True,
    help="Folder, SQLite file or postgresql://… that holds the campaigns.",
)
name_argument = click.argument("name")
plan_option = click.option(
    "--plan",
    "plan_path",
    type=click.Path(path_type=Path),
    help="Where the plan is now (default: where it was).",
)


def with_store(
    address: str, call: "Callable[[AnyStore], T]", *, new: bool = False, read_only: bool = False
) -> T:
    """Open the store, call, and close it."""
    from detectable.data.store.open_store import open_store

    store = open_store(address, new=new, read_only=read_only)
    try:
        return call(store)
    finally:
        store.close()


def user() -> str:
    """Return who types, as the machine knows it; nothing where it does not."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return ""


# --- ``detectable campaign new``: from texts, or from the file of another tool, to a draft ---


@command("new")
@name_argument
@inputs.corpus_or_scores
@click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Campaign of Pearmut, batches of Appraise or tasks.csv, in place of texts.",
)
@store_option
@options.of(CampaignSettings, "protocol")
@options.of(CampaignSettings, "criteria", "weight")
@options.of(CampaignSettings, "baseline")
@options.of(CampaignSettings, "strength", "document_score")
@options.of(CampaignSettings, "comments", "questionnaire")
@options.of(CampaignSettings, "mode")
@click.option("--plan", "plan_path", type=click.Path(path_type=Path), help="The frozen plan.")
@click.option("--n-items", type=int, help="Lines to draw, in whole documents (default: all).")
@click.option(
    "--selection",
    metavar="RECORD",
    help="In place of --n-items: the lines that `select` drew; looks use their weights.",
)
@options.of(CampaignSettings, "block", "budget")
@options.of(CampaignSettings, "spend")
@click.option(
    "--raters",
    "n_raters",
    type=click.IntRange(1, 500),
    help="How many are expected: block and controls fit.",
)
@options.of(CampaignSettings, "lease_minutes")
@options.of(CampaignSettings, "page_lines", "page_language")
@options.of(CampaignSettings, "grace_minutes", "reveal")
@options.of(CampaignSettings, "source_language", "target_language")
@click.option(
    "--instructions",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File that raters read after the usual instructions (Markdown).",
)
@options.of(CampaignSettings, "guide")
@click.option(
    "--suggest",
    "suggestions",
    type=click.Path(path_type=Path, dir_okay=False),
    help="esa, mqm: errors marked already (JSON lines), to keep, change or remove.",
)
@click.option(
    "--training",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Table of texts to try first: text, source, reference, low, high, hint.",
)
@click.option(
    "--pay",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File that says what raters are paid.",
)
@click.option(
    "--consent",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File that raters agree to before they begin.",
)
@options.of(CampaignSettings, "completion_code", "code_for")
@options.choice("--replace", "unit", of=DegradeUnit, help="What degraded copies replace.")
@options.seed
def new(  # noqa: PLR0913 (options)
    given: inputs.Inputs,
    *,
    name: str,
    file: Path | None,
    address: str,
    plan_path: Path | None,
    instructions: Path | None,
    training: Path | None,
    pay: Path | None,
    consent: Path | None,
    selection: str | None,
    **chosen: Any,
) -> "Campaigns":
    """Make the campaign NAME from the outputs of systems, as a draft.

    \b
    Example:
        detectable campaign new ship --store judging --refs ref.txt \\
            --sources src.txt \\
            --documents documents.txt --system new=new.txt --system old=old.txt \\
            --plan ship.json
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.campaign.begin import begin_campaign, languages_of

    if selection is not None:
        from detectable.study.selection.selection import read_selection

        chosen["selection"] = read_selection(selection)
    texts = _texts(given, file)
    roles = ("source_language", "target_language")
    chosen |= zip(roles, languages_of(texts, *(chosen[role] for role in roles)), strict=True)
    return with_store(
        address,
        lambda store: begin_campaign(
            store,
            texts.corpus,
            name,
            items=texts.items,
            training=_tried(training, texts, chosen["protocol"]),
            plan_path=plan_path,
            instructions=_read(instructions),
            pay=_read(pay),
            consent=_read(consent),
            said=note,
            **chosen,
        ),
        new=True,
    )


def _texts(given: inputs.Inputs, file: Path | None) -> "CampaignTexts":
    """Read texts, or the file of another campaign."""
    from detectable.data.campaign_files.texts import CampaignTexts

    if file is None:
        if not given.given:
            raise click.UsageError(
                "a campaign needs texts: give --system, --corpus, or --from."
            )
        loaded = given.load_outputs()
        note(*loaded.notes)
        return CampaignTexts(corpus=loaded)
    if given._replace(systems=()).given or given.sources or given.documents:
        raise click.UsageError("give --from, or texts by other options, not both.")
    from detectable.data.campaign_files.read_campaign_file import read_campaign_file

    found = read_campaign_file(file, systems=given.systems or None)
    note(*found.notes)
    return found


def _tried(
    path: Path | None, texts: "CampaignTexts", protocol: str
) -> "tuple[TrainingText, ...]":
    """Return the texts to try: those of a table, or the first of the campaign's own file."""
    if path is not None:
        from detectable.data.campaign_files.texts import read_training

        return read_training(path)
    from detectable.study.campaign.begin import tried_first

    found, notes = tried_first(texts, protocol)
    note(*notes)
    return found


def _read(path: Path | None) -> str:
    """Return the text of a file that may not be given."""
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read ({error}).") from error
