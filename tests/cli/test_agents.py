"""The page for agents is true, and their tools answer and stay in their folder."""

import asyncio
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import detectable
from detectable.cli import agents, main
from detectable.cli.agents import TOOLS, Folder, Tools, answer, check_kept, skill_page, words_of
from detectable.core.errors import DataError, InputError
from detectable.core.version import VERSION
from scripts.make_cli_docs import LLMS, llms, write

FROZEN = Path(__file__).parents[1] / "frozen"
DATA = FROZEN / "data"
EXAMPLE = Path(detectable.__file__).parent / "data" / "texts" / "example"
NO_MCP = "the package mcp is not installed: pip install 'detectable[mcp]'"

# What stands for the words of the page, command by command.
REAL = {
    "doctor FILE": "doctor binary.csv",
    "compare --refs": "compare --refs reference.txt --system baseline=baseline.run1.txt "
    "--system contender=contender.run1.txt --baseline baseline --metric bleu --resamples 500",
    "compare --scores": "compare --scores binary.csv --baseline old",
    "gate NEW": "gate binary.csv --baseline old --margin accuracy=.08",
    "score FILE": "score binary.csv --system new",
    "rank FILE": "rank complete.csv",
    "arena FILE": "arena battles.csv",
    "power accuracy": "power accuracy --n 500 --agreement .975 --effect .02",
    "mde accuracy": "mde accuracy --n 500 --agreement .95",
    "sample-size accuracy": "sample-size accuracy --agreement .95 --effect .03",
    "meaning bleu": "meaning bleu 1.0",
    "meta FILE": "meta outputs.csv --human mqm --metric good --metric ter --resamples 200",
    "plan new": "plan new ship.json --systems new,old --n-max 60 --unit item",
    "look PLAN": "look ship.json ragged.csv --final",
    "conclude PLAN": "conclude ship.json",
    "verify FILE": "verify kept.json",
}
SHOWN = re.compile(r"`detectable ([^`]+)`")


def rows() -> list[tuple[list[str], list[str]]]:
    """Return the commands of each question of the page, and the keys of their answer."""
    table = skill_page().partition("| question |")[2].partition("\n\n")[0].splitlines()[2:]
    cells = [row.strip("|").split(" | ") for row in table]
    return [(SHOWN.findall(row[1]), re.findall(r"`([^`]+)`", row[2])) for row in cells]


