"""What the planner says: numbers of the library, impossible choices beside their field."""

import json
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import detectable as dt
from detectable.cli import main
from detectable.cli.power import scenario, scenario_names
from detectable.report.planner.answer import (
    Answer,
    Impossible,
    answer,
    as_json,
    freeze,
    in_words,
    shown,
)
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
from detectable.sequential.boundaries import fixed_drift
from tests.report.planner.designs import ADDRESSES, chosen, pairs


def numbers(address: str, *, search: bool = True) -> dict[str, str]:
    made = shown(answer(read_chosen(pairs(address)).chosen, search=search))
    return {number.key: number.value for number in made.numbers}


def test_words_come_first_and_say_what_the_library_says() -> None:
    made = shown(answer(read_chosen([]).chosen, search=True))
    assert made.verdict.headline == (
        "With 1,000 items an effect of 0.02 is found 48% of the time."
    )
    assert made.details == (
        "With 1,000 items an effect of 0.0287 is found four times in five; smaller ones less often.",
        "It takes 2,043 items to find an effect of 0.02 four times in five.",
    )
    assert [chart.id for chart in made.charts] == ["power", "significant"]


def test_published_numbers_of_accuracy() -> None:
    # card2020, section 3: 500 items, agreement .975, two points: power about .8 (.7976 exact).
    found = answer(read_chosen(pairs("n=500&g=0.975&e=0.02")).chosen, search=False)
    assert found.power.power == pytest.approx(0.7976, abs=5e-5)
    assert found.searches is None


def test_price_times_what_is_paid() -> None:
    assert numbers("s=ratings&n=500&c=0.4")["cost"] == "400.00"  # 500 judgments of each of two
    assert numbers("s=likert&n=10&r=4&c=0.5", search=False)["cost"] == "40.00"
    assert numbers("s=samples&n=100&r=3&c=1")["paid"] == "600 answers"
    assert numbers("t=unpaired&n=100")["paid"] == "200 items"
    assert "cost" not in numbers("s=preference")


def test_looks_are_those_of_design_at_the_drift_of_the_effect() -> None:
    found = answer(chosen("ratings"), search=False)
    assert found.looks is not None
    drift = fixed_drift(0.05, 2, found.power.power)
    wanted = dt.design("hsd", looks=5, power=0.8, n_max=600, drifts=[0.0, drift])
    assert found.looks.design.to_dict() == wanted.to_dict()
    none, some = wanted.characteristics
    assert none.with_futility is not None
    assert some.with_futility is not None
    expected = (600 * none.with_futility.expected_n, 600 * some.with_futility.expected_n)
    assert found.looks.expected_items == expected
    assert found.looks.power == some.with_futility.power < found.power.power
    said = numbers(ADDRESSES["ratings"])
    assert said["expected"] == f"{2 * round(expected[1]):,} judgments"
    assert said["expected_none"] == f"{2 * round(expected[0]):,} judgments"


def test_an_effect_that_is_sure_to_be_found_still_has_looks() -> None:
    found = answer(read_chosen(pairs("s=bleu&e=50&k=3")).chosen, search=False)
    assert found.power.power == 1.0
    assert found.looks is not None
    assert 7 < found.looks.asked.drift < 9


def test_equivalence_has_no_smallest_effect_and_no_looks() -> None:
    found = answer(read_chosen(pairs("w=equivalent&k=5&n=4000")).chosen, search=True)
    assert found.looks is None
    assert found.searches is not None
    assert found.searches.smallest is None
    assert shown(found).verdict.headline == (
        f"4,000 items show equivalence within 0.02 {found.power.power:.0%} of the time if nothing "
        "differs."
    )


