"""What the pictures of a ranking say, against results made by hand."""

import math
from dataclasses import replace

import pytest

from detectable.core.interval import Interval
from detectable.report.blocks import DATA_ONLY, Matrix, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.shown.paper_tables import pairs_of_a_ranking as pair_numbers
from detectable.report.shown.ranking import all_pairs, matrix, pairs, scores, systems, verdict
from detectable.study.ranking.ranking import Influential, Ranking
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check_readable
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


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


# --- What a ranking shows, against one made by hand ---

WMT = "WMT's rule (one-sided rank-sum on z, uncorrected) would make 3 clusters and tell 3 of 3 pairs apart, 2 here; 1 pair differs."


def test_blocks_in_order() -> None:
    assert shown(results.ranking()) == [
        "Verdict",
        "chart ranking",
        "Text",
        "systems",
        "ranking",
        "pairs",
        "Text",
        "Text",
        "Methods",
        "Repeat",
    ]


def test_verdict() -> None:
    assert block_of(results.ranking(), "Verdict") == Verdict(
        status="info",
        headline="2 systems share the top cluster, above the other system: human, new.",
        detail=(
            "2 of 3 pairs told apart (p ≤ 0.05, max-T), 1 undecided.",
            "Undecided between human and new: +2.50 points [−0.50, +5.50], p = .0642. This evaluation would reliably have seen 4.25 or more (80% power).",
            "human is better than old: +12.50 points [+9.50, +15.50], p = .0004.",
            "new is better than old: +10.00 points [+7.00, +13.00], p = .0040.",
        ),
    )


def test_limits() -> None:
    assert Text(
        role="limits",
        title="What these judgments could have shown",
        text="For 1 undecided pair a true difference of 4.25 points is found with 80% power. Smaller ones are usually missed. Same cluster does not mean equally good.",
        points=(),
    ) in blocks_of(results.ranking())


def test_the_table_of_systems() -> None:
    table = table_of(results.ranking(), "systems")
    assert (table.title, table.breaks, table.folded) == ("Ranking", (2,), False)
    assert columns(table) == [
        "cluster: cluster / cl., count",
        "ranks: ranks, text",
        "system: system, name",
        "mean_raw: mean raw / raw, number",
        "mean_z: mean z / z, number, keep 3",
        "interval: 95% interval, interval",
        "n: items, count, keep 2 (distinct items: what the score rests on)",
        "N: judgments, count, keep 4 (of these items, repeats included)",
    ]
    assert rows(table) == [
        "1 | 1–2 | human | 72.50 | 0.250 | [70.00, 75.00] | 120 | 1,250",
        "1 | 1–2 | new | 70.00 | 0.125 | [70.00, 75.00] | 118 | 1,240",
        "2 | 3 | old | 60.00 | −0.500 | [57.50, 62.50] | 119 | 1,230",
    ]
    assert csv_lines(table) == [
        "cluster,ranks,system,mean_raw,mean_z,interval_low,interval_high,n,N",
        "1,1–2,human,72.5,0.25,70.0,75.0,120,1250",
        "1,1–2,new,70.0,0.125,70.0,75.0,118,1240",
        "2,3,old,60.0,-0.5,57.5,62.5,119,1230",
    ]


