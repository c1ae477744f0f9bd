"""``detectable meta``, ``labels``, ``stratify`` and what others take of a judge."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from tests.frozen.make_data import DATA
from tests.helpers import reference_data

OUTPUTS = str(DATA / "outputs.csv")
ASKED = [
    "meta",
    OUTPUTS,
    "--human",
    "mqm",
    "--metric",
    "good",
    "--resamples",
    "100",
    "--seed",
    "1",
]


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def test_keys_of_meta() -> None:
    said = run(
        *ASKED, "--metric", "ter", "--level", "segment", "--statistic", "acc_eq", "--json"
    )
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)
    keys = {"metric", "statistic", "level", "value", "interval", "floor"}
    assert all(keys <= row.keys() for row in found["rows"])
    assert {row["statistic"] for row in found["rows"]} == {"acc-eq"}
    assert found["references"] == ["refA"]
    assert "ter: lower is better, so it was negated." in said.stderr


def test_columns_and_files_are_the_same(tmp_path: Path) -> None:
    rows = list(csv.DictReader(Path(OUTPUTS).read_text().splitlines()))
    for name in ("mqm", "good"):
        with (tmp_path / f"{name}.csv").open("w") as out:
            out.write("system,item,document,score\n")
            out.writelines(
                f"{r['system']},{r['segment']},{r['document']},{r[name]}\n" for r in rows
            )
    file = f"good={tmp_path / 'good.csv'}"
    apart = run(
        "meta", str(tmp_path / "mqm.csv"), "--metric", file, "--resamples", "100", "--seed", "1",
        "--json",
    )  # fmt: skip
    assert apart.exit_code == 0, apart.output
    together = run(*ASKED, "--json")
    assert json.loads(apart.stdout)["rows"] == json.loads(together.stdout)["rows"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--metric", "nothing"], 1, "nothing"),
        (["--metric", "good"], 2, "two --metric are called 'good'"),
        (["--metric", "x="], 2, "takes a column or name=file"),
        (["--epsilon", "much"], 2, "takes a number, best or two-fold"),
        (["--epsilon", "1"], 1, "has no effect without"),
        (["--judgments"], 2, "have no effect on --judgments"),
        (["--statistic", "acc-eq"], 1, "at level 'system'"),
        (["--baseline", "ter"], 1, "must be one of good"),
    ],
)
def test_messages_of_meta(words: list[str], code: int, message: str) -> None:
    said = run(*ASKED, *words)
    assert (said.exit_code, message in said.stderr) == (code, True), said.stderr


def test_labels() -> None:
    line = ["labels", "--half-width", ".05", "--sd", ".5", "--correlation", ".7"]
    assert json.loads(run(*line, "--n-pool", "2000", "--json").stdout)["n_labels"] == 220
    said = run(*line, "--n-pool", "150")
    assert said.exit_code == 0
    assert said.stdout.startswith("More items, not more labels")
    assert run("labels").exit_code == 1
    assert run(*line, "--judge", "x.csv").exit_code == 2
    assert run("labels", "--mde", "1", "--pilot", "x.csv").exit_code == 2


def test_a_sheet_to_fill_in(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    line = ["stratify", str(DATA / "metric.csv"), "--n-items", "10", "--seed", "3"]
    said = run(*line, "--sheet", str(sheet))
    assert said.exit_code == 0, said.output
    rows = list(csv.DictReader(sheet.read_text().splitlines()))
    assert len({row["item"] for row in rows}) == 10
    assert {row["score"] for row in rows} == {""}
    assert run(*line, "--sheet", str(sheet)).exit_code == 1  # it is there already
    again = run(*line, "--sheet", str(sheet), "--force")
    assert again.exit_code == 0
    assert list(csv.DictReader(sheet.read_text().splitlines())) == rows
    labelled = tmp_path / "labels.csv"
    labelled.write_text(
        "system,item,score\n" + "".join(f"{r['system']},{r['item']},50\n" for r in rows)
    )
    more = run(*line, "--labelled", str(labelled), "--json")
    assert more.exit_code == 0, more.output
    assert not set(json.loads(more.stdout)["items"]) & {row["item"] for row in rows}


def test_judges_in_place_of_a_metric() -> None:
    judgments, judge = str(DATA / "controls.csv"), str(DATA / "metric.csv")
    one = json.loads(run("control-variates", judgments, judge, "--json").stdout)
    other = json.loads(run("control-variates", judgments, "--judge", judge, "--json").stdout)
    assert one["pairs"] == other["pairs"]
    assert run("control-variates", judgments).exit_code == 2
    assert run("control-variates", judgments, judge, "--judge", judge).exit_code == 2
    for extra in (["--labelled-judge", judge], ["--method", "rogan-gladen"]):
        assert run("control-variates", judgments, judge, *extra).exit_code == 2, extra
    assert run("agreement", judgments, "--threshold", "1").exit_code == 2
    assert run("agreement", judgments, "--judge", judge, "--level", "nominal").exit_code == 2
    assert run("agreement", judgments, "--judge", judge).exit_code == 0


@pytest.mark.golden
def test_metrics_that_calibrate_to_nothing_but_ties_show_no_difference() -> None:
    """chrF and BLEU of the reference data are at the floor: no difference could have been seen."""
    path = reference_data("data", "evals", "ted_ende_metrics.csv")
    words = ["meta", str(path), "--human", "mqm", "--metric", "chrf", "--metric", "bleu"]
    words += ["--level", "segment", "--seed", "1"]
    said = run(*words).stdout
    assert "1 pair of metrics cannot be told apart at all" in " ".join(said.split())
    assert "would reliably" not in said
    [pair] = json.loads(run(*words, "--json").stdout)["pairs"]
    assert (pair["mde"], pair["p_value"], pair["verdict"]) == (None, 1.0, "undecided")
