"""``detectable audit``."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from detectable.cli.audit import savings
from detectable.core.errors import DataError
from detectable.sequential.design import design
from detectable.study.archive.procedures import Procedure

PAST: dict[str, list[Any]] = {
    "team": ["a", "a", "b"],
    "difference": [4.0, 2.0, 1.0],
    "n": [100, 200, 300],
    "p": [0.001, 0.04, 0.5],
}


def write(path: Path, columns: dict[str, list[Any]]) -> Path:
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["audit", *map(str, arguments)])


def test_an_archive_as_json(tmp_path: Path) -> None:
    path = write(tmp_path / "past.csv", PAST)
    result = run(path, "--by", "team", "--target-difference", 1.5, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [(g["group"], g["significant"], g["total"]) for g in found["groups"]] == [
        ("a", 2, 2),
        ("b", 0, 1),
    ]
    assert [(g["observed_mde"], g["above"]) for g in found["groups"]] == [(2.0, 2), (None, 0)]
    assert found["groups"][0]["median_difference"] == 3.0
    assert (found["target_difference"], found["target_given"]) == (1.5, True)


def test_a_text_with_the_verdict_first(tmp_path: Path) -> None:
    result = run(write(tmp_path / "past.csv", PAST), "--by", "team")
    assert result.stdout.startswith("2 of 3 past comparisons (67%) were significant at 0.05.")
    assert "none" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert (
        "Note: Standard errors of 3 comparisons follow from difference and p" in result.stderr
    )
    assert "# audit-archive|comparisons:3|by:team|" in result.stderr


def test_histograms(tmp_path: Path) -> None:
    path = tmp_path / "h.npz"
    np.savez(path, all=[[9, 1], [1, 9]], campaign=[1, 1], system=[1, 2])
    found = json.loads(run(path, "--by", "campaign", "--json").stdout)
    assert found["groups"][0]["group"] == "1"
    assert found["groups"][0]["significant"] == 1


def test_errors_of_the_source_may_cost_nothing() -> None:
    path = Path(__file__).parents[1] / "data/samples/judgments/mqm_newstest2020_ende.tsv"
    found = [
        json.loads(run(path, *options, "--json").stdout)["overall"]["median_difference"]
        for options in ([], ["--source-errors", "ignore"])
    ]
    assert found[0] > found[1] > 0


def test_several_files(tmp_path: Path) -> None:
    first, second = (write(tmp_path / name, PAST) for name in ("a.csv", "b.csv"))
    found = json.loads(run(first, second, "--by", "file", "--json").stdout)
    assert [group["group"] for group in found["groups"]] == [str(first), str(second)]


def test_a_benchmark_and_a_survey(tmp_path: Path) -> None:
    tasks: dict[str, list[Any]] = {
        "task": ["x"] * 3,
        "size": [900] * 3,
        "before": [90, 91, 92],
        "gain": [1, 2, 1],
    }
    path = write(tmp_path / "tasks.csv", tasks)
    found = json.loads(run(path, "--agreement", 0.95, "--json").stdout)
    assert found["kind"] == "BenchmarkAudit"
    assert found["assumption"] == "0.95 on all tasks"
    studies = write(
        tmp_path / "s.csv", {"who": ["a", "b"], "k": [50, 90], "effect": [0.1, 0.3]}
    )
    found = json.loads(run(studies, "--column", "n=k", "--item-sd", 0.5, "--json").stdout)
    assert found["kind"] == "SurveyAudit"
    assert found["noise"] == "an SD of 0.5 of an item's difference"
    assert [band["n_studies"] for band in found["bands"]] == [1, 1]


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (PAST, ["--by", "colour"], "--by must be one of team, difference, n, p; got 'colour'."),
        ({**PAST, "p": [0.1, 1.5, 0.2]}, [], "expected a p-value between 0 and 1, found '1.5'"),
        (
            {**PAST, "n": [100, -5, 3]},
            [],
            "expected a number above 0, and at most 1e12, found '-5'",
        ),
        (
            {"difference": [1], "p": [0.1]},
            [],
            "there is no column for n: on how many judgments or items per system",
        ),
        (
            {"task": ["a", "a"], "n": [9, 9], "accuracy": [91, 0.9]},
            [],
            "fractions among percent. Write all as one of them.",
        ),
        ({**{k: [] for k in PAST}}, [], "a header and no row"),
        (PAST, ["--item-sd", "1"], "--item-sd has no effect on the audit of an archive."),
        (PAST, ["--unit", "item"], "--unit has no effect on a table that holds no judgments."),
        (
            PAST,
            ["--source-errors", "ignore"],
            "--source-errors has no effect on a table that holds no judgments.",
        ),
        (
            PAST,
            ["--target-difference", "0"],
            "--target-difference must be a finite number above",
        ),
        (PAST, ["--alpha", "2"], "--alpha must lie strictly between 0 and 1; got 2.0."),
        ({"a": [1], "b": [2]}, [], "the columns do not say what this is."),
    ],
)
def test_bad_input_is_one_sentence_and_exit_1(
    tmp_path: Path, columns: dict[str, list[Any]], options: list[str], message: str
) -> None:
    result = run(write(tmp_path / "t.csv", columns), *options)
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_files_that_are_not_there(tmp_path: Path) -> None:
    result = run(tmp_path / "none.csv")
    assert result.exit_code == 1
    assert "there is no such file" in result.stderr
    assert run().exit_code == 2


# --- ``detectable savings`` ---

FEW = ("--budgets", "120,240", "--step", "20", "--repeats", "20", "--looks", "6", "--seed", "1")


def rows() -> Iterator[tuple[str, str, int, str, int]]:
    """Yield judgments of two campaigns, with three and two systems."""
    rng = np.random.default_rng(1)
    for campaign, systems in (("x", "abc"), ("y", "ab")):
        for segment in range(60):
            base = rng.normal(70, 15)
            for place, system in enumerate(systems):
                score = int(np.clip(base - 4 * place + rng.normal(0, 8), 0, 100))
                yield campaign, system, segment, f"r{segment % 3}", score


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    path = tmp_path / "judgments.csv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("campaign", "system", "segment", "rater", "score"))
        writer.writerows(rows())
    return path


def run_of_savings(*arguments: object) -> Result:
    return CliRunner().invoke(savings, [*map(str, arguments)])


def test_people_see_a_sentence_and_a_table(judgments: Path) -> None:
    out = run_of_savings(judgments, "--unpaired", *FEW)
    assert out.exit_code == 0, out.output
    assert "4 comparisons" in out.stdout
    assert "the powers are optimistic" in out.stdout
    assert "6 uncorrected looks 15.5%" in " ".join(out.stdout.split())
    assert "# procedures-mann-whitney|pairs:4|repeats:20|" in out.stderr


def test_programs_get_json_and_pairs(judgments: Path) -> None:
    out = run_of_savings(judgments, *FEW, "--json")
    assert out.exit_code == 0, out.output
    said = json.loads(out.stdout)
    assert (said["paired"], said["n_comparisons"], said["budgets"]) == (True, 4, [120, 240])
    assert said["procedures"][2] == "default, 6 looks"
    assert {row["procedure"] for row in said["savings"]} == set(said["procedures"][1:])


def test_the_number_of_processes_does_not_matter(judgments: Path) -> None:
    one, two = (
        run_of_savings(judgments, *FEW, "--jobs", jobs, "--json").stdout for jobs in (1, 2)
    )
    assert one == two


def with_controls(path: Path) -> Path:
    """Return the same table with a column of kinds and degraded copies of every third row."""
    made = path.with_name("controls.csv")
    with path.open() as table, made.open("w", newline="") as out:
        writer = csv.writer(out)
        for number, row in enumerate(csv.reader(table)):
            writer.writerow([*row, "kind" if number == 0 else "system"])
            if number and number % 3 == 0:
                writer.writerow([*row[:4], 1, "degraded"])
    return made


@pytest.mark.parametrize("how", ["--paired", "--unpaired"])
def test_degraded_copies_are_no_output_of_a_system(judgments: Path, how: str) -> None:
    plain = json.loads(run_of_savings(judgments, how, *FEW, "--json").stdout)
    found = json.loads(run_of_savings(with_controls(judgments), how, *FEW, "--json").stdout)
    note = "100 judgments left out, not of systems' own output: 100 degraded."
    assert found.pop("notes") == [note, *plain.pop("notes")]
    assert found == plain


def test_columns_with_other_names(tmp_path: Path, judgments: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text(judgments.read_text().replace("campaign,", "test_set,", 1))
    chosen = run_of_savings(other, "--column", "campaign=test_set", *FEW, "--json")
    assert chosen.stdout == run_of_savings(judgments, *FEW, "--json").stdout
    together = json.loads(run_of_savings(other, *FEW, "--repeated", "mark", "--json").stdout)
    assert together["n_comparisons"] == 3


def test_messages(judgments: Path) -> None:
    assert run_of_savings(judgments, "--budgets", "many").exit_code == 2
    lines = judgments.read_text().splitlines()
    judgments.write_text("\n".join([lines[0], *(line for line in lines if ",a," in line)]))
    assert "no two systems of one campaign" in run_of_savings(judgments).stderr


# --- ``detectable savings`` replays four procedures, each what its name says ---


def test_the_procedures_that_are_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fixed sample, Pocock with three looks, our default and looks without correction."""
    seen: list[Procedure] = []

    def note(table: object, procedures: list[Procedure], *_: object, **__: object) -> None:
        seen.extend(procedures)
        raise DataError("seen enough")

    where = "detectable.study.archive.procedures.simulate_procedures"
    monkeypatch.setattr(where, note)
    table = tmp_path / "judgments.csv"
    rows = [f"{system},{i},{(7 * i) % 90}" for i in range(60) for system in "ab"]
    table.write_text("\n".join(["system,item,score", *rows]) + "\n")
    CliRunner().invoke(savings, [str(table), "--looks", "6", "--alpha", "0.04"])
    assert [(one.name, one.looks) for one in seen] == [
        ("fixed", 1),
        ("Pocock 3", 3),
        ("default, 6 looks", 6),
        ("6 uncorrected looks", 6),
    ]
    pocock = design("pocock", looks=3, alpha=0.04, futility="none")
    assert seen[1].z == pytest.approx(pocock.z)
    assert seen[1].futility == (0.0, 0.0, 0.0)
    default = design(looks=6, alpha=0.04)
    assert seen[2].z == pytest.approx(default.z)
    assert any(bound > 0.0 for bound in seen[2].futility)
    assert seen[0].z == pytest.approx((2.0537489,))
    assert set(seen[3].z) == set(seen[0].z)


