"""A field of the planner as a page draws it: a label, a number, a slider, a list of words."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from detectable.report.planner.answer import in_words
from detectable.report.planner.chosen import Reading, is_there
from detectable.report.planner.field import Field, Value

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
