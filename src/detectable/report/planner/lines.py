"""The command lines and the Python that give the numbers of the planner again."""

import shlex
from dataclasses import dataclass
from typing import Any

from detectable.report.planner.chosen import Chosen
from detectable.report.planner.field import Field
from detectable.report.planner.shared import ALPHA, POWER


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
