"""Files that are newer, older, edited, damaged or of another kind: one sentence each."""

import gzip
import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import detectable as dt
from detectable.core.errors import DataError, SuspiciousDataWarning
from detectable.core.same import same
from detectable.data.files.inputs import InputFile
from detectable.data.files.ledger_file import fingerprint
from detectable.report.saved import load
from detectable.report.saved import load as upgrades
from detectable.report.saved.load import read_saved
from detectable.report.saved.save import written_result
from tests.report import results
from tests.report.saved.every_result import NAMES, one

Content = dict[str, Any]


def content(**more: Any) -> Content:
    found: Content = json.loads(written_result(results.ranking(), **more).text)
    return found


def put(path: Path, made: Any, *, stamp: bool = True) -> Path:
    """Write a file by hand, with the fingerprint of what is in it."""
    if stamp and isinstance(made, dict):
        rest = {key: value for key, value in made.items() if key != "fingerprint"}
        made = {**rest, "fingerprint": fingerprint(rest)}
    path.write_text(json.dumps(made), encoding="utf-8")
    return path


def refused(tmp_path: Path, made: Any) -> str:
    path = put(tmp_path / "r.json", made)
    with pytest.raises(DataError) as error:
        dt.load(path)
    said = str(error.value)
    assert said.startswith(str(path))
    assert "\n" not in said
    assert len(said) < len(str(path)) + 400
    return said.removeprefix(str(path)).removeprefix(": ")


def test_what_the_file_says_about_the_result(tmp_path: Path) -> None:
    read = InputFile("a.txt", "0" * 64, None)
    text = written_result(results.ranking(), command=["detectable", "rank"], inputs=[read]).text
    (tmp_path / "r.json").write_text(text, encoding="utf-8")
    found = read_saved(tmp_path / "r.json")
    assert same(found.result, results.ranking())
    assert found.command == ("detectable", "rank")
    assert found.inputs == (read,)
    assert found.version == dt.__version__
    assert found.created == json.loads(text)["created"]
    assert found.notes == ()
    assert found.path == str(tmp_path / "r.json")


def test_a_compressed_file_can_be_loaded(tmp_path: Path) -> None:
    text = written_result(results.ranking()).text
    (tmp_path / "r.json.gz").write_bytes(gzip.compress(text.encode()))
    assert same(dt.load(tmp_path / "r.json.gz"), results.ranking())


def test_a_file_in_another_layout_was_not_edited(tmp_path: Path) -> None:
    made = content()
    turned = dict(reversed(made.items()))
    path = tmp_path / "r.json"
    path.write_text(json.dumps(turned, indent=4))
    assert read_saved(path).notes == ()


def test_an_edited_file_is_loaded_with_a_warning(tmp_path: Path) -> None:
    made = content()
    made["result"]["n_units"] = 21
    path = put(tmp_path / "r.json", made, stamp=False)
    with pytest.warns(SuspiciousDataWarning, match="r.json was edited after it was written"):
        found: Any = dt.load(path)
    assert found.n_units == 21


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    said = refused(tmp_path, {**content(), "schema": 3, "detectable": "0.4"})
    assert said.strip() == (
        "has format 3, written by detectable 0.4; this version reads up to 1. Update detectable."
    )


@pytest.mark.parametrize("schema", [0, -1, 1.0, "1", None, True])
def test_a_format_is_a_whole_number(schema: Any, tmp_path: Path) -> None:
    assert "`schema` must be a whole number" in refused(
        tmp_path, {**content(), "schema": schema}
    )


def test_there_is_a_step_from_every_older_format() -> None:
    assert set(upgrades.UPGRADES) == set(range(1, upgrades.SCHEMA))


def test_older_files_are_brought_up_to_date_step_by_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def upgrade_1_to_2(old: Content) -> Content:
        """Made up: format 1 counted units under another name."""
        result = dict(old["result"])
        result["n_units"] = result.pop("units")
        return {**old, "result": result}

    def upgrade_2_to_3(old: Content) -> Content:
        assert old["schema"] == 2
        return {**old, "arrays": {}}

    monkeypatch.setattr(upgrades, "UPGRADES", {1: upgrade_1_to_2, 2: upgrade_2_to_3})
    monkeypatch.setattr(upgrades, "SCHEMA", 3)
    monkeypatch.setattr(load, "SCHEMA", 3)
    made = content()
    made["result"]["units"] = made["result"].pop("n_units")
    del made["arrays"]
    assert same(dt.load(put(tmp_path / "one.json", made)), results.ranking())
    made = {**content(), "schema": 2}
    assert same(dt.load(put(tmp_path / "two.json", made)), results.ranking())
    assert "reads up to 3" in refused(tmp_path, {**content(), "schema": 4})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("{", "this is not JSON"),
        ('{"a": 1', "this is not JSON"),
        ("\x89PNG", "this is not JSON"),
        ("[" * 100_000, "this JSON cannot be used"),
    ],
)
def test_what_is_no_json_is_refused(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=words):
        dt.load(tmp_path / "r.json")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        dt.load(tmp_path / "none.json")
    with pytest.raises(DataError, match="this is a folder"):
        dt.load(tmp_path)