def test_the_table_of_pairs() -> None:
    table = table_of(results.ranking(), "pairs")
    assert (table.title, table.breaks, table.folded) == (
        "Pairs (differences in points)",
        (),
        False,
    )
    assert columns(table) == [
        "better: higher, name",
        "worse: lower, name",
        "difference: difference / diff., number",
        "interval: 95% interval, all pairs together / 95% interval, interval",
        "interval_level: interval level, number, keep 9",
        "interval_alone: interval alone, interval, keep 9",
        "standard_error: SE, number, keep 9",
        "probability: P(higher), number, keep 9",
        "p_value: p alone, p, keep 9",
        "p_adjusted: p (max-T), p (for the number of pairs; the verdict goes by it)",
        "p_equivalence: p equivalence, p, keep 9",
        "attainable_p: smallest p, p, keep 9",
        "mde: MDE 80%, number, keep 3",
        "units_needed: units needed, count, keep 9",
        "verdict: verdict, verdict",
        "n: units, count, keep 9",
        "n_clusters: clusters, count, keep 9",
    ]
    assert rows(table) == [
        "human | new | 2.50 | [−0.50, 5.50] | 0.95 | [0.25, 4.75] | 1.50 | 0.58 | .0321 | .0642 | .6000 | .0001 | 4.25 | – | ○ undecided | 110 | 20",
        "human | old | 12.50 | [9.50, 15.50] | 0.95 | [10.25, 14.75] | 1.50 | 0.58 | .0001 | .0004 | .6000 | .0001 | 4.50 | – | ▲ better | 110 | –",
        "new | old | 10.00 | [7.00, 13.00] | 0.95 | [7.75, 12.25] | 1.50 | 0.58 | .0020 | .0040 | .6000 | .0001 | 4.25 | – | ▲ better | 110 | 20",
    ]
    assert csv_lines(table) == [
        "better,worse,difference,interval_low,interval_high,interval_level,interval_alone_low,interval_alone_high,standard_error,probability,p_value,p_adjusted,p_equivalence,attainable_p,mde,units_needed,verdict,n,n_clusters",
        "human,new,2.5,-0.5,5.5,0.95,0.25,4.75,1.5,0.58,0.0321,0.0642,0.6,0.0001,4.25,,undecided,110,20",
        "human,old,12.5,9.5,15.5,0.95,10.25,14.75,1.5,0.58,0.00012,0.00036,0.6,0.0001,4.5,,better,110,",
        "new,old,10.0,7.0,13.0,0.95,7.75,12.25,1.5,0.58,0.002,0.004,0.6,0.0001,4.25,,better,110,20",
    ]


def test_checks() -> None:
    assert Text(
        role="checks",
        title="Assumptions and checks",
        text="",
        points=(
            ("plain", "Tested by sign flips."),
            ("look", WMT),
        ),
    ) in blocks_of(results.ranking())


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "Four raters."),)
    ) in blocks_of(results.ranking())


