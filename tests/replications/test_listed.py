"""The lists: what was published stands where they say, and what agrees is found by comparing."""

import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from replications.listed import (
    SOURCES,
    Number,
    Total,
    compare_listed,
    compared,
    counted,
    kind,
    listed,
)
from replications.totals import HERE, LISTS
from tests.helpers import reference_data

ROWS = [
    (paper, row)
    for paper, names in LISTS.items()
    for name in names
    for row in listed(HERE / paper / name)
]
PRINTED = [(paper, row) for paper, row in ROWS if kind(row) == "paper"]
FIELDS = {
    *("name", "of", "needs", "expected", "error", "tolerance", "rounding", "reason", "note"),
    *("paper", "printed", "where", "near", "above", "published", "source", "beside"),
}


def digits(printed: str) -> tuple[float, float]:
    """Return a printed number, and half a unit of its last digit."""
    found = re.search(r"[-+]?[\d,]*\.?\d+", printed)
    assert found, printed
    text = found[0].replace(",", "")
    half = 0.5 * 10.0 ** -len(text.partition(".")[2]) if "." in text else 0.5
    share = 0.01 if printed.endswith("%") else 1.0
    return float(text) * share, half * share


@cache
def seed(paper: str) -> list[str]:
    """Return the lines of a paper's text, percent signs without the backslash of TeX."""
    folder = reference_data("seeds")
    named = re.findall(r"\| (\S+\.txt) \| (\w+) \|", (folder / "README.md").read_text())
    [name] = [name for name, key in named if key == paper]
    return (folder / str(name)).read_text(encoding="utf-8").replace("\\%", "%").splitlines()


def test_every_field_is_known_and_every_name_is_one_row() -> None:
    for paper, row in ROWS:
        assert set(row) <= FIELDS, (paper, row)
        assert len({"paper", "published", "beside"} & set(row)) <= 1, row
    names = [(paper, row["name"]) for paper, row in ROWS]
    assert len(names) == len(set(names))


def test_a_list_names_who_published_a_number() -> None:
    for _, row in ROWS:
        if kind(row) == "paper":
            assert all(row[field] for field in ("printed", "where", "near")), row
        elif "published" in row:
            assert row["source"] in SOURCES
        else:
            assert not {"source", "where", "printed", "rounding"} & set(row), row
    assert {row["source"] for _, row in ROWS if "published" in row} == set(SOURCES)


def test_a_tolerance_is_the_rounding_of_the_print_or_has_a_reason() -> None:
    for _, row in ROWS:
        if kind(row) is None or row.get("above") or isinstance(row["expected"], str):
            continue
        if "reason" in row:
            continue
        if "printed" in row and row["rounding"]:
            assert row["rounding"] == pytest.approx(digits(row["printed"])[1]), row
        elif row["rounding"]:
            assert math.log10(2 * row["rounding"]) == pytest.approx(
                round(math.log10(2 * row["rounding"]))
            ), row


@pytest.mark.parametrize(
    ("paper", "row"), PRINTED, ids=lambda v: v if isinstance(v, str) else v["name"]
)
def test_a_number_of_a_paper_stands_in_its_text(paper: str, row: dict[str, Any]) -> None:
    value, _ = digits(row["printed"])
    assert value == pytest.approx(row["paper"])
    alone = re.compile(rf"(?<![\d.,]){re.escape(row['printed'])}(?!\d|[.,]\d)")
    lines = [line for line in seed(paper) if row["near"] in line]
    assert any(alone.search(line) for line in lines), (row["printed"], lines)


def test_no_number_is_counted_twice() -> None:
    """A number of the paper may be printed in two places, but it is one row."""
    places = [(paper, row["printed"], row["where"]) for paper, row in PRINTED]
    assert len(places) == len(set(places))


