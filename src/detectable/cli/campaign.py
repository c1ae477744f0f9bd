"""``detectable campaign``: raters, progress, export, and work that is taken back."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from detectable.cli import options
from detectable.cli.at_once import remember
from detectable.cli.campaign_new import (
    name_argument,
    new,
    plan_option,
    store_option,
    user,
    with_store,
)
from detectable.cli.command import Output, command, note, refuse_existing
from detectable.cli.command_table import Whole
from detectable.core.choices import CampaignFormat

if TYPE_CHECKING:
    from detectable.data.store.open_store import AnyStore
    from detectable.report.saved.receipt import Receipt
    from detectable.study.campaign.campaigns import Campaigns
    from detectable.study.campaign.outcome import CampaignOutcome
    from detectable.study.monitoring.conclusion import Conclusion

_rater = click.option("--rater", required=True, help="The code of the rater, such as r-07.")


@command()
@name_argument
@store_option
@plan_option
@_rater
@click.option("--reason", required=True, help="What the rater did: two accounts, a script.")
@click.option("--evidence", required=True, help="How it is known. A score is no evidence.")
def void(
    name: str,
    *,
    address: str,
    plan_path: Path | None,
    rater: str,
    reason: str,
    evidence: str,
) -> "Campaigns":
    """Let no work of a rater of NAME count that no look has seen: fraud that is proven.

    What a look has seen stays, and the conclusion says what comes out with it and without. Who does
    it, why, and how it is known stand in the ledger. Careless work is not fraud: controls refuse it.

    \b
    Example:
        detectable campaign void ship --store judging --rater r-07 \\
            --reason "two accounts of one person" \\
            --evidence "both were paid to one account"
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)

    def call(store: "AnyStore") -> "Campaigns":
        from detectable.study.campaign.campaigns import campaigns
        from detectable.study.campaign.withdraw import void_rater

        void_rater(
            store,
            name,
            rater,
            who=user(),
            reason=reason,
            evidence=evidence,
            plan=plan_path,
        )
        return campaigns(store, name, plan=plan_path)

    return with_store(address, call)


@command()
@name_argument
@store_option
@plan_option
@_rater
@click.option("--sure", is_flag=True, help="Yes, delete them: they cannot be brought back.")
def erase(
    name: str, *, address: str, plan_path: Path | None, rater: str, sure: bool
) -> "Campaigns":
    """Delete all judgments of a rater of NAME who asks for it, for good.

    The ledger lists their hashes: these judgments may be gone at later looks, and no others.

    \b
    Example:
        detectable campaign erase ship --store judging --rater r-03 --sure
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    if not sure:
        raise click.UsageError(
            f"this deletes all judgments of {rater}, and nothing brings them back: add --sure."
        )

    def call(store: "AnyStore") -> "Campaigns":
        from detectable.core.wording import count
        from detectable.study.campaign.campaigns import campaigns
        from detectable.study.campaign.withdraw import erase_rater

        n = erase_rater(store, name, rater, who=user(), plan=plan_path)
        note(f"{count(n, 'judgment')} of {rater} deleted. Copies (backup, export) are yours.")
        return campaigns(store, name, plan=plan_path)

    return with_store(address, call)


# --- ``detectable campaign``: texts to judge, raters, and what came of it ---


@click.group(cls=Whole)
def campaign() -> None:
    """Collect judgments in the browser.

    Collect judgments: texts, raters with links, progress, and the data.
    """


def _turned(word: str, state: str, help: str) -> click.Command:
    """Return the command that brings a campaign into a state."""

    def turn(name: str, *, address: str, plan_path: Path | None) -> "Campaigns":
        def call(store: "AnyStore") -> "Campaigns":
            from detectable.study.campaign.campaigns import campaigns
            from detectable.study.campaign.close import turn_campaign

            turn_campaign(store, name, state, who=user(), plan=plan_path)  # type: ignore[arg-type]
            return campaigns(store, name, plan=plan_path)

        return with_store(address, call)

    turn.__doc__ = help
    return command(word)(name_argument(store_option(plan_option(turn))))


@command()
@name_argument
@store_option
@click.option("--raters", "n", default=0, help="How many new raters.")
@click.option("--renew", metavar="RATER", help="A new link in place of one that was lost.")
@click.option("--open", "opens", is_flag=True, help="A link by which raters add themselves.")
@click.option(
    "--most", type=click.IntRange(1), help="With --open: how many raters may come by it."
)
@click.option("--close", "closes", is_flag=True, help="Close the open link.")
@click.option(
    "--url", default="http://127.0.0.1:8300/", show_default=True, help="Where raters come to."
)
@click.option(
    "--output",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="CSV file for the links. They are not kept anywhere else.",
)
def links(  # noqa: PLR0913 (options)
    name: str,
    *,
    address: str,
    n: int,
    renew: str | None,
    opens: bool,
    most: int | None,
    closes: bool,
    url: str,
    path: Path | None,
    output: Output,
) -> "Campaigns":
    """Make personal links for raters of NAME, and write them down once.

    An open link goes to a panel such as Prolific, and makes a rater of whoever comes (docs/crowd.md).

    \b
    Example:
        detectable campaign links ship --store judging --raters 6 \\
            --output links.csv
        detectable campaign links ship --store judging --open --most 50 \\
            --output open.txt
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    if [n > 0, renew is not None, opens, closes].count(True) != 1:
        raise click.UsageError("give --raters N, --renew RATER, --open, or --close.")
    if (path is None) != closes:
        raise click.UsageError("--output says where links go, and --close makes none.")
    if most is not None and not opens:
        raise click.UsageError("--most stands with --open.")
    refuse_existing([] if path is None else [path], force=output.force)

    def call(store: "AnyStore") -> "Campaigns":
        from detectable.study.campaign.campaigns import campaigns, links_csv, open_address

        if path is None:
            store.close_link(name)
            return campaigns(store, name)
        if opens:
            output.put(path, open_address(store, name, most, url) + "\n", private=True)
            click.echo(f"Written: {path}", err=True)
            return campaigns(store, name)
        made = store.add_raters(name, n) if renew is None else [store.new_link(name, renew)]
        # Whoever has a link can judge in that rater's place.
        output.put(path, links_csv(made, url), private=True)
        click.echo(f"Written: {path}", err=True)
        return campaigns(store, name)

    return with_store(address, call)


