"""Choices that are fetched when they are needed."""

import click
from click.testing import CliRunner

from detectable.cli.options import LazyChoice


def test_nothing_is_fetched_before_it_is_needed() -> None:
    words, asked = ["red"], 0

    def fetch() -> list[str]:
        nonlocal asked
        asked += 1
        return words

    @click.command()
    @click.option("--colour", type=LazyChoice(fetch), help="Which.")
    @click.option("--size", type=int)
    def paint(colour: str | None, size: int | None) -> None:
        click.echo(f"{colour} {size}")

    assert CliRunner().invoke(paint, ["--size", "3"]).stdout == "None 3\n"
    assert asked == 0
    words.append("green")  # after the command was made
    assert CliRunner().invoke(paint, ["--colour", "green"]).stdout == "green None\n"
    assert asked > 0


def test_help_and_refusals_are_those_of_a_choice() -> None:
    def said(kind: "click.ParamType[str]") -> tuple[str, str]:
        @click.command()
        @click.option("--colour", type=kind, required=True, help="Which.")
        def paint(colour: str) -> None:
            click.echo(colour)

        shown = CliRunner().invoke(paint, ["--help"]).stdout
        wrong = CliRunner().invoke(paint, ["--colour", "blue"])
        none = CliRunner().invoke(paint, [])
        assert (wrong.exit_code, none.exit_code) == (2, 2)
        return shown, wrong.stderr + none.stderr

    words = ("red", "green")
    assert said(LazyChoice(lambda: words)) == said(click.Choice(words))


def test_a_shell_completes_the_words() -> None:
    option = click.Option(["--colour"], type=LazyChoice(lambda: ("red", "green")))
    context = click.Context(click.Command("paint"))
    assert [x.value for x in option.shell_complete(context, "g")] == ["green"]
