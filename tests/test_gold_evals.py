"""No number of gold/evals.json is left without a test."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gold_evals import all_evals

TESTS = Path(__file__).parent

# What cannot be computed here, and why.
NOT_HERE = {
    "wmt25.systems_per_lang": "the scores of WMT25 are not among the reference data; their format "
    "is tested on rows of a sample (tests/data/human/test_published_files.py)",
}


def trees() -> Iterator[tuple[Path, ast.Module]]:
    """Yield the test files that ask for gold numbers, as trees."""
    for path in sorted(TESTS.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "gold_evals" in text and path != Path(__file__):
            yield path, ast.parse(text)


@pytest.mark.golden
def test_every_number_is_asked_for_by_its_whole_name() -> None:
    """Every name stands in a test that imports `evals`, as a string of its own.

    `python -m tests.gold_evals` runs these tests and says which names were asked for indeed.
    """
    written = {
        node.value
        for _, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    known = set(all_evals())
    missing = sorted(known - written - set(NOT_HERE))
    assert not missing, f"no test asks for {', '.join(missing)}"
    assert not set(NOT_HERE) & written  # a test has come
    assert not set(NOT_HERE) - known


def test_no_name_is_put_together() -> None:
    """`evals(f"task.{name}.se")` would hide from a search which names have a test."""
    hidden = [
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("evals", "by_system")
        and isinstance(node.args[0], ast.JoinedStr | ast.BinOp)
    ]
    assert hidden == []
