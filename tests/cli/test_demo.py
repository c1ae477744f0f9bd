"""``detectable demo`` and the command line as a whole."""

import json
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from detectable.cli import main


def test_the_demo_writes_a_page_and_says_where(tmp_path: Path) -> None:
    page = tmp_path / "demo.html"
    out = CliRunner().invoke(main, ["demo", "--output", str(page), "--json"])
    assert out.exit_code == 0, out.output
    assert {pair["verdict"] for pair in json.loads(out.stdout)["pairs"]} == {"better"}
    assert page.read_text().startswith("<!doctype html>")
    assert out.output.splitlines()[-1] == f"Open {page} in a browser."
    again = CliRunner().invoke(main, ["demo", "--output", str(page)])
    assert (again.exit_code, "exists already" in again.stderr) == (1, True)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from detectable.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'numba', 'polars', 'sacrebleu', 'rich', 'jinja2'}\n"
        "sys.exit(' '.join(sorted(heavy & sys.modules.keys())) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "compare" in done.stdout
