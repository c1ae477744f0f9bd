"""A matrix of pairs says what its signs mean, and only those that are there."""

import pytest

from detectable.report.shown.matrix import matrix_caption

AHEAD = "▼: the column is ahead."
ALIKE = "=: equivalent."


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (["better", "undecided"], []),
        (["worse"], [AHEAD]),
        (["lower"], [AHEAD]),
        (["equivalent"], [ALIKE]),
        (["non-inferior", "worse"], [AHEAD, ALIKE]),
    ],
)
def test_only_signs_that_are_there_are_explained(verdicts: list[str], said: list[str]) -> None:
    caption = matrix_caption("BLEU", verdicts, "holm")
    assert caption.startswith("Above the diagonal: difference in BLEU, row − column")
    assert [sentence for sentence in (AHEAD, ALIKE) if sentence in caption] == said


@pytest.mark.parametrize(
    ("correction", "named"), [("none", "p"), ("holm", "corrected p"), ("max-t", "corrected p")]
)
def test_p_is_called_corrected_where_it_is(correction: str, named: str) -> None:
    assert f"Below it: {named}. " in matrix_caption("z", ["better"], correction)