@pytest.mark.parametrize("made", [[], 1, "x", None, {}, {"kind": "Ranking"}, {"schema": 1}])
def test_other_json_is_no_result(made: Any, tmp_path: Path) -> None:
    assert refused(tmp_path, made).startswith(
        "this is no file of a result. Write one with --out"
    )


def test_our_own_other_files_are_named(tmp_path: Path) -> None:
    assert "It is what --json prints" in refused(tmp_path, results.ranking().to_dict())
    assert "It is a plan" in refused(tmp_path, {"detectable_plan": 3})


@pytest.mark.parametrize(
    "key", sorted(set(content()) - {"schema", "kind", "fingerprint", "shown"})
)
def test_every_part_must_be_there(key: str, tmp_path: Path) -> None:
    made = content()
    del made[key]
    assert refused(tmp_path, made).startswith(f"`{key}` must be a")
    assert refused(tmp_path, {**made, key: 3}).startswith(f"`{key}` must be a")


def test_a_file_without_fingerprint_is_refused(tmp_path: Path) -> None:
    made = content()
    del made["fingerprint"]
    with pytest.raises(DataError, match="`fingerprint` must be a text; got None"):
        dt.load(put(tmp_path / "r.json", made, stamp=False))


def test_a_kind_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    said = refused(tmp_path, {**content(), "kind": "os.system"})
    assert said.startswith("'os.system' is no kind of result that this version knows.")


def _at(*path: str | int) -> Callable[[Content, Any], None]:
    def change(made: Content, value: Any) -> None:
        place: Any = made
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "value", "words"),
    [
        (_at("result", "n_units"), "20", "`result.n_units` must be a whole number; got '20'"),
        (_at("result", "n_units"), True, "`result.n_units` must be a whole number; got True"),
        (_at("result", "alpha"), "x", "`result.alpha` must be a number"),
        (_at("result", "alpha"), True, "`result.alpha` must be a number"),
        (_at("result", "exact"), 0, "`result.exact` must be true or false; got 0"),
        (
            _at("result", "pairs", 0, "verdict"),
            "so",
            "`result.pairs.0.verdict` must be one of ",
        ),
        (_at("result", "pairs", 0, "verdict"), [], "`result.pairs.0.verdict` must be one of "),
        (_at("result", "preset"), 1, "`result.preset` must be"),
        (_at("result", "systems"), {}, "`result.systems` must be a list; got {}"),
        (_at("result", "systems", 1), 5, "`result.systems.1` must be an object; got 5"),
        (
            _at("result", "pairs", 2, "interval"),
            None,
            "`result.pairs.2.interval` must be an obj",
        ),
        (_at("result", "pairs", 0, "interval"), {"low": 1}, "must be an object with high"),
        (_at("result", "surprise"), 1, "`result` must be an object of "),
        (_at("signature", "settings"), [1], "`signature.settings` must be an object"),
        (
            _at("signature", "settings"),
            [[[], 1]],
            "`signature.settings` must be a text; got []",
        ),
        (_at("signature", "settings", "n"), {"$pairs": [1]}, "must be pairs of key and value"),
        (_at("signature", "settings", "n"), {"$pairs": 1}, "must be pairs of key and value"),
        (_at("signature", "settings", "n"), {"$pairs": [[[], 1]]}, "a pair with a plain key"),
        (_at("signature", "settings", "n"), {"$x": 1}, "a value with a known mark"),
        (_at("signature", "settings", "n"), {"$x": 1, "$y": 1}, "must be one mark"),
        (_at("signature", "settings", "n"), {"$float": "x"}, "must be a number"),
        (_at("command"), [1], "`command.0` must be a text"),
        (_at("inputs"), [{"path": "a"}], "`inputs.0` must be an object with sha256"),
    ],
)
def test_wrong_values_are_named(
    change: Callable[[Content, Any], None], value: Any, words: str, tmp_path: Path
) -> None:
    made = content()
    change(made, value)
    assert words in refused(tmp_path, made)


@pytest.mark.parametrize("name", sorted(content()["result"]))
def test_a_missing_field_is_named_or_has_its_default(name: str, tmp_path: Path) -> None:
    made = content()
    del made["result"][name]
    if name in ("notes", "influential", "reversals"):
        dt.load(put(tmp_path / "r.json", made))
    else:
        assert f"an object with {name}" in refused(tmp_path, made)


