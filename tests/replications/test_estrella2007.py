"""The replication of estrella2007 runs, and its README says what it finds."""

import re

import pytest

from replications.estrella2007.campaigns import merged
from replications.estrella2007.replicate import LIST, main
from replications.listed import listed
from tests.helpers import reference_data


@pytest.mark.golden
def test_every_number_is_as_listed() -> None:
    assert main(reference_data("data", "wmt")) == []


def test_the_readme_counts_what_is_listed() -> None:
    said = LIST.with_name("README.md").read_text(encoding="utf-8")
    assert f"all {len(listed(LIST))} numbers" in said


def test_the_readme_states_ranges_that_are_listed() -> None:
    """Every range in the README is that of the rows it is about."""
    rows = {row["name"]: row["expected"] for row in listed(LIST)}
    said = " ".join(LIST.with_name("README.md").read_text(encoding="utf-8").split())

    def span(pattern: str, *, human: bool = False) -> list[float]:
        found = [
            value
            for name, value in rows.items()
            if re.search(pattern, name) and ("human" in name) == human
        ]
        return [min(found), max(found)]

    low, high = span(r"documents, \w+, coverage")
    assert f"cover {100 * low:.0f} to {100 * high:.0f} %" in said
    low, high = span(r"τ on \d+$")
    assert f"τ = .{100 * low:.0f} to .{100 * high:.0f} to that" in said
    low, high = span(r"τ on \d+, to the others")
    assert f".{100 * low:.0f} to .{100 * high:.0f} to that of the others" in said
    low, high = span(r"same winner")
    assert f"same in {100 * low:.0f} to {100 * high:.0f} % of orders" in said
    low, high = span(r"documents, \w+, design effect")
    assert f"design effects of {low:.1f} to {high:.1f} for metrics" in said
    low, high = span("no minimum")
    assert f"For {low:.0f} to {high:.0f} of" in said


def test_what_stands_beside_ours_is_table_2_of_the_paper() -> None:
    [path] = reference_data("seeds").glob("001_*.txt")
    table: dict[tuple[str, str], str] = {}
    metric = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = re.sub(r"</?b>|[$\\{}]", "", line).split("\t")
        metric = cells[0] or metric
        if len(cells) == 7 and cells[1] in ("x_min", "x_max"):
            table[metric.lower(), cells[1]] = ", ".join(cells[2:])
    assert len(table) == 14
    for row in listed(LIST):
        found = re.search(r"15 documents, (\w+), (x_\w+)$", row["name"])
        said = row.get("beside")
        if found and found[1] == "human":
            parts = (f"{name} {table[name, found[2]]}" for name in ("adequacy", "fluency"))
            assert said == "; ".join(parts)
        elif found:
            assert said == table.get((found[1], found[2])), row


def test_consecutive_documents_are_merged_until_they_are_long_enough() -> None:
    documents = ["a"] * 30 + ["b"] * 25 + ["c"] * 60 + ["d"] * 10
    assert merged(documents) == ["0"] * 55 + ["1"] * 60 + ["2"] * 10
