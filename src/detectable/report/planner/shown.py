"""What the planner shows of an answer: words first, then pictures, then numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from detectable.core.result import to_json
from detectable.core.wording import count, how_often, significant
from detectable.planning.result import PlanningAnswer, PowerEstimate, units
from detectable.report.blocks import Block, Chart, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.type_errors import share_text
from detectable.report.planner.answer import Answer, Looks
from detectable.report.planner.chosen import command_lines, python_lines
from detectable.report.shown.planning_pictures import percent


@dataclass(frozen=True, slots=True)
class Number:
    """One number with its name, and in a few words what it means."""

    key: str
    label: str
    value: str
    says: str
    pending: bool = False  # it takes longer, and is asked for by itself


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page shows of one design."""

    verdict: Verdict
    details: tuple[str, ...]
    charts: tuple[Chart, ...]
    limits: tuple[str, ...]
    notes: tuple[str, ...]
    numbers: tuple[Number, ...]
    commands: tuple[str, ...]
    python: str


def shown(answer: Answer) -> Shown:
    """Return what a page shows."""
    blocks = blocks_of(answer.power)
    charts = [block for block in blocks if isinstance(block, Chart)]
    looks = answer.looks
    if looks is not None:
        charts += [block for block in blocks_of(looks.design) if isinstance(block, Chart)]
    asked = None if looks is None else looks.asked
    return Shown(
        verdict=_headline(answer.power, blocks),
        details=tuple(_details(answer)),
        charts=tuple(charts),
        limits=tuple(
            block.text for block in blocks if isinstance(block, Text) and block.role == "limits"
        ),
        notes=tuple(note.replace("n_items", "The size") for note in answer.power.notes),
        numbers=tuple(_numbers(answer)),
        commands=tuple(command_lines(answer.chosen, asked)),
        python=python_lines(answer.chosen, asked),
    )


def _headline(power: PowerEstimate, blocks: tuple[Block, ...]) -> Verdict:
    """Return the verdict; of a claim with a margin in fewer words than a summary has."""
    if not power.aim:
        return _verdict(blocks)
    true = (
        "nothing differs"
        if power.effect == 0.0
        else f"the truth is {significant(power.effect)}"
    )
    said = f"{units(power.n_items, power.unit)} show {power.aim} {how_often(power.power)}"
    return Verdict("info", f"{said} if {true}.")


def _verdict(blocks: tuple[Block, ...]) -> Verdict:
    return next(block for block in blocks if isinstance(block, Verdict))


def _details(answer: Answer) -> Iterator[str]:
    """Yield the answers of the searches, and what looks save, in a sentence each."""
    searches = answer.searches
    if searches is not None:
        results = (searches.smallest, searches.size)
        yield from (_verdict(blocks_of(one)).headline for one in results if one is not None)
    if answer.looks is not None:
        yield _saved(answer, answer.looks)


def _saved(answer: Answer, looks: Looks) -> str:
    _, some = looks.expected_items
    form, values = answer.chosen.form, answer.chosen.values
    expected = form.paid(values, round(some))
    return (
        f"{count(looks.asked.looks, 'look')} end it after {count(expected, form.noun)} on average "
        f"if the effect is as chosen, and after {count(answer.paid, form.noun)} at most."
    )


def _numbers(answer: Answer) -> Iterator[Number]:
    power, form = answer.power, answer.chosen.form
    yield Number("power", "Power", percent(power.power), "chance to find the effect")
    yield from _searched(answer)
    if not power.aim:
        yield Number(
            "type_m",
            "Exaggeration (Type M)",
            _times(power.type_m),
            "significant estimates over the truth",
        )
        wrong = "–" if power.type_s != power.type_s else share_text(power.type_s)
        yield Number("type_s", "Wrong sign (Type S)", wrong, "of significant results")
    yield Number("paid", "In all", count(answer.paid, form.noun), "at this size")
    if answer.cost is not None:
        yield Number("cost", "Cost", f"{answer.cost:,.2f}", "at this size and price")
    if answer.looks is not None:
        yield from _looked(answer, answer.looks)


def _times(value: float) -> str:
    return "–" if value != value else f"{value:.2f} ×"


def _searched(answer: Answer) -> Iterator[Number]:
    searches, power = answer.searches, answer.chosen.values["power"]
    often = f"at {float(power):.0%} power"
    if searches is None:
        yield Number("mde", _smallest(answer), "…", often, pending=True)
        yield Number("size", "Size needed", "…", often, pending=True)
        return
    if searches.smallest is not None:
        smallest = searches.smallest
        value = significant(smallest.effect) if smallest.attainable else "none"
        yield Number("mde", _smallest(answer), value, often)
    size = searches.size
    needed = "none is enough" if size.n_items is None else units(size.n_items, size.unit)
    yield Number("size", "Size needed", needed, f"for this effect, {often}")


def _smallest(answer: Answer) -> str:
    return "Smallest true difference" if answer.power.aim else "Smallest effect found"


def _looked(answer: Answer, looks: Looks) -> Iterator[Number]:
    form, values = answer.chosen.form, answer.chosen.values
    none, some = (form.paid(values, round(n)) for n in looks.expected_items)
    followed = "advice to give up followed"
    yield Number("looks_power", "Power with looks", percent(looks.power), followed)
    yield Number("expected", "Expected with looks", count(some, form.noun), "at this effect")
    yield Number("expected_none", "… without an effect", count(none, form.noun), "on average")
    price = float(values["price"])
    if price > 0.0:
        yield Number("expected_cost", "Expected cost", f"{price * some:,.2f}", "with looks")


def as_json(answer: Answer, *, width: int) -> dict[str, Any]:
    """Return an answer for programs: values in full, words, and the charts as Vega-Lite."""
    made, searches = shown(answer), answer.searches
    chosen = answer.chosen
    return {
        "scenario": chosen.form.name,
        "settings": {field.name: chosen.values[field.name] for field in chosen.there()},
        "verdict": made.verdict.headline,
        "details": list(made.details),
        "limits": list(made.limits),
        "notes": list(made.notes),
        "power": answer.power.to_dict(),
        "smallest": None if searches is None else _or_none(searches.smallest),
        "size": None if searches is None else searches.size.to_dict(),
        "looks": None if answer.looks is None else answer.looks.design.to_dict(),
        "expected": None if answer.looks is None else list(answer.looks.expected_items),
        "paid": answer.paid,
        "cost": answer.cost,
        "commands": list(made.commands),
        "python": made.python,
        "charts": [
            {
                "id": chart.id,
                "title": chart.title,
                "caption": chart.caption,
                "alt": chart.alt,
                "spec": to_json(chart.make(width)),
            }
            for chart in made.charts
        ],
    }


def _or_none(result: PlanningAnswer | None) -> dict[str, Any] | None:
    return None if result is None else result.to_dict()
