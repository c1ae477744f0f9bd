"""``detectable import``, and the options of all commands that read judgments."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from detectable.cli import Commands, judgment_options
from detectable.cli.tasks import import_judgments
from detectable.data.human.read_judgments import read_judgments
from tests.data.sample_files import SAMPLES, write

FOLDER = SAMPLES / "judgments"


def run(*arguments: object) -> Result:
    group = Commands(name="detectable")
    group.add_command(import_judgments)
    return CliRunner().invoke(group, ["import", *map(str, arguments)])


def test_people_see_counts_and_notes(tmp_path: Path) -> None:
    out = run(FOLDER / "appraise_11.csv", tmp_path / "j.csv")
    assert out.exit_code == 0, out.output
    assert "j.csv holds 5 judgments." in " ".join(out.stdout.split())
    assert "2 systems, 3 items, 2 raters, 3 documents, 1 language" in out.stdout
    assert "Kinds: 4 system, 1 degraded." in out.stdout
    assert "Scale: 0 to 100." in out.stdout
    assert "Note: 1 judgment left out: systems of a tutorial.\n" in out.stderr
    again = read_judgments(tmp_path / "j.csv").to_columns()
    assert again == read_judgments(FOLDER / "appraise_11.csv").to_columns()


def test_programs_see_json(tmp_path: Path) -> None:
    target = tmp_path / "j.parquet"
    out = run(FOLDER / "mqm_newstest2020_ende.tsv", target, "--json")
    said = json.loads(out.stdout)
    assert said["judgments"] == 6
    assert said["kinds"] == {"system": 6, "repeat": 0, "degraded": 0, "reference": 0}
    assert said["levels"]["rater"] == 2
    assert said["scale"] == [None, 0.0]
    assert "1 critical error counted as major." in said["notes"]
    assert said["output"] == str(target)
    assert "no lower bound to 0." in run(target, tmp_path / "j.csv").stdout


def test_unusual_tables(tmp_path: Path) -> None:
    source = write(tmp_path, "in.csv", "mt,id,points,who\nA,1,0.7,ann\nA,1,0.8,ann\n")
    columns = [
        option
        for pair in ("system=mt", "item=id", "score=points", "rater=who")
        for option in ("--column", pair)
    ]
    target = tmp_path / "out.csv"
    out = run(source, target, *columns, "--scale", "0:1")
    assert out.exit_code == 1
    assert "a second score by rater 'ann'" in out.stderr
    assert not target.exists()
    out = run(source, target, *columns, "--scale", "0:1", "--repeated", "mark")
    assert out.exit_code == 0, out.output
    assert "Scale: 0 to 1." in out.stdout
    assert read_judgments(target).scale == (0.0, 1.0)


def test_nothing_is_overwritten_without_force(tmp_path: Path) -> None:
    target = write(tmp_path, "j.csv", "precious")
    out = run(FOLDER / "table.csv", target)
    assert out.exit_code == 1
    assert "exists already" in out.stderr
    assert target.read_text() == "precious"
    assert run(FOLDER / "table.csv", target, "--force").exit_code == 0
    assert read_judgments(target).n_judgments == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--column", "colour=x"], "takes role=name, with role one of system, item"),
        (["--column", "rater"], "takes role=name"),
        (["--scale", "100"], "takes LOW:HIGH"),
        (["--scale", "5:1"], "takes LOW:HIGH"),
        (["--scale", "a:b"], "takes LOW:HIGH"),
        (["--format", "csv"], "'csv' is not one of 'auto', 'alpaca-eval', 'appraise'"),
    ],
)
def test_wrong_usage(tmp_path: Path, options: list[str], message: str) -> None:
    out = run(FOLDER / "table.csv", tmp_path / "j.csv", *options)
    assert out.exit_code == 2
    assert message in out.stderr


def test_an_unknown_ending(tmp_path: Path) -> None:
    out = run(FOLDER / "table.csv", tmp_path / "j.xlsx")
    assert out.exit_code == 2
    assert "must end in .csv, .tsv, .jsonl, .parquet; got 'j.xlsx'" in out.stderr


def test_a_scale_may_have_one_end() -> None:
    @click.command()
    @judgment_options.judgment_options
    def show(**reading: object) -> None:
        click.echo(repr(reading["scale"]))

    assert CliRunner().invoke(show, ["--scale", ":0"]).stdout == "(-inf, 0.0)\n"
    assert CliRunner().invoke(show, ["--scale", "1:"]).stdout == "(1.0, inf)\n"
    assert CliRunner().invoke(show, []).stdout == "None\n"
