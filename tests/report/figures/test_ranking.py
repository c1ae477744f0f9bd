"""What the pictures of a ranking say, against results made by hand."""

from dataclasses import replace

import pytest

from detectable.report.shown.ranking import all_pairs, scores
from detectable.study.ranking.ranking import Ranking
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check_readable


def test_the_title_says_who_could_be_first_and_counts_the_lines() -> None:
    (key,) = scores(results.ranking())
    assert key.key
    assert key.title == "2 of 3 systems could be first; 1 line can be drawn"
    assert key.alt.endswith(
        "human: 72.50, ranks 1–2. new: 70.00, ranks 1–2. old: 60.00, ranks 3."
    )
    made = results.ranking()
    first, second, third = made.systems
    alone = replace(
        made,
        clusters=(("human",), ("new",), ("old",)),
        systems=(
            replace(first, rank_high=1),
            replace(second, cluster=2, rank_low=2),
            replace(third, cluster=3),
        ),
    )
    (key,) = scores(alone)
    assert key.title == "Only human can be first; 2 lines can be drawn"
    none = replace(made, clusters=(("human", "new", "old"),))
    assert next(scores(none)).title.endswith("no line can be drawn")


def test_the_caption_says_which_rule_draws_lines() -> None:
    (key,) = scores(results.ranking())
    assert key.caption.endswith("where every system above it beats every one below it.")
    signature = replace(results.SIGNATURE, settings={"cluster_rule": "wmt-last"})
    (key,) = scores(results.ranking(signature=signature))
    assert key.caption.endswith("below a system that beats every one below it.")


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
    assert chart.title == "2 of 6 pairs told apart"
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
