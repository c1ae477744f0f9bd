"""A whole life on the command line: plan, look, conclude, and everything that is refused."""

import csv
import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from detectable.data.files.ledger_file import read_entries
from tests.study.monitoring.plan_tables import (
    Table,
    differences_with,
    files,
    joined,
    judged,
    reordered,
    write_csv,
)


class Life:
    """One plan in a folder, with its data in a file."""

    def __init__(self, folder: Path, *options: str, n_max: int = 100) -> None:
        self.folder = folder
        self.plan = folder / "ship.json"
        self.data = folder / "data.csv"
        made = self.run(
            *("plan", "new", self.plan, "--systems", "new,old", "--n-max", n_max), *options
        )
        assert made.exit_code == 0, made.output

    @property
    def ledger(self) -> Path:
        return self.folder / "ship.ledger.jsonl"

    def run(self, *arguments: object) -> Result:
        return CliRunner().invoke(main, [str(a) for a in arguments])

    def look(self, table: Table, *options: str) -> Any:
        write_csv(self.data, table)
        out = self.run("look", self.plan, self.data, "--json", *options)
        assert out.exit_code == 0, out.output
        return json.loads(out.stdout)

    def refused(self, table: Table, *options: str) -> str:
        """Look, expect a refusal of one sentence or two, and prove that nothing was written."""
        write_csv(self.data, table)
        before = files(self.folder)
        out = self.run("look", self.plan, self.data, *options)
        assert out.exit_code == 1, out.output
        assert out.stdout == ""
        assert out.stderr.startswith("Error: ")
        assert out.stderr.count("\n") == 1
        assert files(self.folder) == before
        return out.stderr

    def conclude(self, *options: object) -> Any:
        out = self.run("conclude", self.plan, "--json", *options)
        assert out.exit_code == 0, out.output
        return json.loads(out.stdout)


def stream(*z: tuple[int, float]) -> Table:
    return judged(differences_with(*z))


def part(table: Table, n: int) -> Table:
    return {name: values[: 2 * n] for name, values in table.items()}


STOPS = [
    ((), (50, 3.3), "stop: better", "better"),
    ((), (50, -3.3), "stop: worse", "worse"),
    ((), (50, 0.1), "stop: futile", "undecided"),
    ((), (100, 1.5), "stop: undecided", "undecided"),
    (("--claim", "equivalent", "--margin", "3"), (60, 0.1), "stop: equivalent", "equivalent"),
    (
        ("--claim", "non-inferior", "--margin", "2"),
        (60, -0.2),
        "stop: non-inferior",
        "non-inferior",
    ),
]


@pytest.mark.parametrize(("options", "at", "decision", "verdict"), STOPS)
def test_a_life_to_every_stop(
    tmp_path: Path,
    options: tuple[str, ...],
    at: tuple[int, float],
    decision: str,
    verdict: str,
) -> None:
    life = Life(tmp_path, *options)
    table = stream((20, 0.9), at)
    assert life.look(part(table, 20))["decision"] == "continue"
    assert life.look(table)["decision"] == decision
    more = joined(table, judged([0.0, 1.0], first=200))
    message = life.refused(more)
    assert ("overrule" if decision == "stop: futile" else "nothing left to look at") in message
    made = life.conclude()
    assert made["pairs"][0]["verdict"] == verdict
    assert made["n_looks"] == 2
    assert json.loads((tmp_path / "ship.conclusion.json").read_text()) == made


def test_what_people_see(tmp_path: Path) -> None:
    life = Life(tmp_path, "--question", "Ship new?")
    table = stream((30, 0.9), (60, 3.3))
    write_csv(life.data, part(table, 30))
    out = life.run("look", life.plan, life.data)
    assert out.stdout.startswith("Look 1: go on.")
    assert "140 judgments are still planned" in " ".join(out.stdout.split())
    write_csv(life.data, table)
    out = life.run("look", life.plan, life.data)
    assert out.stdout.startswith("Look 2: stop, better; 80 planned judgments not needed.")
    assert "new is better than old" in out.stdout
    out = life.run("conclude", life.plan)
    assert out.stdout.startswith(
        "new is better than old, decided at look 2; 80 planned judgments saved.\nAsked: Ship new?\n+"
    )
    assert "over all looks" in " ".join(out.stdout.split())
    assert "2 looks, 120 judgments." in out.stdout
    assert "▲ better" in out.stdout
    shown = life.run("plan", "show", life.plan)
    assert shown.stdout.startswith("Stopped at look 2: better.")
    assert max(map(len, (out.stdout + shown.stdout).splitlines())) <= 80


