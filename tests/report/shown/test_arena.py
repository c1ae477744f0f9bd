"""What the pictures of an arena show, against one made by hand."""

import math
from dataclasses import replace

import pytest

from detectable.report.blocks import Chart, Matrix, Methods, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.shown.arena import all_pairs, strengths
from detectable.study.arena.result import Arena
from tests.report import results
from tests.report.charts.drawn import LONG, check
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def many(n: int) -> Arena:
    """Return an arena of so many systems, of which nothing is told apart."""
    return results.arena(
        systems=tuple(
            results.arena_system(f"s{i:02}", 0.01 * (n - i), rank_high=n) for i in range(n)
        ),
        pairs=(),
    )


def test_the_picture_of_strengths_stands_below_the_verdict_and_is_in_elo() -> None:
    (chart,) = strengths(results.arena())
    assert (chart.key, chart.twin) == (True, "systems")
    _, _, points, ranks, tiers, *_ = chart.make(720)["layer"]
    shown = [(row["row"], row["score"]) for row in points["data"]["values"]]
    assert shown == [(0, 1100.0), (1, 1075.0), (2, 1025.0), (3, 800.0)]
    low, high = (points["data"]["values"][0][end] for end in ("low", "high"))
    assert (round(low, 2), round(high, 2)) == (1043.43, 1130.29)  # 1000 + 173.72 · [¼, ¾]
    assert [row["text"] for row in ranks["data"]["values"]] == ["1–2", "1–2", "3", "4"]
    assert [row["text"] for row in tiers["data"]["values"]] == ["1", "", "2", "3"]


def test_who_is_far_away_is_named_in_whole_points() -> None:
    far = results.arena_system("far", -40.0, rank_low=9, rank_high=9)
    (chart,) = strengths(results.arena(systems=(*many(8).systems, far), pairs=()))
    layers = chart.make(720)["layer"]
    texts = [row.get("text") for one in layers for row in one["data"]["values"]]
    assert "← −7000" in texts


def test_a_picture_needs_two_strengths_with_ends_and_has_room_for_forty() -> None:
    nan, made = math.nan, results.arena()
    gone = [replace(row, strength=nan, elo=nan) for row in made.systems[1:]]
    assert list(strengths(results.arena(systems=(made.systems[0], *gone)))) == []
    (two,) = strengths(results.arena(systems=(*made.systems[:2], *gone[:2])))
    assert two.caption.endswith("Without estimate: elk, cod.")
    for end in ("low", "high"):
        open_end = replace(made.systems[0].interval, **{end: math.inf})
        first = replace(made.systems[0], interval=open_end)
        assert list(strengths(results.arena(systems=(first, *made.systems[1:])))) == []
    assert len(list(strengths(many(40)))) == 1
    assert list(strengths(many(41))) == []


def test_pairs_above_the_diagonal_hold_points_beyond_a_half_and_below_it_p() -> None:
    (chart,) = all_pairs(results.arena())
    assert (chart.twin, chart.key) == ("pairs", False)
    upper, _, lower = chart.make(720)["layer"]
    cells = {(row["row"], row["column"]): row["text"] for row in upper["data"]["values"]}
    assert cells == {
        (0, 1): "2.5",
        (0, 2): "7.5",
        (0, 3): "30.0",
        (1, 2): "5.0",
        (1, 3): "27.5",
        (2, 3): "22.5",
    }
    ps = {(row["row"], row["column"]): row["text"] for row in lower["data"]["values"]}
    assert (ps[1, 0], ps[2, 0]) == (".31", ".002")


def test_the_matrix_is_for_four_to_twenty_four_systems() -> None:
    for n, drawn in ((3, 0), (4, 1), (24, 1), (25, 0)):
        assert len(list(all_pairs(many(n)))) == drawn


# --- What an arena shows, against one made by hand ---


def test_blocks_in_order() -> None:
    assert shown(results.arena()) == [
        "Verdict",
        "chart strengths",
        "Text",
        "systems",
        "effects",
        "chart matrix",
        "matrix",
        "pairs",
        "Text",
        "Text",
        "Methods",
        "Repeat",
    ]


def test_verdict() -> None:
    made = block_of(results.arena(), "Verdict")
    assert made == Verdict(
        "info",
        "Each of 2 systems may be first: owl, elk.",
        (
            "5 of 6 pairs told apart (all pairs together, p ≤ 0.05), 1 undecided; there, gaps of 98 "
            "Elo would reliably have been seen (80% power).",
            "Undecided between owl and elk: 52.5% of wins [40.7, 65.1], p = .3125. 63.7% of wins or "
            "more (98 Elo) would reliably have been seen (80% power).",
            "834 votes (91 ties), ties as half a win, standard errors by 120 prompts, 60 voters.",
        ),
    )


