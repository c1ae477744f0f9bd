"""Every scenario has a form, and its fields make all there is: address, command line, Python."""

import json
import shlex
from functools import cache
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from detectable.cli import main
from detectable.cli.power import scenario, scenario_names
from detectable.report.planner.answer import Answer, answer
from detectable.report.planner.chosen import (
    SCENARIO,
    Chosen,
    address,
    all_fields,
    command_lines,
    python_lines,
    read_chosen,
)
from detectable.report.planner.field import Field
from detectable.report.planner.forms import forms
from tests.report.planner.designs import ADDRESSES, chosen, pairs

FORMS = pytest.mark.parametrize("name", forms())
DEAR = {"likert-own", "ratings-whole"}  # seconds each, of sizes that are searched
DESIGNS = pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in DEAR)) for name in ADDRESSES],
)


def test_every_scenario_has_a_form() -> None:
    # A pilot is drawn again by simulation, which no slider waits for; here it fits the settings.
    assert set(forms()) == set(scenario_names()) - {"pilot"}


@FORMS
def test_keys_and_names_are_there_once(name: str) -> None:
    fields = all_fields(forms()[name])
    keys = [SCENARIO, *(field.key for field in fields)]
    assert len(set(keys)) == len(keys)
    assert len({field.name for field in fields}) == len(fields)
    assert not any("." in key for key in keys)


@FORMS
def test_defaults_are_possible_and_their_address_is_empty(name: str) -> None:
    design = read_chosen([(SCENARIO, name)]).chosen
    for field in design.fields:
        assert field.read(field.write(field.default)) == field.default
        if not field.words:
            low, high = field.slider
            assert field.within[0] <= low <= float(field.default) <= high <= field.within[1]
    assert answer(design, search=False).power.power > 0.2
    assert address([design], [""]) == ("" if name == "accuracy" else f"s={name}")


@FORMS
def test_every_option_is_one_of_the_command(name: str) -> None:
    params = {o for option in main.commands["power"].commands[name].params for o in option.opts}  # type: ignore[attr-defined]
    form = forms()[name]
    assert scenario(name).name == name
    options = {f.option for f in (form.size, form.effect, *form.fields) if f.option}
    assert options <= params


def values_of(field: Field) -> st.SearchStrategy[Any]:
    if field.words:
        return st.sampled_from([word for word, _ in field.words])
    if field.whole:
        return st.integers(int(field.within[0]), int(field.within[1]))
    return st.floats(*field.within, allow_nan=False).map(lambda x: x + 0.0)


@given(st.data())
def test_an_address_restores_the_state(data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(list(forms().values())))
    values = {field.name: data.draw(values_of(field)) for field in all_fields(form)}
    design = Chosen(form, values)
    text = address([design], [""])
    again = read_chosen(pairs(text))
    assert again.remarks == ()
    assert again.chosen.identity() == design.identity()
    assert address([again.chosen], [""]) == text
    shuffled = data.draw(st.permutations(pairs(text)))
    assert address([read_chosen(shuffled).chosen], [""]) == text


def test_what_is_not_understood_is_said_and_replaced() -> None:
    reading = read_chosen([("s", "blue"), ("n", "many"), ("zz", "1"), ("e", ".1"), ("e", ".2")])
    assert reading.chosen.form.name == "accuracy"
    assert reading.chosen.values["n_items"] == 1000
    assert reading.chosen.values["effect"] == 0.1
    assert reading.remarks == (
        "The address holds e twice. The first one counts.",
        "There is no scenario called 'blue'. This is accuracy.",
        "Items: 'many' was not understood, and 1000 stands in its place.",
        "The address holds zz=1, which this form does not have. It was left out.",
    )


def test_a_number_out_of_range_is_a_fault_of_its_field() -> None:
    reading = read_chosen([("g", "1.5"), ("n", "10.5")])
    assert set(reading.faults) == {"agreement", "n_items"}
    assert reading.faults["n_items"] == "`n_items` must be a whole number; got '10.5'."
    assert reading.texts == {"agreement": "1.5", "n_items": "10.5"}


def test_digits_that_only_python_reads_are_not_understood() -> None:
    for text in ("1_000", "１００"):
        reading = read_chosen([("n", text)])
        assert reading.chosen.values["n_items"] == 1000
        assert any(f"Items: '{text}' was not understood" in one for one in reading.remarks)
    assert read_chosen([("n", "100")]).remarks == ()


def test_with_a_margin_the_effect_is_none_unless_chosen() -> None:
    assert read_chosen([("w", "equivalent")]).chosen.values["effect"] == 0.0
    assert read_chosen([("w", "equivalent"), ("e", ".01")]).chosen.values["effect"] == 0.01
    hidden = read_chosen([("t", "unpaired"), ("w", "equivalent")]).chosen
    assert hidden.values["effect"] == 0.02  # the claim plays no part there
    assert address([hidden], [""]) == "t=unpaired"


@cache
def _searched(name: str) -> Answer:
    return answer(chosen(name), search=True)


def _asked(found: Answer) -> dict[str, dict[str, Any]]:
    """Return what the planner says, by the question."""
    assert found.searches is not None
    said = {"power": found.power.to_dict(), "sample-size": found.searches.size.to_dict()}
    if found.searches.smallest is not None:
        said["mde"] = found.searches.smallest.to_dict()
    if found.looks is not None:
        said["design"] = found.looks.design.to_dict()
    return said


@DESIGNS
def test_the_command_lines_give_the_same_numbers(name: str) -> None:
    found = _searched(name)
    asked = None if found.looks is None else found.looks.asked
    lines = command_lines(found.chosen, asked)
    expected = _asked(found)
    assert {shlex.split(line)[1] for line in lines} == set(expected)
    for line in lines:
        words = shlex.split(line)
        said = CliRunner().invoke(main, [*words[1:], "--json"])
        assert said.exit_code == 0, said.output
        got, wanted = json.loads(said.stdout), expected[words[1]]
        got.pop("notes"), wanted.pop("notes")  # the planner leaves one comparison out
        assert got == json.loads(json.dumps(wanted))


@DESIGNS
def test_the_python_gives_the_same_numbers(name: str) -> None:
    found = _searched(name)
    asked = None if found.looks is None else found.looks.asked
    made: dict[str, Any] = {}
    exec(python_lines(found.chosen, asked), made)
    names = {"power": "power", "mde": "smallest", "sample-size": "size", "design": "looks"}
    for question, wanted in _asked(found).items():
        got = made[names[question]].to_dict()
        got.pop("notes"), wanted.pop("notes")
        assert got == wanted


def test_all_ways_of_all_forms_are_among_the_designs() -> None:
    """A choice that no address above takes would be a line that nobody has run."""
    taken = [chosen(name) for name in ADDRESSES]
    untaken = {
        (form.name, field.name, word)
        for form in forms().values()
        for field in form.fields
        for word, _ in field.words
    } - {
        (design.form.name, field.name, design.values[field.name])
        for design in taken
        for field in design.there()
    }
    assert untaken == set()
