"""``detectable verify``: what was kept is computed again, to the bit."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

import detectable as dt
from detectable.cli import main
from detectable.cli.command_table import COMPUTE
from detectable.cli.output_options import Unrepeated, Writing
from detectable.cli.rerun import NotRepeatable, _refuse_places, words_again
from detectable.core.result import Signature
from detectable.report.saved.load import SavedResult, read_saved
from tests.frozen.cases import CASES
from tests.frozen.run import keeps, kept, said
from tests.report import results

SCORES = "item,new,old\n" + "".join(f"{i},{(i * 7) % 5},{(i * 3) % 4}\n" for i in range(40))
QUICK = ("compare-scores", "rank", "power-accuracy", "design")
MADE = ("plan new", "look", "conclude", "import", "demo", "verify")  # write files of their own


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], prog_name="detectable")


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("compared")
    with chdir(made):
        Path("scores.csv").write_text(SCORES)
        words = "compare --scores scores.csv --baseline old --html page.html --out kept.json"
        found = run(*words.split())
    assert found.exit_code == 0, found.output
    return made


@pytest.fixture
def folder(compared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be in a folder with data and what a command kept of them."""
    shutil.copytree(compared, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_same_data_and_words_give_the_same() -> None:
    before = Path("page.html").stat().st_mtime_ns
    found = run("verify", "kept.json", "--json")
    made = json.loads(found.stdout)
    assert found.exit_code == 0
    assert made["outcome"] == "same"
    assert made["n_differences"] == 0
    assert made["n_values"] > 100
    assert made["inputs"][0]["state"] == "same"
    assert Path("page.html").stat().st_mtime_ns == before  # nothing is written again
    assert sorted(os.listdir()) == ["kept.json", "page.html", "scores.csv"]


@pytest.mark.usefixtures("folder")
def test_a_value_that_was_edited_is_found_and_named() -> None:
    text = Path("kept.json").read_text()
    Path("kept.json").write_text(
        re.sub(r'"p_value":[0-9.e-]+', '"p_value":0.125', text, count=1)
    )
    found = run("verify", "kept.json", "--json")
    made = json.loads(found.stdout)
    assert found.exit_code == 3
    assert made["edited"] is True
    assert made["n_differences"] == len(made["differences"]) == 1
    assert made["differences"][0]["where"] == "pairs.0.p_value"
    assert made["differences"][0]["kept"] == "0.125"
    assert 0 < made["differences"][0]["relative"] < 1
    assert "Not the same: 1 of " in run("verify", "kept.json").output


@pytest.mark.usefixtures("folder")
def test_an_edit_that_leaves_the_values_is_still_an_edit() -> None:
    text = Path("kept.json").read_text().replace('"created": "2', '"created": "1', 1)
    Path("kept.json").write_text(text)
    found = run("verify", "kept.json", "--json")
    assert (found.exit_code, json.loads(found.stdout)["n_differences"]) == (3, 0)
    assert "edited after it was written, though not in what it found" in found.stdout


@pytest.mark.usefixtures("folder")
def test_other_data_are_found_before_anything_is_computed() -> None:
    Path("scores.csv").write_text(SCORES.replace("\n3,", "\n3,1"))
    found = run("verify", "kept.json")
    assert found.exit_code == 3
    assert found.stdout.startswith("Not the same: scores.csv is another file now.")


def test_data_are_looked_for_where_the_command_was_typed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    found = run("verify", "../kept.json")
    assert found.exit_code == 4
    assert "scores.csv is missing. Say where the command was typed (--folder" in (
        " ".join(found.stdout.split())
    )
    assert run("verify", "../kept.json", "--folder", "..").exit_code == 0


@pytest.mark.usefixtures("folder")
def test_a_program_in_the_folder_of_the_data_is_not_run() -> None:
    Path("detectable.py").write_text("raise SystemExit('run')")
    Path("numpy.py").write_text("raise SystemExit('run')")
    assert run("verify", "kept.json").exit_code == 0


@pytest.mark.usefixtures("folder")
def test_a_command_that_fails_now_says_why() -> None:
    text = Path("kept.json").read_text().replace('"--baseline","old"', '"--baseline","odd"')
    Path("kept.json").write_text(text)
    found = run("verify", "kept.json")
    assert found.exit_code == 3  # and edited
    kept_file = read_saved("kept.json")
    receipt = dt.verify(kept_file.path)
    assert receipt.reason == "the file was edited after it was written."


def test_a_result_of_a_program_has_no_command(tmp_path: Path) -> None:
    dt.save(dt.design(looks=3), tmp_path / "design.json")
    found = run("verify", tmp_path / "design.json")
    assert found.exit_code == 4
    assert found.stdout.startswith("Not repeated: it was saved by a program, so there is no")
    receipt = dt.verify(tmp_path / "design.json")
    assert (receipt.n_values, receipt.n_differences, receipt.edited) == (0, 0, False)


@pytest.mark.parametrize("name", QUICK)
def test_commands_give_the_same_again(name: str, tmp_path: Path) -> None:
    _repeat(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(CASES) - set(QUICK)))
