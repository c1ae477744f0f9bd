"""``--out`` keeps the result: the same as printed, with what was typed and what was read."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

import detectable as dt
from detectable.cli import main
from detectable.cli.command import command
from detectable.core.result import Result as Answer
from detectable.core.same import same
from detectable.data.files.lines import read_lines
from detectable.report.saved.load import read_saved
from tests.report import results

FROZEN = Path(__file__).parents[1] / "frozen" / "data"


def run(*words: object, body: Callable[..., Answer] | None = None) -> Result:
    tool = command("toy")(body or (lambda: results.comparison()))
    group = click.Group("detectable", commands=[tool])
    return CliRunner().invoke(group, ["toy", *map(str, words)], prog_name="detectable")


def test_the_result_is_kept_beside_the_text(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    found = run("--out", path)
    assert found.exit_code == 0, found.output
    assert found.stdout == run().stdout
    assert found.stderr == run().stderr
    kept = read_saved(path)
    assert same(kept.result, results.comparison())
    assert kept.command == ("detectable", "toy", "--out", "r.json")
    assert kept.inputs == ()
    assert kept.notes == ()


def test_the_file_can_be_printed() -> None:
    found = run("--out", "-")
    made = json.loads(found.stdout)
    assert (made["kind"], made["schema"]) == ("Comparison", 1)
    assert found.stdout.endswith("}\n")
    assert "detectable:" not in found.stderr


def test_with_json_both_come(tmp_path: Path) -> None:
    found = run("--json", "--out", tmp_path / "r.json")
    assert json.loads(found.stdout)["kind"] == "Comparison"
    assert (tmp_path / "r.json").exists()


def test_what_was_read_stands_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("one\ntwo\n")

    def work() -> Answer:
        read_lines("a.txt")
        return results.comparison()

    assert run("--out", "r.json", body=work).exit_code == 0
    [file] = read_saved("r.json").inputs
    assert (file.path, file.rows) == ("a.txt", 2)
    assert file.sha256 == hashlib.sha256(b"one\ntwo\n").hexdigest()


def test_nothing_is_hashed_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("one\n")

    def work() -> Answer:
        read_lines(tmp_path / "a.txt")
        return results.comparison()

    monkeypatch.setattr("hashlib.sha256", None)
    assert run(body=work).exit_code == 0
    assert run("--out", tmp_path / "r.json", body=work).exit_code == 1


def _drawn() -> Answer:
    small = results.procedure_savings()
    tallies = replace(small.tallies, hits=np.zeros((1, 200_000, 6), dtype=np.int64))
    return replace(small, tallies=tallies)


def test_draws_are_left_out_unless_wanted(tmp_path: Path) -> None:
    found = run("--out", tmp_path / "r.json", body=_drawn)
    assert found.exit_code == 0, found.output
    assert (
        "Note: `tallies.hits` is not in the file: 1,200,000 draws, which the seed repeats. "
        "--keep-draws keeps them.\n" in found.stderr
    )
    found = run("--out", tmp_path / "kept.json", "--keep-draws", body=_drawn)
    assert "1,200,000" not in found.stderr
    loaded: Any = dt.load(tmp_path / "kept.json")
    assert loaded.tallies.hits.shape == (1, 200_000, 6)


def test_keeping_draws_needs_a_file() -> None:
    found = run("--keep-draws")
    assert found.exit_code == 2
    assert "--keep-draws has no effect without --out" in found.stderr


def test_a_folder_that_is_not_there_is_refused_before_the_work(tmp_path: Path) -> None:
    def work() -> Answer:
        raise AssertionError("worked")

    found = run("--out", tmp_path / "none" / "r.json", body=work)
    assert found.exit_code == 1
    assert "cannot be written: No such file or directory" in found.stderr


def test_a_real_command_names_its_files_without_their_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data" / "controls.csv"
    data.parent.mkdir()
    data.write_bytes((FROZEN / "controls.csv").read_bytes())
    monkeypatch.chdir(tmp_path)
    words = ["rank", str(data), "--seed", "1", "--out", str(tmp_path / "r.json")]
    assert CliRunner().invoke(main, words, prog_name="detectable").exit_code == 0
    assert str(tmp_path) not in Path("r.json").read_text()
    kept = read_saved("r.json")
    assert [file.path for file in kept.inputs] == ["data/controls.csv"]
    assert kept.command[2] == "data/controls.csv"
    # What was typed, made shareable, gives the same again.
    again = CliRunner().invoke(main, [*kept.command[1:-1], "again.json"])
    assert again.exit_code == 0, again.output
    assert same(dt.load("again.json"), kept.result)


def test_a_plan_that_was_just_written_is_no_input(tmp_path: Path) -> None:
    words = ["plan", "new", str(tmp_path / "ship.json"), "--systems", "a,b", "--n-max", "90"]
    made = CliRunner().invoke(main, [*words, "--out", str(tmp_path / "r.json")])
    assert made.exit_code == 0, made.output
    assert read_saved(tmp_path / "r.json").inputs == ()
    shown = ["plan", "show", str(tmp_path / "ship.json"), "--out", str(tmp_path / "s.json")]
    assert CliRunner().invoke(main, shown).exit_code == 0
    names = [file.path for file in read_saved(tmp_path / "s.json").inputs]
    assert names == ["ship.json", "ship.ledger.jsonl"]
