"""``python -m tests.fuzz --cases 20000``: run, and print what came of it."""

import sys
import time

import click

from tests.fuzz.run import FINE, Counts, Outcome, control, run
from tests.fuzz.templates import TEMPLATES


@click.command()
@click.option("--cases", default=2000, show_default=True, type=click.IntRange(min=1))
@click.option("--seed", default=1, show_default=True)
@click.option("--first", default=0, help="Number of the first case, for runs side by side.")
@click.option("--only", default="", help="Templates whose name holds this.")
def fuzz(cases: int, seed: int, first: int, only: str) -> None:
    """Run the control, then CASES damaged ones; exit code 1 if one came to no good."""
    chosen = tuple(template for template in TEMPLATES if only in template.name)
    for template in chosen:
        found = control(template)
        if found.kind != "done":
            click.echo(f"The template {template.name!r} is {found.kind} on valid input.")
            click.echo(found.detail)
            sys.exit(1)
    click.echo(f"Control: {len(chosen)} commands on valid input, all done.")
    start = time.monotonic()
    counts = run(cases, seed=seed, first=first, templates=chosen, told=_told)
    click.echo(f"{cases:,} cases, seed {seed}, {time.monotonic() - start:.0f} s.\n")
    kinds = [*FINE, *sorted(kind for kind in counts.kinds if kind not in FINE)]
    damages = sorted({damage for damage, _ in counts.damage})
    click.echo("| what came of it | " + " | ".join(damages) + " | all |")
    click.echo("|---|" + "--:|" * (len(damages) + 1))
    for kind in kinds:
        cells = [f"{counts.damage[damage, kind]:,}" for damage in damages]
        click.echo(f"| {kind} | " + " | ".join(cells) + f" | {counts.kinds[kind]:,} |")
    shown = set()
    for fault in counts.faults:
        key = (fault.kind, fault.detail.rstrip().rsplit("\n", 1)[-1][:60])
        if key not in shown:
            shown.add(key)
            click.echo(f"\n--- {fault.kind}: {fault.line}\n{fault.detail[-1500:]}")
    sys.exit(1 if counts.faults else 0)


_seen: list[Outcome] = []


def _told(number: int, counts: Counts) -> None:
    """Say how far it is, and every fault at once: a run of hours may be broken off."""
    if len(counts.faults) > len(_seen):
        _seen.append(counts.faults[-1])
        click.echo(f"case {number:,}: {_seen[-1].kind}: {_seen[-1].line}", err=True)
        click.echo(_seen[-1].detail[-1500:], err=True)
    if number % 1000 == 0:
        click.echo(f"{number:,} cases: {dict(counts.kinds)}", err=True)


if __name__ == "__main__":
    fuzz()
