"""Write defaults and heads of parameters as they are declared: python scripts/make_signatures.py.

A setting is declared by `option` in a settings class (``core/options.py``). The public function
that takes it keeps its signature and its docstring in the source, where editors and type checkers
look for them: this script writes there what was declared, and a test says what differs.
"""

import dataclasses
import inspect
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import detectable
from detectable.core.options import Declared, declared
from detectable.core.registry import at

# The settings class of public functions, by the name that these have in `detectable`.
SETTINGS = {
    "agreement": "detectable.study.settings:AgreementSettings",
    "arena": "detectable.study.settings:ArenaSettings",
    "audit": "detectable.study.settings:AuditSettings",
    "cheapest": "detectable.planning.options:CheapestSettings",
    "compare": "detectable.study.comparison.options:CompareSettings",
    "control_variates": "detectable.study.settings:ControlVariatesSettings",
    "design": "detectable.sequential.families:DesignSettings",
    "gate": "detectable.study.settings:GateSettings",
    "labels": "detectable.study.settings:LabelSettings",
    "make_tasks": "detectable.study.settings:TaskSettings",
    "meta": "detectable.study.meta.settings:MetaSettings",
    "plan": "detectable.study.settings:PlanSettings",
    "quality_control": "detectable.study.settings:QualitySettings",
    "rank_systems": "detectable.study.ranking.settings:RankSettings",
    "reliability": "detectable.study.settings:ReliabilitySettings",
    "score": "detectable.study.settings:ScoreSettings",
    "select": "detectable.study.settings:SelectSettings",
    "variance_components": "detectable.study.settings:VarianceSettings",
}


class Difference(NamedTuple):
    """Where the source says another thing of a setting than its declaration."""

    function: Any
    name: str
    what: str  # head, default or type
    said: Any
    wanted: Any

    def __str__(self) -> str:
        return (
            f"{self.function.__name__}: the {self.what} of `{self.name}` is {self.said!r} in the "
            f"source, and {self.wanted!r} as declared. Run python scripts/make_signatures.py."
        )


def pairs() -> Iterator[tuple[Any, type]]:
    """Return public functions, scenarios and prices with the class that declares their settings."""
    for name, place in SETTINGS.items():
        yield getattr(detectable, name), at(place)
    yield detectable.Costs, detectable.Costs
    for name in dir(detectable.scenarios):
        scenario = getattr(detectable.scenarios, name)
        if dataclasses.is_dataclass(scenario) and declared(scenario):  # type: ignore[arg-type]
            yield scenario, scenario  # type: ignore[misc]


def head(one: Declared) -> str:
    """Return what stands after the name of a parameter in a docstring."""
    words = ", ".join(map(repr, one.words))
    kind = "sequence of str" if one.kind is tuple else one.kind.__name__
    file = ", file or table" if one.said.or_file else ""
    optional = ", optional" if one.default is None and not one.needed else ""
    return (f"{{{words}}}" if words else kind) + file + optional


def heads(function: Any) -> dict[str, str]:
    """Return what the docstring of a function has there, by the names of parameters."""
    lines = inspect.getdoc(function).split("Parameters\n----------\n")[1].splitlines()  # type: ignore[union-attr]
    end = next((i for i, line in enumerate(lines) if line.startswith("---")), len(lines))
    found = [line.partition(" : ") for line in lines[:end] if line[:1].strip()]
    return {name: kind for names, _, kind in found for name in names.split(", ")}


def differences(function: Any, settings: type) -> Iterator[Difference]:
    """Say where signature and docstring differ from what was declared."""
    said, parameters = heads(function), inspect.signature(function).parameters
    types = {one.name: one.type for one in dataclasses.fields(settings)}
    for one in declared(settings):
        if said.get(one.name) != head(one):
            yield Difference(function, one.name, "head", said.get(one.name), head(one))
        if one.needed or function is settings:  # a scenario inherits what was declared
            continue
        parameter = parameters[one.name]
        if (parameter.default, type(parameter.default)) != (one.default, type(one.default)):
            yield Difference(function, one.name, "default", parameter.default, one.default)
        kind = Sequence[str] if one.kind is tuple else types[one.name]
        if parameter.annotation != kind:
            yield Difference(function, one.name, "type", parameter.annotation, kind)


def rewritten(source: str, found: Difference) -> str:
    """Return the source of a function as declared.

    Types are left to a person, who imports them; so is the head that several parameters share.
    """
    name = re.escape(found.name)
    if found.what == "head":
        line = rf"(?m)^( +{name} : ){re.escape(str(found.said))}$"
        return re.sub(line, lambda at: at[1] + found.wanted, source, count=1)
    if found.what == "default":
        line = rf"(?m)^( +{name}: [^=\n]+ = )[^\n]+?(,?)$"
        return re.sub(line, lambda at: f"{at[1]}{found.wanted!r}{at[2]}", source, count=1)
    return source


def main() -> None:
    """Write what was declared into the sources."""
    for function, settings in pairs():
        path, old = Path(inspect.getfile(function)), inspect.getsource(function)
        new = old
        for found in differences(function, settings):
            new = rewritten(new, found)
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


if __name__ == "__main__":
    main()
