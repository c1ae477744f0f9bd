"""The table of commands says what the commands say of themselves."""

import functools
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from detectable.cli import Commands, main
from detectable.cli.command_table import COMMANDS, GROUPS, LazyCommands, imported
from tests.cli.test_faults import table


@pytest.mark.parametrize("name", COMMANDS)
def test_the_first_sentence_is_the_command_s_own(name: str) -> None:
    command = main.commands[name]
    assert command.name == name
    assert not command.hidden
    assert COMMANDS[name].summary == command.get_short_help_str(1000)


def test_help_lists_every_command_once_in_its_group_and_cuts_nothing() -> None:
    made = CliRunner().invoke(main, ["--help"], terminal_width=80, max_content_width=80)
    assert made.exit_code == 0
    assert max(map(len, made.stdout.splitlines())) <= 80
    words = [line.split(maxsplit=1) for line in made.stdout.splitlines() if line[:2] == "  "]
    listed = {row[0]: row[1] for row in words if len(row) == 2}
    for group, held in GROUPS.items():
        assert f"\n\n{group}:\n" in made.stdout
        for name, entry in held.items():
            assert len(entry.summary) <= 50
            assert listed[name] == entry.summary
    assert [name for name in listed if name in COMMANDS] == list(COMMANDS)


def _commands(of: click.Command, *names: str) -> Iterator[tuple[str, ...]]:
    yield names
    if isinstance(of, click.Group):
        for name in of.list_commands(click.Context(of)):
            command = of.get_command(click.Context(of), name)
            assert command is not None
            yield from _commands(command, *names, name)


def test_help_of_every_command_fits_a_terminal_and_cuts_nothing() -> None:
    for names in _commands(main):
        made = CliRunner().invoke(main, [*names, "--help"], max_content_width=80)
        examples = made.stdout.partition("Options:")[0].splitlines()
        wide = [line for line in made.stdout.splitlines() if len(line) > 80]
        assert [line for line in wide if line not in examples] == [], names
        assert not re.search(r"[a-z,:]\.\.\.$", made.stdout, re.MULTILINE), names


def test_a_command_that_is_added_is_listed_in_its_own_words() -> None:
    group = Commands("detectable")
    group.add_command(click.Command("toss", help="Toss a coin. Then look."))
    assert "  toss  Toss a coin." in CliRunner().invoke(group, ["--help"]).stdout


def test_a_shell_completes_commands_and_options() -> None:
    def completed(words: list[str], incomplete: str) -> list[str]:
        shell = ShellComplete(main, {}, "detectable", "_DETECTABLE_COMPLETE")
        return [item.value for item in shell.get_completions(words, incomplete)]

    assert completed([], "co") == ["compare", "control-variates", "conclude"]
    assert completed(["mde"], "b") == ["bleu"]
    assert completed(["mde", "bleu"], "--p0") == ["--p0"]


def test_a_word_that_is_no_command_is_refused() -> None:
    said = CliRunner().invoke(main, ["comparison"])
    assert said.exit_code == 2
    assert "No such command 'comparison'" in said.stderr


# --- Commands that are made when they are called ---


def test_a_command_is_made_once_and_not_before_it_is_needed() -> None:
    made = []

    def make() -> click.Command:
        made.append("quiet")
        return click.Command("quiet")

    commands = LazyCommands({"quiet": make, "loud": lambda: click.Command("loud")})
    assert (list(commands), len(commands)) == (["quiet", "loud"], 2)
    assert "quiet" in commands
    assert "silent" not in commands
    assert made == []
    assert commands["quiet"] is commands["quiet"]
    assert commands.get("quiet") is not None
    assert made == ["quiet"]
    assert commands.get("silent") is None


def test_commands_can_be_added_and_taken_out() -> None:
    commands, quiet = LazyCommands({}), click.Command("quiet")
    commands["quiet"] = quiet
    assert commands["quiet"] is quiet
    del commands["quiet"]
    assert "quiet" not in commands
    with pytest.raises(KeyError):
        commands["quiet"]


def test_what_is_added_takes_the_place_of_what_was_there() -> None:
    commands = LazyCommands({"quiet": lambda: click.Command("old")})
    assert commands["quiet"].name == "old"
    commands["quiet"] = click.Command("new")
    assert commands["quiet"].name == "new"


