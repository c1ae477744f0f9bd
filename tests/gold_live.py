"""Numbers of gold/live.json, which stay outside the repository: 612 entries in sections.

Tests ask for them here and nowhere else: for a whole section, or for those with some settings. That each is
asked for indeed, where `NOT_HERE` does not say why not, says

    python -m tests.gold_live

which runs all tests that import this file, the slow ones too, and takes minutes.
"""

import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

from tests.helpers import reference_data

ASKED: set[int] = set()  # by the tests that ran in this process

_RULE = (
    "measured with a fail that stops at once, which this package has not: a small loss within the margin "
    "would fail. tests/calibration/test_live.py holds the error rates of the same worlds by its own rule"
)
# What cannot be computed here, and why, by section and settings.
NOT_HERE: tuple[tuple[str, Mapping[str, Any], str], ...] = (
    ("stop: pass, fail, futile, share of questions run", {"procedure": "bets"},
     "stops of live evaluations are by prefixes; bets are e-processes, with tests of their own"),
    ("stop: pass, fail, futile, share of questions run", {"procedure": "hsd gamma .02"},
     "another limit of «unlikely», tried once; the rule has .05"),
    ("stop: pass, fail, futile, share of questions run", {"procedure": "hsd gamma .10"},
     "another limit of «unlikely», tried once; the rule has .05"),
    ("naive fail rule (no predictive power)", {}, _RULE),
    ("order of completion, 0/1", {}, _RULE),
    ("order of completion, by what makes answers slow", {}, _RULE),
    ("order of completion, scores between 0 and 1", {}, _RULE),
    ("precision, simulated", {"rule": "wald"}, "Wald's interval is what nobody should stop by"),
    ("epochs", {"clock": "information"}, "the information of epochs is not known before the end"),
)  # fmt: skip


class Gold(NamedTuple):
    """One entry."""

    settings: Mapping[str, Any]
    value: Mapping[str, Any]
    tolerance: Any

    @property
    def within(self) -> float:
        """How far simulated shares may be off."""
        found: float = self.tolerance["shares_within"]
        return found


@cache
def all_live() -> list[dict[str, Any]]:
    """Return all entries."""
    text = reference_data("gold", "live.json").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)["entries"]
    return found


def matching(section: str, settings: Mapping[str, Any]) -> list[int]:
    """Return the places of the entries of a section with such settings."""
    return [
        place
        for place, one in enumerate(all_live())
        if one["section"] == section
        and all(one["settings"].get(name) == value for name, value in settings.items())
    ]


def live(section: str, **settings: Any) -> list[Gold]:
    """Return the entries of a section with such settings; at least one."""
    places = matching(section, settings)
    assert places, f"{section}: no entry with {settings}"
    ASKED.update(places)
    entries = [all_live()[place] for place in places]
    return [Gold(one["settings"], one["value"], one["tolerance"]) for one in entries]


def live_row(name: str, **settings: Any) -> Gold:
    """Return one of the rows."""
    (found,) = live("rows", row=name, **settings)
    return found


def not_here() -> set[int]:
    """Return the places of entries that cannot be computed here."""
    return {place for section, of, _ in NOT_HERE for place in matching(section, of)}


def users() -> list[Path]:
    """Return the tests that ask for these numbers."""
    tests = Path(__file__).parent
    found = (path for path in sorted(tests.rglob("test_*.py")) if path.stem != "test_gold_live")
    return [path for path in found if "tests.gold_live" in path.read_text("utf-8")]


def unasked(*options: str) -> list[str]:
    """Run the tests in this process, and return the entries that they did not ask for."""
    pytest.main(["-q", "-p", "no:cacheprovider", *options, *map(str, users())])
    left = set(range(len(all_live()))) - ASKED - not_here()
    return [f"{all_live()[i]['section']}: {all_live()[i]['settings']}" for i in sorted(left)]


if __name__ == "__main__":
    from tests import gold_live  # as the tests import it: this one is called __main__

    chosen = sys.argv[1:] or ["-m", "slow or not slow"]
    left = gold_live.unasked(*chosen)
    click.echo(f"asked for by no test: {len(left)}")
    for one in left:
        click.echo(one)
