"""What simulated ratings show: how often each difference was found."""

from collections.abc import Iterator

from detectable.core.wording import count, number
from detectable.mixed.simulate import Simulation
from detectable.report.blocks import (
    Block,
    Column,
    Mark,
    Methods,
    Repeat,
    Table,
    Text,
    Verdict,
    table,
)


def show(found: Simulation) -> Iterator[Block]:
    """Show the power of every contrast, and how well it is known."""
    rows = list(
        zip(found.contrasts, found.truth, found.power, found.standard_errors, strict=True)
    )
    contrast, truth, power, _ = rows[0]
    word = "found" if truth else "called a difference"
    yield Verdict(
        "info",
        f"{_name(contrast)} = {number(truth, digits=3, sign=True)} is {word} in {power:.0%}.",
    )
    text = (
        f"From {count(found.n_simulations, 'simulation')} of the fitted model: whatever it gets wrong "
        "is wrong here too."
    )
    points: tuple[tuple[Mark, str], ...] = ()
    if found.n_failed:
        failed = f"{count(found.n_failed, 'fit')} failed and count as not significant."
        points = (("look", failed),)
    yield Text("limits", "What this does not say", text)
    yield _powers(found)
    if points:
        yield Text("checks", "Assumptions and checks", points=points)
    paragraph = (
        f"Power was simulated from the fitted mixed model ({count(found.n_simulations, 'simulation')}, "
        f"two-sided α = {found.alpha:g})."
    )
    yield Methods(paragraph)
    yield Repeat(str(found.signature))


def _powers(found: Simulation) -> Table:
    rows = list(
        zip(found.contrasts, found.truth, found.power, found.standard_errors, strict=True)
    )
    columns = (
        Column("contrast", "difference", "name", of=lambda row: _name(row[0])),
        Column("truth", "true size", digits=3, sign=True, of=lambda row: row[1]),
        Column("power", "significant", "share", digits=1, of=lambda row: row[2]),
        Column("standard_error", "± SE", "share", digits=1, of=lambda row: row[3]),
    )
    return table("power", "How often it is significant", columns, rows)


def _name(contrast: tuple[str, str | None]) -> str:
    system, baseline = contrast
    return system if baseline is None else f"{system} − {baseline}"
