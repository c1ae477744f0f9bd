"""``detectable quality``."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from detectable.cli import Commands, main
from detectable.cli.noise import quality
from detectable.data.human.read_judgments import read_judgments
from tests.helpers import reference_data

SCORES = {"careful": (80, 70, 90, 60, 75, 66, 81), "careless": (30, 40, 20, 50, 72, 41, 40)}
group = Commands("detectable", commands=[quality])


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    path = tmp_path / "judgments.csv"
    high, low = SCORES.values()
    both = {"careful": (high, low), "careless": (low, high), "new": ((50,), (20,))}
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("system", "item", "rater", "kind", "score"))
        for rater, columns in both.items():
            for kind, scores in zip(("TGT", "BAD"), columns, strict=True):
                writer.writerows(("A", i, rater, kind, score) for i, score in enumerate(scores))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(group, ["quality", *map(str, arguments)])


def test_the_verdict_comes_first_and_the_doubtful_lead(judgments: Path) -> None:
    out = run(judgments)
    assert out.exit_code == 0, out.output
    assert out.stdout.startswith("1 of 2 testable raters passes; 1 could not be tested.")
    lines = out.stdout.splitlines()
    assert max(map(len, lines[4:])) <= 100
    order = [
        line.split()[0] for line in lines if line.startswith(("careful ", "careless ", "new "))
    ]
    assert order == ["careless", "new", "careful"]
    assert "1 pair, and two are needed" in " ".join(out.stdout.split())
    assert "# quality-control|test:paired-t|alpha:0.05" in out.stderr


def test_neighbours_are_asked_for_and_need_documents(judgments: Path) -> None:
    out = run(judgments, "--against", "neighbours")
    assert out.exit_code == 1
    assert "there is no document. Say which column names it" in " ".join(out.stderr.split())
    head, *rows = judgments.read_text().splitlines()
    judgments.write_text("\n".join([f"{head},document", *(f"{row},d" for row in rows)]) + "\n")
    out = run(judgments, "--against", "neighbours")
    assert out.exit_code == 0, out.output
    assert "15 degraded copies left out: no repeat or reference" in " ".join(out.output.split())


def test_programs_get_json(judgments: Path) -> None:
    out = run(judgments, "--json", "--test", "signed-rank", "--seed", "4", "--effect", "20")
    assert out.exit_code == 0, out.output
    said = json.loads(out.stdout)
    assert (said["good"], said["bad"], said["untestable"]) == (1, 1, 1)
    keys = {"rater", "verdict", "p_value", "t", "n_pairs", "power", "flags", "reason"}
    assert all(keys <= row.keys() for row in said["raters"])
    first = said["raters"][0]
    assert (first["rater"], first["verdict"], first["t"]) == ("careful", "good", None)
    assert said["effect"] == 20.0
    assert said["raters"][2]["power"] is None
    assert "seed:4" in said["signature"]


def test_good_judgments_are_kept_and_nothing_is_overwritten(
    judgments: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "good.csv"
    out = run(judgments, "--keep", kept)
    assert out.exit_code == 0, out.output
    assert "kept 14 judgments by 1 rater" in out.stderr
    again = read_judgments(kept)
    assert again.column("rater").levels == ("careful",)
    assert int(again.is_kind("degraded").sum()) == 7
    refused = run(judgments, "--keep", kept)
    assert (refused.exit_code, "exists already" in refused.stderr) == (1, True)
    assert run(judgments, "--keep", kept, "--force").exit_code == 0


@pytest.mark.parametrize("scale", [(-25, 0), (0, 5), (0, 100)])
def test_what_is_kept_has_its_scale(
    judgments: Path, tmp_path: Path, scale: tuple[float, float]
) -> None:
    low, high = scale
    source, kept = tmp_path / "scaled.csv", tmp_path / "good.csv"
    rows = [line.split(",") for line in judgments.read_text().splitlines()]
    scaled = [[*row[:-1], str(low + float(row[-1]) / 100 * (high - low))] for row in rows[1:]]
    scaled += [["B", *row[1:]] for row in scaled]
    source.write_text("\n".join(map(",".join, [rows[0], *scaled])))
    out = run(source, f"--scale={low}:{high}", "--keep", kept)
    assert out.exit_code == 0, out.output
    assert read_judgments(kept).scale == scale
    header = kept.read_text().splitlines()[0]
    assert header.endswith(",scale_low,scale_high") == (scale != (0, 100))
    ranked = CliRunner().invoke(main, ["rank", str(kept), "--seed", "1"])
    assert ranked.exit_code == 0, ranked.output


def test_a_long_list_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    rows = [
        f"A,{item},r{rater:02d},{kind},{50 + (rater * item) % 40 - (20 if kind == 'BAD' else 0)}"
        for rater in range(30)
        for item in range(1, 6)
        for kind in ("TGT", "BAD")
    ]
    path.write_text("\n".join(["system,item,rater,kind,score", *rows]) + "\n")
    assert "raters (30 rows)" in run(path, "--test", "mann-whitney", "--seed", "1").stdout
    whole = run(path, "--all", "--test", "mann-whitney", "--seed", "1").stdout
    assert "r29" in whole
    assert "--all" not in whole


def test_errors_are_one_sentence(judgments: Path, tmp_path: Path) -> None:
    out = run(judgments, "--alpha", "2")
    assert (out.exit_code, "--alpha must lie" in out.stderr) == (1, True)
    plain = tmp_path / "plain.csv"
    plain.write_text("system,item,rater,score\nA,1,w,50\n")
    out = run(plain)
    assert (out.exit_code, "no item is degraded" in out.stderr) == (1, True)
    assert run(judgments, "--test", "z").exit_code == 2


@pytest.mark.golden
def test_the_pairs_of_wmt21_are_read_directly() -> None:
    out = run(reference_data("data", "wmt", "wmt21_qc_pairs.parquet"), "--json")
    assert out.exit_code == 0, out.output
    said = json.loads(out.stdout)
    assert len(said["raters"]) == 475
    by_name = {row["rater"]: row for row in said["raters"]}
    assert by_name["M0953"]["n_pairs"] == 54
    assert by_name["M0953"]["t"] == pytest.approx(-2.397022, rel=5e-7)


@pytest.mark.golden
def test_the_two_tasks_of_crowd_alone() -> None:
    path = reference_data("data", "wmt", "crowdalone_2hits.csv")
    out = run(path, "--json")
    assert out.exit_code == 0, out.output
    found = {row["rater"]: row for row in json.loads(out.stdout)["raters"]}
    assert (found["W1"]["verdict"], found["W2"]["verdict"]) == ("bad", "good")
    assert found["W2"]["p_value"] == pytest.approx(0.03024593, rel=5e-7)