def has(value: Any, path: str) -> bool:
    """Say whether an answer has a key; of ``pairs[].verdict`` the first pair."""
    name, _, rest = path.partition(".")
    if not isinstance(value, dict) or name.removesuffix("[]") not in value:
        return False
    found = value[name.removesuffix("[]")]
    if name.endswith("[]"):
        return isinstance(found, list) and bool(found) and has(found[0], rest)
    return not rest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with data, and a kept result."""
    inside = tmp_path / "inside"
    inside.mkdir()
    for path in (*DATA.glob("*.csv"), *EXAMPLE.glob("*.txt")):
        shutil.copy(path, inside / path.name)
    (tmp_path / "secret.csv").write_text("item,old,new\na,1,0\nb,0,1\n")
    return inside


# --- The page ---


def test_the_command_prints_the_page_and_llms_txt_is_made_of_it() -> None:
    said = CliRunner().invoke(main, ["skill"])
    assert said.exit_code == 0
    assert said.stdout == skill_page()
    assert LLMS.read_text("utf-8") == llms()
    assert skill_page() in llms()


def test_every_command_and_option_of_the_page_exists() -> None:
    found = SHOWN.findall(skill_page())
    assert len(found) > 20
    for text in found:
        command: click.Command = main
        for word in text.split():
            if isinstance(command, click.Group) and word in command.commands:
                command = command.commands[word]
        assert command is not main or text.split()[0].isupper(), text
        options = {name for one in (*command.params, *main.params) for name in one.opts}
        named = set(re.findall(r"--[\w-]+", text)) - {"--help"}
        assert named <= options, text


def test_every_key_of_the_page_is_in_a_real_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    kept = CliRunner().invoke(main, shlex.split(f"{REAL['mde accuracy']} --out kept.json"))
    assert kept.exit_code == 0, kept.output
    run = set()
    for commands, keys in rows():
        answered = {}
        for text in commands:
            [real] = [name for name in REAL if text.startswith(name)]
            run.add(real)
            said = CliRunner().invoke(main, [*shlex.split(REAL[real]), "--json"])
            assert said.exit_code in (0, 3, 4), said.output
            answered = json.loads(said.stdout)
        assert keys
        assert [key for key in keys if not has(answered, key)] == [], commands
    assert run == REAL.keys()


def test_a_key_that_is_not_there_is_found_missing() -> None:
    held = {"pairs": [{"verdict": "better"}], "n": 1, "none": []}
    assert has(held, "pairs[].verdict")
    assert has(held, "n")
    for path in ("pairs[].p", "rows[].verdict", "verdict", "none[].x", "n.x"):
        assert not has(held, path)


# --- The folder ---


def refused(call: Callable[[], object], match: str = "leaves the folder") -> None:
    with pytest.raises(InputError, match=match):
        call()


def test_names_inside_are_taken(folder: Path) -> None:
    inside = Folder(folder)
    for word in ("binary.csv", "./binary.csv", str(folder / "binary.csv"), "new=binary.csv"):
        inside.check(word)
    for word in ("old", "bleu", "bleu=1", "0:100", "a,b", "-25:0", "."):
        inside.check(word)


@pytest.mark.parametrize(
    "word",
    [
        "../secret.csv",
        "sub/../../secret.csv",
        "new=../secret.csv",
        "bleu:old=../secret.csv",
        "binary.csv,../secret.csv",
        "/etc/passwd",
        "new=/etc/passwd",
        "~/secret.csv",
        "..",
    ],
)
def test_names_outside_are_refused(folder: Path, word: str) -> None:
    refused(lambda: Folder(folder).check(word))


def test_links_outside_are_refused_however_they_are_reached(folder: Path) -> None:
    inside = Folder(folder)
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    (folder / "deep").mkdir()
    (folder / "deep" / "up").symlink_to(folder.parent)
    (folder / "good.csv").symlink_to(folder / "binary.csv")
    (folder / "plan.json").write_text("{}")
    (folder / "plan.ledger.jsonl").symlink_to(folder.parent / "secret.csv")
    for word in ("link.csv", "l*.csv", "deep", "deep/up/secret.csv", ".", "plan.json", "**/up"):
        refused(lambda word=word: inside.check(word))  # type: ignore[misc]
    inside.check("good.csv")


def test_a_folder_behind_a_link_is_the_folder(folder: Path) -> None:
    link = folder.parent / "link"
    link.symlink_to(folder)
    Folder(link).check("binary.csv")
    refused(lambda: Folder(link).check("../secret.csv"))


def test_a_folder_with_a_longer_name_is_outside(folder: Path) -> None:
    other = folder.parent / "inside-too"
    other.mkdir()
    refused(lambda: Folder(folder).check("../inside-too"))


@pytest.mark.parametrize("word", ["postgres://a/b", "new=https://a.b/c", "a\0b"])
def test_addresses_are_no_files(folder: Path, word: str) -> None:
    refused(lambda: Folder(folder).check(word), "no name of a file or a system")


# --- What is typed ---


def test_words_of_a_call(folder: Path) -> None:
    options: dict[str, agents.Value] = {
        "baseline": "old",
        "margin": ["accuracy=.08"],
        "self_test": True,
        "pool": False,
        "alpha": 0.1,
    }
    assert words_of(Folder(folder), ("gate",), ["binary.csv"], options) == [
        *("gate", "--json", "--baseline=old", "--margin=accuracy=.08", "--self-test"),
        *("--alpha=0.1", "binary.csv"),
    ]


@pytest.mark.parametrize(
    "option", ["out", "html", "csv", "force", "accept", "comment", "--out"]
)
def test_options_that_write_are_refused(folder: Path, option: str) -> None:
    refused(
        lambda: words_of(Folder(folder), ("gate",), ["binary.csv"], {option: "x"}),
        "takes no option",
    )


def test_odd_words_are_refused(folder: Path) -> None:
    inside = Folder(folder)
    refused(lambda: words_of(inside, ("doctor",), ["--system"], {}), "no name of a file")
    refused(lambda: words_of(inside, ("gate",), [], {"pool": "yes"}), "true or false")
    refused(lambda: words_of(inside, ("power", "nothing"), [], {}), "there is no 'nothing'")
    refused(lambda: words_of(inside, ("gate",), [], {"baseline": "../secret.csv"}))


def test_an_answer_has_its_exit_code_and_nothing_of_the_folder_is_imported(
    folder: Path,
) -> None:
    (folder / "json.py").write_text("raise SystemExit(9)")
    inside = Folder(folder)
    words = words_of(inside, ("gate",), ["binary.csv"], {"baseline": "old", "margin": 0.08})
    found = answer(inside, words)
    assert found["exit_code"] == 4
    assert found["answer"]["outcome"] == "inconclusive"
    with pytest.raises(DataError, match=r"there is no such file.* starts at \.\.") as caught:
        answer(inside, words_of(inside, ("rank",), ["none.csv"], {}))
    assert str(folder) not in str(caught.value)
    assert not {path.suffix for path in folder.iterdir()} - {".csv", ".txt", ".py"}


@pytest.mark.parametrize(
    "command",
    [
        ["detectable", "rank", "../secret.csv"],
        ["detectable", "compare", "--scores=/etc/passwd"],
        ["detectable", "rank", "-x/etc/passwd"],
        ["detectable", ["rank", "../secret.csv"]],
    ],
)
def test_a_kept_command_that_leaves_the_folder_is_refused(folder: Path, command: Any) -> None:
    (folder / "kept.json").write_text(json.dumps({"command": command}))
    refused(lambda: check_kept(Folder(folder), "kept.json"))


def test_what_cannot_be_read_is_not_verified(folder: Path) -> None:
    (folder / "kept.json").write_bytes(b"\x1f\x8b rank")
    for name in ("kept.json", "none.json"):
        with pytest.raises(DataError, match="no result that was kept"):
            check_kept(Folder(folder), name)
    (folder / "plan.json").write_text("{}")
    check_kept(Folder(folder), "plan.json")


# --- The server, asked by the client of its own package ---


def test_without_the_package_one_sentence_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    said = CliRunner().invoke(main, ["mcp", str(tmp_path)])
    assert said.exit_code == 1
    assert 'pip install "detectable[mcp]"' in said.stderr


def test_every_tool_is_a_method_with_a_description() -> None:
    for name in TOOLS:
        assert getattr(Tools, name).__doc__
        assert len(agents._description(name)) > 200
    assert "--margin" in agents._description("gate")
    assert "--out" not in agents._description("gate")
    assert "Scenario bleu" in agents._description("power")


@pytest.mark.skipif(find_spec("mcp") is None, reason=NO_MCP)
def test_the_tools_over_standard_input_and_output(folder: Path) -> None:
    kept = folder / "kept.json"
    said = CliRunner().invoke(main, [*shlex.split(REAL["mde accuracy"]), "--out", str(kept)])
    assert said.exit_code == 0
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    asyncio.run(_asked(folder))


async def _asked(folder: Path) -> None:
    from mcp import Client, StdioServerParameters

    words = ["-m", "detectable", "mcp", str(folder)]
    started = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
    async with Client(started) as client:
        assert client.server_info.version == VERSION
        assert client.instructions == skill_page()
        assert tuple(one.name for one in (await client.list_tools()).tools) == TOOLS

        async def ask(tool: str, **given: Any) -> dict[str, Any]:
            found = await client.call_tool(tool, given)
            assert not found.is_error, found.content
            return dict(found.structured_content or {})

        async def refuse(tool: str, match: str, **given: Any) -> None:
            found = await client.call_tool(tool, given)
            assert found.is_error
            assert match in found.content[0].text
            assert str(folder) not in found.content[0].text

        found = await ask("doctor", files=["binary.csv"])
        assert found["answer"]["kind"] == "Examination"
        found = await ask(
            "compare", options={"scores": "binary.csv", "baseline": "old", "seed": 1}
        )
        assert found["answer"]["pairs"][0]["verdict"] == "undecided"
        found = await ask(
            "gate",
            files=["binary.csv"],
            options={"baseline": "old", "margin": ["accuracy=.08"]},
        )
        assert (found["exit_code"], found["answer"]["outcome"]) == (4, "inconclusive")
        assert found["notes"]
        found = await ask("rank", file="complete.csv", options={"seed": 1})
        assert found["answer"]["kind"] == "Ranking"
        options = {"n": 500, "agreement": 0.975, "effect": 0.02}
        found = await ask("power", scenario="accuracy", options=options)
        assert 0 < found["answer"]["power"] < 1
        found = await ask("verify", file="kept.json")
        assert (found["exit_code"], found["answer"]["outcome"]) == (0, "same")

        await refuse("doctor", "leaves the folder", files=["../secret.csv"])
        await refuse("doctor", "leaves the folder", files=["link.csv"])
        await refuse("rank", "leaves the folder", file="/etc/passwd")
        await refuse("compare", "leaves the folder", options={"scores": "x=../secret.csv"})
        await refuse("gate", "takes no option", files=["binary.csv"], options={"out": "x.json"})
        await refuse(
            "power", "agreement", scenario="accuracy", options={"n": 500, "effect": 0.1}
        )


# --- Manual pages ---


def test_every_command_has_a_manual_page_that_man_can_set(tmp_path: Path) -> None:
    write(tmp_path)
    pages = {path.stem: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert {"detectable", "detectable-gate", "detectable-plan-new"} <= pages.keys()
    assert len(pages) > 60
    for name, text in pages.items():
        sections = re.findall(r"^\.SH (.*)$", text, re.MULTILINE)
        assert sections[:3] == ["NAME", "SYNOPSIS", "DESCRIPTION"], name
        # What begins with a dot is one of these and never text.
        found = set(re.findall(r"^[.'](\S*)", text, re.MULTILINE))
        assert found <= {"TH", "SH", "PP", "TP", "nf", "fi"}, name
    assert r"\-\-margin" in pages["detectable-gate"]
    assert "detectable\\-plan\\-new(1)" in pages["detectable-plan"]