def test_limits_say_what_more_votes_would_do() -> None:
    said = next(b for b in blocks_of(results.arena()) if isinstance(b, Text))
    assert said == Text(
        "limits",
        "What these votes could have shown",
        "For 1 undecided pair a true share of wins of 63.7% is found with 80% power. Smaller ones "
        "are usually missed. To find a gap of 20 Elo, the closest of them needs 2,345 more votes of "
        "the two systems. One more vote of the two tells most about owl and elk.",
    )
    other = replace(results.arena().next_pair, vote=("owl", "cod"))  # type: ignore[type-var]
    texts = [b.text for b in blocks_of(results.arena(next_pair=other)) if isinstance(b, Text)]
    assert texts[0].endswith("One more vote of owl and cod tells most about owl and elk.")


def test_the_table_of_systems() -> None:
    table = table_of(results.arena(), "systems")
    assert columns(table) == [
        "ranks: ranks, text",
        "system: system, name",
        "elo: Elo, number",
        "elo_interval: 95% interval, all together / 95% interval, interval",
        "strength: strength, number, keep 2 (log-odds; they add up to zero)",
        "standard_error: SE, number, keep 3",
        "interval: interval, interval, keep 9",
        "interval_alone: interval alone, interval, keep 9",
        "rank_low: lowest rank, count, keep 9",
        "rank_high: highest rank, count, keep 9",
        "adjusted: adjusted, number, keep 2 (without side and covariates)",
        "adjusted_ranks: adj. ranks, text, keep 4",
        "lmarena_rank: LMArena rank, count, keep 9",
        "votes: votes, count, keep 4",
        "wins: wins, share, keep 5",
    ]
    assert table.breaks == (2, 3)
    assert rows(table)[0] == (
        "1–2 | owl | 1,100 | [1,043, 1,130] | 0.500 | 0.062 | [0.250, 0.750] | [0.375, 0.625] | 1 | 2 "
        "| 0.531 | 1–3 | 1 | 417 | 62.5%"
    )
    assert "," not in csv_lines(table)[0].split(",")[0]


def test_a_system_without_estimate_is_placed_and_bounded() -> None:
    nan = math.nan
    above = results.arena_system("top", nan, placed="above", bound=0.75, adjusted=nan, elo=nan)
    made = results.arena(systems=(above, *results.arena().systems[:3]))
    table = table_of(made, "systems")
    assert columns(table)[-4:-2] == [
        "placed: placed, text, keep 2",
        "bound: bound, signed number, keep 4",
    ]
    assert table.column("placed")[:2] == ("above", "ranked")
    assert table.column("bound")[0] == 0.75
    assert table.column("elo_interval")[0] is None
    chart = block_of(made, "chart strengths")
    assert isinstance(chart, Chart)
    assert chart.caption.endswith("Without estimate: top.")
    assert (
        "top is above all: it lost to none of those that can be ranked; its strength is at least +0.75 (95%, one-sided)."
        in made.summary()
    )


def test_the_table_of_effects() -> None:
    table = table_of(results.arena(), "effects")
    assert rows(table) == [
        "side | +0.150 | [+0.010, +0.290] | 0.070 | .0340 | 1.000",
        "length | −0.050 | [−0.210, +0.110] | 0.080 | .5300 | 1.500",
    ]
    assert "effects" not in shown(results.arena(effects=()))


def test_the_table_of_pairs() -> None:
    table = table_of(results.arena(), "pairs")
    assert rows(table)[0] == (
        "owl | elk | 52.5% | [40.7, 65.1]% | 0.125 | 0.188 | [−0.375, 0.625] | [−0.250, 0.500] | .0625 "
        "| .3125 | 63.7% | 98 | 0.562 | 2,345 | 53.1% | 139 | ○ undecided"
    )
    assert rows(table)[1].endswith("▲ better")
    assert (
        table.note == "Votes needed: more battles of the two that would show a gap of 20 Elo."
    )


def test_the_matrix_has_numbers_for_a_paper() -> None:
    made = next(b for b in blocks_of(results.arena()) if isinstance(b, Matrix))
    assert made.title == "All pairs: 5 of 6 told apart"
    assert made.verdicts[0] == (None, "undecided", "better", "better")
    assert made.verdicts[3] == ("worse", "worse", "worse", None)
    assert made.numbers is not None
    assert made.numbers.differences[3][0] == -1.5


