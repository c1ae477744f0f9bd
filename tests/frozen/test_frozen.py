"""What every command says stays what it was: number by number, and word by word in all forms.

A change of a number is a change for users: it belongs into CHANGELOG.md under «Numbers that
change». ``pytest tests/frozen --update`` stores the new answers and texts.
"""

import csv
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import pytest

from detectable.cli import main
from detectable.core.result import Result
from detectable.kernels.word_matches import is_native
from detectable.report.blocks import Chart, Table, unsectioned
from detectable.report.blocks_of import blocks_of
from detectable.report.render.csv import table_csv
from detectable.report.saved.load import read_saved
from tests.frozen.cases import CASES
from tests.frozen.run import HERE, keeps, kept, plain, said, stored

WITH_TER = ("compare-texts", "reliability-texts")
# Sums of floats may be added up in another order by another BLAS; nothing else may differ.
ROUNDING = 1e-9
# A mixed model is the end of a search: two versions of scipy stop 1e-8 apart.
SEARCHED = 1e-6


def differences(
    found: Any, kept: Any, where: str = "", *, rounding: float = ROUNDING
) -> list[str]:
    """Return every place at which two JSON values differ."""
    places: list[tuple[Any, Any, str]] = []
    if isinstance(found, dict) and isinstance(kept, dict):
        keys = sorted(found.keys() | kept.keys())
        places = [(found.get(k, "absent"), kept.get(k, "absent"), f"{where}.{k}") for k in keys]
    elif isinstance(found, list) and isinstance(kept, list) and len(found) == len(kept):
        pairs = enumerate(zip(found, kept, strict=True))
        places = [(a, b, f"{where}[{i}]") for i, (a, b) in pairs]
    elif isinstance(found, float | int) and isinstance(kept, float | int):
        same = abs(found - kept) <= rounding * max(1.0, abs(kept))
        return [] if same else [f"{where}: {found!r}, was {kept!r}"]
    elif found != kept:
        return [f"{where}: {found!r}, was {kept!r}"]
    return [line for place in places for line in differences(*place, rounding=rounding)]


@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_what_it_was(
    name: str,
    tmp_path: Path,
    freeze: Callable[[Path, str], None],
    request: pytest.FixtureRequest,
) -> None:
    if name in WITH_TER and not is_native():
        pytest.skip("without the kernels it says that TER is slow")
    now = said(name, tmp_path)
    if request.config.getoption("--update"):
        text = json.dumps(now.answer, indent=1, ensure_ascii=False)
        stored(name).write_text(f"{text}\n", encoding="utf-8")
    before = json.loads(stored(name).read_text(encoding="utf-8"))
    rounding = SEARCHED if "mixed" in name or "likert" in name else ROUNDING
    assert differences(now.answer, before, rounding=rounding) == []
    freeze(HERE / "shown" / f"{name}.txt", now.shown)
    if keeps(name):
        kept_as_said(now.answer, tmp_path)


def kept_as_said(now: Any, folder: Path) -> None:
    """Check what ``--out`` wrote in the same run: it loads, says the same, and tells no places."""
    text = kept(folder).read_text(encoding="utf-8")
    assert str(folder) not in text
    assert str(HERE) not in text
    assert "$any" not in text  # every value is of its declared type
    found = read_saved(kept(folder))
    assert found.notes == ()
    again = plain(json.loads(json.dumps(found.result.to_dict())))
    # The names of files are kept without their folders.
    assert differences(again, without_folder(now, folder), rounding=0.0) == []
    in_python(found.result)
    assert found.command[0] == "main"
    help_names_charts(found.command[1:], found.result)
    assert all(len(file.sha256) == 64 for file in found.inputs)


def help_names_charts(words: Sequence[str], result: Result) -> None:
    """Check that help of the command names every chart, where there are several."""
    charts = [one.id for one in unsectioned(blocks_of(result)) if isinstance(one, Chart)]
    where: click.Command = main
    for word in words:
        if isinstance(where, click.Group):
            where = where.commands[word]
    (option,) = [one for one in where.params if one.name == "chart"]
    assert isinstance(option, click.Option)
    named = re.search(r"Draw a chart \((.*?)\)", option.help or "")
    known = named[1].split(", ") if named else charts[:1]
    for chart in charts:
        assert any(re.fullmatch(one.replace("METRIC", ".+"), chart) for one in known), chart


def in_python(result: Result) -> None:
    """Check that a result is one short line, and that its frames are its CSV tables."""
    line = repr(result)
    assert len(line) <= 300
    assert "\n" not in line
    assert line.startswith(f"<{type(result).__name__}: ")
    for table in [one for one in unsectioned(blocks_of(result)) if isinstance(one, Table)]:
        frame = result.to_frame(table.id)
        header, *rows = csv.reader(table_csv(table).splitlines())
        assert frame.columns == header
        assert frame.height == len(table.rows) <= len(rows)  # a cell may hold a line end


def without_folder(value: Any, folder: Path) -> Any:
    """Return a JSON value without the folder in which the command ran."""
    return json.loads(json.dumps(value).replace(f"{folder}/", ""))


def test_every_command_is_frozen() -> None:
    frozen = {case[-1].split()[0] for case in CASES.values()}
    # Three have no result; the other types a command, which looks at a clock of its own.
    assert frozen == set(main.commands) - {"serve", "skill", "mcp", "release"}


def test_the_comparison_finds_what_differs() -> None:
    kept = {"a": [1.0, {"b": "x"}], "c": None}
    assert differences({"a": [1.0 + 1e-12, {"b": "x"}], "c": None}, kept) == []
    assert differences({"a": [1.1, {"b": "y"}], "d": 1}, kept) == [
        ".a[0]: 1.1, was 1.0",
        ".a[1].b: 'y', was 'x'",
        ".c: 'absent', was None",
        ".d: 1, was 'absent'",
    ]
