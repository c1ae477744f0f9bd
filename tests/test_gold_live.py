"""No number of gold/live.json is left without a test."""

import ast
import re

import pytest

from tests.gold_live import NOT_HERE, all_live, matching, not_here, users


def strings() -> tuple[set[str], list[re.Pattern[str]]]:
    """Return all strings in the tests that ask for these numbers, and patterns of those with gaps."""
    words, patterns = set(), []
    for path in users():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words.add(node.value)
            elif isinstance(node, ast.JoinedStr) and "/" in ast.unparse(node):
                parts = [
                    re.escape(str(part.value)) if isinstance(part, ast.Constant) else "[^/]+"
                    for part in node.values
                ]
                patterns.append(re.compile("".join(parts)))
    return words, patterns


@pytest.mark.golden
def test_every_section_and_every_row_stands_in_a_test() -> None:
    """Each by its name, or by one with gaps; `python -m tests.gold_live` says what was asked for indeed."""
    words, patterns = strings()
    elsewhere = not_here()
    left = [one for place, one in enumerate(all_live()) if place not in elsewhere]
    names = {one["section"] for one in left} - {"rows"} | {
        one["settings"]["row"] for one in left if one["section"] == "rows"
    }
    missing = {
        name for name in names - words if not any(one.fullmatch(name) for one in patterns)
    }
    assert sorted(missing) == []


@pytest.mark.golden
def test_what_is_not_here_is_there() -> None:
    assert len(all_live()) == 612
    for section, settings, why in NOT_HERE:
        assert matching(section, settings), section
        assert len(why) > 20
