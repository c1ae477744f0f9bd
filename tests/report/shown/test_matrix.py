"""A matrix of pairs says what its signs mean, and only those that are there."""

import pytest

from detectable.contrasts.contrast import NO_INTERVAL, Contrast
from detectable.core.verdict import Verdict
from detectable.report.charts.ranking import Cell, cells_of
from detectable.report.shown.ordered import matrix_caption, verdicts_of

NAMES = "abcdef"


def pair(
    system: str, baseline: str, difference: float, p: float, verdict: Verdict | None
) -> Contrast:
    return Contrast(
        system=system,
        baseline=baseline,
        difference=difference,
        interval=NO_INTERVAL,
        p_value=p,
        p_adjusted=p,
        verdict=verdict,
    )


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
def test_only_signs_that_are_there_are_explained(
    verdicts: list[Verdict], said: list[str]
) -> None:
    pairs = [pair("a", NAMES[i], 1.0, 0.1, verdict) for i, verdict in enumerate(verdicts, 1)]
    caption = matrix_caption("BLEU", NAMES, pairs, "holm")
    assert caption.startswith("Above the diagonal: difference in BLEU, row − column")
    assert [sentence for sentence in (AHEAD, ALIKE) if sentence in caption] == said


@pytest.mark.parametrize(
    ("correction", "named"), [("none", "p"), ("holm", "corrected p"), ("max-t", "corrected p")]
)
def test_p_is_called_corrected_where_it_is(correction: str, named: str) -> None:
    assert f"Below it: {named}. " in matrix_caption(
        "z", "ab", [pair("a", "b", 1.0, 0.1, "better")], correction
    )


# --- Verdicts and cells of every two systems, whichever of the two is named first ---


def test_each_row_says_what_holds_of_its_system() -> None:
    said = verdicts_of(
        ("a", "b", "c"),
        [pair("b", "a", 1.0, 0.1, "better"), pair("a", "c", 0.0, 0.1, "equivalent")],
    )
    assert said == (
        (None, "worse", "equivalent"),
        ("better", None, None),
        ("equivalent", None, None),
    )


def test_a_cell_is_turned_where_the_pair_stands_the_other_way_round() -> None:
    pairs = [pair("a", "b", 1.5, 0.01, "better"), pair("c", "a", 2.0, 0.02, "better")]
    assert cells_of(("a", "b", "c"), pairs) == {
        (0, 1): Cell(1.5, 0.01, "better"),
        (0, 2): Cell(-2.0, 0.02, "worse"),
    }


def test_systems_that_are_not_shown_have_no_cell() -> None:
    pairs = [pair("a", "b", 1.5, 0.01, "better"), pair("x", "a", 2.0, 0.02, "better")]
    assert set(cells_of(("a", "b"), pairs)) == {(0, 1)}
    assert set(cells_of(("a", "b"), [pair("a", "x", 2.0, 0.02, "better")])) == set()


def test_a_pair_without_a_verdict_has_no_cell() -> None:
    undecided = [pair("a", "b", 1.5, 0.01, None)]
    assert cells_of("ab", undecided) == {}
    assert verdicts_of("ab", undecided) == ((None, None), (None, None))
