"""The command line as a program: streams that cannot show or take everything."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.plan import plan, read_plan
from tests.helpers import spread

SCORES = "item,new,old\n" + "".join(f"{i},{(i * 7) % 5},{(i * 3) % 4}\n" for i in range(40))
COMPARE = ("compare", "--scores", "scores.csv", "--baseline", "old", "--seed", "1")
JUDGED = "system,item,score\n" + "".join(
    f"new,{i},{60 + i * 7 % 9}\nold,{i},{50 + i * 5 % 7}\n" for i in range(60)
)


def typed(
    folder: Path, *words: str, more: str = "", encoding: str = ""
) -> "subprocess.CompletedProcess[bytes]":
    """Type a command with its streams led elsewhere by a shell."""
    (folder / "scores.csv").write_text(SCORES)
    (folder / "judged.csv").write_text(JUDGED)
    command = f'exec "$@" {more}'
    given = ["sh", "-c", command, "sh", sys.executable, "-m", "detectable", *words]
    chosen = {"PYTHONIOENCODING": encoding} if encoding else {}
    return subprocess.run(
        given, cwd=folder, env={**os.environ, **chosen}, capture_output=True, check=False
    )


@pytest.mark.parametrize(
    "encoding",
    spread(["ascii", "cp1252", "cp932", "latin-1", "utf-8", "koi8-r"], one_in=2),
)
def test_a_look_is_shown_whatever_the_terminal_can_show(encoding: str, tmp_path: Path) -> None:
    plan(tmp_path / "ship.json", systems=("new", "old"), n_max=60, sd=10.0)
    found = typed(tmp_path, "look", "ship.json", "judged.csv", encoding=encoding)
    assert found.returncode == 0, found.stderr
    assert b"Traceback" not in found.stderr
    assert "new is better than old" in found.stdout.decode(encoding, "replace")


def test_a_gate_keeps_its_exit_code_whatever_the_terminal_can_show(tmp_path: Path) -> None:
    words = ("gate", "scores.csv", "--system", "new", "--baseline", "old", "--margin", "4")
    told = ("--higher-is-better", "score")
    codes = {
        typed(tmp_path, *words, *told, encoding=one).returncode for one in ("utf-8", "cp1252")
    }
    assert codes == {0}


FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")


@FULL
@pytest.mark.parametrize(("more", "why"), [(">/dev/full", "No space"), (">&-", "Bad file")])
def test_an_answer_that_cannot_be_written_is_one_sentence(
    more: str, why: str, tmp_path: Path
) -> None:
    found = typed(tmp_path, *COMPARE, "--out", "kept.json", more=more)
    assert found.returncode == 1
    last = found.stderr.decode().splitlines()[-1]
    assert last.startswith(f"Error: the answer cannot be written to standard output ({why}")
    assert last.endswith("kept.json is written.")
    assert b"Traceback" not in found.stderr
    assert (tmp_path / "kept.json").exists()


@FULL
def test_a_look_whose_answer_is_lost_is_found_again(tmp_path: Path) -> None:
    plan(tmp_path / "ship.json", systems=("new", "old"), n_max=60, sd=10.0)
    found = typed(tmp_path, "look", "ship.json", "judged.csv", more=">/dev/full")
    assert found.returncode == 1
    said = found.stderr.decode()
    assert "The look is in the ledger: detectable plan show ship.json shows it." in said
    assert len(LedgerState.read(read_plan(tmp_path / "ship.json")).lines) == 2
    assert b"stop: better" in typed(tmp_path, "plan", "show", "ship.json").stdout


@FULL
@pytest.mark.parametrize("more", ["2>/dev/full", "2>&-"])
def test_notes_that_cannot_be_written_cost_no_answer(more: str, tmp_path: Path) -> None:
    plain = typed(tmp_path, *COMPARE)
    found = typed(tmp_path, *COMPARE, more=more)
    assert (found.returncode, found.stdout) == (0, plain.stdout)


@FULL
def test_help_and_wrong_usage_go_on_as_ever(tmp_path: Path) -> None:
    assert typed(tmp_path, "--help", more=">/dev/full").returncode == 1
    wrong = typed(tmp_path, *COMPARE, "--nonsense", more=">/dev/full")
    assert (wrong.returncode, b"No such option" in wrong.stderr) == (2, True)
