"""What a check of a kept result shows."""

from pathlib import Path

from detectable import save
from detectable.report.saved.receipt import EXIT_CODES
from tests.report.results import receipt


def test_exit_codes_are_those_of_a_gate() -> None:
    assert EXIT_CODES == {"same": 0, "different": 3, "not repeated": 4}
    assert receipt().exit_code == 3


def test_a_kept_receipt_names_no_folder_of_the_machine(tmp_path: Path) -> None:
    save(receipt(file=str(tmp_path / "rank.json")), tmp_path / "receipt.json")
    text = (tmp_path / "receipt.json").read_text()
    assert "rank.json" in text
    assert str(tmp_path) not in text
