"""``detectable mixed``."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from detectable.data.human.read_judgments import read_judgments
from detectable.data.human.write_judgments import write_judgments
from tests.helpers import reference_data
from tests.mixed.tables import table


def write_table(path: Path, columns: dict[str, list[Any]]) -> Path:
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    return write_table(tmp_path / "ratings.csv", table(5, 12, documents=3))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["mixed", *map(str, arguments)])


def said(*arguments: object) -> dict[str, Any]:
    out = run(*arguments, "--json")
    assert out.exit_code == 0, out.output
    found: dict[str, Any] = json.loads(out.stdout)
    return found


@pytest.mark.golden
def test_the_command_of_the_issue() -> None:
    path = reference_data("data", "card", "sim_3x100_2.csv")
    columns = ["--column", "score=resp"]  # model and worker are usual names
    out = run(path, *columns, "--numeric-system", "--json")
    assert out.exit_code == 0, out.output
    found = json.loads(out.stdout)
    assert found["standard_error"] == pytest.approx(0.0547435, abs=1e-5)
    assert found["df"] == pytest.approx(2.304, abs=0.01)
    assert found["criterion"] == pytest.approx(212.471286, abs=1e-5)
    assert "with 3 raters" in out.stderr
    ml = said(path, *columns, "--numeric-system", "--ml")
    assert ml["criterion"] == pytest.approx(202.117089, abs=1e-5)


def test_people_see_sentences_and_tables(ratings: Path) -> None:
    out = run(ratings)
    assert out.exit_code == 0, out.output
    for heading in ("Differences", "Means", "Where the spread comes from"):
        assert heading in out.stdout
    assert "5 raters × 12 items × 3 documents" in out.stdout
    assert "(1 | document) + (1 | document:system)" in " ".join(out.stdout.split())
    assert "# mixed|criterion:reml|" in out.stderr


def test_options_reach_the_library(ratings: Path, tmp_path: Path) -> None:
    effects = tmp_path / "effects.csv"
    found = said(
        *(ratings, "--slopes", "rater", "--baseline", "s1"),
        *("--alpha", "0.1", "--effects", effects),
    )
    assert found["slopes"] == ["rater"]
    assert found["groups"] == {"rater": 5, "item": 12, "document": 3}
    assert found["contrasts"][0]["baseline"] == "s1"
    assert found["alpha"] == 0.1
    rows = list(csv.DictReader(effects.read_text().splitlines()))
    assert {row["factor"] for row in rows} == {"rater", "item", "document"}
    own = [row["system"] for row in rows if (row["factor"], row["level"]) == ("document", "d0")]
    assert own == ["", "s0", "s1"]
    again = run(ratings, "--effects", effects)
    assert (again.exit_code, "exists already" in again.stderr) == (1, True)
    assert said(ratings, "--unit", "item")["groups"] == {"rater": 5, "item": 12}


def test_unusual_columns_and_any_scale(ratings: Path, tmp_path: Path) -> None:
    columns = table(5, 12, documents=3)  # around zero: no scale of 0 to 100
    assert min(columns["score"]) < 0.0
    columns["stars"], columns["who"] = columns.pop("score"), columns.pop("rater")
    path = write_table(tmp_path / "named.csv", columns)
    assert said(path, "--column", "score=stars", "--column", "rater=who") == said(ratings)
    out = run(ratings, "--scale", "0:5")
    assert (out.exit_code, "lies outside the scale 0 to 5" in out.stderr) == (1, True)


def test_second_scores_are_refused_averaged_or_kept(tmp_path: Path) -> None:
    columns = {name: [*column, *column[:2]] for name, column in table(5, 6).items()}
    path = write_table(tmp_path / "twice.csv", columns)
    out = run(path)
    assert out.exit_code == 1
    assert "twice.csv, line 62: a second score by rater 'r0' for system 's0'" in out.stderr
    averaged = run(path, "--repeated", "mark", "--json")
    assert json.loads(averaged.stdout)["n_ratings"] == 60
    assert "2 second scores by one rater" in averaged.stderr
    assert "2 ratings repeat an earlier one" in averaged.stderr
    assert said(path, "--repeats", "keep")["n_ratings"] == 62


def test_one_of_several_campaigns_and_languages(tmp_path: Path) -> None:
    columns = table(5, 12)
    n = len(columns["score"])
    both = {name: column * 2 for name, column in columns.items()}
    both["score"][n:] = [score + 9.0 * (i % 2) for i, score in enumerate(both["score"][n:])]
    both |= {"language": ["cs-en"] * n + ["de-en"] * n, "campaign": ["c"] * (2 * n)}
    path = write_table(tmp_path / "both.csv", both)
    out = run(path)
    assert out.exit_code == 1
    assert "2 language pairs: cs-en, de-en. Scores of different ones are not" in out.stderr
    alone = write_table(tmp_path / "alone.csv", columns)
    found = said(path, "--language", "cs-en", "--campaign", "c")
    assert found == said(alone)
    assert said(path, "--language", "de-en")["estimate"] > found["estimate"] + 5.0


def with_controls(columns: dict[str, list[Any]], *, every: int) -> dict[str, list[Any]]:
    """Return the table with a degraded copy before every so many rows, and two references."""
    n = len(columns["score"])
    rows = [{name: column[i] for name, column in columns.items()} for i in range(n)]
    mixed: list[dict[str, Any]] = []
    for i, row in enumerate(rows):
        if i % every == 0:  # before the row: left out, it must not order the systems either
            mixed.append({**row, "system": rows[-1 - i]["system"], "score": -50, "kind": "BAD"})
        mixed.append({**row, "kind": "TGT"})
    mixed += [{**row, "system": "ref", "kind": "REF"} for row in rows[:2]]
    return {name: [row[name] for row in mixed] for name in (*columns, "kind")}


def test_controls_are_left_out_and_counted(ratings: Path, tmp_path: Path) -> None:
    controls = with_controls(table(5, 12, documents=3), every=3)
    path = write_table(tmp_path / "controls.csv", controls)
    out = run(path, "--json")
    assert out.exit_code == 0, out.output
    note = "42 judgments left out, not of systems' own output: 40 degraded, 2 reference."
    assert out.stderr.count(note) == 1
    found, wanted = json.loads(out.stdout), said(ratings)
    assert found.pop("notes") == [note, *wanted.pop("notes")]
    assert found == wanted


@pytest.mark.golden
def test_degraded_documents_of_a_real_campaign(tmp_path: Path) -> None:
    path = reference_data("data", "real", "appraise-esa", "esa_split_documents.csv")
    found = said(path, "--format", "appraise", "--baseline", "wmt23.refA")
    assert (
        found["notes"][0] == "119 judgments left out, not of systems' own output: 119 degraded."
    )
    assert found["n_ratings"] == 988
    read = read_judgments(path, format="appraise")
    write_judgments(read.take(~read.is_kind("degraded")), tmp_path / "ordinary.csv")
    wanted = said(tmp_path / "ordinary.csv", "--baseline", "wmt23.refA")
    assert found.pop("notes")[1:] == wanted.pop("notes")
    assert found == wanted
    online_g = next(row for row in found["contrasts"] if row["system"] == "wmt23.ONLINE-G")
    assert online_g["p_adjusted"] > 0.05


def whole(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return a table with whole scores that every format can hold."""
    score = np.asarray(columns["score"])
    return columns | {"score": np.round(6.0 + score - score.min()).astype(int).tolist()}


