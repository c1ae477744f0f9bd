"""What was written by an earlier version can be read, and is written again with the same content.

A file also holds the words that were shown. They may change, and are compared as texts beside it.

``--update`` writes what is said of the files. It makes a file only where there is none: those that
are here stand for the files of users.
"""

import datetime
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.core.checkpoint_file import digest
from detectable.core.version import VERSION
from detectable.report.saved.load import read_saved
from detectable.report.saved.save import written_result
from detectable.report.several import alone
from detectable.study.gate.matching import text_hash
from detectable.web.openapi import description
from tests.frozen.forms import forms, outline, plain_text, rounded, together
from tests.frozen.run import HERE, at_noon
from tests.report.saved.every_result import NAMES, one
from tests.study.campaign.judged import SETTINGS, conclude, judged

KEPT = HERE / "kept"
Freeze = Callable[[Path, str], None]


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update"))


@pytest.mark.parametrize("kind", NAMES)
def test_a_file_of_every_kind(kind: str, freeze: Freeze, *, update: bool) -> None:
    path = KEPT / f"{kind}.json"
    with at_noon():
        if update and not path.exists():
            KEPT.mkdir(exist_ok=True)
            path.write_text(written_result(one(kind)).text, encoding="utf-8")
        loaded = read_saved(path)
        again = written_result(loaded.result).text
    kept = path.read_text(encoding="utf-8").replace("0.1.0", VERSION, 1)
    assert _lost(json.loads(kept), json.loads(again)) == []
    report = alone(loaded.result, "it")
    shown = {**forms(report), "outline": "\n\n".join(outline(report.blocks))}
    freeze(KEPT / f"{kind}.txt", plain_text(together(shown)))


def _lost(kept: Any, again: Any, where: str = "") -> list[str]:
    """Return what a file held and its result does not hold; a result may have gained fields."""
    if isinstance(kept, dict) and isinstance(again, dict):
        return [
            said
            for key, value in kept.items()
            # Words change, and with them the fingerprint of the file.
            if where or key not in ("fingerprint", "shown")
            for said in _lost(value, again.get(key, "absent"), f"{where}.{key}")
        ]
    if isinstance(kept, list) and isinstance(again, list) and len(kept) == len(again):
        pairs = enumerate(zip(kept, again, strict=True))
        return [said for i, pair in pairs for said in _lost(*pair, f"{where}[{i}]")]
    return [] if kept == again else [f"{where}: {again!r}, was {kept!r}"]


def test_the_description_of_the_server(freeze: Freeze) -> None:
    text = json.dumps(description(), indent=1, ensure_ascii=False)
    freeze(KEPT / "openapi.json", text.replace(f'"{VERSION}"', '"VERSION"') + "\n")


def test_golden_digests(freeze: Freeze) -> None:
    """Of all but functions and classes: these count with the file that they stand in."""
    things = {
        "none": None,
        "truth": True,
        "number": 7,
        "float": 0.1,
        "text": "ä",
        "bytes": b"\0a",
        "list": [1, [2.0, "x"]],
        "tuple": (1, (2.0, "x")),
        "set": {"b", "a", "c"},
        "mapping": {"b": 1, "a": {"c": None}},
        "array": np.arange(6.0).reshape(2, 3),
        "whole array": np.arange(6),
        "path": Path("a/b"),
        "date": datetime.date(2026, 1, 15),
        "generator": np.random.default_rng(1),
        "child": np.random.default_rng(1).spawn(2)[1],
    }
    lines = [f"{name}: {digest(thing).hex()}" for name, thing in things.items()]
    lines.append(f"text_hash: {text_hash('a  b')} {text_hash('')}")
    freeze(KEPT / "digests.txt", "\n".join(lines) + "\n")


MADE = (
    "plan new ship.json --systems new,old --n-max 60 --unit item",
    "look ship.json data/ragged.csv --final",
)
READ = ("plan show ship.json", "conclude ship.json", "verify ship.json data/ragged.csv")


def run(line: str) -> str:
    """Return what a command says, as in the folder where it was typed."""
    result = CliRunner().invoke(main, line.split())
    assert result.exit_code == 0, f"{line}\n{result.output}"
    return result.output


def test_a_plan_and_its_ledger(tmp_path: Path, freeze: Freeze, *, update: bool) -> None:
    folder = KEPT / "plan"
    with chdir(tmp_path), at_noon():
        Path("data").symlink_to(HERE / "data")
        if update and not folder.exists():
            for line in MADE:
                run(line)
            folder.mkdir(parents=True)
            for name in ("ship.json", "ship.ledger.jsonl"):
                shutil.copy(name, folder / name)
        for name in ("ship.json", "ship.ledger.jsonl"):
            shutil.copy(folder / name, name)
        said = {line: run(line) for line in READ}
    freeze(folder / "said.txt", plain_text(together(said)))


@pytest.mark.parametrize("protocol", SETTINGS)
def test_a_campaign(protocol: str, tmp_path: Path, freeze: Freeze, *, update: bool) -> None:
    folder = KEPT / "campaign"
    kept = folder / f"{protocol}.sql"
    if update and not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with at_noon():
            store = judged(tmp_path / "made", protocol)
            conclude(store)
            store.close()
        with sqlite3.connect(tmp_path / "made" / "campaigns.sqlite") as made:
            kept.write_text("\n".join(made.iterdump()) + "\n", encoding="utf-8")
    (tmp_path / "s").mkdir()
    with sqlite3.connect(tmp_path / "s" / "campaigns.sqlite") as database:
        database.executescript(kept.read_text(encoding="utf-8"))
    database.close()
    with chdir(tmp_path), at_noon():
        said = {"status": run("campaign status c --store s")}
        Path("export").mkdir()
        said["export"] = run("campaign export c export/c.csv --store s")
        files = sorted(Path("export").iterdir())
        said |= {str(path): rounded(path.read_text(encoding="utf-8")) for path in files}
    freeze(folder / f"{protocol}.txt", plain_text(together(said)))
