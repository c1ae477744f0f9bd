"""What the answers of `power`, `mde` and `sample_size` show."""

from collections.abc import Iterator

from detectable.planning.result import PlanningAnswer
from detectable.report.blocks import Block, Column, Repeat, Status, notes, opening, table


def show(answer: PlanningAnswer) -> Iterator[Block]:
    """Show the answer in a sentence, and the numbers of the scenario behind it."""
    status: Status = "info" if answer.attainable else "warning"
    yield opening(status, answer.summary())
    columns = (
        Column("name", "quantity", "name", of=lambda pair: pair[0].replace("_", " ")),
        Column("value", "value", "text", of=lambda pair: pair[1]),
    )
    yield table("details", "Numbers behind it", columns, _numbers(answer))
    yield from notes(answer.notes)
    yield Repeat(str(answer.signature))


def _numbers(answer: PlanningAnswer) -> list[tuple[str, object]]:
    first = {
        "power": answer.power,
        "Type-M (exaggeration)": answer.type_m,
        "Type-S (wrong sign)": answer.type_s,
        "method": answer.method,
    }
    return [*first.items(), *answer.details.items()]
