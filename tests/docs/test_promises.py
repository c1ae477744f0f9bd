"""Every promise about files names the tests that hold it, and these exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.docs.blocks import pages

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


@cache
def _tests_of(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_every_test_that_a_page_names_exists(page: Path) -> None:
    for path, name in NAMED.findall(page.read_text(encoding="utf-8")):
        assert (ROOT / path).is_file(), path
        assert not name or name in _tests_of(path), f"{path}::{name}"


def test_every_promise_is_held_by_a_test() -> None:
    text = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    tables = re.findall(r"^\|.*\| held by \|\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    rows = [row for table in tables for row in table.splitlines()]
    assert len(tables) == 5
    # No other table is there: whoever adds a promise says what holds it.
    assert len(rows) == len(re.findall(r"^\|", text, re.MULTILINE)) - 2 * len(tables)
    for row in rows:
        held = NAMED.findall(row.rstrip(" |").rpartition(" | ")[2])
        assert held, row
        assert all(name for _, name in held), row
