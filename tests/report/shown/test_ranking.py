"""What the pictures of a ranking say, against results made by hand."""

from dataclasses import replace

import pytest

from detectable.contrasts.contrast import NO_INTERVAL, Contrast
from detectable.core.verdict import Verdict
from detectable.report.charts.ranking import Cell, cells_of
from detectable.report.shown.ordered import matrix_caption, verdicts_of
from detectable.report.shown.ranking import all_pairs, pairs, scores, systems
from detectable.study.ranking.ranking import Ranking
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check_readable


def test_bands_and_rules_stand_between_clusters() -> None:
    (key,) = scores(results.long_ranking(7))
    layers = key.make(720)["layer"]
    assert layers[0]["data"]["values"] == [{"top": 0, "bottom": 6 * 22}]
    rules = [one for one in layers if one["encoding"].get("y") == {"value": 6 * 22}]
    assert len(rules) == 1
    ranks = [row["text"] for row in layers[3]["data"]["values"]]
    assert ranks == ["1–6"] * 6 + ["7"]
    assert [row["text"] for row in layers[4]["data"]["values"]] == ["1", *[""] * 5, "2"]


def four(made: Ranking | None = None) -> Ranking:
    """The ranking of three and a fourth system, which is told apart from none."""
    made = made or results.ranking()
    names = [row.system for row in made.systems]
    last = [
        results.ranked_pair(name, "last", difference=20.0, p_adjusted=1.0) for name in names
    ]
    return replace(
        made,
        systems=(*made.systems, results.ranked("last", score=50.0, cluster=2)),
        pairs=(*made.pairs, *last),
    )


def test_pairs_above_the_diagonal_hold_differences_and_below_it_p() -> None:
    assert list(all_pairs(results.ranking())) == []  # three pairs are read in their table
    (chart,) = all_pairs(four())
    assert chart.title == "2 of 6 pairs differ significantly"
    assert chart.alt.endswith("human beats 1, new beats 1.")
    upper, _, lower = chart.make(720)["layer"]
    cells = {(row["row"], row["column"]): row["text"] for row in upper["data"]["values"]}
    fourth = {(i, 3): "20.00" for i in range(3)}
    assert cells == {(0, 1): "2.50", (0, 2): "12.50", (1, 2): "10.00"} | fourth
    ps = {(row["row"], row["column"]): row["text"] for row in lower["data"]["values"]}
    assert ps == {(1, 0): ".06", (2, 0): "<.001", (2, 1): ".004"} | {
        (3, i): "1" for i in range(3)
    }


def test_a_reversal_is_drawn_as_lost() -> None:
    made = results.ranking()
    first, *others = made.pairs
    turned = replace(made, pairs=(replace(first, verdict="worse"), *others))
    (chart,) = all_pairs(four(turned))
    cells = chart.make(342)["layer"][0]["data"]["values"]
    assert [(row["kind"], row["text"]) for row in cells] == [
        ("worse", "▼"),
        ("better", "▲"),
        ("better", "▲"),
        *[("undecided", "·")] * 3,
    ]
    assert chart.alt.endswith("human beats 1, new beats 2.")


def test_no_pairs_for_claims_about_margins_or_too_many_systems() -> None:
    assert list(all_pairs(results.ranking(claim="equivalent", margin=1.0))) == []
    assert list(all_pairs(results.long_ranking(25))) == []
    assert len(list(all_pairs(results.long_ranking(24)))) == 1
    assert list(scores(results.long_ranking(41))) == []


@pytest.mark.parametrize(
    "result",
    [
        results.long_ranking(24, name=LONG + "{:02d}"),
        results.long_ranking(13, name=JAPANESE + "{:02d}"),
        results.long_ranking(24),
    ],
)
def test_many_systems_and_long_names_can_be_read(result: Ranking) -> None:
    for chart in (*scores(result), *all_pairs(result)):
        check_readable(chart)


def test_the_pairs_are_folded_beyond_twelve() -> None:
    assert not pairs(results.long_ranking(5)).folded  # 10 pairs
    assert pairs(results.long_ranking(6)).folded  # 15


def test_exactly_twelve_pairs_are_not_folded() -> None:
    made = results.long_ranking(6)
    assert not pairs(replace(made, pairs=made.pairs[:12])).folded


def test_a_score_of_its_own_has_its_own_column() -> None:
    made = results.ranking()
    moved = (replace(made.systems[0], score=71.25), *made.systems[1:])
    table = systems(replace(made, systems=moved))
    assert table.columns[3].key == "score"
    assert table.column("score") == (71.25, 70.0, 60.0)
    same = (replace(made.systems[0], score=72.5 + 1e-12), *made.systems[1:])
    keys = [column.key for column in systems(replace(made, systems=same)).columns]
    assert "score" not in keys


# --- A matrix of pairs says what its signs mean, and only those that are there ---

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