def test_every_command_gives_the_same_again(name: str, tmp_path: Path) -> None:
    if not keeps(name):
        pytest.skip("shows results that are kept already")
    _repeat(name, tmp_path)


def _repeat(name: str, tmp_path: Path) -> None:
    """Type a command in a process of its own, as people do, and verify what it kept."""
    said(name, tmp_path)
    file = kept(tmp_path)
    typed = CASES[name][-1].split()
    if typed[0] in MADE or typed[:2] == ["plan", "new"]:
        assert dt.verify(file).n_values == 0
        return
    start = [sys.executable, "-m", "detectable"]
    command = [*start, *typed, "--out", str(file), "--force", "--json"]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    # The files of a test lie in other corners of the disk, and go by their last names.
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content | {"command": ["detectable", *typed], "inputs": []}))
    with chdir(tmp_path):
        receipt = dt.verify(file)
    assert receipt.n_values > 5, receipt.reason
    assert receipt.differences == ()


def saved(*command: str, seed: str | None = None) -> SavedResult:
    result: Any = results.comparison(signature=Signature("toy", {}, seed))
    return SavedResult(
        result=result,
        path="kept.json",
        version="0.1.0",
        created="",
        command=command,
        inputs=(),
        edited=False,
        notes=(),
    )


def test_options_that_write_are_left_out_and_the_seed_is_given() -> None:
    typed = (
        "python -m detectable compare --scores a.csv --html=p.html --csv pairs:t.csv --force"
    )
    typed += " --json --alpha .1 --checkpoint c --keep-draws --out o.json"
    words = "compare --scores a.csv --alpha .1 --keep-draws"
    assert words_again(saved(*typed.split(), seed="12")) == [*words.split(), "--seed", "12"]


def test_a_seed_that_was_typed_stays_and_none_is_made_up() -> None:
    for words in ("rank a.csv --seed 3", "rank a.csv --seed=3"):
        assert words_again(saved("detectable", *words.split(), seed="3")) == words.split()
    for seed in (None, "caller"):
        assert words_again(saved("detectable", "rank", "a.csv", seed=seed)) == ["rank", "a.csv"]
    # No option of the name:
    typed = ("detectable", "mixed", "a.csv")
    assert words_again(saved(*typed, seed="1")) == ["mixed", "a.csv"]


def test_what_follows_two_dashes_is_no_option() -> None:
    typed = ("detectable", "rank", "--html", "a", "--", "--html", "b")
    assert words_again(saved(*typed)) == ["rank", "--", "--html", "b"]


def test_the_value_of_an_option_is_no_option() -> None:
    typed = ("detectable", "compare", "--score-name", "--html", "--scores", "a.csv")
    assert words_again(saved(*typed)) == list(typed[1:])


@pytest.mark.parametrize("words", MADE)
def test_commands_with_files_of_their_own_are_not_typed_again(words: str) -> None:
    with pytest.raises(NotRepeatable, match=f"`detectable {words}` does more than read files"):
        words_again(saved("detectable", *words.split(), "x.json"))


@pytest.mark.parametrize("option", ["--accept", "--count-attempts"])
def test_a_word_that_writes_the_baseline_is_not_typed_again(option: str) -> None:
    typed = ("detectable", "gate", "new.csv", "--baseline", "base.json")
    assert words_again(saved(*typed)) == list(typed[1:])
    with pytest.raises(NotRepeatable, match=f"^{option} writes a file of its own"):
        words_again(saved(*typed, option))


def test_the_plan_of_a_look_is_what_can_be_verified() -> None:
    with pytest.raises(NotRepeatable, match="Its plan is what can be verified"):
        words_again(saved("detectable", "look", "a.json", "b.csv"))


