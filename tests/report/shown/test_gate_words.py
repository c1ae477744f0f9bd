"""Numbers and sentences that all forms of a gate share."""

import pytest

from detectable.report.shown.gate_words import digits_of, setting
from tests.report import results
from tests.report.results import gate_row


@pytest.mark.parametrize(
    ("largest", "margin", "digits"),
    [
        (0.9, 0.05, 3),  # a share
        (2.0, 0.05, 3),
        (2.1, 0.5, 2),  # points
        (200.0, 0.5, 2),
        (201.0, 0.5, 2),  # a margin of halves is seen with two
        (201.0, 2.0, 1),
        (0.9, 0.0005, 5),  # one decimal more than the margin has
        (0.9, 0.00000005, 6),
    ],
)
def test_decimals_follow_the_scores_and_the_margin(
    largest: float, margin: float, digits: int
) -> None:
    for low, high in ((0.0, largest), (-largest, 0.0)):
        rows = (gate_row(old=low, new=high), gate_row("code", old=0.1, new=0.1))
        assert digits_of(results.gate(rows=rows, margin={"accuracy": margin})) == {
            "accuracy": digits
        }


def test_every_metric_has_its_own_decimals() -> None:
    rows = (gate_row(), gate_row(metric="bleu", old=31.0), gate_row(metric="points", new=900.0))
    assert digits_of(results.gate(rows=rows, margin={})) == {
        "accuracy": 3,
        "bleu": 2,
        "points": 1,
    }


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ((1.0, 1.0), "60 questions, 58 groups"),
        ((4.0, 4.0), "60 questions × 4 samples, 58 groups"),
        ((1.0, 4.0), "60 questions × 1 to 4 samples, 58 groups"),
    ],
)
def test_the_setting_tells_samples_where_there_are_several(
    samples: tuple[float, float], said: str
) -> None:
    row = gate_row(samples_old=samples[0], samples_new=samples[1])
    assert setting(results.gate(rows=(row,))).endswith(f" one-sided, {said}")


def test_one_is_one() -> None:
    row = gate_row(samples_old=1.0, samples_new=1.0, n_items=2, n_clusters=1)
    assert setting(results.gate(rows=(row,))).endswith(", 2 questions, 1 group")
    alone = gate_row(samples_old=1.0, samples_new=1.0, n_items=1, n_clusters=1)
    assert setting(results.gate(rows=(alone,))).endswith(" one-sided, 1 question")
