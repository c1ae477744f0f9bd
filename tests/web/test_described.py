"""The API does what its description says, whatever is asked: schemathesis tries."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from detectable.web.guard import HEADER
from detectable.web.settings import write_password
from tests.helpers import require
from tests.web.client import OURS, Far
from tests.web.organised import RIGHT, judged
from tests.web.running import running

# All of these refuse too, and are described. Names of a campaign that is there reach further.
_SETTINGS = """
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "408", "409", "413", "415", "421", "422"]
[parameters]
"path.name" = "ship"
"path.rater" = "r-01"
"""
_CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance,negative_data_rejection"
)
# A stream has no end, and whoever signs out can try no more.
_LEFT_OUT = ("events", "sign_out")
_ALL = "examples,coverage,fuzzing"


def _operations(described: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in described["paths"].values():
        yield from (one for word, one in path.items() if word != "parameters")


@pytest.mark.parametrize(
    ("phases", "examples"),
    [("examples,fuzzing", "2"), pytest.param(_ALL, "6", marks=pytest.mark.slow)],
)
def test_no_answer_is_broken_or_undescribed(phases: str, examples: str, tmp_path: Path) -> None:
    if find_spec("schemathesis") is None:
        require("schemathesis", "the package schemathesis is not installed: no API is tried")
    (tmp_path / "schemathesis.toml").write_text(_SETTINGS)
    folder, secret = tmp_path / "folder", tmp_path / "organisers.txt"
    folder.mkdir()
    write_password(secret, RIGHT)
    with (
        running(folder, tmp_path / "log.txt", "--password-file", str(secret)) as found,
        Far(found.address) as far,
    ):
        far.post("/api/v1/session", json={"password": RIGHT}, headers=OURS)
        judged(far, 20)
        # Every request carries session and header, so nothing is tried without them here.
        described = far.get("/openapi.json").json()
        for operation in _operations(described):
            operation.pop("security", None)
            kept = [one for one in operation.get("parameters", ()) if one["name"] != HEADER]
            operation["parameters"] = kept
        (tmp_path / "openapi.json").write_text(json.dumps(described))
        program = Path(sys.executable).with_name("schemathesis")
        words = [str(program), "run", "openapi.json", "--url", found.address]
        words += ["--phases", phases, "--max-examples", examples, "--seed", "1"]
        words += ["--header", "X-Detectable: 1", "--request-timeout", "60", "--workers", "1"]
        words += ["--header", f"Cookie: dt={far.http.cookies['dt']}", "--checks", _CHECKS]
        for one in _LEFT_OUT:
            words += ["--exclude-operation-id", one]
        done = subprocess.run(
            words, cwd=tmp_path, capture_output=True, text=True, timeout=1500, check=False
        )
        organised = far.get("/api/v1/campaigns")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert '"status": 500' not in (tmp_path / "log.txt").read_text()
    assert organised.status_code == 200  # the session held to the end
