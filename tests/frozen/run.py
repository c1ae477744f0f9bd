"""Run the frozen commands; ``python -m tests.frozen.run`` writes what they say now."""

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from detectable.cli import main
from tests.frozen.cases import CASES

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PLACES = {
    "data": HERE / "data",
    "samples": HERE.parent / "data" / "samples",
    "example": ROOT / "src" / "detectable" / "data" / "texts" / "example",
}
# What differs from one run to the next: clocks, and the fingerprints that contain them.
_PASSING = {
    "time",
    "created",
    "baseline_created",
    "fingerprint",
    "previous",
    "plan_fingerprint",
}


def said(name: str, folder: Path) -> Any:
    """Return the JSON that the last command of a case prints, without places and times.

    That command also keeps its result, in the file `kept`.
    """
    out = ""
    for line in CASES[name]:
        words = [word.format(tmp=folder, **PLACES) for word in line.split()]
        last = line == CASES[name][-1]
        keep = ["--out", str(kept(folder))] if last and keeps(name) else []
        result = CliRunner().invoke(main, [*words, "--json", *keep])
        if result.exit_code:
            raise AssertionError(f"{name}: {line}\n{result.output}{result.exception!r}")
        out = result.stdout
    return plain(json.loads(out), str(folder))


def keeps(name: str) -> bool:
    """Say whether a case ends with a command that has a new result to keep."""
    return not CASES[name][-1].startswith("report")


def kept(folder: Path) -> Path:
    """Return the file of the result of a case that ran in a folder."""
    return folder / "kept-result.json"


def plain(value: Any, folder: str) -> Any:
    """Return a JSON value without places and times."""
    if isinstance(value, dict):
        return {k: plain(v, folder) for k, v in value.items() if k not in _PASSING}
    if isinstance(value, list):
        return [plain(entry, folder) for entry in value]
    if isinstance(value, str):
        for place, path in {"tmp": folder, **PLACES}.items():
            value = value.replace(str(path), f"{{{place}}}")
        value = re.sub(r"\|plan:[0-9a-f]+\|", "|plan|", value)
        return re.sub(r"detectable:[^|]+$", "detectable", value)
    return value


def stored(name: str) -> Path:
    """Return where the answer of a case is kept."""
    return HERE / "said" / f"{name}.json"


def write(names: list[str]) -> None:
    """Write what the commands say now."""
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            text = json.dumps(said(name, Path(folder)), indent=1, ensure_ascii=False)
        stored(name).parent.mkdir(exist_ok=True)
        stored(name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1:] or list(CASES))
