"""What is saved comes back as it was, whatever kind of result it is."""

import base64
import dataclasses
import hashlib
import json
import math
import os
import pkgutil
import warnings
import zlib
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, DetectableWarning, InputError
from detectable.core.result import BULK, Result, Signature
from detectable.core.same import same
from detectable.core.version import VERSION
from detectable.data.files.inputs import InputFile
from detectable.mixed.predictions import ComponentTest
from detectable.report.blocks_of import KINDS, blocks_of, class_of
from detectable.report.render.block_values import block_values
from detectable.report.saved.save import written_result
from tests.report import results
from tests.report.results import RESULTS
from tests.report.saved.every_result import NAMES, OTHERS, SHOWN, fit, one


def _concrete() -> dict[str, type[Result]]:
    for found in pkgutil.walk_packages(dt.__path__, "detectable."):
        if not found.name.startswith(("detectable.cli", "detectable.__main__")):
            import_module(found.name)
    waiting: list[type[Result]] = [Result]
    kinds: dict[str, type[Result]] = {}
    bases = set()
    while waiting:
        made = waiting.pop().__subclasses__()
        waiting += made
        ours = {k.__name__: k for k in made if k.__module__.startswith("detectable.")}
        bases |= {base.__name__ for k in ours.values() for base in k.__mro__[1:]}
        kinds |= ours
    return {name: kind for name, kind in kinds.items() if name not in bases}


CONCRETE = _concrete()


def test_every_kind_of_result_can_be_loaded_and_is_tried_here() -> None:
    assert sorted(CONCRETE) == sorted(KINDS) == NAMES
    assert {name: class_of(name) for name in KINDS} == {
        name: getattr(import_module(kind.__module__), name) for name, kind in CONCRETE.items()
    }


@pytest.mark.parametrize("kind", NAMES)
def test_what_is_saved_comes_back(kind: str, tmp_path: Path) -> None:
    result = one(kind)
    assert type(result).__name__ == kind
    dt.save(result, tmp_path / "r.json")
    found = dt.load(tmp_path / "r.json")
    assert same(found, result)
    # The same, by another way: nan is not equal to nan, so it is compared as it is written.
    assert (
        written_result(found).text.split("\n")[6:9]
        == (written_result(result).text.split("\n")[6:9])
    )
    if "nan" not in (tmp_path / "r.json").read_text():
        assert found == result


@pytest.mark.parametrize("kind", NAMES)
def test_every_value_fits_its_declared_type(kind: str) -> None:
    assert "$any" not in written_result(one(kind)).text


@pytest.mark.parametrize("form", OTHERS)
def test_other_forms_come_back_too(form: str, tmp_path: Path) -> None:
    result = OTHERS[form]()
    dt.save(result, tmp_path / "r.json")
    assert same(dt.load(tmp_path / "r.json"), result)


@pytest.mark.parametrize("kind", sorted(SHOWN))
def test_a_loaded_result_shows_and_says_the_same(kind: str, tmp_path: Path) -> None:
    from detectable.report.blocks_of import blocks_of
    from detectable.report.render.markdown import render_markdown

    result = one(kind)
    dt.save(result, tmp_path / "r.json")
    found = dt.load(tmp_path / "r.json")
    assert found.summary() == result.summary()
    assert json.dumps(found.to_dict()) == json.dumps(result.to_dict())
    assert render_markdown(blocks_of(found)) == render_markdown(blocks_of(result))


def test_bulk_is_one_of_three_words() -> None:
    marks = {
        part.metadata["bulk"]
        for kind in CONCRETE.values()
        for part in dataclasses.fields(kind)
        if "bulk" in part.metadata
    }
    assert marks == set(BULK)


def test_two_loads_are_equal_also_where_numbers_are_missing(tmp_path: Path) -> None:
    dt.save(results.detectable_effect(), tmp_path / "r.json")
    assert dt.load(tmp_path / "r.json") == dt.load(tmp_path / "r.json")


