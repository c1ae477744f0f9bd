"""A command that leaves at once has said everything, done what is due and ends with its code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ACCURACY = ["power", "accuracy", "--n", "200", "--agreement", ".9", "--effect", ".05"]


def _ended(before: str, *words: str) -> "subprocess.CompletedProcess[str]":
    program = f"import sys\n{before}\nfrom detectable.cli.at_once import run\nrun()"
    return subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("words", "code"), [(["--version"], 0), (["power", "nothing"], 2), (["look", "nowhere"], 2)]
)
def test_the_code_is_that_of_the_command(words: list[str], code: int) -> None:
    done = _ended("", *words)
    assert done.returncode == code
    assert done.stdout if code == 0 else done.stderr


def test_all_is_written_into_a_file(tmp_path: Path) -> None:
    whole = _ended("", *ACCURACY, "--json").stdout
    with (tmp_path / "said").open("w") as file:
        command = [sys.executable, "-m", "detectable", *ACCURACY, "--json"]
        subprocess.run(command, stdout=file, check=True)
    assert (tmp_path / "said").read_text() == whole
    assert whole.startswith("{")


def test_what_is_due_at_the_end_is_done() -> None:
    done = _ended("import atexit; atexit.register(print, 'the end')", "--version")
    assert done.stdout.endswith("the end\n")


def test_cycles_are_not_searched_at_the_end() -> None:
    marked = "class A:\n    def __del__(self): print('freed')\nkept = A(); kept.itself = kept"
    assert "freed" not in _ended(marked, "--version").stdout
    plain = subprocess.run(
        [sys.executable, "-c", marked], capture_output=True, text=True, check=True
    )
    assert "freed" in plain.stdout


def test_cycles_are_searched_rarely() -> None:
    told = "import atexit, gc; atexit.register(lambda: print(gc.isenabled(), gc.get_threshold()[0]))"
    assert _ended(told, "--version").stdout.endswith("True 200000\n")


def test_where_nobody_listens_it_ends_as_ever() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "detectable", *ACCURACY]
    done = subprocess.run(
        command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr


def test_a_program_without_a_terminal_ends_well() -> None:
    assert _ended("sys.stderr = None", "--version").returncode == 0


def test_words_for_a_code_are_printed_as_ever() -> None:
    before = (
        "import detectable.cli as c\ndef wrong(): sys.exit('what went wrong')\nc.main = wrong"
    )
    done = _ended(before)
    assert (done.returncode, done.stderr) == (1, "what went wrong\n")