@command()
@click.argument("name", required=False)
@store_option
@plan_option
def status(name: str | None, *, address: str, plan_path: Path | None) -> "Campaigns":
    """Say how far campaigns are, or NAME alone with its looks and raters."""
    from detectable.study.campaign.campaigns import campaigns

    return with_store(
        address, lambda store: campaigns(store, name, plan=plan_path), read_only=True
    )


@command()
@name_argument
@store_option
@plan_option
@click.option("--now", "at_once", is_flag=True, help="With all that counts so far.")
@click.option("--final", is_flag=True, help="Declare it the last look; the campaign stops.")
@click.option(
    "--go-on",
    metavar="REASON",
    help="Go on although the last look said that a decision is unlikely.",
)
def look(
    name: str,
    *,
    address: str,
    plan_path: Path | None,
    at_once: bool,
    final: bool,
    go_on: str | None,
) -> "Campaigns":
    """Decide which finished work of NAME counts, and run the looks that are due.

    A server does the same by itself. Only the decision is shown, unless the campaign was made with
    --reveal full: what each system was given stays hidden until the conclusion.

    \b
    Example:
        detectable campaign look ship --store judging
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)

    def call(store: "AnyStore") -> "Campaigns":
        from detectable.study.campaign import looks as look_now
        from detectable.study.campaign.campaigns import campaigns

        if go_on is not None:
            look_now.go_on(store, name, who=user(), reason=go_on, plan=plan_path)
        if at_once or final:
            look_now.look_now(store, name, final=final, plan=plan_path)
        else:
            while look_now.run_due_look(store, name, plan=plan_path) is not None:
                pass  # as long as one is due
        remember(f"Looks are in the ledger: detectable campaign status {name} tells them.")
        return campaigns(store, name, plan=plan_path)

    return with_store(address, call)


@command()
@name_argument
@store_option
@plan_option
@click.option("--at-once", is_flag=True, help="Without work that may still be finished.")
def conclude(
    name: str, *, address: str, plan_path: Path | None, at_once: bool, output: Output
) -> "Conclusion":
    """Give the verdict of NAME, whose last look said stop, with all work that counts.

    \b
    Example:
        detectable campaign conclude ship --store judging
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.campaign.close import conclude_campaign

    return with_store(
        address,
        lambda store: conclude_campaign(
            store, name, plan=plan_path, at_once=at_once, force=output.force
        ),
    )


@command()
@name_argument
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@store_option
@options.choice(
    "--format", "form", of=CampaignFormat, help="Our table, Pearmut's log, Appraise's export."
)
@click.option(
    "--everything", "whole", is_flag=True, help="Second waves and unfinished work too."
)
@click.option(
    "--unblind",
    metavar="REASON",
    help="Name the systems before the end; who, when and why is written down first.",
)
@click.option(
    "--payments",
    is_flag=True,
    help="Instead: rater, judgments, minutes and amount, whether the work counts or not (CSV).",
)
@click.option(
    "--participants",
    is_flag=True,
    help="Instead: who came by an open link, by the panel's names, and what they did (CSV).",
)
@plan_option
def export(  # noqa: PLR0913 (options)
    name: str,
    file: Path,
    *,
    address: str,
    form: CampaignFormat,
    whole: bool,
    unblind: str | None,
    payments: bool,
    participants: bool,
    plan_path: Path | None,
    output: Output,
) -> "Campaigns":
    """Write the judgments of NAME into FILE (.csv, .tsv, .jsonl, .parquet).

    What the campaign is stands beside it, as FILE.campaign.json, and errors, criteria and scores of
    documents, as FILE.spans.jsonl and the like. Until the campaign is concluded systems are letters, drawn anew for every item.
    """
    if (payments or participants) and (whole or unblind is not None or form != "table"):
        raise click.UsageError(
            "--payments and --participants write no judgments: drop --everything, --unblind and "
            "--format."
        )
    if payments and participants:
        raise click.UsageError(
            "give --payments or --participants, each with a file of its own."
        )

    def call(store: "AnyStore") -> "Campaigns":
        from detectable.study.campaign.campaigns import campaigns
        from detectable.study.campaign.export import (
            export_campaign,
            participants_csv,
            payments_csv,
        )

        if payments or participants:
            store.campaign(name)
            refuse_existing([file], force=output.force)
            table = (
                payments_csv(store, name, plan=plan_path)
                if payments
                else participants_csv(store, name)
            )
            output.put(file, table, private=participants)
            click.echo(f"Written: {file}", err=True)
            return campaigns(store, name, plan=plan_path)
        return export_campaign(
            store,
            name,
            file,
            form=form,
            everything=whole,
            unblind=unblind,
            who=user(),
            plan=plan_path,
            force=output.force,
            said=note,
        )

    return with_store(address, call)