@pytest.mark.usefixtures("folder")
def test_a_result_cannot_make_it_reach_a_store_or_an_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as asked:
        address = f"postgresql://me@127.0.0.1:{asked.getsockname()[1]}/x"
        monkeypatch.setenv("PGPASSWORD", "secret")
        for typed in (
            ["campaign", "status", "x", "--store", address],
            ["compare", "--scores", address, "--baseline", "old"],
            ["rank", address],
        ):
            content = json.loads(Path("kept.json").read_text())
            content |= {"command": ["detectable", *typed], "inputs": []}
            Path("kept.json").write_text(json.dumps(content))
            assert dt.verify("kept.json").n_values == 0
        asked.setblocking(False)
        with pytest.raises(BlockingIOError):  # nobody came
            asked.accept()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "words",
    [
        "compare --scores /proc/self/environ --baseline old",
        "compare --scores=/dev/stdin --baseline old",
        "compare pipe --baseline old",
        "compare A=pipe B=scores.csv",
        "rank inner",
        "rank link",
        "rank a:pipe",
        "compare --refs scores.csv --system A=[:p]ipe --system B=scores.csv",
        "compare --refs scores.csv --system A=pip* --system B=scores.csv",
        "compare --refs scores.csv --system A=i*/**/pipe --system B=scores.csv",
        "compare --refs scores.csv --system A=/pro[c]/self/environ --system B=scores.csv",
    ],
)
def test_pipes_devices_and_files_of_the_system_are_not_read(words: str) -> None:
    os.mkfifo("pipe")
    os.mkfifo("a:pipe")
    Path("inner").mkdir()
    os.mkfifo("inner/pipe")
    Path("link").symlink_to("/proc/self/status")
    content = json.loads(Path("kept.json").read_text())
    content |= {"command": ["detectable", *words.split()], "inputs": []}
    Path("kept.json").write_text(json.dumps(content))
    found = run("verify", "kept.json", "--json")
    assert json.loads(found.stdout)["n_values"] == 0
    with pytest.raises(NotRepeatable, match="is a pipe, a device or a file of the system"):
        _refuse_places(words.split(), ".")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", [["a\0b"], ["x" * 140_000], ["y" * 1000] * 3000])
def test_words_that_nobody_can_type_are_not_typed(words: list[str]) -> None:
    content = json.loads(Path("kept.json").read_text())
    content |= {"command": ["detectable", "rank", *words], "inputs": []}
    Path("kept.json").write_text(json.dumps(content))
    assert dt.verify("kept.json").n_values == 0


def test_the_list_of_commands_that_compute_names_commands() -> None:
    assert {name.split()[0] for name in COMPUTE} <= set(main.commands)


def test_an_unknown_command_is_not_run() -> None:
    with pytest.raises(NotRepeatable, match=r"this version knows no command `rm -rf \.`"):
        words_again(saved("rm", "-rf", "."))


def test_no_option_that_takes_a_file_to_write_is_typed_again() -> None:
    """Every option of a command that may be repeated and names an output must be `Unrepeated`."""
    wrong, names = [], set()
    for name, tool in _every_command(main):
        if not {name, name.split()[0]} & COMPUTE:
            continue
        names.add(name.split()[0])
        for option in tool.params:
            words = getattr(option, "help", None) or ""
            if words.startswith("Write") and not isinstance(option, Unrepeated | Writing):
                wrong.append((name, option.name))
        assert any("--out" in option.opts for option in tool.params), name  # it can be kept
    assert wrong == []
    assert names == {name.split()[0] for name in COMPUTE}


def _every_command(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(click.Context(group)):
        tool = group.get_command(click.Context(group), name)
        if isinstance(tool, click.Group):
            yield from _every_command(tool, f"{before}{name} ")
        elif tool is not None:
            yield f"{before}{name}", tool


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", "this is no file of a result"),
        ("[1", "this is not JSON"),
        ('{"schema": 99, "kind": "Ranking"}', "this version reads up to"),
    ],
)
def test_what_is_no_result_is_refused(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(content)
    found = run("verify", tmp_path / "x.json")
    assert found.exit_code == 1
    assert message in " ".join(found.output.split())


@pytest.mark.usefixtures("folder")
def test_data_beside_a_result_are_refused() -> None:
    found = run("verify", "kept.json", "scores.csv")
    assert found.exit_code == 1
    assert "DATA goes with a plan or a campaign; a result names its own data" in found.output


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("verify", "."), "File '.' is a directory."),
        (("verify", "kept.json", "--folder", "scores.csv"), "'scores.csv' is a file."),
        (("verify", "kept.json", "--folder", "nowhere"), "'nowhere' does not exist."),
    ],
)
def test_files_and_folders_that_are_typed_wrongly(words: tuple[str, ...], said: str) -> None:
    found = run(*words)
    assert found.exit_code == 2
    assert said in found.stderr
