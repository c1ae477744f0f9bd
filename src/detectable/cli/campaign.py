"""``detectable campaign``: texts to judge, raters, and what came of it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import inputs, options
from detectable.cli.command import Output, command, note, refuse_existing
from detectable.core.choices import CampaignMode, CampaignProtocol, DegradeUnit
from detectable.core.errors import DataError

if TYPE_CHECKING:
    from detectable.data.store.open_store import AnyStore
    from detectable.study.campaign.campaigns import Campaigns

_SECRET = 0o600

_store = click.option(
    "--store",
    "address",
    default=".",
    show_default=True,
    help="Folder, SQLite file or postgresql://… that holds the campaigns.",
)
_name = click.argument("name")


@click.group()
def campaign() -> None:
    """Collect judgments: texts, raters with links, progress, and the data."""


@command("new", repeats=False)
@_name
@inputs.corpus_or_scores
@_store
@options.choice("--protocol", of=CampaignProtocol, help="What is asked: da 0–100, sqm 0–6.")
@options.choice("--mode", of=CampaignMode, help="What stands beside the text.")
@click.option("--plan", "plan_path", type=click.Path(path_type=Path), help="The frozen plan.")
@click.option("--n-items", type=int, help="Lines to draw, in whole documents (default: all).")
@click.option("--block", type=int, help="Documents at once (default: 4; sentences: 10).")
@click.option("--controls", type=float, help="Share of controls (default: .12; sentences: .3).")
@click.option(
    "--overlap", default=0.1, show_default=True, help="Share judged by a second rater."
)
@click.option(
    "--lease-minutes", default=45.0, show_default=True, help="Until work goes to somebody else."
)
@click.option("--source-language", default="und", show_default=True, help="A tag such as en.")
@click.option("--target-language", default="und", show_default=True, help="A tag such as he.")
@click.option(
    "--instructions",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File that raters read first; plain text.",
)
@options.choice("--replace", "unit", of=DegradeUnit, help="What degraded copies replace.")
@options.seed
def new(
    given: inputs.Inputs,
    *,
    name: str,
    address: str,
    plan_path: Path | None,
    instructions: Path | None,
    **chosen: Any,
) -> "Campaigns":
    """Make the campaign NAME from the outputs of systems, as a draft.

    \b
    Example:
        detectable campaign new ship --store judging --refs ref.txt --sources src.txt \\
            --documents documents.txt --system new=new.txt --system old=old.txt --plan ship.json
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.data.texts.corpus import Corpus
    from detectable.study.campaign.begin import begin_campaign

    loaded = given.load()
    if not isinstance(loaded.table, Corpus):
        raise click.UsageError("a campaign needs texts: give --refs and --system, or --corpus.")
    note(*loaded.notes)
    return _with(
        address,
        lambda store: begin_campaign(
            store,
            loaded.table,
            name,
            plan_path=plan_path,
            instructions="" if instructions is None else _read(instructions),
            said=note,
            **chosen,
        ),
        new=True,
    )


def _turned(word: str, state: str, help: str) -> click.Command:
    """Return the command that brings a campaign into a state."""

    def turn(name: str, *, address: str) -> "Campaigns":
        def call(store: "AnyStore") -> "Campaigns":
            from detectable.study.campaign.campaigns import campaigns

            store.turn(name, state)  # type: ignore[arg-type]
            return campaigns(store, name)

        return _with(address, call)

    turn.__doc__ = help
    return command(word, repeats=False)(_name(_store(turn)))


@command(repeats=False)
@_name
@_store
@click.option("--raters", "n", default=0, help="How many new raters.")
@click.option("--renew", metavar="RATER", help="A new link in place of one that was lost.")
@click.option(
    "--url", default="http://127.0.0.1:8300/", show_default=True, help="Where raters come to."
)
@click.option(
    "--output",
    "path",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="CSV file for the links. They are not kept anywhere else.",
)
def links(
    name: str,
    *,
    address: str,
    n: int,
    renew: str | None,
    url: str,
    path: Path,
    output: Output,
) -> "Campaigns":
    """Make personal links for raters of NAME, and write them down once.

    \b
    Example:
        detectable campaign links ship --store judging --raters 6 --output links.csv
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    if (n < 1) == (renew is None):
        raise click.UsageError("give --raters N, or --renew RATER.")
    refuse_existing([path], force=output.force)

    def call(store: "AnyStore") -> "Campaigns":
        from detectable.study.campaign.campaigns import campaigns
        from detectable.study.campaign.links import links_csv

        made = store.add_raters(name, n) if renew is None else [store.new_link(name, renew)]
        output.put(path, links_csv(made, url))
        path.chmod(_SECRET)  # whoever has a link can judge in that rater's place
        click.echo(f"Written: {path}", err=True)
        return campaigns(store, name)

    return _with(address, call)


@command()
@click.argument("name", required=False)
@_store
def status(name: str | None, *, address: str) -> "Campaigns":
    """Say how far campaigns are, or NAME alone with its raters."""
    from detectable.study.campaign.campaigns import campaigns

    return _with(address, lambda store: campaigns(store, name))


@command(repeats=False)
@_name
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@_store
@click.option(
    "--everything", "whole", is_flag=True, help="Second waves and unfinished work too."
)
@click.option(
    "--unblind",
    metavar="REASON",
    help="Name the systems before the end; who, when and why is written down first.",
)
def export(
    name: str, file: Path, *, address: str, whole: bool, unblind: str | None, output: Output
) -> "Campaigns":
    """Write the judgments of NAME into FILE (.csv, .tsv, .jsonl, .parquet).

    Until the campaign is concluded systems are letters, drawn anew for every item.
    """
    from detectable.study.campaign.export import export_campaign

    return _with(
        address,
        lambda store: export_campaign(
            store, name, file, everything=whole, unblind=unblind, force=output.force, said=note
        ),
    )


@command(repeats=False)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@_store
def backup(file: Path, *, address: str) -> "Campaigns":
    """Write a whole copy of all campaigns into FILE, while raters go on."""

    def call(store: "AnyStore") -> "Campaigns":
        from detectable.study.campaign.campaigns import campaigns

        store.backup(file)
        click.echo(f"Written: {file}", err=True)
        return campaigns(store)

    return _with(address, call)


def _with(
    address: str, call: "Callable[[AnyStore], Campaigns]", *, new: bool = False
) -> "Campaigns":
    """Open the store, call, and close it."""
    from detectable.data.store.open_store import open_store

    store = open_store(address, new=new)
    try:
        return call(store)
    finally:
        store.close()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read ({error}).") from error


for one in (
    new,
    _turned("open", "open", "Let raters of NAME begin, or go on."),
    _turned("pause", "paused", "Give out no pages of NAME until it is opened again."),
    _turned("stop", "stopped", "Give out no new work of NAME; what was begun may be finished."),
    _turned("close", "concluded", "Take no more answers to NAME, and name the systems."),
    links,
    status,
    export,
    backup,
):
    campaign.add_command(one)
