"""Choices that are fetched when they are needed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.cli.options import SAME, LazyChoice
from detectable.core.choices import CompareTest, PlanTest, RankingTest, RatingTest, words


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


# --- A test may be called by the name that another command has for it ---


def said(*arguments: object) -> dict[str, Any]:
    found = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    assert found.exit_code == 0, found.output
    answer: dict[str, Any] = json.loads(found.stdout)
    return answer


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    rows = [
        f"{s},{i},{(i * 7 + 3 * k) % 11 + k}" for k, s in enumerate("ab") for i in range(12)
    ]
    path.write_text("system,item,score\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["permutation", "sign-flip"])
def test_a_comparison_by_another_name_is_the_same(scores: Path, name: str) -> None:
    ask = ["compare", "--scores", scores, "--seed", 1, "--test"]
    assert said(*ask, name) == said(*ask, "randomization")
    assert said(*ask, "paired-mean") == said(*ask, "t")


@pytest.mark.parametrize("name", ["randomization", "sign-flip"])
def test_a_ranking_by_another_name_is_the_same(scores: Path, name: str) -> None:
    ask = ["rank", scores, "--seed", 1, "--test"]
    assert said(*ask, name) == said(*ask, "permutation")
    assert said(*ask, "paired-mean") == said(*ask, "t")


@pytest.mark.parametrize(
    ("name", "own"),
    [("randomization", "sign-flip"), ("permutation", "sign-flip"), ("t", "paired-mean")],
)
def test_a_plan_is_written_with_its_own_name(tmp_path: Path, name: str, own: str) -> None:
    path = tmp_path / "plan.json"
    ask = ["plan", "new", path, "--systems", "a,b", "--n-max", 100]
    found = CliRunner().invoke(main, [*map(str, ask), "--test", name])
    assert found.exit_code == 0, found.output
    assert json.loads(path.read_text("utf-8"))["test"] == own


def test_planning_takes_the_names_of_doing() -> None:
    ask = ["power", "ratings", "--n", 200, "--mean", 80, "--sd", 20, "--correlation", 0.5]
    ask += ["--effect", 3, "--method", "closed-form", "--test"]
    assert said(*ask, "t") == said(*ask, "paired-mean")


def test_no_command_has_two_names_for_a_test() -> None:
    for of in (CompareTest, RankingTest, PlanTest, RatingTest):
        assert all(len(same & set(words(of))) <= 1 for same in SAME)


def test_other_words_are_refused_as_ever(scores: Path) -> None:
    for word in ("mixed", "signflip", "T"):
        ask = ["compare", "--scores", str(scores), "--test", word]
        found = CliRunner().invoke(main, ask)
        assert found.exit_code == 2
        assert (
            f"'{word}' is not one of 'auto', 'randomization', 't', 'bootstrap'" in found.stderr
        )


# --- Numbers are typed as everybody writes them ---


def _commands(group: click.Group, context: click.Context) -> Iterator[click.Command]:
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from _commands(found, context)
        else:
            yield found


def test_no_option_takes_numbers_that_only_python_reads() -> None:
    context, n = click.Context(main), 0
    for command in _commands(main, context):
        for option in command.params:
            if option.type.name not in ("integer", "float", "integer range"):
                continue
            n += 1
            # Of an option that takes several, each is read so.
            assert option.type.convert("1", option, context) in (1, (1,))
            for text in ("1_0", "١", "１"):
                with pytest.raises(click.BadParameter, match="the digits 0 to 9"):
                    option.type.convert(text, option, context)
    assert n > 400


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("power accuracy --n 1_000 --effect 0.02", "--n': '1_000' is not a valid integer"),
        ("design --alpha 0_5", "--alpha': '0_5' is not a valid float"),
        ("design --looks ٣", "--looks': '٣' is not a valid integer"),
        ("plan new p.json --systems a,b --n-max 9 --at .5,1_0", "--at': takes shares with"),
        ("rank j.csv --scale 0:1_00", "--scale': takes LOW:HIGH"),
        ("gate j.csv --baseline A --margin math=0_5", "--margin takes a number; got '0_5'"),
        ("gate j.csv --baseline A --scale math=0:1_0", "--scale': takes LOW:HIGH"),
        ("power-curve accuracy --n 100,2_00", "--n': takes numbers with commas between"),
        ("compare --scores j.csv --metric chrf:beta=２", "'２' must be a number"),
        ("meta j.csv --epsilon 0_5", "--epsilon': takes a number"),
    ],
)
def test_odd_digits_are_typed_wrongly(
    words: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("j.csv").write_text("system,item,score\nA,1,2\n")
    found = CliRunner().invoke(main, words.split())
    assert (found.exit_code, said in found.output) == (2, True), found.output
