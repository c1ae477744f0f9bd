"""Results, settings and scenarios are frozen, and built by name where they have many fields."""

import dataclasses
import importlib
import pkgutil

import pytest

import detectable
from detectable.core.result import Result

# What is filled in piece by piece, or remembers what it has computed.
CHANGING = {"Shown", "JudgmentRows", "Problems", "WmtDocument", "Model"}


def _classes() -> dict[str, type]:
    found: dict[str, type] = {}
    for module in pkgutil.walk_packages(detectable.__path__, "detectable."):
        if module.name.endswith("__main__"):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and value.__module__.startswith("detectable."):
                found[f"{value.__module__}.{value.__qualname__}"] = value
    return found


CLASSES = _classes()
DATA = {name: kind for name, kind in CLASSES.items() if dataclasses.is_dataclass(kind)}
RESULTS = {name: kind for name, kind in DATA.items() if issubclass(kind, Result)}


def test_there_are_many_of_them() -> None:
    assert len(DATA) > 150
    assert len(RESULTS) > 20


def test_data_classes_are_frozen() -> None:
    loose = {
        kind.__name__
        for kind in DATA.values()
        if not kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    }
    assert {name for name in loose if not name.startswith("_")} <= CHANGING


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_results_are_built_by_name_and_have_slots(name: str) -> None:
    fields = [field for field in dataclasses.fields(RESULTS[name]) if field.init]
    assert all(field.kw_only for field in fields)
    assert "__slots__" in vars(RESULTS[name])


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_the_signature_is_not_printed_with_a_result(name: str) -> None:
    [signature] = [f for f in dataclasses.fields(RESULTS[name]) if f.name == "signature"]
    assert not signature.repr
