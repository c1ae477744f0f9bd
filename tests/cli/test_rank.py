"""``detectable rank``: the whole way from a file to a ranking."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

from detectable.cli import Commands
from detectable.cli.rank import rank
from tests.helpers import reference_data

SEGMENTS = ("data", "wmt", "wmt21_22_toen_segscores.parquet")
CAMPAIGNS = (
    *("wmt21.cs-en", "wmt21.de-en", "wmt21.is-en", "wmt21.ja-en", "wmt21.ru-en"),
    *("wmt22.cs-en", "wmt22.ja-en", "wmt22.zh-en"),
)


def run(*arguments: str | Path) -> Result:
    group = Commands("detectable", commands={"rank": rank})
    return CliRunner().invoke(group, ["rank", *map(str, arguments)])


def as_json(*arguments: str | Path) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    system, item, rater = (axis.ravel() for axis in np.indices((3, 30, 2)))
    score = np.array([50, 52, 70])[system] + 10 * rater + rng.normal(0, 6, system.size)
    path = tmp_path / "judgments.csv"
    pl.DataFrame(
        {
            "system": np.array(["old", "new", "human"])[system],
            "item": item,
            "document": item // 3,
            "rater": np.array(["ann", "bob"])[rater],
            "score": score.round(1),
        }
    ).write_csv(path)
    return path


@pytest.mark.golden
@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_official_clusters_through_the_command(campaign: str) -> None:
    gold = json.loads(reference_data("gold", "graham.json").read_text())
    expected = gold["wmt_clusters"][campaign]
    options = ("--campaign", campaign, "--preset", "wmt21")
    found = as_json("--segment-scores", reference_data(*SEGMENTS), *options)
    names = [row["system"] for row in expected["systems"]]
    wanted = [names[first - 1 : last] for first, last in expected["clusters"]]
    assert found["clusters"] == wanted
    for row, official in zip(found["systems"], expected["systems"], strict=True):
        assert (row["system"], row["n"], row["N"]) == (
            official["system"],
            official["n"],
            official["N"],
        )
        assert row["mean_raw"] == pytest.approx(official["raw"], abs=1e-10)
        assert row["mean_z"] == pytest.approx(official["z"], abs=1e-10)
    p = {f"{pair['better']}>{pair['worse']}": pair["p_value"] for pair in found["pairs"]}
    assert p == pytest.approx(expected["p_one_sided"], abs=1e-10)


@pytest.mark.golden
def test_the_view_of_wmt_is_that_of_its_preset() -> None:
    options = ("--segment-scores", reference_data(*SEGMENTS), "--campaign", "wmt21.de-en")
    official = as_json(*options, "--preset", "wmt21")
    assert [len(group) for group in official["clusters"]] == [4, 16]
    assert official["wmt"]["different"] == []
    ours = as_json(*options, "--seed", "1")
    assert ours["wmt"]["clusters"] == official["clusters"]
    assert ours["clusters"] == [[row["system"] for row in ours["systems"]]]


def test_verdicts_come_first_then_the_table(judgments: Path) -> None:
    result = run(judgments, "--seed", "1")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("human is on top: better than the other 2.\n")
    assert "Paired within raters" in run(judgments, "--seed", "1", "--all").stdout
    assert result.stdout.index("Ranking") < result.stdout.index("WMT's rule")
    assert all(len(line) <= 80 for line in result.stdout.splitlines())


def test_many_pairs_are_a_matrix_and_listed_on_demand(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    names = [f"system-with-a-long-name-{k:02d}" for k in range(24)]
    path = tmp_path / "many.csv"
    rows = [
        f"{name},{item},ann,{50 + k + rng.normal(0, 4):.1f}"
        for item in range(40)
        for k, name in enumerate(names)
    ]
    path.write_text("\n".join(["system,item,rater,score", *rows]) + "\n")
    options = ("--seed", "1", "--unit", "item", "--test", "signed-rank")
    short = run(path, *options).stdout.splitlines()
    assert len(short) < 40
    assert max(map(len, short)) <= 80
    assert sum(line.count("▲") for line in short) > 10
    assert "pairs (276 rows)" in " ".join(short)
    whole = run(path, *options, "--pairs").stdout.splitlines()
    assert len(whole) > len(short) + 270


def test_clusters_are_set_apart_by_a_rule(judgments: Path) -> None:
    table = run(judgments, "--seed", "1").stdout.split("Ranking")[1].splitlines()
    top = next(i for i, line in enumerate(table) if "human" in line)
    assert set(table[top + 1]) == {"╌"}


def test_notes_go_to_stderr(judgments: Path) -> None:
    result = run(judgments, "--seed", "1")
    assert "Note: The claims are about these 2 raters" in result.stderr
    by_ranks = run(judgments, "--seed", "1", "--test", "signed-rank")
    assert "10 documents only (below 20)" in by_ranks.stderr
    by_item = run(judgments, "--seed", "1", "--unit", "item")
    assert "Items of a document are treated as independent" in by_item.stderr
    assert "are treated as independent" not in result.stderr


def test_a_margin_makes_equivalence_possible(judgments: Path) -> None:
    found = as_json(judgments, "--margin", "40", "--seed", "1")
    assert {pair["verdict"] for pair in found["pairs"]} == {"equivalent"}
    assert found["margin"] == 40.0


def test_pairs_are_written_once(judgments: Path, tmp_path: Path) -> None:
    target = tmp_path / "pairs.csv"
    assert run(judgments, "--csv", f"pairs:{target}", "--seed", "1").exit_code == 0
    assert target.read_text().startswith("better,worse,difference")
    again = run(judgments, "--csv", target)
    assert again.exit_code == 1
    assert "exists already" in again.output
    latex = tmp_path / "table.tex"
    assert run(judgments, "--latex", latex, "--seed", "1").exit_code == 0
    assert r"\begin{tabular}" in latex.read_text()


def test_one_seed_one_answer(judgments: Path) -> None:
    assert as_json(judgments, "--seed", "3") == as_json(judgments, "--seed", "3")


def test_several_campaigns_are_listed() -> None:
    result = run("--segment-scores", reference_data(*SEGMENTS))
    assert result.exit_code == 1
    assert "8 campaigns: wmt21.cs-en, wmt21.de-en" in result.output
    assert "--campaign" in result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--test", "mixed"), "needs to know who judged"),
        (("--standardise", "mixed"), "segment scores have none"),
        (("--level", "judgment"), "segment scores are means of them"),
        (("--campaign", "wmt99"), "must be one of"),
    ],
)
def test_segment_scores_allow_no_test_of_raters(
    tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "segments.csv"
    path.write_text(
        "system,sid,raw,z,N,campaign\na,1,10,0,1,w\na,2,20,1,1,w\nb,1,5,0,1,w\nb,2,9,1,2,w\n"
    )
    result = run("--segment-scores", path, *options)
    assert result.exit_code == 1
    assert message in result.output


def test_a_table_without_scores_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "segments.csv"
    path.write_text("system,sid\na,1\n")
    result = run("--segment-scores", path)
    assert result.exit_code == 1
    assert "raw or z not found among system, sid" in result.output


def test_a_bad_number_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "segments.csv"
    path.write_text("system,sid,raw\na,1,10\na,2,much\nb,1,5\nb,2,9\n")
    result = run("--segment-scores", path)
    assert result.exit_code == 1
    assert "line 3" in result.output
    assert "raw must be a number, found 'much'" in result.output


def test_reading_options_do_not_apply_to_segment_scores(tmp_path: Path) -> None:
    path = tmp_path / "segments.csv"
    path.write_text("system,sid,raw\na,1,10\n")
    result = run("--segment-scores", path, "--scale", "0:5")
    assert result.exit_code == 2
    assert "--scale has no effect here: --segment-scores reads a plain table" in result.output


def test_errors_of_the_source_on_the_command_line(tmp_path: Path) -> None:
    rows = ["system\tdoc\tseg_id\trater\tcategory\tseverity"]
    rows += [
        f"{system}\td{item % 9}\t{item}\tr\t{'Source error' if system == 'B' else 'No-error'}\t"
        f"{'Major' if system == 'B' else 'No-error'}"
        for item in range(20)
        for system in "AB"
    ]
    path = tmp_path / "mqm.tsv"
    path.write_text("\n".join(rows) + "\n")
    counted = as_json(path, "--seed", "1")
    assert [row["score"] for row in counted["systems"]] == [0.0, -5.0]
    ignored = as_json(path, "--seed", "1", "--source-errors", "ignore")
    assert [row["score"] for row in ignored["systems"]] == [0.0, 0.0]
    out = run(path, "--source-errors", "twice")
    assert out.exit_code == 2


def test_a_file_of_two_language_pairs_asks_for_one(tmp_path: Path) -> None:
    rows = [
        f"{system},{item},{40 + item + 9 * (system == 'A')},en,{target}"
        for target in ("cs", "de")
        for item in range(8)
        for system in "AB"
    ]
    path = tmp_path / "two.csv"
    path.write_text("\n".join(["system,item,score,source_lang,target_lang", *rows]))
    out = run(path)
    assert out.exit_code == 1
    assert "2 language pairs: en-cs, en-de" in " ".join(out.stderr.split())
    assert as_json(path, "--language", "en-de", "--seed", "1")["systems"][0]["n"] == 8