ENTRY = {"dtype": "<f8", "shape": [2], "values": [1.0, "nan"]}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dtype": "object"}, "dtype` must be a type of numbers"),
        ({"dtype": "V8"}, "dtype` must be a type of numbers"),
        ({"dtype": "(2,)f8"}, "dtype` must be a type of numbers"),
        ({"dtype": None}, "dtype` must be a type of numbers"),
        ({"dtype": "no"}, "dtype` must be a type of numbers"),
        ({"shape": [-1]}, "shape` must be a list of whole numbers"),
        ({"shape": "2"}, "shape` must be a list of whole numbers"),
        ({"shape": [2.0]}, "shape` must be a list of whole numbers"),
        ({"shape": [3]}, "must be an array of 3 numbers; got 2"),
        ({"shape": [10**12]}, "fits the limit"),
        ({"values": 3}, "values` must be a list"),
        ({"values": [1.0, "x"]}, "values` must be a number"),
        ({"values": [1.0, [2.0]]}, "values` must be a number"),
        ({"dtype": "<i8"}, "numbers of type int64"),
        ({"dtype": "<i8", "values": [1, 1.5]}, "numbers of type int64"),
        ({"dtype": "|i1", "values": [1, 300]}, "numbers of type int8"),
        ({"values": None, "zlib64": "AA=="}, "values` must be a list"),
    ],
)
def test_damaged_arrays_are_named(changes: Content, words: str, tmp_path: Path) -> None:
    made: Content = json.loads(written_result(dt.e_process([0.5, 0.1], bounds=(-1, 1))).text)
    made["arrays"]["path.log_e"] = {**ENTRY, **changes}
    assert words in refused(tmp_path, made)


def test_damaged_packed_arrays_are_named(tmp_path: Path) -> None:
    text = written_result(dt.e_process([0.5] * 300, bounds=(-1, 1))).text
    for value in ("%%%", "AAAA", "", 7, None):
        made: Content = json.loads(text)
        made["arrays"]["path.log_e"]["zlib64"] = value
        assert "arrays.path.log_e" in refused(tmp_path, made)
    made = json.loads(text)
    made["arrays"]["path.log_e"]["shape"] = [299]  # fewer than are packed
    assert "2,392 bytes of float64" in refused(tmp_path, made)
    made["arrays"]["path.log_e"]["shape"] = [301]
    assert "2,408 bytes of float64" in refused(tmp_path, made)
    del made["arrays"]["path.log_e"]
    assert "`arrays.path.log_e` must be an array; got None" in refused(tmp_path, made)
    made["result"]["path"]["log_e"] = [1.0]
    assert "`result.path.log_e` must be an array" in refused(tmp_path, made)


def test_values_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    made: Content = json.loads(written_result(dt.design(looks=2)).text)
    made["result"]["rule"]["rule"] = "never"
    assert "`result.rule.rule` must be one of" in refused(tmp_path, made)


@pytest.mark.parametrize("value", [5, {}, {"$kind": 1}, {"$kind": "Nothing"}])
def test_a_result_in_a_result_must_be_of_a_known_kind(value: Any, tmp_path: Path) -> None:
    story = results.demo_story(results=(results.ranking(),))
    made: Content = json.loads(written_result(story).text)
    made["result"]["results"] = [value]
    assert "`result.results.0` must be a result of a known kind" in refused(tmp_path, made)


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    made: Content = json.loads(written_result(results.design()).text)
    point = made["result"]["characteristics"][0]
    for _ in range(400):
        point = {**point, "with_futility": point}
    made["result"]["characteristics"] = [point]
    path = tmp_path / "r.json"
    path.write_text(json.dumps(made))
    with pytest.raises(DataError, match=r"nested too deeply|cannot be used"):
        dt.load(path)


VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 10**30, 1.5, "", "nan", "x", [], {}, [1], {"a": 1}, [[1, 2]]),
    *({"$tuple": [1]}, {"$any": {"$tuple": []}}, {"$array": "x"}, {"$float": "nan"}),
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict | list):
        inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inside:
        yield (*path, key)
        yield from _places(item, (*path, key))


@pytest.mark.parametrize("kind", NAMES)
def test_whatever_is_changed_the_file_loads_or_is_refused_in_a_sentence(
    kind: str, tmp_path: Path
) -> None:
    rng = random.Random(kind)
    text = written_result(one(kind)).text
    places = list(_places(json.loads(text)))
    path, refusals, counted = tmp_path / "r.json", 0, 0
    for _ in range(40):
        made = json.loads(text)
        *way, last = rng.choice(places)
        inner = made
        for step in way:
            inner = inner[step]
        if rng.random() < 0.3:
            del inner[last]
        else:
            inner[last] = rng.choice(VALUES)
        path.write_text(json.dumps(made))
        try:
            read_saved(path)
        except DataError as error:
            refusals += str(error).startswith(str(path))
            counted += 1
    assert refusals == counted > 10
