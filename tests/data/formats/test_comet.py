import json
from pathlib import Path

import pytest

from detectable.data.formats.comet import read_comet
from tests.data.sample_files import SAMPLES, fails, write

ONE, TWO = [[0.75, 0.5]], [[0.25, 1.0]]


@pytest.mark.parametrize(
    ("name", "metric"),
    [("comet_score.json", "COMET"), ("comet_compare.json", "Unbabel/wmt22-comet-da")],
)
def test_the_samples_are_read(name: str, metric: str) -> None:
    loaded = read_comet(SAMPLES / name)
    scores = loaded
    assert {k: v.tolist() for k, v in scores.systems.items()} == {"one": ONE, "two": TWO}
    assert (scores.items, scores.metric, loaded.notes) == (("1", "2"), metric, ())


def row(source: str, score: object) -> dict[str, object]:
    return {"src": source, "mt": "x", "COMET": score}


def dump(folder: Path, name: str, content: object) -> Path:
    return write(folder, name, json.dumps(content))


def test_a_file_per_system_and_run_is_read(tmp_path: Path) -> None:
    one = dump(tmp_path, "1.json", [row("a", 0.5), row("b", 1)])  # older COMET
    two = dump(tmp_path, "2.json", {"out.txt": [row("a", 0.25), row("b", float("nan"))]})
    loaded = read_comet({"A": [one, two], "B": one}, metric="xx", systems=["A"])
    assert loaded.metric == "xx"
    assert loaded.systems["A"][0].tolist() == [0.5, 1]
    assert loaded.notes == (
        "1 system left out as asked: B.",
        "system 'A', run 2: 1 of 2 items without a score, first '2'.",
    )


def test_names_stay_whole_where_short_ones_would_clash(tmp_path: Path) -> None:
    path = dump(tmp_path, "x.json", {"a/out.txt": [row("s", 1)], "b/out.txt": [row("s", 0)]})
    assert list(read_comet(path).systems) == ["a/out.txt", "b/out.txt"]


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ({"A": [row("a", "good")]}, ("x.json, system 'A', segment 1: expected a score",)),
        ({"A": [{"src": "a"}]}, ("segment 1 of system 'A' has no 'COMET' score",
                                 "comet-score --to_json")),
        ({"A": [row("a", 1)], "B": []}, ("as many:", "A has 1 score", "B has 0 scores")),
        ({"A": [row("a", 1)], "B": [row("b", 1)]},
         ("segment 1 of 'B' has the source 'b', that of 'A' is 'a'. Score all systems",)),
        ({"A": 1}, ("x.json: this is no JSON file of COMET.",)),
        ({"translations": [{"name": "A"}]}, ("a translation has no name or no scores",)),
        ({"translations": []}, ("this is no JSON file of COMET",)),
    ],
)  # fmt: skip
def test_a_bad_file_is_named(tmp_path: Path, content: object, parts: tuple[str, ...]) -> None:
    with fails("x.json", *parts):
        read_comet(dump(tmp_path, "x.json", content))


def test_a_file_with_several_systems_cannot_be_one_system() -> None:
    with fails("comet_score.json: the file holds 2 systems (one, two); expected one."):
        read_comet({"A": SAMPLES / "comet_score.json"})


def test_json_that_is_cut_short_is_named(tmp_path: Path) -> None:
    with fails("x.json, line 2, position 1: this is not JSON", "Is it cut short?"):
        read_comet(write(tmp_path, "x.json", '{"A":\n'))
    with fails("x.json: the file is empty. Expected JSON."):
        read_comet(write(tmp_path, "x.json", " \n"))
    with fails("x.json, line 1: this JSON cannot be used (it is nested too deeply)."):
        read_comet(write(tmp_path, "x.json", "[" * 100_000))