def as_appraise(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write the eleven columns of Appraise; an item is degraded now and then."""
    rows = zip(*columns.values(), strict=True)
    lines = [
        f"{rater},{system},{item[1:]},{kind},eng,deu,{99 if kind == 'BAD' else score},"
        f"{document},False,{n}.0,{n + 1}.0"
        for n, (score, system, rater, item, document) in enumerate(rows)
        for kind in (("TGT", "BAD") if n % 10 == 0 else ("TGT",))
    ]
    path.write_text("\n".join(lines) + "\n")


def as_mqm(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write a row per error: as many minor ones as the score says."""
    lines = ["system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"]
    for score, system, rater, item, document in zip(*columns.values(), strict=True):
        start = f"{system}\t{document}\t1\t{item[1:]}\t{rater}\tOne.\tEins."
        lines += [f"{start}\tStyle/Awkward\tMinor"] * int(score)
    path.write_text("\n".join(lines) + "\n")


def as_pearmut(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write one item of one rater per line."""
    cells: dict[tuple[str, str], dict[str, int]] = {}
    for score, system, rater, item, _ in zip(*columns.values(), strict=True):
        cells.setdefault((rater, item), {})[system] = score
    lines = [
        {
            "user_id": rater,
            "item_i": int(item[1:]),
            "item": [{"item_id": item, "tgt": dict.fromkeys(scores, "x")}],
            "annotation": [
                {system: {"score": s, "error_spans": []} for system, s in scores.items()}
            ],
            "actions": [],
        }
        for (rater, item), scores in cells.items()
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")


def as_esa(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write an item per line, as WMT published ESA; rater n gave the n-th judgment."""
    items: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for score, system, rater, item, document in zip(*columns.values(), strict=True):
        n = int(rater[1:]) + 1
        given = items.setdefault((document, item), {}).setdefault(system, {})
        given |= {f"human{n}": score, f"errors{n}": [], f"annotator{n}": rater}
    lines = [
        {
            "doc_id": f"en-cs_#_news_#_{document}",
            "src_text": item,
            "tgt_text": dict.fromkeys(scores, "x"),
            "scores": scores,
        }
        for (document, item), scores in items.items()
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")


@pytest.mark.parametrize(
    ("write", "name", "sign", "documents"),
    [
        (as_appraise, "a.csv", 1, True),
        (as_mqm, "mqm_x_ende.tsv", -1, True),
        (as_esa, "e.jsonl", 1, True),
        (as_pearmut, "p.jsonl", 1, False),
    ],
)
def test_formats_of_campaigns(
    write: Any, name: str, sign: int, documents: bool, tmp_path: Path
) -> None:
    columns = whole(table(2, 12, documents=3))
    write(tmp_path / name, columns)
    found = said(tmp_path / name, "--baseline", "s0")
    plain = write_table(tmp_path / "plain.csv", columns)
    wanted = said(plain, "--baseline", "s0", *(() if documents else ("--unit", "item")))
    assert (found["groups"], found["n_ratings"]) == (wanted["groups"], 48)
    assert found["estimate"] == pytest.approx(sign * wanted["estimate"], rel=1e-7)
    assert found["p_value"] == pytest.approx(wanted["p_value"], rel=1e-6)
    assert found["criterion"] == pytest.approx(wanted["criterion"], rel=1e-9)
    left_out = "5 judgments left out, not of systems' own output: 5 degraded."
    assert (left_out in found["notes"]) == (write is as_appraise)


def test_bad_input_is_one_line(ratings: Path) -> None:
    out = run(ratings, "--column", "item=text")
    assert out.exit_code == 1
    assert "there is no column for the item called 'text'. Found: score" in out.stderr
    out = run(ratings, "--alpha", "5")
    assert out.exit_code == 1
    assert "--alpha must lie strictly between 0 and 1" in out.stderr
    out = run(ratings, "--column", "response=score")
    assert (out.exit_code, "takes role=name" in out.stderr) == (2, True)