def test_a_command_is_imported_from_its_module() -> None:
    from detectable.cli.plan import look

    assert imported("detectable.cli.plan", "look")() is look


# --- Disks that are read-only, and disks that are full: mounted, not simulated ---

_ALONE = (
    "unshare",
    "--user",
    "--map-root-user",
    "--mount",
)  # the mounts are gone with the process
_PLAN = "--systems A,B --n-max 24 --unit item --looks 2"
_RUN = """
import json, shlex, subprocess, sys
from pathlib import Path
from click.testing import CliRunner
from detectable.cli import main

disk, options, before, lines = sys.argv[1], sys.argv[2], *map(json.loads, sys.argv[3:])
subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", disk], check=True)
def done(line):
    out = CliRunner().invoke(main, shlex.split(line))
    bug = out.exception is not None and not isinstance(out.exception, SystemExit)
    return [line, "traceback" if bug else out.exit_code, repr(out.exception) if bug else out.stderr]
for line in before:
    found = done(line)
    if found[1]: sys.exit(str(found))
if not options:
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
had = sorted(str(path) for path in Path(disk).rglob("*"))
found = [done(line) for line in lines]
has = sorted(str(path) for path in Path(disk).rglob("*"))
print(json.dumps([found, had, has]))
"""


@functools.cache
def _can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    words = [*_ALONE, "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def _mounted(
    disk: Path, options: str, before: list[str], lines: list[str]
) -> tuple[list[Any], list[str], list[str]]:
    if not _can_mount():
        pytest.skip("this machine lets nobody mount a file system of his own")
    disk.mkdir()
    given = [str(disk), options, json.dumps(before), json.dumps(lines)]
    done = subprocess.run(
        [*_ALONE, sys.executable, "-c", _RUN, *given],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found, had, has = json.loads(done.stdout)
    return found, had, has


def test_a_read_only_disk_is_read_and_refused_for_writing(tmp_path: Path) -> None:
    data, disk = table(tmp_path / "d.csv"), tmp_path / "disk"
    text = tmp_path / "t.txt"
    text.write_text("a b c d\n" * 12)
    before = [
        f"plan new {disk}/ship.json {_PLAN}",
        f"look {disk}/ship.json {data}",
        f"import {data} {disk}/d.jsonl",
        f"rank {data} --seed 1 --out {disk}/r.json",
    ]
    reading = [
        f"rank {disk}/d.jsonl --seed 1 --resamples 99",
        f"plan show {disk}/ship.json",
        f"report {disk}/r.json",
    ]
    rank = f"rank {data} --seed 1 --resamples 99"
    writing = [
        f"{rank} --csv {disk}/o.csv",
        f"{rank} --html {disk}/o.html",
        f"{rank} --out {disk}/o.json",
        f"{rank} --out {disk}/r.json --force",
        f"power bleu --n 99 --effect 1 --simulate --trials 60 --seed 1 --checkpoint {disk}/c.blocks",
        f"plan new {disk}/other.json {_PLAN}",
        f"look {disk}/ship.json {data} --final",
        f"conclude {disk}/ship.json",
        f"import {data} {disk}/e.jsonl",
        f"quality {data} --keep {disk}/good.csv",
        f"tasks --refs {text} --system A={text} --system B={text} --seed 1 --output {disk}/tasks",
    ]
    found, had, has = _mounted(disk, "", before, [*reading, *writing])
    assert had == has
    for line, code, said in found[: len(reading)]:
        assert code == 0, (line, said)
    for line, code, said in found[len(reading) :]:
        if line.startswith(
            ("conclude", "quality")
        ):  # refused for what it asks, or for the disk
            assert code in (1, 2), (line, code, said)
            continue
        assert code == 1, (line, code, said)
        assert "Read-only file system" in said, (line, said)
        assert str(disk) in said


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    data, disk = table(tmp_path / "d.csv"), tmp_path / "disk"
    before = [
        f"plan new {disk}/ship.json {_PLAN}",
        f"rank {data} --seed 1 --resamples 99 --markdown {disk}/r.md",
    ]
    rank = f"rank {data} --seed 1 --resamples 99"
    lines = [f"{rank} --html {disk}/page.html", f"{rank} --html {disk}/r.md --force"]
    found, had, has = _mounted(disk, "size=24k", before, lines)
    assert had == has
    for line, code, said in found:
        assert code == 1, (line, code, said)
        assert "No space left on device" in said, (line, said)