@command()
@name_argument
@store_option
@plan_option
def verify(name: str, *, address: str, plan_path: Path | None) -> "Receipt":
    """Compute every look of NAME again, from the judgments in the store, and compare.

    Only whether it is the same is shown. Exit code 0: the same to the last bit; 3: not the same; 4:
    it could not be repeated.
    """
    from detectable.cli.rerun import verify_stored

    return with_store(
        address, lambda store: verify_stored(store, name, plan_path), read_only=True
    )


@command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@store_option
def backup(file: Path, *, address: str) -> "Campaigns":
    """Write all campaigns into the archive FILE, while raters go on.

    It holds the store with its keys, plans, ledgers and conclusions, and only you can read it.

    \b
    Example:
        detectable campaign backup monday.tar --store judging
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)

    def call(store: "AnyStore") -> "Campaigns":
        from detectable.study.campaign.campaigns import campaigns
        from detectable.study.campaign.replay_campaign import backup_campaigns

        note(*backup_campaigns(store, file))
        click.echo(f"Written: {file}", err=True)
        return campaigns(store)

    return with_store(address, call)


@command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@store_option
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="For plans and ledgers (default: where the store is).",
)
def restore(file: Path, *, address: str, folder: Path | None) -> "Campaigns":
    """Bring back the campaigns of the archive FILE, and compute every look again.

    The store must not be there yet. Where a judgment or a look is not what it was, it says so, and
    what was written is removed.

    \b
    Example:
        detectable campaign restore monday.tar --store again
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.core.wording import count
    from detectable.study.campaign.campaigns import campaigns
    from detectable.study.campaign.replay_campaign import restore_campaigns

    place = Path() if "://" in address else Path(address)
    beside = place.parent if place.suffix else place
    for one in restore_campaigns(file, address, folder=beside if folder is None else folder):
        same = sum(look.state == "same" for look in one.looks)
        note(
            f"{one.name}: {count(one.judgments, 'judgment')} as they were, {same} of "
            f"{count(len(one.looks), 'look')} computed again with the same result."
        )
    return with_store(address, campaigns, read_only=True)


@command()
@name_argument
@store_option
@click.option("--back", is_flag=True, help="Bring it back.")
def archive(name: str, *, address: str, back: bool) -> "Campaigns":
    """Put NAME out of the way; nothing of it is lost."""

    def call(store: "AnyStore") -> "Campaigns":
        from detectable.study.campaign.campaigns import campaigns

        store.archive(name, back=back)
        return campaigns(store)

    return with_store(address, call)


@command()
@name_argument
@store_option
@click.option("--sure", is_flag=True, help="Yes, delete it: it cannot be brought back.")
def delete(name: str, *, address: str, sure: bool) -> "Campaigns":
    """Delete NAME, a draft or concluded, with its texts, raters and judgments, for good.

    Its plan, ledger and conclusion are files of their own, and stay where they are.
    """
    if not sure:
        raise click.UsageError(
            f"this deletes {name} with all its judgments, and nothing brings them back: add --sure."
        )

    def call(store: "AnyStore") -> "Campaigns":
        from detectable.study.campaign.campaigns import campaigns

        store.delete(name)
        note(f"{name} deleted. Plan, ledger and conclusion are where they were.")
        return campaigns(store)

    return with_store(address, call)


@command()
@name_argument
@store_option
@plan_option
def report(name: str, *, address: str, plan_path: Path | None) -> "CampaignOutcome":
    """Say how NAME ended: the answer, scores, errors, examples and what it cost.

    \b
    Example:
        detectable campaign report ship --store judging --markdown
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.campaign.outcome import campaign_outcome

    return with_store(address, lambda store: campaign_outcome(store, name, plan=plan_path))


for one in (
    new,
    _turned("open", "open", "Let raters of NAME begin, or go on."),
    _turned("pause", "paused", "Give out no pages of NAME until it is opened again."),
    _turned("stop", "stopped", "Give out no new work of NAME; what was begun may be finished."),
    _turned("close", "concluded", "Take no more answers to NAME, and name the systems."),
    links,
    status,
    look,
    conclude,
    report,
    export,
    void,
    erase,
    verify,
    backup,
    restore,
    archive,
    delete,
):
    campaign.add_command(one)