def test_what_agrees_is_found_by_comparing() -> None:
    row = {"name": "a", "expected": 1.04, "tolerance": 0, "paper": 1.0, "rounding": 0.05}
    assert counted([row])["paper"] == Total(1, 1)
    assert counted([row | {"expected": 1.06}])["paper"] == Total(0, 1)
    assert counted([row | {"expected": 1.06, "error": 0.01}])["paper"] == Total(1, 1)
    assert counted([row | {"expected": "none"}])["paper"] == Total(0, 1)
    assert counted([row | {"above": True}])["paper"] == Total(1, 1)
    assert counted([row | {"above": True, "expected": 0.99}])["paper"] == Total(0, 1)
    words = {"name": "b", "expected": "1 to 2", "published": "1 to 2", "source": "BLEU.ipynb"}
    assert counted([words])["authors"] == Total(1, 1)
    assert counted([words | {"expected": "1 to 3"}])["authors"] == Total(0, 1)
    assert counted([{"name": "c", "expected": 1, "beside": "1–3"}])["paper"] == Total(0, 0)
    assert str(Total(0, 0)) == "none"


def written(folder: Path) -> Path:
    path = folder / "expected.toml"
    path.write_text(
        """
[[number]]
name = "a"
expected = 1.0
tolerance = 0.1
paper = 1.2
rounding = 0.3

[[number]]
name = "a, again"
of = "a"
expected = 1.0
tolerance = 0.1
published = 5.0
source = "BLEU.ipynb"
rounding = 0.5

[[number]]
name = "b"
expected = "none"
tolerance = 0

[[number]]
name = "c"
expected = 2.0
tolerance = 0.1
beside = "1–3"

[[number]]
name = "d"
expected = "2+7"
published = "2+7"
source = "WMT21 official results"
needs = "Java"
"""
    )
    return path


def test_a_number_that_is_not_as_listed_is_named(tmp_path: Path) -> None:
    path = written(tmp_path)
    good: dict[str, Number | str] = {
        "a": Number(1.05),
        "b": Number(None),
        "c": Number(2.0),
        "d": "2+7",
    }
    assert compare_listed(path, good) == []
    assert len(compare_listed(path, good | {"a": Number(1.25)})) == 2
    assert compare_listed(path, good | {"a": Number(1.25, 0.1)}) == []
    assert len(compare_listed(path, good | {"b": Number(0.0)})) == 1
    assert compare_listed(path, good | {"d": "9"}) == ["d: 9, expected 2+7, differs"]
    assert compare_listed(path, good | {"e": Number(0.0)}) == ["e is not in expected.toml"]
    del good["c"]
    assert compare_listed(path, good) == ["c was not computed"]


def test_one_value_stands_beside_two_published_ones(tmp_path: Path) -> None:
    rows = compared(written(tmp_path), {"a": Number(1.0), "b": Number(None), "c": Number(2.0)})
    assert [(row.kind, row.matches) for row in rows[:2]] == [
        ("paper", True),
        ("authors", False),
    ]


def test_a_lower_bound_is_shown_as_one(tmp_path: Path) -> None:
    path = tmp_path / "expected.toml"
    path.write_text(
        '[[number]]\nname = "a"\nexpected = 0.81\ntolerance = 0.01\npaper = 0.8\nabove = true\n'
    )
    [row] = compared(path, {"a": Number(0.812)})
    assert (row.published, row.tolerance, row.matches) == ("above 0.8", None, True)
    [row] = compared(path, {"a": Number(0.8)})
    assert row.problem


def test_few_repetitions_do_not_overrule_the_list(tmp_path: Path) -> None:
    path = tmp_path / "expected.toml"
    path.write_text(
        '[[number]]\nname = "a"\nexpected = 1.0\nerror = 0.01\ntolerance = 0\npaper = 1.2\nrounding = 0.05\n'
    )
    [few] = compared(path, {"a": Number(1.02, 0.1)})
    assert (few.matches, few.problem) == (False, "")
    [many] = compared(path, {"a": Number(1.2, 0.005)})
    assert many.matches is True
    assert many.problem


def test_what_is_not_here_is_said_and_is_no_problem(tmp_path: Path) -> None:
    found = {"a": Number(1.0), "b": Number(None), "c": Number(2.0)}
    row = compared(written(tmp_path), found, missing={"Java": "no Java here"})[-1]
    assert (row.state, row.why, row.problem) == ("not run", "no Java here", "")