def test_the_looks_as_a_table_for_a_chart(tmp_path: Path) -> None:
    life = Life(tmp_path)
    table = stream((30, 0.9), (60, 2.0))
    life.look(part(table, 30))
    life.look(table)
    target = tmp_path / "looks.csv"
    assert life.run("plan", "show", life.plan, "--csv", target).exit_code == 0
    rows = list(csv.DictReader(target.read_text().splitlines()))
    assert [row["n_units"] for row in rows] == ["30", "60"]
    assert float(rows[1]["z"]) == pytest.approx(2.0)
    assert (
        float(rows[1]["interval_low"])
        < float(rows[1]["estimate"])
        < float(rows[1]["interval_high"])
    )
    before = target.read_bytes()
    again = life.run("plan", "show", life.plan, "--csv", target)
    assert again.exit_code == 1
    assert target.read_bytes() == before
    shown = json.loads(life.run("plan", "show", life.plan, "--json").stdout)
    assert len(shown["looks"]) == 2


def test_every_refusal(tmp_path: Path) -> None:
    life = Life(tmp_path)
    table = stream((40, 0.9), (80, 1.0))
    out = life.run("conclude", life.plan)
    assert (out.exit_code, "nothing was looked at yet" in out.stderr) == (1, True)
    life.look(part(table, 40))
    assert "no judgment is new since look 1" in life.refused(part(table, 40))
    assert "20 judgments gone" in life.refused(part(table, 30))
    changed = {**table, "score": [table["score"][0] + 1, *table["score"][1:]]}
    assert "1 judgment changed (system 'new', item 'i0', rater 'ann')" in life.refused(changed)
    outside = {**table, "score": [*table["score"][:-1], 101]}
    assert "outside the scale 0 to 100" in life.refused(outside)
    far = joined(table, judged(np.ones(30), first=80))
    assert "the plan ends at 100" in life.refused(far)
    missing = {**table, "system": ["new" for _ in table["system"]]}
    missing["item"] = [f"{i}" for i in range(160)]
    assert "no judgment of the planned old" in life.refused(missing)
    out = life.run("conclude", life.plan)
    assert (out.exit_code, "said “continue”" in out.stderr) == (1, True)
    assert life.look(reordered(table))["look"] == 2  # none of it did harm


def test_a_plan_or_ledger_edited_by_hand(tmp_path: Path) -> None:
    life = Life(tmp_path)
    table = stream((30, 0.9), (50, 1.0), (70, 1.2))
    for n in (30, 50):
        life.look(part(table, n))
    plan, ledger = life.plan.read_bytes(), life.ledger.read_bytes()
    life.plan.write_bytes(plan.replace(b"0.05", b"0.10"))
    assert "the plan was changed after it was frozen" in life.refused(table)
    life.plan.write_bytes(plan)
    life.ledger.write_bytes(ledger.replace(b'"n_units": 30', b'"n_units": 31'))
    assert "line 2: this entry was changed" in life.refused(table)
    birth, first, second = ledger.splitlines(keepends=True)
    life.ledger.write_bytes(birth + second)
    assert "line 2: this entry was changed, or one before it is missing" in life.refused(table)
    life.ledger.write_bytes(birth + first)
    assert "1 of 3 written entries is missing at the end" in life.refused(table)
    life.ledger.write_bytes(ledger + b'{"look": 3, "pai')
    assert "line 4: the last line is torn" in life.refused(table)
    life.ledger.write_bytes(ledger)
    assert life.look(table)["look"] == 3


BAD_PLANS = [
    (("--alpha", "1.5"), 1),
    (("--alpha", "0"), 1),
    (("--at", ".5,.3,1"), 1),
    (("--at", ".5,1.5"), 1),
    (("--at", "half"), 2),
    (("--margin", "2"), 1),
    (("--test", "nothing"), 2),
    (("--family", "pocock", "--looks", "0"), 1),
]


@pytest.mark.parametrize(("options", "code"), BAD_PLANS)
def test_plans_that_cannot_be(tmp_path: Path, options: tuple[str, ...], code: int) -> None:
    target = tmp_path / "ship.json"
    out = CliRunner().invoke(
        main, ["plan", "new", str(target), "--systems", "a,b", "--n-max", "100", *options]
    )
    assert out.exit_code == code, out.output
    assert list(tmp_path.iterdir()) == []


def test_a_plan_is_not_made_twice(tmp_path: Path) -> None:
    life = Life(tmp_path)
    before = files(tmp_path)
    out = life.run("plan", "new", life.plan, "--systems", "a,b", "--n-max", 50)
    assert out.exit_code == 1
    assert "exists already" in out.stderr
    assert files(tmp_path) == before