def test_repeat() -> None:
    assert block_of(results.ranking(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_every_pair_stands_in_the_matrix_from_four_systems_on() -> None:
    result = results.long_ranking(4, name="s{}")
    assert shown(result) == [
        *(
            "Verdict",
            "chart ranking",
            "Text",
            "systems",
            "ranking",
            "chart matrix",
            "matrix",
            "pairs",
        ),
        *("Text", "Methods", "Repeat"),
    ]
    found = block_of(result, "matrix")
    assert isinstance(found, Matrix)
    assert found == Matrix(
        "matrix",
        "All pairs: 3 of 6 told apart",
        ("s1", "s2", "s3", "s4"),
        (
            (None, "undecided", "undecided", "better"),
            ("undecided", None, "undecided", "better"),
            ("undecided", "undecided", None, "better"),
            ("worse", "worse", "worse", None),
        ),
        numbers=pair_numbers(result, ["s1", "s2", "s3", "s4"]),
        beside=found.beside,
    )
    assert found.beside is not None
    assert (found.beside.id, columns(found.beside)) == (
        "systems",
        [
            "cluster: cluster / cl., count, keep 2",
            "ranks: ranks, text",
            "system: system, name",
            "score: raw, number",
        ],
    )
    assert rows(found.beside)[3] == "2 | 4 | s4 | 77.00"


def test_beside_the_pairs_stands_what_the_ranking_goes_by() -> None:
    in_z = matrix(results.long_ranking(4)).beside
    assert in_z is not None
    assert in_z.columns[-1].title == "raw"
    made = replace(results.long_ranking(4), scale="z")
    by_z = tuple(replace(row, score=row.mean_z) for row in made.systems)
    for systems_of, title in ((by_z, "z"), (made.systems, "score")):
        beside = matrix(replace(made, systems=systems_of)).beside
        assert beside is not None
        assert beside.columns[-1].title == title


def test_tables_say_in_a_paper_at_which_level_their_intervals_are() -> None:
    assert table_of(results.ranking(), "pairs").caption == (
        "Differences in points, 95% interval, all pairs together (sign flips of matched "
        "differences over items, max-T for 3 pairs, α = .05)."
    )
    assert table_of(results.ranking(alpha=0.1), "systems").caption == (
        "Ranking, with the 90% interval of every system alone."
    )


def test_a_rank_reversal_and_an_equivalence_keep_their_sides_in_the_matrix() -> None:
    pairs = list(results.long_ranking(4, name="s{}").pairs)
    pairs[0] = replace(pairs[0], verdict="worse")
    pairs[1] = replace(pairs[1], verdict="equivalent")
    found = matrix(replace(results.long_ranking(4, name="s{}"), pairs=tuple(pairs)))
    assert (found.verdicts[0][1], found.verdicts[1][0]) == ("worse", "better")
    assert (found.verdicts[0][2], found.verdicts[2][0]) == ("equivalent", "equivalent")


def test_many_names_go_below_the_headline() -> None:
    assert verdict(results.long_ranking(4, name="s{}")).headline.endswith("s1, s2, s3.")
    found = verdict(results.long_ranking(5, name="s{}"))
    assert found.headline == "4 systems share the top cluster, above the other system."
    assert found.detail[0] == "On top: s1, s2, s3, s4."
    assert found.detail[1].startswith("4 of 10 pairs told apart")


def test_the_pairs_are_folded_beyond_twelve() -> None:
    assert not pairs(results.long_ranking(5)).folded  # 10 pairs
    assert pairs(results.long_ranking(6)).folded  # 15


def test_exactly_twelve_pairs_are_not_folded() -> None:
    made = results.long_ranking(6)
    assert not pairs(replace(made, pairs=made.pairs[:12])).folded


def test_the_limits_give_the_range_of_what_could_be_seen() -> None:
    made = results.ranking()
    open_pairs = tuple(
        replace(pair, verdict="undecided", mde=mde)
        for pair, mde in zip(made.pairs, (4.5, math.nan, 4.25), strict=True)
    )
    found = block_of(replace(made, pairs=open_pairs), "Text")
    assert isinstance(found, Text)
    assert found.text.startswith(
        "For 3 undecided pairs a true difference of 4.25 to 4.50 points is found with 80% power."
    )


def test_no_limits_where_all_is_decided_or_nothing_is_known() -> None:
    made = results.ranking()
    decided = tuple(replace(pair, verdict="better") for pair in made.pairs)
    unknown = tuple(replace(pair, mde=math.nan) for pair in made.pairs)
    for pairs_made in (decided, unknown):
        assert shown(replace(made, pairs=pairs_made))[:3] == [
            "Verdict",
            "chart ranking",
            "systems",
        ]


def test_a_ranking_in_z_puts_z_first_and_gives_three_decimals() -> None:
    made = results.ranking(scale="z")
    table = systems(
        replace(made, systems=tuple(replace(row, score=row.mean_z) for row in made.systems))
    )
    assert columns(table)[3:6] == [
        "mean_raw: mean raw / raw, number, keep 3",
        "mean_z: mean z / z, number",
        "interval: 95% interval, interval",
    ]
    assert table.texts()[0][5] == "[70.000, 75.000]"
    assert pairs(made).title == "Pairs (differences in z)"
    assert pairs(made).texts()[0][2:4] == ("2.500", "[−0.500, 5.500]")
    assert pairs(made).texts()[0][5:8] == ("[0.250, 4.750]", "1.500", "0.58")


def test_a_score_of_its_own_has_its_own_column() -> None:
    made = results.ranking()
    moved = (replace(made.systems[0], score=71.25), *made.systems[1:])
    table = systems(replace(made, systems=moved))
    assert columns(table)[3] == "score: score, number"
    assert table.column("score") == (71.25, 70.0, 60.0)
    same = (replace(made.systems[0], score=72.5 + 1e-12), *made.systems[1:])
    assert "score: score, number" not in columns(systems(replace(made, systems=same)))


def test_without_raters_there_is_no_z() -> None:
    made = results.ranking()
    unknown = tuple(replace(row, mean_z=math.nan) for row in made.systems)
    keys = [column.key for column in systems(replace(made, systems=unknown)).columns]
    assert keys == ["cluster", "ranks", "system", "mean_raw", "interval", "n", "N"]


def test_one_p_and_one_interval_are_shown() -> None:
    made = results.ranking()
    keep = {c.key: c.keep for c in pairs(made).columns}
    assert (keep["p_value"], keep["p_adjusted"]) == (DATA_ONLY, 1)
    assert (keep["interval"], keep["interval_alone"]) == (1, DATA_ONLY)
    labels = {c.key: c.title for c in pairs(replace(made, correction="none")).columns}
    assert (labels["p_adjusted"], labels["interval"]) == ("p", "95% interval")
    one = {c.key: c.title for c in pairs(replace(made, pairs=made.pairs[:1])).columns}
    assert (one["p_adjusted"], one["interval"]) == ("p", "95% interval")


def test_with_a_margin_the_p_of_the_verdict_is_shown() -> None:
    made = results.ranking(margin=2.0)
    same = (replace(made.pairs[0], verdict="equivalent"), *made.pairs[1:])
    table = pairs(replace(made, pairs=same))
    keep = {c.key: c.keep for c in table.columns}
    assert (keep["p"], keep["p_adjusted"], keep["p_equivalence"]) == (1, DATA_ONLY, DATA_ONLY)
    assert table.column("p") == (0.6, 0.00036, 0.004)
    labels = {c.key: c.title for c in table.columns}
    assert labels["interval"] == "95% interval (90% where equivalent), all pairs together"


def test_claims_about_a_margin_have_their_own_level() -> None:
    made = results.ranking(claim="non-inferior", margin=2.0, correction="holm", alpha=0.01)
    labels = {c.key: c.title for c in pairs(made).columns}
    assert labels["interval"] == "98% interval, all pairs together"
    assert labels["mde"] == "margin 80%"
    assert shown(made)[:3] == [
        "Verdict",
        "chart ranking",
        "systems",
    ]  # what could be shown is no difference


def test_what_hangs_on_one_document_is_among_the_checks() -> None:
    without = Influential(
        kind="document", name="d7", share=0.1, clusters=(("human",), ("new", "old"))
    )
    made = replace(
        results.ranking(), influential=(without,), test="t", n_units=5, unit="document"
    )
    points = next(
        b for b in blocks_of(made) if isinstance(b, Text) and b.role == "checks"
    ).points
    assert [text for _, text in points] == [made.reason, made.design(), *made.hinges(), WMT]
    assert made.design()
    assert made.hinges()
    assert not {made.design(), *made.hinges()} & set(verdict(made).detail)


def test_wmts_own_ranking_does_not_compare_itself_with_wmt() -> None:
    made = [
        block
        for block in blocks_of(results.ranking(preset="wmt21"))
        if isinstance(block, Text) and block.role == "checks"
    ]
    assert made[0].points == (("plain", "Tested by sign flips."),)


def test_the_sentence_of_equivalence_says_the_level_of_its_interval() -> None:
    at_90 = results.ranked_pair(
        "a", "b", verdict="equivalent", interval=Interval(-0.31, 0.42, 0.9)
    )
    made = results.ranking(margin=0.5)
    assert "+2.50 points, 90% interval [−0.31, +0.42], p" in made.sentence(at_90)
    assert "+2.50 points [−0.50, +5.50], p" in made.sentence(results.ranked_pair("a", "b"))
