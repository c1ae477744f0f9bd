"""``detectable campaign void`` and ``erase``: work of a rater is taken back."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from detectable.cli.campaign_store import (
    name_argument,
    plan_option,
    store_option,
    user,
    with_store,
)
from detectable.cli.command import command, note

if TYPE_CHECKING:
    from detectable.data.store.open_store import AnyStore
    from detectable.study.campaign.campaigns import Campaigns

_rater = click.option("--rater", required=True, help="The code of the rater, such as r-07.")


@command(repeats=False)
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
            --reason "two accounts of one person" --evidence "both were paid to one account"
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)

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


@command(repeats=False)
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
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
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