# Dies, as by a power cut, at the moment before the finished temporary file is put in place.
DYING = """
import os, signal, sys
from detectable.cli import main
def die(source, target):
    os.kill(os.getpid(), signal.SIGKILL)
os.replace = die
main(sys.argv[1:])
"""


def test_a_look_killed_half_way_leaves_all_usable(tmp_path: Path) -> None:
    life = Life(tmp_path)
    table = stream((30, 0.9), (60, 1.2))
    life.look(part(table, 30))
    before = life.plan.read_bytes(), life.ledger.read_bytes()
    write_csv(life.data, table)
    killed = subprocess.run(
        [sys.executable, "-c", DYING, "look", str(life.plan), str(life.data)],
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -9
    assert killed.stdout == b""
    assert (life.plan.read_bytes(), life.ledger.read_bytes()) == before
    assert list(tmp_path.glob(".detectable-*"))  # it had got as far as that
    found = life.look(table)
    assert found["look"] == 2
    assert len(read_entries(life.ledger)) == 3  # the plan and two looks
    assert not list(tmp_path.glob(".detectable-*"))


# Says when it holds the lock, and waits for a line before it goes on to write.
WAITING = """
import sys
from detectable.cli import main
import detectable.study.monitoring.look as module
write = module.append_entry
def wait(*arguments):
    print("ready", flush=True)
    sys.stdin.readline()
    return write(*arguments)
module.append_entry = wait
main(sys.argv[1:])
"""


def test_two_looks_at_once_write_one_entry(tmp_path: Path) -> None:
    life = Life(tmp_path)
    table = stream((30, 0.9), (60, 1.2))
    write_csv(life.data, part(table, 30))
    first = subprocess.Popen(
        [
            sys.executable,
            "-c",
            textwrap.dedent(WAITING),
            "look",
            str(life.plan),
            str(life.data),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert first.stdout is not None
        assert first.stdout.readline() == "ready\n"
        second = subprocess.run(
            [sys.executable, "-m", "detectable", "look", str(life.plan), str(life.data)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert second.returncode == 1
        assert "another process is looking at this plan now" in second.stderr
        assert len(read_entries(life.ledger)) == 1  # the plan itself
        out, _ = first.communicate("\n")
        assert "Look 1" in out
    finally:
        first.kill()
        first.wait()
    assert [entry.get("look") for entry in read_entries(life.ledger)] == [None, 1]
    assert life.look(table)["look"] == 2


def test_preferences_from_a_table_of_winners(tmp_path: Path) -> None:
    life = Life(tmp_path, "--test", "preference")
    winners = ["new", "new", "old", "tie"] * 15
    table: Table = {"item": list(range(60)), "winner": winners}
    found = life.look(table)
    assert found["pairs"][0]["z"] == pytest.approx(15 / 45**0.5)
    assert found["pairs"][0]["n_units"] == 60


def test_a_leaderboard_of_three(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    d = rng.normal(0.0, 5.0, 60)
    plan = tmp_path / "three.json"
    run = CliRunner()
    made = run.invoke(main, ["plan", "new", str(plan), "--systems", "A,B,C", "--n-max", "120"])
    assert made.exit_code == 0
    assert "first decision among 3 pairs" in made.stdout
    pair = judged(d, systems=("B", "A"), rater=None)
    third: Table = {"system": ["C"] * 60, "item": pair["item"][::2]}
    third["score"] = [s + 8.0 + e for s, e in zip(pair["score"][::2], d[::-1], strict=True)]
    data = write_csv(tmp_path / "data.csv", joined(pair, third))
    out = run.invoke(main, ["look", str(plan), str(data)])
    assert out.exit_code == 0, out.output
    assert "C is better than A" in out.stdout
    assert "Pairs" in out.stdout
    assert max(map(len, out.stdout.split("Pairs")[-1].splitlines())) <= 110


def test_a_new_plan_states_power_judgments_and_cost(tmp_path: Path) -> None:
    command = f"plan new {tmp_path}/a.json --systems new,old --sd 15 --effect 2"
    out = CliRunner().invoke(
        main, f"{command} --power .8 --cost .25 --budget 300 --json".split()
    )
    assert out.exit_code == 0, out.stderr
    said = json.loads(out.stdout)
    assert (said["n_max"], said["budget"], said["cost_per_judgment"]) == (600, 300.0, 0.25)
    assert said["cost"]["most"] == 300.0
    assert said["expected_judgments"]["most"] == 1200.0
    assert said["assumed_effect"] == 2.0
    assert said["design"]["power"] == 0.8
    assert (said["power"] > 0.8) == (said["mde"] < 2.0)
    out = CliRunner().invoke(
        main, f"plan new {tmp_path}/b.json --systems new,old --budget 300".split()
    )
    assert out.exit_code == 1
    assert "--budget needs --cost" in out.stderr


def test_a_pilot_file_gives_the_spread(tmp_path: Path) -> None:
    pilot = write_csv(tmp_path / "pilot.csv", judged([1.0, 5.0, -2.0, 3.0]))
    command = f"plan new {tmp_path}/a.json --systems new,old --n-max 50 --pilot {pilot} --json"
    out = CliRunner().invoke(main, command.split())
    assert out.exit_code == 0, out.stderr
    assert json.loads(out.stdout)["sd"] == pytest.approx(np.std([1, 5, -2, 3], ddof=1))


def test_admission_is_planned_looked_at_and_concluded(tmp_path: Path) -> None:
    plan, data = tmp_path / "a.json", Path(__file__).parents[1] / "frozen/data/controls.csv"
    command = f"plan new {plan} --systems new,old --n-max 60 --unit item --json "
    command += "--admission degraded-paired-t --admission-pairs 3 --admission-few admit"
    out = CliRunner().invoke(main, command.split())
    assert out.exit_code == 0, out.stderr
    assert json.loads(out.stdout)["admission"] == {
        "rule": "degraded-paired-t",
        "alpha": 0.05,
        "pairs": 3,
        "few": "admit",
    }
    out = CliRunner().invoke(main, ["look", str(plan), str(data), "--final", "--json"])
    assert out.exit_code == 0, out.stderr
    assert json.loads(out.stdout)["notes"][0].startswith("Admitted by their control items: ")
    out = CliRunner().invoke(main, ["conclude", str(plan)])
    assert out.exit_code == 0, out.stderr
    assert "not part of the decision" in " ".join(out.stdout.split())
    out = CliRunner().invoke(main, ["plan", "show", str(plan)])
    assert out.exit_code == 0, out.stderr


@pytest.mark.parametrize(("option", "value"), [("pairs", "3"), ("against", "neighbours")])
def test_options_on_admission_need_a_rule(tmp_path: Path, option: str, value: str) -> None:
    command = f"plan new {tmp_path}/a.json --systems new,old --n-max 60"
    given = f"--admission-{option} {value}"
    out = CliRunner().invoke(main, f"{command} {given}".split())
    assert out.exit_code == 2
    assert f"--admission-{option} has no effect without --admission" in out.stderr
    command += f" --admission symmetric {given} --json"
    out = CliRunner().invoke(main, command.split())
    assert str(json.loads(out.stdout)["admission"][option]) == value


# --- Options that would have no effect are refused, not ignored ---


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for test in ("paired-mean", "preference"):
        path = tmp_path / f"{test}.json"
        assert (
            run("plan", "new", path, "--systems", "A,B", "--n-max", 9, "--test", test).exit_code
            == 0
        )
    (tmp_path / "data.csv").write_text("item,winner\n1,A\n2,B\n")
    return tmp_path


@pytest.mark.parametrize(
    ("plan", "options", "message"),
    [
        (
            "paired-mean",
            ("--scale", "0:5"),
            "--scale has no effect here: the plan fixes the scale",
        ),
        ("preference", ("--column", "rater=x"), "--column has no effect here: preferences are"),
        ("preference", ("--format", "mqm"), "--format has no effect here"),
    ],
)
def test_a_look_ignores_no_option(
    folder: Path, plan: str, options: tuple[str, ...], message: str
) -> None:
    result = run("look", folder / f"{plan}.json", folder / "data.csv", *options)
    assert (result.exit_code, message in result.stderr) == (2, True)
    ledger = (folder / f"{plan}.ledger.jsonl").read_text().splitlines()
    assert len(ledger) == 1  # the plan itself


def test_a_conclusion_without_data_reads_none(folder: Path) -> None:
    result = run("conclude", folder / "preference.json", "--format", "mqm")
    assert (result.exit_code, "there is no DATA to read" in result.stderr) == (2, True)


def test_a_plan_refuses_the_parameter_of_another_family(tmp_path: Path) -> None:
    arguments = ("--systems", "A,B", "--n-max", 9, "--family", "pocock", "--gamma", -2)
    result = run("plan", "new", tmp_path / "a.json", *arguments)
    assert (result.exit_code, "belongs to the family hsd" in result.stderr) == (1, True)
    assert not (tmp_path / "a.json").exists()
