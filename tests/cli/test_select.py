"""``detectable select`` and ``stratify``: sheets, records, and the examples of the page."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import detectable as dt
from detectable.cli import main
from tests.frozen.make_data import DATA
from tests.gold_select import wmt23

METRIC = str(DATA / "metric.csv")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="") as out:
        made = csv.DictWriter(out, rows[0].keys())
        made.writeheader()
        made.writerows(rows)


def filled(path: Path, score: object) -> None:
    """Write scores into the empty cells of a sheet; `score` takes a row."""
    rows = rows_of(path)
    for row in rows:
        row["score"] = row["score"] or str(score(row))  # type: ignore[operator]
    write_rows(path, rows)


def test_a_sheet_and_a_record(tmp_path: Path) -> None:
    sheet, record = tmp_path / "sheet.csv", tmp_path / "selection.json"
    line = ["select", METRIC, "--n-items", "12", "--by", "metric", "--higher-is-better"]
    said = run(*line, "--sheet", str(sheet), "--record", str(record))
    assert said.exit_code == 0, said.output
    chosen = dt.read_selection(record)
    assert (
        f"(fingerprint {chosen.fingerprint[:4]}…; the seed comes from the data)" in said.stderr
    )
    rows = rows_of(sheet)
    assert {row["item"] for row in rows} == set(chosen.items)
    assert len(rows) == len(chosen.items) * len(chosen.systems)
    assert {row["score"] for row in rows} == {""}
    weight = dict(zip(chosen.items, chosen.drawn_weight.tolist(), strict=True))
    assert all(float(row["sampling_weight"]) == weight[row["item"]] for row in rows)
    assert [row["item"] for row in rows] != sorted(row["item"] for row in rows)


def test_nothing_that_exists_is_replaced_and_a_record_never(tmp_path: Path) -> None:
    sheet, record = tmp_path / "sheet.csv", tmp_path / "selection.json"
    line = ["select", METRIC, "--n-items", "12", "--sheet", str(sheet)]
    assert run(*line).exit_code == 0
    assert run(*line).exit_code == 1
    assert run(*line, "--force").exit_code == 0
    record.write_text("{}")
    forced = run(*line, "--record", str(record), "--force")
    assert forced.exit_code == 1
    assert record.read_text() == "{}"


def test_a_seed_chosen_by_hand_is_said(tmp_path: Path) -> None:
    sheet = str(tmp_path / "s.csv")
    said = run("select", METRIC, "--n-items", "12", "--seed", "3", "--sheet", sheet)
    assert "(seed chosen by hand)" in said.stderr


def test_stratify_says_what_it_is_now(tmp_path: Path) -> None:
    sheet = tmp_path / "s.csv"
    said = run(
        "stratify", METRIC, "--n-items", "12", "--seed", "3", "--sheet", str(sheet), "--json"
    )
    assert said.exit_code == 0, said.output
    assert "`stratify` is `select --by random` now" in said.stderr
    same = run("select", METRIC, "--n-items", "12", "--seed", "3", "--by", "random", "--json")
    assert json.loads(said.stdout) == json.loads(same.stdout)
    assert len({row["sampling_weight"] for row in rows_of(sheet)}) == 1


def tables(tmp_path: Path, language: str) -> tuple[str, str]:
    """Write the metric of WMT23 and source texts as long as its own."""
    data = wmt23(language)
    metric, sources = tmp_path / "metricx.csv", tmp_path / "src.txt"
    header = ["item", "document", *data.systems]
    rows = [
        dict(zip(header, [item, document, *map(str, data.metric[:, i].tolist())], strict=True))
        for i, (item, document) in enumerate(zip(data.items, data.documents, strict=True))
    ]
    write_rows(metric, rows)
    sources.write_text("".join("x" * int(n) + "\n" for n in data.length))
    return str(metric), str(sources)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("language", "n", "first", "second"),
    [
        (
            "en-de",
            138,
            "42 lines drawn at random: 19 whole documents of 190, the first third of what 138 lines "
            "take to read.",
            [
                "81 lines chosen: 38 whole documents of 171; long, hard and disputed ones more often.",
                "The first batch says that this takes 12% less reading than a random draw (ratio "
                "0.88, standard error 0.09).",
                "Weights run from 1.9 to 4.8. The sheet holds the first batch too, with its scores.",
            ],
        ),
        (
            "zh-en",
            353,
            "111 lines drawn at random: 18 whole documents of 179, the first third of what 353 lines "
            "take to read.",
            [
                # One line more than on the page: 353 lines are .2999 of the pool, not .3.
                "247 lines drawn at random: 36 whole documents of 161, all with the same weight.",
                "The first batch does not show that metricx tells where systems differ: ratio 1.05, "
                "standard error 0.04, and 1 less a standard error was needed. Nothing is lost: "
                "`control-variates` uses the metric all the same.",
                "The sheet holds the first batch too, with its scores.",
            ],
        ),
    ],
)
def test_the_example_of_the_page(
    language: str, n: int, first: str, second: list[str], tmp_path: Path
) -> None:
    metric, sources = tables(tmp_path, language)
    data = wmt23(language)
    sheet, record = tmp_path / "first.csv", tmp_path / "selection.json"
    words = ["--sources", sources, "--steps", "2", "--seed", "1", "--higher-is-better"]
    words += ["--metric", "metricx", "--sheet", str(sheet), "--record", str(record)]
    said = run("select", metric, "--n-items", str(n), *words)
    assert said.exit_code == 0, said.output
    chosen = dt.read_selection(record)
    assert chosen.summary().splitlines()[0] == first
    assert f"detectable select --continue {record} --judged {sheet}" in said.stderr
    place = {item: i for i, item in enumerate(data.items)}
    row = {name: s for s, name in enumerate(data.systems)}
    filled(sheet, lambda r: data.human[row[r["system"]], place[r["item"]]])
    last = tmp_path / "sheet.csv"
    again = run(
        "select",
        *("--continue", str(record), "--judged", str(sheet), "--sheet", str(last)),
        *("--scale", ":0"),
    )
    assert again.exit_code == 0, again.output
    more = dt.read_selection(tmp_path / "selection-2.json")
    assert more.summary().splitlines() == second
    rows = rows_of(last)
    assert sum(bool(r["score"]) for r in rows) == chosen.n_drawn * len(data.systems)
    assert {r["item"] for r in rows} == set(more.items)
    filled(last, lambda r: data.human[row[r["system"]], place[r["item"]]])
    judgments = dt.read_judgments(last)
    assert judgments.is_penalty  # the sheet holds the scale, too
    assert judgments.sampling_weight is not None
    expected = more.weight[more.unit_of[more.drawn]]
    weights = dict(
        zip(judgments.item.labels(), judgments.sampling_weight.tolist(), strict=False)
    )
    assert [weights[item] for item in more.items] == expected.tolist()


def test_two_steps_without_a_record_say_that_one_is_needed() -> None:
    line = ["select", METRIC, "--n-items", "30", "--steps", "2", "--higher-is-better"]
    said = run(*line)
    assert said.exit_code == 0, said.output
    assert (
        "The second batch is drawn from a record, and there is none: give --record."
        in said.stderr
    )


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("", 2, "give SCORES, or --continue RECORD"),
        (
            "{metric} --n-items 500",
            1,
            "--n-items must be at most 60, the lines of the pool; got 500",
        ),
        ("{metric} --take 0", 2, "--take must be SCORE=PART"),
        ("{metric} --take 0=all --take 0=20%", 2, "--take names the score 0 twice"),
        ("--continue r.json", 2, "--continue needs --judged"),
        (
            "{metric} --continue r.json --judged j.csv",
            2,
            "SCORES has no effect with --continue",
        ),
        (
            "--continue r.json --judged j.csv --n-items 3",
            2,
            "--n-items has no effect with --cont",
        ),
        ("--continue r.json --judged j.csv --seed 3", 2, "--seed has no effect"),
    ],
)
def test_what_does_not_go_together_is_refused(words: str, code: int, said: str) -> None:
    found = run("select", *words.format(metric=METRIC).split())
    assert (found.exit_code, said in found.output) == (code, True), found.output
