"""What a check of a kept result shows."""

from pathlib import Path

import pytest

from detectable import save
from detectable.report.blocks import Table, Verdict
from detectable.report.saved.receipt import EXIT_CODES, InputCheck
from detectable.report.shown.receipt import show_receipt as show
from detectable.study.monitoring.replay import LookCheck
from tests.report.results import receipt


def tables(made: object) -> dict[str, Table]:
    return {block.id: block for block in show(made) if isinstance(block, Table)}  # type: ignore[arg-type]


def test_the_outcome_comes_first_then_the_values() -> None:
    first, *_ = show(receipt())
    assert first == Verdict(
        "warning",
        "Not the same: 2 of 337 values differ.",
        (
            "rank.json: Ranking of 2026-01-02T03:04:05Z, detectable 0.1.0.",
            "Typed: detectable rank judgments.csv --seed 1",
            "1 of 1 file of data as they were.",
        ),
    )
    found = tables(receipt())
    assert found["differences"].texts() == [
        ("pairs.0.p_value", "0.25", "0.5", "5.0e-01"),
        ("pairs.0.verdict", "better", "undecided", "–"),
    ]
    assert found["differences"].note == ""
    assert tables(receipt(n_differences=1002))["differences"].note == "1,000 more."
    assert found["inputs"].texts() == [("judgments.csv", "same", "abababababab…")]


@pytest.mark.parametrize(
    ("changes", "status", "headline"),
    [
        (
            {"outcome": "same", "differences": (), "n_differences": 0},
            "info",
            "The same: 337 values computed again, to the bit.",
        ),
        (
            {"outcome": "not repeated", "reason": "nobody knows."},
            "undecided",
            "Not repeated: nobody knows.",
        ),
    ],
)
def test_other_outcomes(changes: dict[str, object], status: str, headline: str) -> None:
    first, *_ = show(receipt(**changes))
    assert isinstance(first, Verdict)
    assert (first.status, first.headline) == (status, headline)


def test_looks_of_a_plan() -> None:
    looks = (
        LookCheck(look=1, time="t", judgments=80, decision="continue", state="same"),
        LookCheck(
            look=2,
            time="t",
            judgments=1200,
            decision="stop",
            state="different",
            differs=("a", "b"),
        ),
    )
    made = receipt(
        subject="Plan", inputs=(), differences=(), looks=looks, created="", command=""
    )
    assert tables(made)["looks"].texts() == [
        ("1", "80", "continue", "same", "", "t"),
        ("2", "1,200", "stop", "different", "a, b", "t"),
    ]
    assert "inputs" not in tables(made)
    assert receipt(outcome="same", looks=looks).headline() == (
        "The same: 2 looks computed again, to the bit."
    )
    assert made.details() == ("rank.json: Plan.",)


def test_data_that_are_not_as_they_were_are_named() -> None:
    files = (
        InputCheck("a.csv", "same", "00"),
        InputCheck("b.csv", "changed", "00"),
        InputCheck("c.csv", "missing", "00"),
    )
    assert receipt(inputs=files).details()[2:] == (
        "1 of 3 files of data as they were.",
        "Not as they were: b.csv (changed), c.csv (missing).",
    )
    assert receipt().summary().splitlines()[0] == receipt().headline()


def test_exit_codes_are_those_of_a_gate() -> None:
    assert EXIT_CODES == {"same": 0, "different": 3, "not repeated": 4}
    assert receipt().exit_code == 3


def test_a_kept_receipt_names_no_folder_of_the_machine(tmp_path: Path) -> None:
    save(receipt(file=str(tmp_path / "rank.json")), tmp_path / "receipt.json")
    text = (tmp_path / "receipt.json").read_text()
    assert "rank.json" in text
    assert str(tmp_path) not in text