def content(result: Result, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(written_result(result, **more).text)
    return found


def test_the_parts_of_a_file() -> None:
    read = InputFile("a.txt", "abc", 12)
    made = content(
        results.detectable_effect(type_s=math.inf), command=["detectable", "mde"], inputs=[read]
    )
    assert list(made) == [
        "detectable", "schema", "kind", "created", "command", "inputs",
        "signature", "result", "arrays", "shown", "fingerprint",
    ]  # fmt: skip
    assert (made["detectable"], made["schema"], made["kind"]) == (
        VERSION,
        1,
        "DetectableEffect",
    )
    assert made["created"].endswith("Z")
    assert len(made["created"]) == len("2026-11-16T02:45:00Z")
    assert made["command"] == ["detectable", "mde"]
    assert made["inputs"] == [{"path": "a.txt", "sha256": "abc", "rows": 12}]
    assert made["signature"] == {
        "method": "toy", "settings": {"n": 3}, "seed": "7", "version": "0.0"
    }  # fmt: skip
    assert (made["result"]["type_m"], made["result"]["type_s"]) == ("nan", "inf")
    assert made["result"]["standard_error"] is None
    assert "signature" not in made["result"]
    rest = {key: value for key, value in made.items() if key != "fingerprint"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    assert made["fingerprint"] == hashlib.sha256(text.encode()).hexdigest()


def test_numbers_come_back_to_the_last_bit(tmp_path: Path) -> None:
    value = 0.1 + 0.2
    dt.save(results.detectable_effect(effect=value, power=5e-324), tmp_path / "r.json")
    found: Any = dt.load(tmp_path / "r.json")
    assert (found.effect, found.power) == (value, 5e-324)


def test_long_arrays_are_packed_and_short_ones_listed() -> None:
    made = content(dt.e_process(np.linspace(-1, 1, 257), bounds=(-1, 1)))
    assert made["result"]["path"]["log_e"] == {"$array": "path.log_e"}
    assert made["arrays"]["path.log_e"].keys() == {"dtype", "shape", "zlib64"}
    made = content(dt.e_process(np.linspace(-1, 1, 256), bounds=(-1, 1)))
    entry = made["arrays"]["path.log_e"]
    assert (entry["dtype"], entry["shape"], len(entry["values"])) == ("<f8", [256], 256)


def _many(n: int, seed: str | None = "1") -> ComponentTest:
    small = one("ComponentTest")
    assert isinstance(small, ComponentTest)
    return replace(small, null=np.zeros(n), signature=Signature("m", {}, seed))


def test_a_million_draws_are_left_out_and_said_so(tmp_path: Path) -> None:
    result = _many(1_000_001)
    with pytest.warns(DetectableWarning, match="`null` is not in the file: 1,000,001 draws"):
        dt.save(result, tmp_path / "r.json")
    with pytest.warns(DetectableWarning, match="is without `null`: 1,000,001 draws"):
        found: Any = dt.load(tmp_path / "r.json")
    assert found.null.shape == (0,)
    assert found == result  # what is drawn is no part of the answer
    dt.save(result, tmp_path / "kept.json", keep_draws=True)
    assert same(dt.load(tmp_path / "kept.json"), result)


@pytest.mark.parametrize("seed", [None, "caller", "1"])
def test_draws_that_no_seed_repeats_are_kept(seed: str | None) -> None:
    made = written_result(_many(1_000_001, seed))
    assert bool(made.notes) == (seed == "1")
    assert not written_result(_many(1_000_000, seed)).notes


def test_savings_without_their_paths_refuse_what_needs_them(tmp_path: Path) -> None:
    small = results.procedure_savings()
    shape = (1, 200_000, 6)
    tallies = replace(
        small.tallies,
        hits=np.zeros(shape, dtype=np.int64),
        steps=np.ones(shape, dtype=np.int64),
        differences=np.zeros(200_000),
    )
    with pytest.warns(DetectableWarning, match="1,200,000 draws"):
        dt.save(replace(small, tallies=tallies), tmp_path / "r.json")
    with pytest.warns(DetectableWarning, match="tallies"):
        found: Any = dt.load(tmp_path / "r.json")
    assert found.summary() == small.summary()
    assert found.tallies.hits.shape == (0, 200_000, 6)
    for ask in (found.subset, lambda: found.needed("looks", found.rows[0])):
        with pytest.raises(InputError, match="left out of the file"):
            ask()


def test_a_loaded_fit_refuses_what_needs_its_ratings(tmp_path: Path) -> None:
    dt.save(fit(), tmp_path / "fit.json")
    found: Any = dt.load(tmp_path / "fit.json")
    for ask in (
        lambda: dt.predict_effects(found, factor="rater"),
        lambda: dt.simulate(found, n_simulations=10),
        lambda: dt.component_test(found, "rater intercept"),
    ):
        with pytest.raises(InputError, match=r"does not hold its ratings\. Fit them again"):
            ask()


def test_a_loaded_design_still_bounds_a_look(tmp_path: Path) -> None:
    made = dt.design(looks=3, futility="predictive-power")
    dt.save(made, tmp_path / "d.json")
    found: Any = dt.load(tmp_path / "d.json")
    assert found.rule == made.rule
    assert found.design_drift == made.design_drift


def test_an_existing_file_stays_unless_that_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text("mine")
    with pytest.raises(DataError, match="exists already"):
        dt.save(results.comparison(), path)
    assert path.read_text() == "mine"
    dt.save(results.comparison(), path, overwrite=True)
    assert dt.load(path) is not None
    assert os.listdir(tmp_path) == ["r.json"]


def test_what_is_no_result_of_ours_is_refused(tmp_path: Path) -> None:
    @dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
    class Mine(Result):
        pass

    anything: Any = {"a": 1}
    with pytest.raises(InputError, match="must be a result of this package; got a dict"):
        dt.save(anything, tmp_path / "r.json")
    with pytest.raises(InputError, match="a Mine cannot be saved"):
        dt.save(Mine(signature=results.SIGNATURE), tmp_path / "r.json")


def test_what_a_file_cannot_hold_is_named(tmp_path: Path) -> None:
    odd = results.comparison(metrics=({"metric": object()},))
    with pytest.raises(
        InputError, match=r"`result.metrics.0.metric` cannot be saved.*a object"
    ):
        dt.save(odd, tmp_path / "r.json")
    assert not os.listdir(tmp_path)


def test_a_value_of_another_type_than_declared_comes_back_all_the_same(tmp_path: Path) -> None:
    odd: Any = results.comparison(n_units=[1, (2, None)], alpha="x", n_segments=np.int64(3))
    dt.save(odd, tmp_path / "r.json")
    found: Any = dt.load(tmp_path / "r.json")
    assert same(found, odd)
    assert type(found.n_segments) is int


def test_a_file_tells_nothing_about_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = results.plan(path=str(tmp_path / "sub" / "ship.json"))
    command = ["detectable", "plan", "new", f"--x=a={tmp_path}/a.txt,{tmp_path}/b.txt"]
    text = written_result(plan, command=command).text
    assert str(tmp_path) not in text
    made = json.loads(text)
    assert made["result"]["path"] == "sub/ship.json"
    assert made["command"][-1] == "--x=a=a.txt,b.txt"


def test_what_commands_a_terminal_is_spelled_out(tmp_path: Path) -> None:
    result = results.comparison(notes=("\x9b2J\u202e\x1b日本",))
    text = written_result(result).text
    assert not set("\x9b\u202e\x1b") & set(text)
    assert "日本" in text
    dt.save(result, tmp_path / "r.json")
    assert same(dt.load(tmp_path / "r.json"), result)


def test_saving_gives_no_warning(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dt.save(results.ranking(), tmp_path / "r.json")


# --- What a result file carries for a browser: what the result shows, and nothing of the machine ---


def shown(text: str) -> Any:
    packed = json.loads(text)["shown"]
    assert list(packed) == ["zlib64"]
    return json.loads(zlib.decompress(base64.b64decode(packed["zlib64"])))


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_every_file_shows_what_its_result_shows(name: str, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(written_result(RESULTS[name], command=["detectable", "it", "a b"]).text)
    expected = block_values(blocks_of(dt.load(path), command="detectable it 'a b'"))
    assert shown(path.read_text()) == json.loads(json.dumps(expected))


def test_it_tells_nothing_of_the_machine() -> None:
    private = "/home/somebody/secret/rank.json"
    made = dataclasses.replace(RESULTS["receipt"], file=private)  # type: ignore[call-arg]
    text = written_result(made, command=["detectable", "verify", private]).text
    told = json.dumps(shown(text))
    assert "somebody" not in told
    assert "rank.json" in told


def test_a_result_that_cannot_be_shown_is_kept_all_the_same(tmp_path: Path) -> None:
    odd = dataclasses.replace(results.comparison(), alpha="x")  # type: ignore[arg-type]
    dt.save(odd, tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["shown"] is None
    assert dt.load(tmp_path / "r.json").alpha == "x"  # type: ignore[attr-defined]


def test_load_does_not_look_at_it(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    dt.save(results.ranking(), path)
    content = json.loads(path.read_text())
    del content["shown"]
    path.write_text(json.dumps(content))
    with pytest.warns(dt.DetectableWarning, match="was edited"):
        assert dt.load(path) == results.ranking()