def test_checks_say_what_the_common_choice_would_have_said() -> None:
    *_, checks, _ = (b for b in blocks_of(results.arena()) if isinstance(b, Text))
    assert checks.points == (
        ("plain", results.arena().basis()),
        (
            "look",
            "Clusters make the variance of a difference 1.34 times that of independent votes.",
        ),
        (
            "look",
            "First place helps (p = .0340): the column «adjusted» has the strengths without it.",
        ),
        (
            "look",
            "Independent votes and every pair by itself would tell 6 of 6 pairs apart; LMArena's rule "
            "would rank 1 1 2 4.",
        ),
    )


@pytest.mark.parametrize(
    ("changes", "said", "cited"),
    [
        (
            {},
            "clustered by 120 prompts and 60 voters (Cameron et al., 2011)",
            "cameron-etal-2011",
        ),
        ({"cluster": "prompt", "clusters": {"prompt": 9}}, "clustered by 9 prompts.", None),
        ({"cluster": "vote", "clusters": {}}, "Votes were taken as independent.", None),
        ({"ties": "davidson"}, "Ties were modelled after Davidson (1970).", "davidson-1970"),
        ({"ties": "rao-kupper"}, "Rao and Kupper (1967)", "rao-kupper-1967"),
        ({"ties": "drop"}, "Ties were left out.", None),
    ],
)
def test_methods(changes: dict[str, object], said: str, cited: str | None) -> None:
    made = block_of(results.arena(**changes), "Methods")
    assert isinstance(made, Methods)
    assert said in made.paragraph
    assert {"bradley-terry-1952", "mogstad-etal-2024"} <= set(made.cite)
    assert cited is None or cited in made.cite


def test_methods_of_two_systems_and_of_other_errors() -> None:
    two = {"systems": results.arena().systems[:2], "pairs": results.arena().pairs[:1]}
    made = block_of(results.arena(test="sign", **two), "Methods")
    assert isinstance(made, Methods)
    assert (
        "the exact sign test of the decided votes (Dixon and Mood, 1946), at α = .05"
        in made.paragraph
    )
    assert made.cite == ("dixon-mood-1946",)
    made = block_of(
        results.arena(test="t", cluster="prompt", clusters={"prompt": 40}, **two), "Methods"
    )
    assert isinstance(made, Methods)
    assert "a t test over 40 prompts" in made.paragraph
    for setting, said in (
        (
            {"bootstrap": 2000},
            "2,000 draws of the Bayesian bootstrap of 120 prompts and 60 voters",
        ),
        ({"penalty": "firth"}, "penalised after Firth (1993)"),
    ):
        signature = replace(results.SIGNATURE, settings=setting)
        made = block_of(results.arena(signature=signature), "Methods")
        assert isinstance(made, Methods)
        assert said in made.paragraph


def test_two_systems_have_a_verdict_with_a_status() -> None:
    two = {
        "systems": results.arena().systems[:2],
        "pairs": results.arena().pairs[:1],
        "test": "sign",
    }
    undecided = block_of(results.arena(**two), "Verdict")
    assert isinstance(undecided, Verdict)
    assert (undecided.status, undecided.headline) == (
        "undecided",
        "Undecided between owl and elk.",
    )
    told = replace(results.arena().pairs[0], verdict="better")
    first = replace(results.arena().systems[0], rank_high=1)
    second = replace(results.arena().systems[1], rank_low=2)
    made = results.arena(systems=(first, second), pairs=(told,), test="sign")
    better = block_of(made, "Verdict")
    assert isinstance(better, Verdict)
    assert (better.status, better.headline) == (
        "better",
        "owl is on top: better than the other.",
    )


def test_the_charts_say_what_they_show() -> None:
    chart = block_of(results.arena(), "chart strengths")
    assert isinstance(chart, Chart)
    assert chart.title == "2 of 4 systems could be first; 2 lines can be drawn"
    assert chart.alt.startswith(f"{chart.title}. owl: 1100 Elo, ranks 1–2. elk: 1075 Elo")
    pairs = block_of(results.arena(), "chart matrix")
    assert isinstance(pairs, Chart)
    assert pairs.title == "5 of 6 pairs told apart"
    assert "owl beats 2, elk beats 2, cod beats 1." in pairs.alt
    check(blocks_of(results.arena()))


def test_long_names_and_one_winner_fit_the_chart() -> None:
    first = replace(results.arena().systems[0], system=LONG, rank_high=1)
    others = [
        replace(row, rank_low=max(2, row.rank_low)) for row in results.arena().systems[1:]
    ]
    made = results.arena(systems=(first, *others), pairs=())
    chart = block_of(made, "chart strengths")
    assert isinstance(chart, Chart)
    assert chart.title.startswith(f"Only {LONG} can be first")
    check(blocks_of(made))
