"""Blocks as JSON values: what the explorer shows of every result."""

import json
import math
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.report.blocks import (
    Column,
    Matrix,
    Methods,
    Repeat,
    Table,
    Text,
    Verdict,
    table,
)
from detectable.report.blocks_of import blocks_of
from detectable.report.render.block_values import MOST_ROWS, block_values
from tests.report.results import RESULTS


def of(block: Any) -> dict[str, Any]:
    [made] = block_values([block])
    return made


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_every_result_is_json_with_its_verdict_first(name: str) -> None:
    blocks = blocks_of(RESULTS[name], command="detectable it")
    made = json.loads(json.dumps(block_values(blocks), allow_nan=False))
    assert made[0]["block"] == "verdict"
    assert made[0]["headline"] == blocks[0].headline  # type: ignore[union-attr]
    assert made[-1] == {
        "block": "repeat",
        "signature": str(RESULTS[name].signature),
        "command": "detectable it",
    }
    kinds = [one["block"] for one in made if one["block"] == "chart"]
    assert len(kinds) == sum(type(block).__name__ == "Chart" for block in blocks)
    tables = [block for block in blocks if isinstance(block, Table)]
    assert [one["id"] for one in made if one["block"] == "table"] == [t.id for t in tables]
    for one in made:
        if one["block"] == "table":
            assert all(len(row) == len(one["columns"]) for row in one["rows"])


def test_cells_are_text_with_what_they_are_sorted_by() -> None:
    columns = (
        Column("name", "name", "name"),
        Column("x", "x", sign=True),
        Column("interval", "interval", "interval"),
        Column("p", "p", "p"),
        Column("n", "n", "count"),
        Column("verdict", "verdict", "verdict"),
        Column("old", "old", keep=9),
    )
    rows = (
        ("a", -0.5, Interval(-1.0, 2.0, 0.95), 1e-9, 1234, "better", 1.0),
        ("b", math.nan, None, math.inf, None, None, 1.0),
    )
    made = of(Table("t", "T", columns, rows))
    assert made["rows"] == [
        ["a", ["−0.50", -0.5], ["[−1.00, 2.00]", -1.0], ["<.0001", 1e-9], ["1,234", 1234], ["▲ better", "better"]],
        ["b", "–", "–", [made["rows"][1][3][0], 1e300], "–", ["–", "info"]],
    ]  # fmt: skip
    assert [column["key"] for column in made["columns"]] == [c.key for c in columns[:-1]]
    assert [column["classes"] for column in made["columns"]][:2] == ["left", ""]
    assert [column["verdict"] for column in made["columns"]] == [False] * 5 + [True]


def test_a_phone_without_room_gets_signs() -> None:
    columns = (Column("name", "name", "name"), Column("verdict", "verdict", "verdict"))
    assert of(Table("t", "T", columns, (("a", "better"),)))["signs"] == ""
    made = of(Table("t", "T", columns, (("a" * 60, "better"), ("b", "undecided"))))
    assert made["signs"] == "▲ better, ○ undecided"


def test_a_table_names_the_systems_of_its_rows() -> None:
    name = Column("system", "system", "name")
    both = (name, Column("baseline", "against", "name"), Column("d", "d"))
    made = of(Table("pairs", "P", both, (("new", "old", 1.0), ("b", "old", 2.0))))
    assert made["pairs"] == [["new", "old"], ["b", "old"]]
    assert "systems" not in made
    # What all rows share is said in the title.
    assert made["title"] == "P (against old)"
    assert [column["key"] for column in made["columns"]] == ["system", "d"]
    ranked = (Column("better", "h", "name"), Column("worse", "l", "name"))
    assert of(Table("r", "R", ranked, (("x", "y"),)))["pairs"] == [["x", "y"]]
    assert of(Table("s", "S", (name,), (("x",),)))["systems"] == ["x"]
    assert not {"pairs", "systems"} & of(Table("n", "N", (Column("d", "d"),), ((1.0,),))).keys()


def test_the_heading_of_a_block_of_rows_is_the_first_column() -> None:
    columns = [Column("metric", "metric", "name"), Column("system", "system", "name")]
    rows = (("BLEU", "a"), ("BLEU", "b"), ("TER", "a"), ("TER", "b"))
    made = of(Table("t", "T", tuple(columns), rows, breaks=(2,)))
    assert [row[0] for row in made["rows"]] == ["BLEU", "BLEU", "TER", "TER"]
    assert (made["breaks"], made["grouped"]) == ([2], True)
    assert not of(Table("t", "T", tuple(columns), rows))["grouped"]


def test_very_long_tables_are_cut_and_counted() -> None:
    many = table("t", "T", [Column("real", "x")], [1.0] * (MOST_ROWS + 5), breaks=[1, 2003])
    made = of(many)
    assert (len(made["rows"]), made["n_rows"], made["breaks"]) == (
        MOST_ROWS,
        MOST_ROWS + 5,
        [1],
    )


def test_the_other_blocks() -> None:
    assert of(Verdict("worse", "No.", ("Why.",))) == {
        "block": "verdict", "status": "worse", "headline": "No.", "detail": ["Why."]
    }  # fmt: skip
    text = of(Text("checks", "C", "t", (("look", "x"),)))
    assert (text["role"], text["text"], text["points"]) == ("checks", "t", [["look", "x"]])
    matrix = of(Matrix("m", "M", ("a", "b"), ((None, "better"), ("worse", None)), note="N"))
    assert matrix["marks"] == [["", "▲"], ["▼", ""]]
    assert matrix["statuses"][0][1] == "better"
    assert matrix["note"].endswith("undecided. N")
    assert of(Methods("We.", ()))["bibtex"].startswith("@misc{detectable,")
    assert "@article{holm-1979" in of(Methods("We.", ("holm-1979",)))["bibtex"]
    assert of(Repeat("s"))["command"] == ""