# --- Procedures by name, sizes of differences, score histograms ---


def test_the_procedures_of_the_paper_by_name(judgments: Path) -> None:
    out = run_of_savings(
        judgments,
        "--procedure",
        "fixed,interim",
        "--procedure",
        "interim-futility",
        *FEW,
        "--json",
    )
    assert out.exit_code == 0, out.output
    assert json.loads(out.stdout)["procedures"] == ["fixed", "interim", "interim-futility"]
    wrong = run_of_savings(judgments, "--procedure", "fixed,never")
    assert wrong.exit_code == 2
    assert (
        "takes fixed, pocock, default, uncorrected, interim, interim-futility" in wrong.stderr
    )


def test_planned_is_the_same_as_budgets(judgments: Path) -> None:
    words = ["--planned", *FEW[1:]]
    assert run_of_savings(judgments, *words, "--json").stdout == (
        run_of_savings(judgments, *FEW, "--json").stdout
    )


def test_differences_of_some_sizes_alone(judgments: Path) -> None:
    everything = json.loads(run_of_savings(judgments, *FEW, "--json").stdout)
    large = json.loads(run_of_savings(judgments, *FEW, "--at-least", "6", "--json").stdout)
    small = json.loads(run_of_savings(judgments, *FEW, "--below", "6", "--json").stdout)
    assert large["n_comparisons"] + small["n_comparisons"] == everything["n_comparisons"] == 4
    assert "observed differences of at least 6" in large["notes"][-1]
    none = run_of_savings(judgments, *FEW, "--at-least", "90")
    assert none.exit_code == 1
    assert "--at-least and --below must leave a comparison" in none.stderr
    wrong = run_of_savings(judgments, *FEW, "--at-least", "5", "--below", "2")
    assert "--at-least must be 0 or more and less than --below; got 5 and 2" in wrong.stderr


