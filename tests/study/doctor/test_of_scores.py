"""Which margin scores could pass."""

from pathlib import Path

import pytest

import detectable as dt
from detectable.study.doctor.of_scores import _rounded_up
from tests.study.doctor.test_doctor import asked


def test_a_task_of_two_questions_leaves_no_margin(tmp_path: Path) -> None:
    """Its share could differ by all there is; the other task alone could pass a margin."""
    rows = [
        f"{system},{'a' if i < 60 else 'b'},q{i},{i % k % 2 if i < 60 else 1}"
        for system, k in (("new", 2), ("old", 3))
        for i in range(62)
    ]
    path = tmp_path / "s.csv"
    for kept, possible in ((rows, False), ([row for row in rows if ",a," in row], True)):
        path.write_text("system,task,item,score\n" + "\n".join(kept) + "\n")
        found = asked(dt.doctor([path]), "May the new system replace")
        assert found.possible is possible
        why = "No loss of any size could be ruled out with so few units."
        assert (found.why == why) is not possible


@pytest.mark.parametrize(
    ("value", "shown"), [(0.1, "0.1"), (0.101, "0.11"), (0.0991, "0.1"), (12.3, "13"), (0.25, "0.25")]
)  # fmt: skip
def test_margins_are_rounded_up(value: float, shown: str) -> None:
    assert _rounded_up(value) == shown
