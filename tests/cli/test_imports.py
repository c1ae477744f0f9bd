"""What no command may import on its way: every module costs each user at every start.

A package that is forbidden here was found on the path once, and costs more than the work of a
short command; of our own files the bytes are counted, which are compiled first where nothing was
before. If a test fails, import what is new where it is used, or say here why it is needed.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from detectable.cli.command_table import COMMANDS
from detectable.kernels.word_matches import is_native
from tests.frozen.run import PLACES
from tests.helpers import spread

DATA, EXAMPLE = PLACES["data"], PLACES["example"]
# For no short command: packages first, then what the standard library has of this kind.
HEAVY = {
    *(
        "scipy",
        "numba",
        "sacrebleu",
        "polars",
        "rich",
        "jinja2",
        "msgspec",
        "rapidfuzz",
        "lxml",
    ),
    *("threadpoolctl", "distributed"),
    *("multiprocessing", "concurrent.futures", "importlib.metadata", "logging", "asyncio"),
}
TEXTS = (
    f"compare --refs {EXAMPLE}/reference.txt --documents {EXAMPLE}/documents.txt "
    f"--system a={EXAMPLE}/baseline.run1.txt --system b={EXAMPLE}/contender.run1.txt --seed 1"
)
LINES = {
    "gate": f"gate {DATA}/binary.csv --baseline old --margin .5 --inconclusive pass",
    "mde-bleu": "mde bleu --n 2000",
    "mde-accuracy": "mde accuracy --n 1000 --agreement .95",
    "power-accuracy": "power accuracy --n 500 --agreement .975 --effect .02",
    "power-unpaired": "power accuracy --n 500 --unpaired --baseline-accuracy .8 --effect .05",
    "power-bleu": "power bleu --n 2000 --effect 1",
    "power-preference": "power preference --n 60 --effect .7",
    "power-rank-sum": "power rank-sum --n 1500 --effect .47",
    "power-curve": "power-curve rank-sum --n 500,1500 --effect .45,.47",
    "sample-size": "sample-size accuracy --agreement .95 --effect .01",
    "design": "design --looks 5 --n-max 1200",
    "design-pocock": "design --family pocock --looks 3 --futility none",
    "plan": "plan new {tmp}/ship.json --systems new,old --n-max 60 --unit item",
    "rank": f"rank {DATA}/ragged.csv --seed 1",
    "rank-ranks": f"rank {DATA}/ragged.csv --test signed-rank --seed 1",
    "bleu": f"{TEXTS} --metric bleu",
    "chrf": f"{TEXTS} --metric chrf",
    "ter": f"{TEXTS} --metric ter",
    "three-metrics": f"{TEXTS} --metric bleu --metric chrf --metric ter --correction holm",
    "max-t": f"{TEXTS} --metric bleu --metric chrf --correction max-t",
}
LOOK = f"look {{tmp}}/ship.json {DATA}/controls.csv"

RUN = """
import json, os, sys
before = set(sys.modules)
from detectable.cli import main
try:
    main(sys.argv[2:])
except SystemExit as end:
    code = end.code
with open(sys.argv[1], "w") as file:
    new = sorted(set(sys.modules) - before)
    own = [sys.modules[name].__file__ for name in new if name.startswith("detectable")]
    json.dump({"code": code, "loaded": new, "bytes": sum(map(os.path.getsize, own))}, file)
