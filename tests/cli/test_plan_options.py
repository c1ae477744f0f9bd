"""Options that would have no effect are refused, not ignored."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from detectable.cli import main


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for test in ("paired-mean", "preference"):
        path = tmp_path / f"{test}.json"
        assert (
            run("plan", "new", path, "--systems", "A,B", "--n-max", 9, "--test", test).exit_code
            == 0
        )
    (tmp_path / "data.csv").write_text("item,winner\n1,A\n2,B\n")
    return tmp_path


@pytest.mark.parametrize(
    ("plan", "options", "message"),
    [
        (
            "paired-mean",
            ("--scale", "0:5"),
            "--scale has no effect here: the plan fixes the scale",
        ),
        ("preference", ("--column", "rater=x"), "--column has no effect here: preferences are"),
        ("preference", ("--format", "mqm"), "--format has no effect here"),
    ],
)
def test_a_look_ignores_no_option(
    folder: Path, plan: str, options: tuple[str, ...], message: str
) -> None:
    result = run("look", folder / f"{plan}.json", folder / "data.csv", *options)
    assert (result.exit_code, message in result.stderr) == (2, True)
    ledger = (folder / f"{plan}.ledger.jsonl").read_text().splitlines()
    assert len(ledger) == 1  # the plan itself


def test_a_conclusion_without_data_reads_none(folder: Path) -> None:
    result = run("conclude", folder / "preference.json", "--format", "mqm")
    assert (result.exit_code, "there is no DATA to read" in result.stderr) == (2, True)


def test_a_plan_refuses_the_parameter_of_another_family(tmp_path: Path) -> None:
    arguments = ("--systems", "A,B", "--n-max", 9, "--family", "pocock", "--gamma", -2)
    result = run("plan", "new", tmp_path / "a.json", *arguments)
    assert (result.exit_code, "belongs to the family hsd" in result.stderr) == (1, True)
    assert not (tmp_path / "a.json").exists()
