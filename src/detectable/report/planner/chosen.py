"""What was chosen on the planner: its address, its command lines and its Python."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from detectable.core.errors import InputError
from detectable.core.wording import plain_digits
from detectable.report.planner.field import (
    ALPHA,
    POWER,
    Field,
    Form,
    Value,
    Values,
    shared_fields,
)
from detectable.report.planner.forms import forms

SEED = 1  # where data are drawn: the same address gives the same answer

SCENARIO = "s"  # the key of the scenario in an address
_LONGEST = 60  # characters of a text that a remark repeats


@dataclass(frozen=True, slots=True)
class Chosen:
    """One design: a form, and a value for each of its fields."""

    form: Form
    values: Values

    @property
    def fields(self) -> tuple[Field, ...]:
        """All fields, in the order in which they stand in an address."""
        return all_fields(self.form)

    def there(self) -> list[Field]:
        """Return the fields that play a part."""
        return [field for field in self.fields if is_there(self.form, field, self.values)]

    def default(self, field: Field) -> Value:
        """Return what a field has where nothing was chosen, as the others are."""
        return _default(self.form, field, self.values)

    def pairs(self, prefix: str = "") -> list[tuple[str, str]]:
        """Return keys and texts for an address: in a fixed order, without defaults."""
        first = next(iter(forms()))
        named = [] if self.form.name == first and not prefix else [(SCENARIO, self.form.name)]
        chosen = [
            (field.key, field.write(self.values[field.name]))
            for field in self.there()
            if self.values[field.name] != self.default(field)
        ]
        return [(prefix + key, text) for key, text in (*named, *chosen)]

    def identity(self) -> tuple[str, tuple[tuple[str, Value], ...]]:
        """Return what distinguishes designs, to remember answers by."""
        return self.form.name, tuple((f.name, self.values[f.name]) for f in self.there())


@dataclass(frozen=True, slots=True)
class Reading:
    """What an address says.

    Attributes
    ----------
    chosen : Chosen
        With defaults where nothing, or nothing usable, was said.
    remarks : tuple of str
        What was not understood, and what stands in its place.
    faults : dict
        For fields whose number is out of range: the sentence that says so.
    texts : dict
        What was typed into them.
    """

    chosen: Chosen
    remarks: tuple[str, ...]
    faults: dict[str, str]
    texts: dict[str, str]


def all_fields(form: Form) -> tuple[Field, ...]:
    """Return the fields of a form, in the order in which they stand in an address."""
    return (form.size, form.effect, *form.fields, *shared_fields(form.noun))


def is_there(form: Form, field: Field, values: Values) -> bool:
    """Say whether a field plays a part, as the others are."""
    if field.name == "looks":
        return form.sided(values) > 0
    if field.name == "family":
        return form.sided(values) > 0 and int(values["looks"]) > 1
    if field.when is None:
        return True
    other = next(one for one in all_fields(form) if one.name == field.when[0])
    return is_there(form, other, values) and field.is_there(values)


def _default(form: Form, field: Field, values: Values) -> Value:
    claim = next((one for one in form.fields if one.name == "claim"), None)
    if field is not form.effect or claim is None or not is_there(form, claim, values):
        return field.default
    # Equivalence and non-inferiority are planned for systems that do not differ.
    return field.default if values["claim"] == "better" else 0.0


def read_chosen(pairs: Iterable[tuple[str, str]]) -> Reading:
    """Return what the keys and texts of an address say; what is not understood becomes a remark.

    Examples
    --------
    >>> read_chosen([("s", "bleu"), ("n", "500"), ("x", "1")]).remarks
    ('The address holds x=1, which this form does not have. It was left out.',)
    """
    given, remarks = _once(pairs)
    form, said = _form(given.pop(SCENARIO, None))
    remarks += said
    fields = {field.key: field for field in all_fields(form)}
    values: dict[str, Value] = {field.name: field.default for field in fields.values()}
    faults, texts = dict[str, str](), dict[str, str]()
    for key, text in given.items():
        field = fields.get(key)
        if field is None:
            remarks.append(
                f"The address holds {_cut(key)}={_cut(text)}, which this form does not have. It "
                "was left out."
            )
            continue
        try:
            values[field.name] = field.read(text)
        except InputError as error:
            if _is_number(text) and not field.words:
                faults[field.name], texts[field.name] = str(error), text
            else:
                remarks.append(
                    f"{field.label}: {_cut(text)!r} was not understood, and "
                    f"{field.write(field.default)} stands in its place."
                )
    given_names = {fields[key].name for key in given if key in fields}
    for field in fields.values():
        if field.name not in given_names:
            values[field.name] = _default(form, field, values)
    return Reading(Chosen(form, values), tuple(remarks), faults, texts)


def _once(pairs: Iterable[tuple[str, str]]) -> tuple[dict[str, str], list[str]]:
    given, remarks = dict[str, str](), list[str]()
    for key, text in pairs:
        if key in given:
            remarks.append(f"The address holds {_cut(key)} twice. The first one counts.")
        else:
            given[key] = text
    return given, remarks


def _form(name: str | None) -> tuple[Form, list[str]]:
    known = forms()
    first = next(iter(known.values()))
    if name is None:
        return first, []
    if name not in known:
        return first, [
            f"There is no scenario called {_cut(name)!r}. This is {first.title.lower()}."
        ]
    return known[name], []


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _is_number(text: str) -> bool:
    try:
        float(plain_digits(text.replace("\u2212", "-")))
    except ValueError:
        return False
    return True


def address(designs: Sequence[Chosen], prefixes: Sequence[str]) -> str:
    """Return the query of an address that stands for one or two designs."""
    pairs = [
        pair
        for one, prefix in zip(designs, prefixes, strict=False)
        for pair in one.pairs(prefix)
    ]
    return urlencode(pairs)


# --- The command lines and the Python that give the numbers of the planner again ---


@dataclass(frozen=True, slots=True)
class LooksAsked:
    """What `design` is asked for designs with looks."""

    family: str
    looks: int
    alpha: float
    sided: int
    power: float
    n_max: int
    drift: float  # of the effect that was chosen

    def arguments(self) -> dict[str, Any]:
        """Return the arguments by their names."""
        return {
            "looks": self.looks,
            "alpha": self.alpha,
            "sided": self.sided,
            "power": self.power,
            "n_max": self.n_max,
            "drifts": [0.0, self.drift],
        }


def command_lines(chosen: Chosen, looks: LooksAsked | None) -> list[str]:
    """Return a line for the power, one for the effect, one for the size, and one for looks.

    Examples
    --------
    >>> from detectable.report.planner.chosen import read_chosen
    >>> command_lines(read_chosen([("s", "preference")]).chosen, None)[0]
    'detectable power preference --n 400 --effect 0.58 --ties 0.1'
    """
    form = chosen.form
    own = [field for field in chosen.there() if field in form.fields and field.option]
    rest = [*_words(chosen, own), *form.words(chosen.values)]
    if chosen.values["alpha"] != ALPHA.default:
        rest += _words(chosen, [ALPHA])
    if is_drawn(chosen):
        rest += ["--seed", str(SEED)]
    asked = {
        "power": [form.size, form.effect],
        "mde": [form.size, POWER],
        "sample-size": [form.effect, POWER],
    }
    lines = [
        shlex.join(["detectable", question, form.name, *_words(chosen, fields), *rest])
        for question, fields in asked.items()
        if question != "mde" or has_smallest(chosen)
    ]
    return [*lines, *([_looks_line(looks)] if looks is not None else [])]


def has_smallest(chosen: Chosen) -> bool:
    """Say whether there is a smallest effect to ask for: equivalence has none."""
    return chosen.values.get("claim") != "equivalent" or chosen.form.sided(chosen.values) > 0


def is_drawn(chosen: Chosen) -> bool:
    """Return whether data may have to be drawn: margins of paired means, by the score rule."""
    values = chosen.values
    margin = values.get("claim", "better") != "better"
    return chosen.form.name == "ratings" and margin and values.get("test") == "paired-mean"


def _words(chosen: Chosen, fields: list[Field]) -> list[str]:
    return [
        word for field in fields for word in (field.option, _typed(chosen.values[field.name]))
    ]


def _typed(value: object) -> str:
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _looks_line(asked: LooksAsked) -> str:
    words = ["detectable", "design", "--family", asked.family, "--looks", str(asked.looks)]
    words += ["--alpha", _typed(asked.alpha), "--sided", str(asked.sided)]
    words += ["--power", _typed(asked.power), "--n-max", str(asked.n_max)]
    return shlex.join([*words, "--drift", f"0,{asked.drift!r}"])


def python_lines(chosen: Chosen, looks: LooksAsked | None) -> str:
    """Return a program that asks the same."""
    values, alpha = chosen.values, ""
    if values["alpha"] != ALPHA.default:
        alpha = f", alpha={values['alpha']!r}"
    if is_drawn(chosen):
        alpha += f", rng={SEED}"
    n, effect, power = values["n_items"], values["effect"], values["power"]
    lines = [
        "import detectable as dt",
        "",
        f"scenario = {chosen.form.call(values).python()}",
        f"power = dt.power(scenario, n_items={n!r}, effect={effect!r}{alpha})",
    ]
    if has_smallest(chosen):
        lines.append(f"smallest = dt.mde(scenario, n_items={n!r}, power={power!r}{alpha})")
    lines.append(f"size = dt.sample_size(scenario, effect={effect!r}, power={power!r}{alpha})")
    if looks is not None:
        given = ", ".join(f"{name}={value!r}" for name, value in looks.arguments().items())
        lines.append(f"looks = dt.design({looks.family!r}, {given})")
    return "\n".join(lines)
