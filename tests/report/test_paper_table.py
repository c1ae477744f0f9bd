"""What only a paper prints."""

import pytest

from detectable.core.errors import InputError
from detectable.report.paper_table import (
    PairNumbers,
    PaperCell,
    PaperColumn,
    PaperTable,
    mark_of,
    significance_marks,
)


def test_a_row_has_a_cell_per_column() -> None:
    columns = (PaperColumn("System", "name"), PaperColumn("BLEU", "score"))
    with pytest.raises(InputError, match="row 1 of paper table 't' must have 2 cells"):
        PaperTable("t", "T.", columns, ((PaperCell("a"),) * 2, (PaperCell("b"),)))


def test_a_pair_read_backwards_changes_its_sign_and_keeps_its_p() -> None:
    pairs = {("a", "b"): (1.5, 0.01), ("c", "a"): (-2.0, 0.5)}
    made = PairNumbers.build(
        ("a", "b", "c"), pairs, digits=1, alpha=0.1, caption="in x.", told="told", same="same"
    )
    assert made.differences == ((None, 1.5, 2.0), (-1.5, None, None), (-2.0, None, None))
    assert made.p_values == ((None, 0.01, 0.5), (0.01, None, None), (0.5, None, None))
    assert (made.digits, made.alpha, made.caption) == (1, 0.1, "in x.")
    assert (made.told, made.same) == ("told", "same")


@pytest.mark.parametrize(
    ("p", "mark"),
    [
        *((0.0001, "‡"), (0.001, "‡"), (0.0011, "†"), (0.01, "†"), (0.011, "⋆"), (0.05, "⋆")),
        *((0.051, ""), (None, "")),
    ],
)
def test_marks_go_with_the_level(p: float | None, mark: str) -> None:
    assert mark_of(p, significance_marks(0.05)) == mark


def test_no_mark_says_more_than_the_level() -> None:
    assert mark_of(0.03, significance_marks(0.01)) == ""
    assert mark_of(0.0005, significance_marks(0.001)) == "⋆"
    assert significance_marks(0.1) == ((0.001, "‡"), (0.01, "†"), (0.1, "⋆"))
