"""The opening lines of the README count what the lists hold."""

import pytest

from replications.totals import HERE, Total, totals

LINES = (HERE / "README.md").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("paper", "total"), totals().items())
def test_the_readme_states_the_total(paper: str, total: Total) -> None:
    line = next(line for line in LINES if line.startswith("- **") and f"({paper}/" in line)
    assert f"): {total}" in line


def test_the_first_page_adds_them_up() -> None:
    found = totals().values()
    whole = Total(sum(one.matched for one in found), sum(one.stated for one in found))
    text = (HERE.parent / "README.md").read_text(encoding="utf-8")
    assert f"[{whole}](replications/README.md)" in text


def test_every_folder_has_a_total() -> None:
    folders = {path.parent.name for path in HERE.glob("*/replicate.py")}
    assert set(totals()) == folders


def test_the_lists_are_counted() -> None:
    found = totals()
    assert found["wei2022"] == Total(44, 48)
    assert found["clark2011"] == Total(8 * 6 + 4, 52)
    assert found["card2020"].matched < found["card2020"].stated
