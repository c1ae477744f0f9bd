"""The API does what its description says, whatever is asked: schemathesis tries."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from tests.helpers import require
from tests.web.running import running

# 401, 413 and 421 refuse too, and are described.
_SETTINGS = """
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "408", "413", "415", "421", "422"]
"""


def test_no_answer_is_broken_or_undescribed(tmp_path: Path) -> None:
    if find_spec("schemathesis") is None:
        require("schemathesis", "the package schemathesis is not installed: no API is tried")
    (tmp_path / "schemathesis.toml").write_text(_SETTINGS)
    folder = tmp_path / "plans"
    folder.mkdir()
    with running(folder, tmp_path / "log.txt") as found:
        program = Path(sys.executable).with_name("schemathesis")
        words = [str(program), "run", f"{found.address}/openapi.json"]
        words += [
            "--phases",
            "examples,coverage,fuzzing",
            "--max-examples",
            "15",
            "--seed",
            "1",
        ]
        words += ["--header", "X-Detectable: 1", "--request-timeout", "60", "--workers", "1"]
        checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,negative_data_rejection"
        words += ["--checks", checks]
        done = subprocess.run(
            words, cwd=tmp_path, capture_output=True, text=True, timeout=550, check=False
        )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert '"status": 500' not in (tmp_path / "log.txt").read_text()
