"""The table of commands says what the commands say of themselves."""

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from detectable.cli import Commands, main
from detectable.cli.command_table import COMMANDS, LazyCommands, imported


@pytest.mark.parametrize("name", COMMANDS)
def test_the_first_sentence_is_the_command_s_own(name: str) -> None:
    command = main.commands[name]
    assert command.name == name
    assert not command.hidden
    assert COMMANDS[name].summary == command.get_short_help_str(1000)


class _InOrder(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click calls it so)
        return list(COMMANDS)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_help_is_that_of_a_group_that_imports_all(width: int) -> None:
    plain = _InOrder("detectable", commands=dict(main.commands), help=main.help)
    lazy = Commands("detectable", commands=main.commands, help=main.help)
    texts = [
        CliRunner().invoke(group, ["--help"], terminal_width=width, max_content_width=width)
        for group in (lazy, plain)
    ]
    assert texts[0].stdout == texts[1].stdout
    assert texts[0].exit_code == 0


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
