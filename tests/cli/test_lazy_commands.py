"""Commands that are made when they are called."""

import click
import pytest

from detectable.cli.command_table import LazyCommands, imported


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