@pytest.mark.parametrize(
    ("address", "field", "said"),
    [
        ("e=0", "effect", "“True difference in accuracy” must be a finite number other than 0"),
        ("e=0.5", "effect", "“True difference in accuracy”"),
        ("s=ratings&u=99&sd=50", "sd", "“Spread of its ratings”"),
        ("p=0.1&a=0.2", "power", "“Power wanted” must lie between alpha = 0.2 and 1"),
        ("k=20&n=10&e=0.3&g=0.5", "n_items", "n_max must be a whole number ≥ 20"),
        ("s=samples&q=0&v=0", "question_variance", "are both 0"),
    ],
)
def test_an_impossible_choice_says_why_beside_its_field(
    address: str, field: str, said: str
) -> None:
    design = read_chosen(pairs(address)).chosen
    with pytest.raises(Impossible) as refused:
        answer(design, search=True)
    assert refused.value.field == field
    assert said in in_words(refused.value.message, design)


def test_json_holds_values_words_and_specifications() -> None:
    made = as_json(answer(chosen("accuracy-looks"), search=True), width=720)
    assert made["settings"]["looks"] == 4
    assert made["power"]["kind"] == "PowerEstimate"
    assert made["size"]["n_items"] > 1000
    assert made["cost"] == pytest.approx(0.4 * made["paid"])
    assert [chart["id"] for chart in made["charts"]] == ["power", "significant", "boundaries"]
    assert all(chart["spec"]["$schema"] for chart in made["charts"])


def test_a_slow_search_is_left_for_later() -> None:
    said = numbers("s=likert&n=20&r=3", search=False)
    assert said["mde"] == said["size"] == "…"
    pending = shown(answer(read_chosen(pairs("s=likert&n=20&r=3")).chosen, search=False))
    assert [n.key for n in pending.numbers if n.pending] == ["mde", "size"]


def test_drawn_says_how_much_the_picture_may_cost() -> None:
    scenario = dt.scenarios.Accuracy(agreement=0.9)
    plain = dt.power(scenario, n_items=500, effect=0.03)
    few = dt.power(scenario, n_items=500, effect=0.03, drawn=33)
    none = dt.power(scenario, n_items=500, effect=0.03, drawn=0)
    assert plain.nearby is not None
    assert few.nearby is not None
    assert len(few.nearby.effect) < len(plain.nearby.effect)
    assert none.nearby is None
    assert plain.power == few.power == none.power
    assert dt.mde(scenario, n_items=500, drawn=0).nearby is None
    assert dt.sample_size(scenario, effect=0.03, drawn=0).nearby is None


@pytest.mark.parametrize(
    ("address", "sd"),
    [
        ([("t", "agreement"), ("g", "0.85")], 0.15**0.5),
        ([("t", "unpaired"), ("b", "0.9")], 0.18**0.5),
    ],
)
def test_a_frozen_plan_has_the_spread_that_was_chosen(
    tmp_path: Path, address: list[tuple[str, str]], sd: float
) -> None:
    made = freeze(tmp_path, read_chosen(address).chosen, name="answers", systems=["new", "old"])
    assert made.scale == (0.0, 1.0)
    assert made.outlook().sd == pytest.approx(sd)


@pytest.mark.parametrize("scenario", ["samples", "likert"])
def test_a_frozen_plan_states_about_the_power_of_the_page(
    tmp_path: Path, scenario: str
) -> None:
    design = read_chosen([("s", scenario)]).chosen
    made = freeze(tmp_path, design, name="same", systems=["new", "old"])
    found = made.outlook()
    assert found.sd is not None
    error = found.sd / int(design.values["n_items"]) ** 0.5
    power = answer(design, search=False).power.power
    drift = abs(float(design.values["effect"])) / error
    assert fixed_drift(0.05, 2, min(power, 0.999)) == pytest.approx(drift, rel=0.3)


# --- Only sizes slide by factors; every other number slides evenly ---


def test_only_sizes_slide_by_factors() -> None:
    for form in forms().values():
        factors = {field.name for field in all_fields(form) if field.log}
        assert factors == {"n_items"}
        assert (form.size.key, form.effect.key) == ("n", "e")


# --- Every scenario has a form, and its fields make all there is: address, command line, Python ---

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
