"""Run the frozen commands, once each, and keep all that they say."""

import datetime
import json
import re
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from click.testing import CliRunner

from detectable.cli import command, main
from detectable.report.several import Report
from tests.frozen.cases import CASES
from tests.frozen.forms import forms, plain_text, rounded, together

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PLACES = {
    "data": HERE / "data",
    "samples": HERE.parent / "data" / "samples",
    "example": ROOT / "src" / "detectable" / "data" / "texts" / "example",
}
_TEXTS = {".json", ".jsonl", ".csv", ".tsv"}  # what commands write and people read


_NOON = datetime.datetime(2026, 1, 15, 12, 0, tzinfo=datetime.UTC)


class _Noon(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:  # type: ignore[override]
        return _NOON.astimezone(tz)


@contextmanager
def at_noon() -> Iterator[None]:
    """Stop the clock, so that fingerprints of plans and ledgers are always the same."""
    with (
        mock.patch("datetime.datetime", _Noon),
        mock.patch("time.time", _NOON.timestamp),
    ):
        yield


@dataclass(frozen=True, slots=True)
class Said:
    """What a case says."""

    answer: Any  # the JSON of the last command, without the version
    shown: str  # all forms, what stands on stderr, and the files that were written


def said(name: str, folder: Path) -> Said:
    """Run a case in an empty folder. The last command also keeps its result, in the file `kept`."""
    reports: list[Report] = []
    made = command._shown

    def seen(result: Any) -> Report:
        reports.append(made(result))
        return reports[-1]

    for place, path in PLACES.items():
        (folder / place).symlink_to(path)
    out, notes = "", ""
    with chdir(folder), at_noon(), mock.patch.object(command, "_shown", seen):
        for line in CASES[name]:
            words = line.split()
            last = line == CASES[name][-1]
            keep = ["--out", kept(folder).name] if last and keeps(name) else []
            result = CliRunner().invoke(main, [*words, "--json", *keep])
            if result.exit_code:
                raise AssertionError(f"{name}: {line}\n{result.output}{result.exception!r}")
            out, notes = result.stdout, result.stderr
    files = {
        path.name: rounded(path.read_text(encoding="utf-8"))
        for path in sorted(folder.iterdir())
        if path.suffix in _TEXTS and path != kept(folder)
    }
    shown = together({**forms(reports[-1]), "stderr": notes, **files})
    return Said(plain(json.loads(out)), plain_text(shown.replace(str(folder), ".")))


def keeps(name: str) -> bool:
    """Say whether a case ends with a command that has a new result to keep."""
    return not CASES[name][-1].startswith("report")


def stored(name: str) -> Path:
    """Return where the answer of a case is kept."""
    return HERE / "said" / f"{name}.json"


def kept(folder: Path) -> Path:
    """Return the file of the result of a case that ran in a folder."""
    return folder / "kept-result.json"


def plain(value: Any) -> Any:
    """Return a JSON value without the version."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    return (
        re.sub(r"detectable:[^|]+$", "detectable", value) if isinstance(value, str) else value
    )