@pytest.fixture
def histograms(tmp_path: Path) -> Path:
    path = tmp_path / "histograms.npz"
    rng = np.random.default_rng(4)
    counts = rng.multinomial(300, np.full(11, 1 / 11), size=4)
    np.savez(
        path,
        all=counts,
        campaign=["x", "x", "x", "y"],
        system=[*"abca"],
        language=["cs-en"] * 4,
    )
    return path


def test_score_histograms_are_unpaired(histograms: Path) -> None:
    out = run_of_savings(histograms, *FEW, "--json")
    assert out.exit_code == 0, out.output
    said = json.loads(out.stdout)
    assert (said["paired"], said["n_comparisons"]) == (False, 3)
    assert run_of_savings(histograms, *FEW, "--unpaired", "--json").stdout == out.stdout
    refused = run_of_savings(histograms, *FEW, "--paired")
    assert refused.exit_code == 1
    assert "score histograms do not say who judged what, which --paired needs" in refused.stderr
    refused = run_of_savings(histograms, *FEW, "--scale", "0:10")
    assert refused.exit_code == 2
    assert "--scale has no effect here: score histograms hold no judgments" in refused.stderr


def test_one_group_of_an_archive(tmp_path: Path) -> None:
    path = write(tmp_path / "past.csv", PAST)
    result = run(path, "--by", "team", "--only", "a", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [(one["group"], one["total"]) for one in found["groups"]] == [("a", 2)]
    assert found["overall"]["total"] == 2
    assert "only:a" in found["signature"]
    assert "--only must name groups of team: a, b; got 'c'" in run(
        path, "--by", "team", "--only", "c"
    ).stderr  # fmt: skip
    assert "--only names groups, so --by must say of what" in run(path, "--only", "a").stderr