"""


def loaded(line: str, folder: Path) -> set[str]:
    """Return the modules that a command imports, in a process of its own."""
    return set(_told(line, folder)["loaded"])


def _told(line: str, folder: Path) -> dict[str, Any]:
    """Run a command in a process of its own, and return what it imported."""
    told = folder / "told.json"
    words = line.format(tmp=folder).split()
    plain = {name: text for name, text in os.environ.items() if "_THREAD" not in name}
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(told), *words],
        capture_output=True,
        text=True,
        check=False,
        env=plain,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(told.read_text())
    assert found["code"] == 0, done.stderr
    return found


@pytest.mark.parametrize("name", spread(LINES))
def test_a_short_command_imports_nothing_heavy(name: str, tmp_path: Path) -> None:
    if name == "three-metrics" and not is_native():
        pytest.skip("without the kernels TER is sacreBLEU's")
    found = loaded(LINES[name], tmp_path)
    assert "numpy" in found
    assert sorted(HEAVY & found) == []


def test_a_look_imports_nothing_heavy(tmp_path: Path) -> None:
    loaded(LINES["plan"], tmp_path)
    assert sorted(HEAVY & loaded(LOOK, tmp_path)) == []


def test_plain_texts_need_nothing_for_archives_and_processes(tmp_path: Path) -> None:
    unused = {"subprocess", "zipfile", "lzma", "json", "difflib", "urllib.parse", "pathlib"}
    assert sorted(unused & loaded(f"{LINES['bleu']} --json", tmp_path)) == []


def test_plain_texts_need_nothing_of_scores_and_samples(tmp_path: Path) -> None:
    found = loaded(f"{LINES['bleu']} --baseline a --json", tmp_path)
    unused = {"core.write", "inference.sampled_answers", "metrics.mean", "metrics.passing"}
    unused |= {"study.comparison.samples", "report.several"}
    assert sorted({f"detectable.{name}" for name in unused} & found) == []
    assert sorted({"glob", "fnmatch", "shlex"} & found) == []


# Bytes of our own source that a command loads: as measured, and a twentieth more.
BYTES = {
    "--help": 23_700,
    "compare --help": 155_000,  # with the settings, where its options are declared
    f"{LINES['bleu']} --baseline a --json": 800_000,
    LINES["power-bleu"]: 557_000,
    LINES["design"]: 405_000,
}


@pytest.mark.parametrize("line", BYTES, ids=lambda line: " ".join(line.split()[:2]))
def test_a_command_loads_little_of_our_own(line: str, tmp_path: Path) -> None:
    assert _told(line, tmp_path)["bytes"] <= BYTES[line]


def test_json_needs_what_writes_it_and_no_more(tmp_path: Path) -> None:
    found = loaded(f"{LINES['bleu']} --json", tmp_path)
    assert sorted(HEAVY & found) == ["msgspec"]


def test_help_imports_no_command_and_no_numpy(tmp_path: Path) -> None:
    found = loaded("--help", tmp_path)
    assert sorted((HEAVY | {"numpy"}) & found) == []
    assert sorted(_modules() & found) == []
    assert sum(name.startswith("detectable") for name in found) <= 10


@pytest.mark.parametrize("name", spread(COMMANDS))
def test_help_of_a_command_imports_that_command_alone(name: str, tmp_path: Path) -> None:
    found = loaded(f"{name} --help", tmp_path)
    own = COMMANDS[name].place.split(":")[0]
    assert sorted(_modules() & found) == [f"detectable.cli.{own}"]
    assert sorted((HEAVY | {"numpy"}) & found) == []


def test_help_on_comparing_knows_no_files(tmp_path: Path) -> None:
    assert sorted({"pathlib", "urllib.parse"} & loaded("compare --help", tmp_path)) == []


def test_a_scenario_imports_no_scenario_of_another_kind(tmp_path: Path) -> None:
    found = loaded(LINES["mde-bleu"], tmp_path)
    scenarios = sorted(module for module in found if ".scenarios_of" in module)
    assert scenarios == ["detectable.cli.scenarios_of_answers"]


def test_a_plan_reads_no_data(tmp_path: Path) -> None:
    found = loaded(LINES["power-accuracy"], tmp_path) | loaded(LINES["design"], tmp_path)
    assert sorted(name for name in found if name.startswith("detectable.data")) == []


def test_a_plan_on_a_terminal_needs_no_files_and_no_charts(tmp_path: Path) -> None:
    unused = {"pathlib", "json", "urllib.parse", "ipaddress", "glob", "detectable.core.write"}
    assert sorted(unused & loaded(LINES["mde-accuracy"], tmp_path)) == []


@pytest.mark.parametrize(
    "name", ["gate", "rank", "three-metrics", "power-bleu", "power-curve", "sample-size"]
)
def test_a_terminal_needs_no_charts(name: str, tmp_path: Path) -> None:
    found = loaded(LINES[name], tmp_path)
    assert (
        sorted(module for module in found if ".charts" in module or "pictures" in module) == []
    )


def _modules() -> set[str]:
    """Return the modules that define commands."""
    return {f"detectable.cli.{entry.place.split(':')[0]}" for entry in COMMANDS.values()}
