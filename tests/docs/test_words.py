"""Words that people see are plain: no pattern that was found hard to read comes back.

Every pattern has its reason, and the number of places that still have it. That number may only
fall: whoever mends a place writes the new one, and whoever adds a place is told which rule it breaks.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from detectable.cli import main
from tests.docs.blocks import ROOT, pages

FROZEN = ROOT / "tests" / "frozen"
PACKAGE = ROOT / "src" / "detectable"


@dataclass(frozen=True, slots=True)
class Banned:
    """A pattern, why it is hard to read, and how many places of each kind still have it."""

    pattern: str
    reason: str
    shown: int = 0
    pages: int = 0
    source: int = 0


BANNED = {
    "guillemets": Banned(
        "[«»]",
        "English quotes are “ and ”, or straight ones in code",
        source=6,  # widths and LaTeX of a character that names may hold
    ),
    "told apart": Banned(
        r"\btold apart\b|\btells? [^.\n]{0,30}\bapart\b",
        "the terms are: differ significantly, confounded, distinguish",
    ),
    "could see": Banned(
        r"\bcould (?:see\b|have seen)", "a test detects; say what it could detect"
    ),
    "of which": Banned(
        r"\bof which\b(?! kind)", "start a sentence with the noun instead", pages=2, source=79
    ),
    "surely": Banned(r"\bsurely\b", "a test shows a loss at a level; nothing is sure"),
    "are had": Banned(r"\bare had\b", "say how they are computed"),
    "why ever": Banned(r"\bwhy ever\b|\bwhenever and\b", "at any time, for any reason"),
    "also where": Banned(r"\balso where\b", "even if"),
    "no line": Banned(
        r"\blines? can be drawn\b", "say how many clusters there are, or that there is one"
    ),
    "a metric that says nothing": Banned(
        r"\bmetric (?:gets )?that says nothing\b", "the term is: an uninformative metric"
    ),
    "takes documents": Banned(r"\btakes [\d,]+ documents\b", "an interval needs documents"),
    "training run": Banned(r"\banother training run\b|\banother sampling run\b", "other seeds"),
    "ask yet": Banned(r"\bnothing to ask yet\b", "say what is there, and what to give next"),
    "worse in": Banned(r"\bare worse in [A-Z]", "BLEU: 2 of 5 systems are worse than X"),
    "simpler analysis": Banned(
        r"\bcommon simpler analysis\b", "name it: segments taken as independent"
    ),
    "p = <": Banned(r"\bp = <", "p < .0001"),
    "minus zero": Banned(r"(?<![\w.|:])[−-]0\.0+(?![\d.])", "zero has no sign"),
    "e-06": Banned(r"(?<![\d.,])\d\.\d{4,}e-\d\d(?!\d*[,}\]])", "at most four digits; < .0001"),
    "Python arguments": Banned(
        r"(?<![\w`\"(.])[a-z_]+=(?:True|False|None)\b|(?<![\w`\"(.])[a-z_]+=(?:\[|\{)'",
        "the command line names options: --margin bleu=1",
        shown=1,  # a note in JSON, which Python reads as well
    ),
}


def shown() -> list[Path]:
    """Return what was stored of terminals, pages, LaTeX and CSV, and the words of the server."""
    strings = PACKAGE / "web" / "strings"
    templates = [*PACKAGE.rglob("*.j2"), strings / "en.json", strings / "rating" / "en.json"]
    kept = [
        path for name in ("said", "shown", "variants") for path in (FROZEN / name).iterdir()
    ]
    return sorted([*kept, *templates, ROOT / "docs" / "cli.md"])


def source() -> list[Path]:
    """Return the program, with its messages, docstrings and comments."""
    return sorted(PACKAGE.rglob("*.py"))


KINDS: dict[str, Callable[[], list[Path]]] = {
    "shown": shown,
    "pages": lambda: [*pages(), ROOT / "CONTRIBUTING.md"],
    "source": source,
}
# Code says `name=True`, numbers and quoted marks itself: these are looked for in what is shown.
OF_TEXT_ONLY = {"Python arguments", "minus zero", "e-06"}


@cache
def texts(kind: str) -> tuple[tuple[str, str], ...]:
    return tuple((path.relative_to(ROOT).as_posix(), words_of(path)) for path in KINDS[kind]())


def words_of(path: Path) -> str:
    """Return the text of a file; of what commands said as JSON, the words without the numbers."""
    text = path.read_text(encoding="utf-8")
    if path.parent.name != "said":
        return text
    return "\n".join(strings_of(json.loads(text)))


def strings_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings_of(one)


def found(name: str, kind: str) -> list[str]:
    """Return the places that a pattern has, as file, line and words."""
    pattern = re.compile(BANNED[name].pattern)
    return [
        f"{path}:{text.count(chr(10), 0, one.start()) + 1}: {one[0]}"
        for path, text in texts(kind)
        for one in pattern.finditer(text)
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BANNED)
def test_no_banned_pattern_comes_back(name: str, kind: str) -> None:
    if name in OF_TEXT_ONLY and kind != "shown":
        pytest.skip("code says such things itself")
    rule, places = BANNED[name], found(name, kind)
    left = getattr(rule, kind)
    assert len(places) == left, (
        f"{rule.reason}: {len(places)} places, {left} were left; fewer are welcome, then "
        f"write {kind}={len(places)} in BANNED\n" + "\n".join(places[:40])
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("guillemets", "it said «continue»"),
        ("told apart", "the rule would tell 2 of 3 pairs apart"),
        ("could see", "what it could have seen"),
        ("no line", "1 line can be drawn"),
        ("minus zero", "a difference of −0.0000 points"),
        ("e-06", "Type-S  1.19084e-06"),
        ("Python arguments", "Give lower_is_better=['score']"),
        ("Python arguments", "or say quoted=False."),
        ("p = <", "p = <.0001"),
    ],
)
def test_a_pattern_finds_what_it_is_for(name: str, text: str) -> None:
    assert re.search(BANNED[name].pattern, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("minus zero", "rho:-0.0|pool"),
        ("minus zero", "−0.0035 to 0.2"),
        ("e-06", "0.903174,1.1131e-05,2"),
        ("Python arguments", "`quoted=False` in Python"),
    ],
)
def test_a_pattern_leaves_data_and_code_alone(name: str, text: str) -> None:
    assert not re.search(BANNED[name].pattern, text)


# --- Help fits a terminal, and no summary is cut ---


def commands(group: click.Group, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield (*above, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*above, name))


@pytest.mark.parametrize("words", list(commands(main)), ids=" ".join)
def test_help_fits_eighty_columns(words: tuple[str, ...]) -> None:
    said = CliRunner().invoke(main, [*words, "--help"], terminal_width=80)
    assert said.exit_code == 0
    assert [line for line in said.output.splitlines() if len(line) > 80] == []


def test_no_summary_of_a_command_is_cut() -> None:
    listed = CliRunner().invoke(main, ["--help"], terminal_width=80).output.splitlines()
    summaries = dict(line.split(None, 1) for line in listed if re.match(r"  [a-z]", line))
    for name, command in main.commands.items():
        said = summaries[name]
        assert not said.endswith(("...", "…")), said
        assert len(said) <= 50, said
        assert said.strip() == (command.short_help or command.get_short_help_str(200)).strip()
