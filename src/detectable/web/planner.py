"""The planner: a page, its twin for programs, its fields, frozen plans and pilots."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from detectable.report.charts.theme import COLOUR, NARROW, WIDE
from detectable.report.planner.answer import (
    Impossible,
    Shown,
    answer,
    as_json,
    can_freeze,
    in_words,
    shown,
)
from detectable.report.planner.chosen import Chosen, Reading, address, is_there, read_chosen
from detectable.report.planner.field import Field, Value
from detectable.report.planner.forms import forms
from detectable.web.guard import Refused
from detectable.web.templates import render_page

STEPS = 200  # of a slider that moves by factors


@dataclass(frozen=True, slots=True)
class Slider:
    """A slider: its ends, its step and where it stands."""

    low: str
    high: str
    step: str
    at: str
    ends: tuple[float, float] | None  # of one that moves by factors


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field as it is drawn."""

    field: Field
    id: str
    key: str
    text: str
    default: str
    there: bool
    fault: str
    slider: Slider | None


def field_views(reading: Reading, prefix: str, faults: Mapping[str, str]) -> list[FieldView]:
    """Return all fields of a form: those that play no part are hidden, not absent."""
    chosen = reading.chosen
    return [
        FieldView(
            field=field,
            id=f"{'b-' if prefix else 'a-'}{field.key}",
            key=f"{prefix}{field.key}",
            text=reading.texts.get(field.name, field.write(chosen.values[field.name])),
            default=field.write(chosen.default(field)),
            there=is_there(chosen.form, field, chosen.values),
            fault=in_words(faults.get(field.name, ""), chosen),
            slider=None if field.words else _slider(field, chosen.values[field.name]),
        )
        for field in chosen.fields
    ]


def _slider(field: Field, value: Value) -> Slider:
    low, high = field.slider
    number = min(max(float(value), low), high)
    if field.log:
        at = round(STEPS * math.log(number / low) / math.log(high / low))
        return Slider("0", str(STEPS), "1", str(at), (low, high))
    step = 1.0 if field.whole else field.step
    ends = field.write(low), field.write(high)
    return Slider(*ends, field.write(step), field.write(number), None)


# --- The planner: a page, its twin for programs, frozen plans and pilots ---

PREFIXES = ("", "b.")  # of the keys of the first design, and of the one beside it
PART = "x-detectable-part"  # what a script asks for: the whole answer, slow parts too
_BESIDE = 560  # pixels of a chart that has half of the page
_AT_ONCE = 2  # answers that are computed at the same time


@dataclass(frozen=True, slots=True)
class DesignView:
    """One design on the page."""

    prefix: str
    name: str
    reading: Reading
    fields: list[FieldView]
    shown: Shown | None
    fault: str
    fault_field: str

    @property
    def chosen(self) -> Chosen:
        """What was chosen."""
        return self.reading.chosen


async def plan_page(request: Request) -> Response:
    """Show the planner for the state that the address stands for."""
    readings = readings_of(request.query_params.multi_items())
    whole = request.headers.get(PART) == "whole"
    views = await to_thread.run_sync(_views, readings, whole, limiter=_limiter(request))
    return render_page("plan.html.j2", **_context(views))


async def plan_json(request: Request) -> Response:
    """Answer as JSON; what is not understood is refused, and nothing is replaced by a default."""
    readings = readings_of(request.query_params.multi_items())
    for reading in readings:
        refuse_faults(reading)
    made = await to_thread.run_sync(_answers, readings, limiter=_limiter(request))
    return JSONResponse({"address": f"/plan?{_query(readings)}", "designs": made})


def _limiter(request: Request) -> CapacityLimiter:
    state = request.app.state
    if not hasattr(state, "limiter"):  # it belongs to the loop that runs
        state.limiter = CapacityLimiter(_AT_ONCE)
    found: CapacityLimiter = state.limiter
    return found


def readings_of(pairs: Sequence[tuple[str, str]]) -> list[Reading]:
    """Return the designs of an address: one, or two if some key begins with ``b.``."""
    second = [(key[2:], text) for key, text in pairs if key.startswith(PREFIXES[1])]
    first = [(key, text) for key, text in pairs if not key.startswith(PREFIXES[1])]
    return [read_chosen(first), *([read_chosen(second)] if second else [])]


def refuse_faults(reading: Reading) -> None:
    """Refuse an address that was not understood in full."""
    for name, said in reading.faults.items():
        raise Refused(422, "impossible", in_words(said, reading.chosen), field=name)
    for said in reading.remarks:
        raise Refused(422, "not_understood", said)


def _answers(readings: list[Reading]) -> list[dict[str, Any]]:
    made = []
    for reading in readings:
        try:
            made.append(as_json(answer(reading.chosen, search=True), width=WIDE))
        except Impossible as error:
            said = in_words(error.message, reading.chosen)
            raise Refused(422, "impossible", said, field=error.field) from None
    return made


def _query(readings: Sequence[Reading]) -> str:
    return address([reading.chosen for reading in readings], PREFIXES)


def _views(readings: list[Reading], whole: bool) -> list[DesignView]:  # noqa: FBT001 (of one call)
    names = ("A", "B") if len(readings) > 1 else ("",)
    return [
        _view(reading, prefix, name, whole=whole)
        for reading, prefix, name in zip(readings, PREFIXES, names, strict=False)
    ]


def _view(reading: Reading, prefix: str, name: str, *, whole: bool) -> DesignView:
    found, fault, about = None, "", ""
    if reading.faults:
        about, said = next(iter(reading.faults.items()))
        fault = in_words(said, reading.chosen)
    else:
        try:
            slow = reading.chosen.form.slow(reading.chosen.values)
            found = shown(answer(reading.chosen, search=whole or not slow))
        except Impossible as error:
            fault, about = in_words(error.message, reading.chosen), error.field
    faults = {about: fault} if fault else {}
    fields = field_views(reading, prefix, faults)
    return DesignView(prefix, name, reading, fields, found, fault, about)


def _context(views: list[DesignView]) -> dict[str, Any]:
    readings = [view.reading for view in views]
    two = len(views) > 1
    first = readings[0].chosen
    widths = {"wide": _BESIDE if two else WIDE, "narrow": NARROW}
    return {
        "views": views,
        "forms": forms(),
        "query": _query(readings),
        "remarks": [remark for reading in readings for remark in reading.remarks],
        "beside": "" if two else address([first, first], PREFIXES),
        "alone": address([first], PREFIXES) if two else "",
        "widths": widths,
        "tokens": {colour: name for name, colour in COLOUR.items()},
        "table": _side_by_side(views) if two else [],
        "can_freeze": can_freeze,
        "links_of": _links,
    }


def _links(view: DesignView, views: list[DesignView]) -> list[tuple[str, str, bool]]:
    """Return the scenarios of one design as links, the other design kept as it is."""
    found = []
    for name, form in forms().items():
        own = read_chosen([("s", name)]).chosen
        designs = [own if one is view else one.chosen for one in views]
        chosen = name == view.chosen.form.name
        found.append((f"/plan?{address(designs, PREFIXES)}", form.title, chosen))
    return found


def _side_by_side(views: list[DesignView]) -> list[tuple[str, list[str]]]:
    """Return the numbers of two designs, a row each, where both have any."""
    if any(view.shown is None for view in views):
        return []
    columns = [{n.key: n for n in view.shown.numbers} for view in views if view.shown]
    keys = list(dict.fromkeys(key for column in columns for key in column))
    return [
        (
            next(column[key].label for column in columns if key in column),
            [column[key].value if key in column else "–" for column in columns],
        )
        for key in keys
    ]
