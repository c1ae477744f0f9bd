"""``detectable meta``, ``labels`` and what others take of a judge."""

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
    assert "1 pair of metrics cannot differ in" in " ".join(said.split())
    assert "could have" not in said
    [pair] = json.loads(run(*words, "--json").stdout)["pairs"]
    assert (pair["mde"], pair["p_value"], pair["verdict"]) == (None, 1.0, "undecided")


def test_judgments_in_place_of_scores(tmp_path: Path) -> None:
    rows = list(csv.DictReader(Path(OUTPUTS).read_text().splitlines()))
    for name, column in (("people", "mqm"), ("good", "good")):
        lines = [
            f"{r['system']},{r['segment']},{r['document']},{100 + float(r[column])}\n"
            for r in rows
        ]
        text = "system,item,document,score\n" + "".join(lines)
        (tmp_path / f"{name}.csv").write_text(text)
    people, good = (str(tmp_path / f"{name}.csv") for name in ("people", "good"))
    few = ["--resamples", "100", "--seed", "1"]
    judged = run("meta", people, "--judgments", "--metric", f"good={good}", *few, "--json")
    Path(people).with_name("wide.csv").write_text(Path(people).read_text() + "z,1,d,150\n")
    wide = ["meta", str(tmp_path / "wide.csv"), "--judgments", "--metric", f"good={good}", *few]
    refused = run(*wide)
    assert refused.exit_code == 1
    assert "--scale" in refused.stderr
    assert run(*wide, "--scale", "0:200").exit_code == 0
    assert judged.exit_code == 0, judged.output
    plain = run("meta", people, "--metric", f"good={good}", *few, "--json")
    one, other = (json.loads(said.stdout)["rows"][0] for said in (judged, plain))
    assert one["value"] == pytest.approx(other["value"])
    said = run("meta", people, "--judgments", "--metric", "good", *few)
    assert said.exit_code == 2
    assert "--metric takes name=file beside --judgments; got 'good'." in said.stderr
    for extra in (["--scale", "0:200"], ["--format", "table"], ["--repeated", "mark"]):
        said = run("meta", people, "--metric", f"good={good}", *extra)
        assert said.exit_code == 2, extra
        assert f"{extra[0]} has no effect here: there are no --judgments." in said.stderr
    for extra in (["--human", "score"], ["--column", "item=segment"]):
        said = run("meta", people, "--judgments", "--metric", f"good={good}", *extra)
        assert said.exit_code == 2, extra
        assert "--human and --column have no effect on --judgments" in said.stderr


def test_thresholds_are_numbers_or_words() -> None:
    line = [*ASKED, "--level", "segment", "--json"]
    given = run(*line, "--statistic", "acc23", "--epsilon", "0.25")
    assert json.loads(given.stdout)["rows"][0]["epsilon"] == 0.25
    fair = run(*line, "--epsilon", "two-fold")
    assert json.loads(fair.stdout)["rows"][0]["epsilon"] is None
    best = run(*line, "--epsilon", "best")
    assert json.loads(best.stdout)["rows"] == json.loads(run(*line).stdout)["rows"]


def test_columns_name_the_metric_and_the_direction(tmp_path: Path) -> None:
    """A column is known by its own name, the human one as well: mqm may be errors."""
    table = tmp_path / "errors.csv"
    lines = [
        f"{s},{i},{e},{g}\n"
        for s, e, g in (("a", 5, 1), ("b", 1, 3), ("c", 3, 2))
        for i in "xyz"
    ]
    table.write_text("system,segment,mqm,good\n" + "".join(lines))
    asked = ["meta", str(table), "--metric", "good", "--resamples", "100", "--seed", "1"]
    turned = run(*asked, "--human", "mqm", "--statistic", "pairwise-accuracy", "--json")
    assert "human: lower is better, so it was negated." in turned.stderr
    [row] = json.loads(turned.stdout)["rows"]
    assert (row["metric"], row["value"]) == ("good", 1.0)
    nameless = run("meta", str(table), "--human", "mqm", "--metric", "=x.csv")
    assert nameless.exit_code == 2
    assert "--metric takes a column or name=file; got '=x.csv'." in nameless.stderr
