"""``detectable demo`` and the command line as a whole."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from detectable.report.render.text_table import text_width


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def out(folder: Path) -> Result:
    """Run the demo once, with all it can write."""
    typed = ["demo", "--output", str(folder / "demo.html"), "--keep", str(folder / "kept")]
    return CliRunner().invoke(main, typed)


def test_the_story_fits_into_a_terminal(out: Result) -> None:
    assert out.exit_code == 0, out.output
    lines = out.stdout.splitlines()
    assert len(lines) + len(out.stderr.splitlines()) < 60
    assert max(map(text_width, lines)) <= 80
    assert sum(line.startswith("· Planted: ") for line in lines) == 8
    assert sum(line.startswith("✓ Found: ") for line in lines) == 8
    assert lines[0].startswith("All 8 steps found what was planted")


def test_it_leaves_the_page_and_what_was_asked_for(out: Result, folder: Path) -> None:
    assert out.exit_code == 0, out.output
    assert {path.name for path in folder.iterdir()} == {"demo.html", "kept"}
    page = (folder / "demo.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page.count('class="result"') == 9  # what came of it, and eight steps
    assert {path.name for path in (folder / "kept").iterdir()} == {
        *("corpus.tsv", "judgments.tsv", "scores.tsv", "truth.json", "commands.sh"),
        *(f"so-far-{look}.tsv" for look in range(1, 6)),
    }
    typed = (folder / "kept" / "commands.sh").read_text()
    assert "\n# Conclude\ndetectable conclude plan.json\n" in typed


def test_the_last_lines_say_where(out: Result, folder: Path) -> None:
    assert out.stderr.splitlines()[-2:] == [
        f"Open {folder / 'demo.html'} in a browser.",
        f"The commands work in {folder / 'kept'}, and stand there in commands.sh.",
    ]


def test_nothing_is_overwritten_and_nothing_done_for_nothing(out: Result, folder: Path) -> None:
    assert out.exit_code == 0
    page, kept = folder / "demo.html", folder / "kept"
    for typed in (
        ["demo", "--output", str(page)],
        ["demo", "--output", str(folder / "other.html"), "--keep", str(kept)],
    ):
        again = CliRunner().invoke(main, typed)
        assert again.exit_code == 1
        assert "exists already. Choose another name, or add --force." in again.stderr
        assert again.stdout == ""
    assert not (folder / "other.html").exists()


def test_json_is_the_story(tmp_path: Path) -> None:
    page = tmp_path / "demo.html"
    said = CliRunner().invoke(main, ["demo", "--output", str(page), "--json"])
    assert said.exit_code == 0, said.output
    told = json.loads(said.stdout)
    assert (told["kind"], len(told["chapters"])) == ("DemoStory", 8)
    assert all(chapter["agrees"] for chapter in told["chapters"])
    assert "results" not in told
    assert said.output.splitlines()[-1] == f"Open {page} in a browser."


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
