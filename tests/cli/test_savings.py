"""``detectable savings``."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from detectable.cli.savings import savings
from detectable.core.errors import DataError
from detectable.study.archive.read_archive import read_archive

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


def run(*arguments: object) -> Result:
    return CliRunner().invoke(savings, [*map(str, arguments)])


def test_people_see_a_sentence_and_a_table(judgments: Path) -> None:
    out = run(judgments, "--comparison", "campaign", *FEW)
    assert out.exit_code == 0, out.output
    assert "4 comparisons" in out.stdout
    assert "the powers are optimistic" in out.stdout
    assert "6 uncorrected looks 15.5% 240" in " ".join(out.stdout.split())
    assert "# procedures-mann-whitney|pairs:4|repeats:20|" in out.stderr


def test_programs_get_json_and_pairs(judgments: Path) -> None:
    by = ("--pair-by", "segment", "--pair-by", "rater")
    out = run(judgments, "--comparison", "campaign", *by, *FEW, "--json")
    assert out.exit_code == 0, out.output
    said = json.loads(out.stdout)
    assert (said["paired"], said["n_comparisons"], said["budgets"]) == (True, 4, [120, 240])
    assert said["procedures"][2] == "default, 6 looks"
    assert {row["procedure"] for row in said["savings"]} == set(said["procedures"][1:])


def test_the_number_of_processes_does_not_matter(judgments: Path) -> None:
    one, two = (run(judgments, *FEW, "--jobs", jobs, "--json").stdout for jobs in (1, 2))
    assert one == two


def test_every_pair_within_a_comparison_is_an_entry(judgments: Path) -> None:
    table = list(rows())
    archive = read_archive(judgments, comparison="campaign").table
    means = {
        key: np.mean([r[4] for r in table if (r[0], r[1]) == key])
        for key in [("x", "a"), ("x", "b"), ("x", "c"), ("y", "a"), ("y", "b")]
    }
    pairs = [("x", "a", "b"), ("x", "a", "c"), ("x", "b", "c"), ("y", "a", "b")]
    expected = [means[c, one] - means[c, other] for c, one, other in pairs]
    assert archive.differences == pytest.approx(expected)
    together = read_archive(judgments).table
    assert len(together) == 3


def test_pairs_match_and_average_repeats(tmp_path: Path) -> None:
    path = tmp_path / "few.tsv"
    lines = ["system\tsegment\tscore", "a\t1\t10", "a\t1\t20", "b\t1\t12", "a\t2\t5", "b\t2\t7"]
    path.write_text("\n".join([*lines, "a\t3\t9", "b\t4\t", "b\t4\t1"]))
    loaded = read_archive(path, pair_by=["segment"])
    assert loaded.table.values.tolist() == [-2.0, 3.0]
    assert loaded.notes == (
        "1 judgment without a score left out.",
        "2 judgments without a partner left out.",
    )


def test_messages_name_the_column(judgments: Path) -> None:
    with pytest.raises(DataError, match="there is no column 'rating'"):
        read_archive(judgments, score="rating")
    with pytest.raises(DataError, match="no two systems"):
        read_archive(
            judgments, comparison="segment", system="campaign", pair_by=["score", "rater"]
        )
    assert run(judgments, "--budgets", "many").exit_code == 2
